//! Accepting connections: HTTP/1 and HTTP/2, with TLS or without, each with keepalive so that a peer that has vanished is found out.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{Semaphore, watch};
use tokio_rustls::TlsAcceptor;

use super::preface::Hurried;

/// Connections at one time; further ones wait to be accepted.
pub const MAX_CONNECTIONS: usize = 10_000;
/// Connections that wait to be accepted; what comes on top is refused by the system, and tries again.
const BACKLOG: u32 = 4_096;
/// Streams that one connection may have open.
const MAX_STREAMS: u32 = 4_096;
/// Bytes that a stream may send ahead, and a connection: then they wait. Half of the latter is what small frames that
/// nobody has read yet may cost before HTTP/2 takes them for an attack and cuts the connection; two dozen streams full of the
/// smallest reports stay below it.
const WINDOW: (u32, u32) = (64 << 10, 64 << 20);
/// How often a quiet connection is asked whether it is alive, and how long it has to answer.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(5));
/// How long a connection may take to agree on TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long connections may take to end when the daemon stops.
const GRACE: Duration = Duration::from_secs(3);

/// Listens on an address, with room for every clock of a large hall that connects at the same instant.
///
/// # Errors
/// The address is taken, or not this machine's.
pub async fn listen(address: &str) -> std::io::Result<TcpListener> {
    let mut failed = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
    for address in tokio::net::lookup_host(address).await? {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        match socket.bind(address).and_then(|()| socket.listen(BACKLOG)) {
            Ok(listener) => return Ok(listener),
            Err(e) => failed = e,
        }
    }
    Err(failed)
}

/// Accepts until `closing` turns true, then lets the connections end.
pub async fn serve(listener: TcpListener, router: Router, mut closing: watch::Receiver<bool>, tls: Option<TlsAcceptor>) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = tokio::task::JoinSet::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = closed(&mut closing) => break,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = accept(&listener, &room) => accepted,
        };
        match accepted {
            Ok((stream, seat)) => {
                let (router, closing, tls) = (router.clone(), closing.clone(), tls.clone());
                connections.spawn(async move {
                    match tls {
                        None => serve_connection(stream, router, closing).await,
                        Some(tls) => match tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
                            Ok(Ok(stream)) => serve_connection(stream, router, closing).await,
                            Ok(Err(error)) => tracing::debug!(%error, "a connection did not agree on TLS"),
                            Err(_) => tracing::debug!("a connection did not agree on TLS in time"),
                        },
                    }
                    drop(seat);
                });
            }
            Err(error) => {
                // Out of file descriptors, most likely: let some connections end first.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    let all = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all).await.is_err() {
        tracing::info!("connections that did not end were cut");
    }
}

async fn accept(listener: &TcpListener, room: &Arc<Semaphore>) -> std::io::Result<(tokio::net::TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let seat = room.clone().acquire_owned().await.map_err(std::io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    stream.set_nodelay(true)?;
    // What HTTP/2 finds by asking, this finds for everybody else who is sent anything.
    rustix::net::sockopt::set_tcp_user_timeout(&stream, u32::try_from((KEEPALIVE.0 + KEEPALIVE.1).as_millis()).unwrap_or(u32::MAX))?;
    Ok((stream, seat))
}

/// Serves one connection of any kind, a socket or a pipe in memory.
pub async fn serve_connection<S>(stream: S, router: Router, mut closing: watch::Receiver<bool>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new());
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(WINDOW.0)
        .initial_connection_window_size(WINDOW.1)
        .keep_alive_interval(KEEPALIVE.0)
        .keep_alive_timeout(KEEPALIVE.1);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(Hurried::new(stream)), TowerToHyperService::new(router));
    tokio::pin!(connection);
    let ended = tokio::select! {
        biased;
        ended = &mut connection => ended,
        () = closed(&mut closing) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error, "a connection ended");
    }
}

async fn closed(closing: &mut watch::Receiver<bool>) {
    // The sender gone means the same.
    let _ = closing.wait_for(|closing| *closing).await;
}
