//! Durable commits with 1, 8, 64 and 512 waiting clients, against a plain file with one write and one `fdatasync` for each batch.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed measurement")]

mod measure;

use std::io::Write;
use std::time::Duration;

use measure::{Loop, closed_loop, folder, median};
use zeitnot::game::Seq;
use zeitnot::log::{Log, MirrorAt, Options, SledLog};

const ROUNDS: usize = 5;
const TIME: Duration = Duration::from_millis(1_500);
/// What a press and its consequence take together, about.
const BODY: [u8; 64] = [0x5a; 64];

async fn plain(clients: usize) -> Loop {
    let folder = folder();
    let mut file = std::fs::File::create(folder.path().join("plain")).unwrap();
    closed_loop(clients, TIME, &BODY, move |bodies| {
        let _keep = &folder;
        let mut batch = Vec::with_capacity(bodies.len() * 72);
        for body in bodies {
            batch.extend_from_slice(&(body.len() as u32).to_le_bytes());
            batch.extend_from_slice(&body);
        }
        file.write_all(&batch).unwrap();
        file.sync_data().unwrap();
    })
    .await
}

async fn log(clients: usize, mirror: MirrorAt) -> Loop {
    let folder = folder();
    let mut log = SledLog::open(folder.path(), &Options { mirror, ..Options::default() }).unwrap();
    closed_loop(clients, TIME, &BODY, move |bodies| {
        let _keep = &folder;
        let first = Seq(log.head().0 + 1);
        log.append(first, &bodies).unwrap();
    })
    .await
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    println!("| waiting clients | plain file, commits/s | log, no mirror | ratio | p99 ms | log and mirror | ratio | p99 ms |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for clients in [1, 8, 64, 512] {
        let (mut plains, mut bare, mut mirrored) = (Vec::new(), Vec::new(), Vec::new());
        let (mut ratios, mut mirror_ratios) = (Vec::new(), Vec::new());
        let (mut bare_p99, mut mirrored_p99) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let base = runtime.block_on(plain(clients)).per_second;
            let one = runtime.block_on(log(clients, MirrorAt::Nowhere));
            let two = runtime.block_on(log(clients, MirrorAt::Beside));
            plains.push(base);
            ratios.push(one.per_second / base);
            mirror_ratios.push(two.per_second / base);
            bare.push(one.per_second);
            mirrored.push(two.per_second);
            bare_p99.push(one.latency.value_at_quantile(0.99) as f64 / 1_000.0);
            mirrored_p99.push(two.latency.value_at_quantile(0.99) as f64 / 1_000.0);
        }
        println!(
            "| {clients} | {:.0} | {:.0} | {:.2} | {:.2} | {:.0} | {:.2} | {:.2} |",
            median(plains),
            median(bare),
            median(ratios),
            median(bare_p99),
            median(mirrored),
            median(mirror_ratios),
            median(mirrored_p99)
        );
    }
}
