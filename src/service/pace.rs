//! How fast something may come: who is too fast waits, and who goes while he waits leaves nothing behind.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

/// How fast something may come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    /// So many in a second.
    pub(super) a_second: u32,
    /// So many at once, after a quiet while.
    pub(super) at_once: u32,
}

/// Lets things pass at a rate, in the order in which they came.
#[derive(Debug)]
pub(super) struct Pace {
    rate: Rate,
    /// When the next one would be due if all came at the rate exactly. Held by the one whose turn it is.
    due: Mutex<Option<Instant>>,
}

impl Pace {
    pub(super) fn new(rate: Rate) -> Pace {
        Pace { rate, due: Mutex::new(None) }
    }

    /// Waits for its turn. A turn is counted when it has come, so that one who does not wait for it takes none.
    pub(super) async fn turn(&self) {
        let every = Duration::from_secs(1) / self.rate.a_second;
        let mut due = self.due.lock().await;
        let now = Instant::now();
        let next = due.unwrap_or(now).max(now) + every;
        if let Some(until) = next.checked_sub(every * self.rate.at_once).filter(|from| *from > now) {
            tokio::time::sleep_until(until).await;
        }
        *due = Some(next);
    }
}
