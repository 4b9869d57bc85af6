//! TLS: the venue's own authority and certificates, or those of somebody else.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose};
use tokio_rustls::rustls;
use tokio_rustls::rustls::RootCertStore;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::WebPkiClientVerifier;

/// How long a certificate of a venue is good, in days.
const DAYS: i64 = 3_650;

/// The files of a venue's authority.
#[derive(Debug, Clone)]
pub struct Files {
    /// The authority's certificate, by which clients know the daemon. It is no secret.
    pub ca: PathBuf,
    /// The authority's key, which signs further certificates. It may be kept elsewhere.
    pub ca_key: PathBuf,
    /// The daemon's certificate.
    pub cert: PathBuf,
    /// The daemon's key.
    pub key: PathBuf,
}

/// What a daemon shows, and whom it lets speak.
#[derive(Debug, Clone)]
pub struct Identity {
    /// Its certificate, with those between it and the authority, as PEM.
    pub cert: PathBuf,
    /// Its key, as PEM.
    pub key: PathBuf,
    /// Clients need a certificate of this authority, where one is named.
    pub client_ca: Option<PathBuf>,
}

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or written, or is not what it should be.
    #[error("{path}: {why}")]
    File {
        /// Which.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// No certificate can be made.
    #[error("no certificate can be made: {0}")]
    Made(#[from] rcgen::Error),
    /// What was read does not go together.
    #[error("certificate and key cannot be used: {0}")]
    Unfit(String),
}

fn wrong(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::File { path: path.display().to_string(), why: why.to_string() }
}

impl Files {
    /// In their directory.
    pub fn of(dir: &Path) -> Files {
        let file = |name| dir.join(name);
        Files { ca: file("ca.pem"), ca_key: file("ca.key"), cert: file("server.pem"), key: file("server.key") }
    }

    /// What the daemon shows.
    pub fn identity(&self) -> Identity {
        Identity { cert: self.cert.clone(), key: self.key.clone(), client_ca: None }
    }

    /// Makes an authority, unless an attempt before has.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn make_authority(&self, venue: &str) -> Result<(), Error> {
        if self.ca.exists() {
            return Ok(());
        }
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, format!("{venue} (zeitnot)"));
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        dated(&mut params);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        left(&self.ca_key)?;
        secret(&self.ca_key, &authority.key().serialize_pem())?;
        public(&self.ca, &authority.pem())
    }

    /// Makes its certificate for a daemon that is reached by these names and addresses: with it the venue is set up.
    ///
    /// # Errors
    /// The certificate is there, or cannot be written; the authority's files cannot be used; a name cannot be one.
    pub fn make_server(&self, venue: &str, hosts: &[String]) -> Result<(), Error> {
        let issuer = self.authority()?;
        let server = KeyPair::generate()?;
        let mut params = CertificateParams::new(hosts.to_vec())?;
        params.distinguished_name.push(DnType::CommonName, venue);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        dated(&mut params);
        let cert = params.signed_by(&server, &issuer)?;
        if !self.cert.exists() {
            left(&self.key)?;
        }
        secret(&self.key, &server.serialize_pem())?;
        public(&self.cert, &cert.pem())
    }

    fn authority(&self) -> Result<rcgen::Issuer<'static, KeyPair>, Error> {
        kept(&self.ca_key)?;
        let ca = std::fs::read_to_string(&self.ca).map_err(|e| wrong(&self.ca, e))?;
        let key = std::fs::read_to_string(&self.ca_key).map_err(|e| wrong(&self.ca_key, e))?;
        Ok(rcgen::Issuer::from_ca_cert_pem(&ca, KeyPair::from_pem(&key)?)?)
    }

    /// A certificate of this authority for a client of that name: certificate and key, as PEM.
    ///
    /// # Errors
    /// The authority's files cannot be used.
    pub fn certify(&self, client: &str) -> Result<(String, String), Error> {
        let issuer = self.authority()?;
        let own = KeyPair::generate()?;
        let mut params = CertificateParams::new(Vec::new())?;
        params.distinguished_name.push(DnType::CommonName, client);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        dated(&mut params);
        Ok((params.signed_by(&own, &issuer)?.pem(), own.serialize_pem()))
    }
}

/// From yesterday on, since not every clock in a hall is right.
fn dated(params: &mut CertificateParams) {
    let now = crate::time::HallClock::start().now().wall.0 / 1_000;
    let day = |days: i64| {
        let date = jiff::Timestamp::from_second(now + days * 86_400).unwrap_or_default().to_zoned_datetime(jiff::tz::TimeZone::UTC);
        rcgen::date_time_ymd(date.year().into(), date.month().cast_unsigned(), date.day().cast_unsigned())
    };
    params.not_before = day(-1);
    params.not_after = day(DAYS);
}

/// Writes what nobody else may read to a new file.
///
/// # Errors
/// It is there, or cannot be written.
pub fn secret(path: &Path, text: &str) -> Result<(), Error> {
    write(path, text, 0o600)
}

fn public(path: &Path, text: &str) -> Result<(), Error> {
    write(path, text, 0o644)
}

fn write(path: &Path, text: &str, mode: u32) -> Result<(), Error> {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::File::options().write(true).create_new(true).mode(mode).open(path).map_err(|e| wrong(path, e))?;
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(|e| {
        // Half of a file would be in the way of the next attempt.
        let _ = std::fs::remove_file(path);
        wrong(path, e)
    })
}

/// Takes away what an attempt that went no further has left: a key without its certificate, which nobody knows.
fn left(key: &Path) -> Result<(), Error> {
    match std::fs::remove_file(key) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(wrong(key, e)),
        _ => Ok(()),
    }
}

/// Whether a key is kept from everybody else on this machine.
fn kept(key: &Path) -> Result<(), Error> {
    match std::fs::metadata(key).map_err(|e| wrong(key, e))?.permissions().mode() & 0o007 {
        0 => Ok(()),
        _ => Err(wrong(key, "everybody on this machine may read the key: chmod o-rwx it, and think of who has read it")),
    }
}

/// What makes connections of TLS out of others.
///
/// # Errors
/// A file cannot be used.
pub fn acceptor(identity: &Identity) -> Result<tokio_rustls::TlsAcceptor, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let unfit = |e: &dyn std::fmt::Display| Error::Unfit(e.to_string());
    let builder = rustls::ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = builder.map_err(|e| unfit(&e))?;
    let builder = match &identity.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let mut roots = RootCertStore::empty();
            for cert in certificates(path)? {
                roots.add(cert).map_err(|e| wrong(path, e))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|e| wrong(path, e))?)
        }
    };
    kept(&identity.key)?;
    let key = PrivateKeyDer::from_pem_file(&identity.key).map_err(|e| wrong(&identity.key, e))?;
    let mut config = builder.with_single_cert(certificates(&identity.cert)?, key).map_err(|e| unfit(&e))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tokio_rustls::TlsAcceptor::from(Arc::new(config)))
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let read = CertificateDer::pem_file_iter(path).map_err(|e| wrong(path, e))?.collect::<Result<Vec<_>, _>>();
    match read {
        Ok(certificates) if certificates.is_empty() => Err(wrong(path, "no certificate is in it")),
        Ok(certificates) => Ok(certificates),
        Err(e) => Err(wrong(path, e)),
    }
}
