//! What the benches share: a folder on the real disk, medians, and a closed loop of clients that wait for their commit.
#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "each bench uses its part")]

use std::path::PathBuf;
use std::time::Duration;

use hdrhistogram::Histogram;
use tokio::sync::{mpsc, oneshot};
use zeitnot::time::Stopwatch;

/// A new folder on the disk that the build is on, removed when dropped.
pub(crate) fn folder() -> tempfile::TempDir {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    tempfile::tempdir_in(root).unwrap()
}

pub(crate) fn histogram() -> Histogram<u64> {
    Histogram::new_with_max(60_000_000, 3).unwrap()
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Memory of this process that is in use, in bytes.
pub(crate) fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

/// How a closed loop went.
pub(crate) struct Loop {
    pub(crate) per_second: f64,
    pub(crate) latency: Histogram<u64>,
}

/// So many clients each hand one entry in and wait for its commit, over and over. Whatever waits is one commit.
pub(crate) async fn closed_loop(clients: usize, time: Duration, body: &[u8], commit: impl FnMut(Vec<Vec<u8>>) + Send + 'static) -> Loop {
    let (inbox, mut waiting) = mpsc::channel::<(Vec<u8>, oneshot::Sender<()>)>(2_048);
    let writer = tokio::spawn(async move {
        let mut commit = Some(commit);
        while let Some(first) = waiting.recv().await {
            let mut batch = vec![first];
            while batch.len() < 512
                && let Ok(next) = waiting.try_recv()
            {
                batch.push(next);
            }
            let (bodies, replies): (Vec<_>, Vec<_>) = batch.into_iter().unzip();
            let mut act = commit.take().unwrap();
            commit = Some(
                tokio::task::spawn_blocking(move || {
                    act(bodies);
                    act
                })
                .await
                .unwrap(),
            );
            for reply in replies {
                let _ = reply.send(());
            }
        }
    });
    let watch = Stopwatch::start();
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..clients {
        let (inbox, body) = (inbox.clone(), body.to_vec());
        running.spawn(async move {
            let mut latency = histogram();
            while watch.elapsed() < time {
                let (reply, acked) = oneshot::channel();
                let sent = Stopwatch::start();
                inbox.send((body.clone(), reply)).await.unwrap();
                acked.await.unwrap();
                latency.saturating_record(sent.elapsed().as_micros() as u64);
            }
            latency
        });
    }
    drop(inbox);
    let mut latency = histogram();
    while let Some(part) = running.join_next().await {
        latency += part.unwrap();
    }
    let elapsed = watch.elapsed().as_secs_f64();
    writer.await.unwrap();
    Loop { per_second: latency.len() as f64 / elapsed, latency }
}
