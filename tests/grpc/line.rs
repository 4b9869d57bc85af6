//! A network line between two pipes: it delays what it carries, or loses all of it.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};
use tokio::sync::watch;

/// Bytes that a pipe holds.
pub(crate) const PIPE: usize = 64 * 1024;

/// What the line does to what it carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Carries {
    After(Duration),
    Nothing,
}

/// The hand on the line.
#[derive(Debug)]
pub(crate) struct Line(watch::Sender<Carries>);

impl Line {
    /// A line and its two ends.
    pub(crate) fn lay() -> (Line, DuplexStream, DuplexStream) {
        let (near, inner_near) = duplex(PIPE);
        let (far, inner_far) = duplex(PIPE);
        let (carries, seen) = watch::channel(Carries::After(Duration::ZERO));
        let ((near_out, near_in), (far_out, far_in)) = (split(inner_near), split(inner_far));
        tokio::spawn(carry(near_out, far_in, seen.clone()));
        tokio::spawn(carry(far_out, near_in, seen));
        (Line(carries), near, far)
    }

    /// Everything takes so long from now on.
    pub(crate) fn delay(&self, ms: u64) {
        self.0.send_replace(Carries::After(Duration::from_millis(ms)));
    }

    /// Whatever is sent from now on is lost, and neither end hears of it.
    pub(crate) fn lose(&self) {
        self.0.send_replace(Carries::Nothing);
    }
}

async fn carry(mut from: ReadHalf<DuplexStream>, mut to: WriteHalf<DuplexStream>, carries: watch::Receiver<Carries>) {
    let mut bytes = vec![0; 4096];
    while let Ok(n @ 1..) = from.read(&mut bytes).await {
        let now = *carries.borrow();
        match now {
            Carries::After(time) => {
                tokio::time::sleep(time).await;
                if to.write_all(&bytes[..n]).await.is_err() {
                    return;
                }
            }
            Carries::Nothing => {}
        }
    }
    // Neither end hears of the other's end over a line that loses everything.
    if *carries.borrow() == Carries::Nothing {
        std::future::pending::<()>().await;
    }
}
