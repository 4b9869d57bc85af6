//! How a program reaches a daemon: where it is, how that is known to be it, and the token that is shown to it.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::codegen::Service;
use tonic::codegen::http::Uri;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

/// How much of the disk is taken for a login before there is one, in bytes: a code must not be spent for what has no room.
const RESERVED: usize = 16 * 1024;

/// A connection that shows the token with every call.
pub type Line = InterceptedService<Channel, Bearer>;

/// A login as its file holds it. Nobody else may read that file.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The daemon, as in `https://192.168.1.10:7960`.
    pub server: String,
    /// The token, which is as good as its owner.
    pub token: String,
    /// Whose it is.
    pub name: String,
    /// In which role.
    pub role: String,
    /// The certificate by which the daemon is known, as PEM; none without TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<String>,
}

/// What is shown with every call.
#[derive(Clone, Default)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

/// A daemon that can be reached.
#[derive(Debug, Clone)]
pub struct Reach {
    endpoint: Endpoint,
    bearer: Bearer,
    /// By what, if not by a socket of this machine.
    dial: Option<Dial>,
}

/// What carries the bytes of a connection.
pub trait Carrier: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Carrier for T {}

type Dialled = Pin<Box<dyn Future<Output = std::io::Result<Box<dyn Carrier>>> + Send>>;

/// Another way to open a connection than this machine's sockets: a network that is simulated.
#[derive(Clone)]
pub struct Dial(Arc<dyn Fn() -> Dialled + Send + Sync>);

/// Why a daemon cannot be reached that way.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// This is no address.
    #[error("{server}: {why}; write https://HOST:PORT, or http://HOST:PORT for a daemon without TLS on this machine")]
    Address {
        /// As given.
        server: String,
        /// What is wrong.
        why: String,
    },
    /// A secret would be said in the clear.
    #[error("{server}: {what} would go over the network in the clear: write https://HOST:PORT, with --ca FILE where no login holds the certificate")]
    Clear {
        /// As given.
        server: String,
        /// What.
        what: &'static str,
    },
    /// The file cannot be used.
    #[error("{path}: {why}")]
    File {
        /// As given.
        path: String,
        /// What is wrong.
        why: String,
    },
}

impl Login {
    /// Reads one from its file.
    ///
    /// # Errors
    /// It cannot be read, or is no login.
    pub fn read(path: &Path) -> Result<Login, Error> {
        let wrong = |why: String| Error::File { path: path.display().to_string(), why };
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        serde_json::from_str(&text).map_err(|e| wrong(format!("is no login: {e}; make one with zeitnot login URL CODE")))
    }

    /// Writes it to a new file, for its owner alone.
    ///
    /// # Errors
    /// There is a file already, or it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        Place::take(path)?.hold(self)
    }

    /// The daemon that it is for.
    ///
    /// # Errors
    /// Its address or its certificate cannot be used, or its token would be said in the clear.
    pub fn reach(&self, own: Option<Identity>) -> Result<Reach, Error> {
        Reach::with(&self.server, self.ca.as_deref(), own)?.keeping("the token")?.showing(&self.token)
    }
}

/// A new file for a login, for its owner alone. It goes again if none comes.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    file: std::fs::File,
    held: bool,
}

impl Place {
    /// Makes the file, as large as any login.
    ///
    /// # Errors
    /// It is there already, cannot be made, or the disk is full.
    pub fn take(path: &Path) -> Result<Place, Error> {
        use std::os::unix::fs::OpenOptionsExt;
        let wrong = |why: String| Error::File { path: path.display().to_string(), why };
        let file = std::fs::File::options().write(true).create_new(true).mode(0o600).open(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::AlreadyExists if is_blank(path) => {
                wrong("is there already and holds nothing, since an attempt before was cut short: remove it".to_string())
            }
            std::io::ErrorKind::AlreadyExists => wrong("is there already: name another file with --out".to_string()),
            _ => wrong(e.to_string()),
        })?;
        let place = Place { path: path.to_owned(), file, held: false };
        place.file.write_all_at(&[b' '; RESERVED], 0).and_then(|()| place.file.sync_all()).map_err(|e| wrong(e.to_string()))?;
        Ok(place)
    }

    /// Writes the login.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn hold(mut self, login: &Login) -> Result<(), Error> {
        let wrong = |why: String| Error::File { path: self.path.display().to_string(), why };
        let text = serde_json::to_string_pretty(login).map_err(|e| wrong(e.to_string()))?;
        let text = text + "\n";
        let written = self.file.write_all_at(text.as_bytes(), 0).and_then(|()| self.file.set_len(text.len() as u64));
        written.and_then(|()| self.file.sync_all()).map_err(|e| wrong(e.to_string()))?;
        self.held = true;
        Ok(())
    }
}

/// Whether a file is what a place for a login is before there is one.
fn is_blank(path: &Path) -> bool {
    let small = std::fs::symlink_metadata(path).is_ok_and(|known| known.is_file() && known.len() <= RESERVED as u64);
    small && std::fs::read_to_string(path).is_ok_and(|text| text.trim().is_empty())
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.held {
            // What cannot be taken away again is empty, and in nobody's way but that of its own name.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

impl Reach {
    /// A daemon by its address; `ca`: the certificate by which it is known, as PEM.
    ///
    /// # Errors
    /// Address or certificate cannot be used.
    pub fn to(server: &str, ca: Option<&str>) -> Result<Reach, Error> {
        Reach::with(server, ca, None)
    }

    /// The same with a certificate of one's own, for a daemon that asks its clients for one.
    ///
    /// # Errors
    /// Address or certificates cannot be used.
    pub fn with(server: &str, ca: Option<&str>, own: Option<Identity>) -> Result<Reach, Error> {
        let scheme = if ca.is_some() { "https" } else { "http" };
        let named = if server.contains("://") { server.to_string() } else { format!("{scheme}://{server}") };
        let wrong = |why: String| Error::Address { server: server.to_string(), why };
        let mut endpoint = Endpoint::from_shared(named.clone()).map_err(|e| wrong(e.to_string()))?;
        let encrypted = endpoint.uri().scheme_str() == Some("https");
        if ca.is_some() && !encrypted {
            return Err(wrong("it is known by a certificate, which http does not ask for".to_string()));
        }
        if encrypted {
            let ca = ca.ok_or_else(|| wrong("by which certificate is it known? --ca FILE, or a login".to_string()))?;
            let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(ca));
            let tls = own.into_iter().fold(tls, ClientTlsConfig::identity);
            endpoint = endpoint.tls_config(tls).map_err(|e| wrong(reason(&e)))?;
        }
        Ok(Reach { endpoint, bearer: Bearer::default(), dial: None })
    }

    /// The same where a secret may be said: encrypted, or to this machine alone.
    ///
    /// # Errors
    /// It would be said in the clear beyond this machine.
    pub fn keeping(self, what: &'static str) -> Result<Reach, Error> {
        let uri = self.endpoint.uri();
        let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
        let near = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
        if near || uri.scheme_str() == Some("https") { Ok(self) } else { Err(Error::Clear { server: self.server(), what }) }
    }

    /// The same with a token.
    ///
    /// # Errors
    /// This is no token.
    pub fn showing(self, token: &str) -> Result<Reach, Error> {
        let value = format!("Bearer {token}").parse::<MetadataValue<Ascii>>();
        let mut value = value.map_err(|_| Error::Address { server: self.endpoint.uri().to_string(), why: "the token is none".to_string() })?;
        value.set_sensitive(true);
        Ok(Reach { bearer: Bearer(Some(value)), ..self })
    }

    /// The same by another way.
    pub fn by(self, dial: Dial) -> Reach {
        Reach { dial: Some(dial), ..self }
    }

    /// The same with other patience.
    pub fn patient(self, connect: Duration, keepalive: Option<Duration>) -> Reach {
        let endpoint = self.endpoint.tcp_nodelay(true).connect_timeout(connect);
        let endpoint = if let Some(every) = keepalive { endpoint.http2_keep_alive_interval(every) } else { endpoint };
        Reach { endpoint, ..self }
    }

    /// Its address.
    pub fn server(&self) -> String {
        self.endpoint.uri().to_string()
    }

    /// Whether a token is shown.
    pub fn shows_a_token(&self) -> bool {
        self.bearer.0.is_some()
    }

    /// The same over a connection that is there already.
    pub fn over(&self, channel: Channel) -> Line {
        InterceptedService::new(channel, self.bearer.clone())
    }

    /// Connects.
    ///
    /// # Errors
    /// Nobody answers, or somebody else does.
    pub async fn connect(&self) -> Result<Line, tonic::transport::Error> {
        Ok(self.over(match &self.dial {
            None => self.endpoint.connect().await?,
            Some(dial) => self.endpoint.connect_with_connector(dial.clone()).await?,
        }))
    }
}

impl Dial {
    /// Opens connections by this.
    pub fn new<F: Future<Output = std::io::Result<Box<dyn Carrier>>> + Send + 'static>(open: impl Fn() -> F + Send + Sync + 'static) -> Dial {
        Dial(Arc::new(move || Box::pin(open())))
    }
}

impl Service<Uri> for Dial {
    type Response = TokioIo<Box<dyn Carrier>>;
    type Error = std::io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let opened = (self.0)();
        Box::pin(async move { opened.await.map(TokioIo::new) })
    }
}

impl std::fmt::Debug for Dial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Dial")
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request.metadata_mut().insert("authorization", value.clone());
        }
        Ok(request)
    }
}

impl std::fmt::Debug for Bearer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Bearer(…)" } else { "Bearer(none)" })
    }
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").field("server", &self.server).field("name", &self.name).field("role", &self.role).finish_non_exhaustive()
    }
}

/// What lies at the bottom of a transport's error.
pub fn reason(error: &tonic::transport::Error) -> String {
    let mut source: &dyn std::error::Error = error;
    while let Some(below) = source.source() {
        source = below;
    }
    source.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_said_encrypted_or_to_this_machine() {
        let said = |server: &str, ca| Reach::with(server, ca, None).and_then(|reach| reach.keeping("the token"));
        for near in ["127.0.0.1:7960", "http://127.1.2.3:7960", "http://[::1]:7960", "http://localhost:7960"] {
            assert!(said(near, None).is_ok(), "{near}");
        }
        for far in ["198.51.100.1:7960", "http://198.51.100.1", "http://[fd00::1]:7960", "http://hall:7960", "http://localhost.hall", "HTTP://hall"] {
            assert!(matches!(said(far, None), Err(Error::Clear { .. })), "{far}: {:?}", said(far, None));
        }
        let (issuer, key) = (rcgen::CertificateParams::default(), rcgen::KeyPair::generate().unwrap());
        let ca = issuer.self_signed(&key).unwrap().pem();
        assert!(said("hall:7960", Some(&ca)).is_ok() && said("https://hall:7960", Some(&ca)).is_ok());
        for clear in ["http://hall:7960", "http://127.0.0.1:7960"] {
            assert!(matches!(said(clear, Some(&ca)), Err(Error::Address { .. })), "{clear}");
        }
    }
}
