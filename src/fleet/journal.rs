//! What a clock keeps until it is acknowledged: every report, over restarts and lost networks.

use std::collections::VecDeque;

use crate::clock::Millis;
use crate::time::Stopwatch;
use crate::wire::v1;

/// A report with when it was first on its way.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) report: v1::Report,
    pub(crate) since: Stopwatch,
    pub(crate) is_press: bool,
}

/// The reports not yet acknowledged, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    kept: VecDeque<Kept>,
    boot: u32,
    number: u32,
    /// Number of the last report of this start that was not refused.
    previous: u32,
}

impl Journal {
    pub(crate) fn new() -> Journal {
        Journal { boot: 1, ..Journal::default() }
    }

    pub(crate) fn boot(&self) -> u32 {
        self.boot
    }

    /// Numbers begin anew; what is kept stays.
    pub(crate) fn restart(&mut self) {
        (self.boot, self.number, self.previous) = (self.boot + 1, 0, 0);
    }

    /// Writes a report of a game down under the next number.
    pub(crate) fn write(&mut self, game: u64, fact: v1::fact::Kind, at: Millis) -> Kept {
        self.number += 1;
        let is_press = matches!(fact, v1::fact::Kind::Press(_));
        let report = v1::Report {
            boot: self.boot,
            number: self.number,
            previous: Some(self.previous),
            at_ms: at.0,
            game,
            kind: Some(v1::report::Kind::Fact(v1::Fact { kind: Some(fact) })),
        };
        self.previous = self.number;
        let kept = Kept { report, since: Stopwatch::start(), is_press };
        self.kept.push_back(kept.clone());
        kept
    }

    /// Forgets what is acknowledged and gives it.
    pub(crate) fn acked(&mut self, boot: u32, number: u32) -> Vec<Kept> {
        let is_done = |kept: &Kept| kept.report.boot == boot && kept.report.number <= number;
        let (done, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.kept).into_iter().partition(is_done);
        self.kept = kept.into();
        done
    }

    /// Forgets a refused report; the one after it follows on the one before it.
    pub(crate) fn refused(&mut self, boot: u32, number: u32) {
        let Some(at) = self.kept.iter().position(|kept| kept.report.boot == boot && kept.report.number == number) else { return };
        let Some(refused) = self.kept.remove(at) else { return };
        match self.kept.get_mut(at) {
            Some(next) if next.report.boot == boot => next.report.previous = refused.report.previous,
            _ if boot == self.boot => self.previous = refused.report.previous.unwrap_or(0),
            _ => {}
        }
    }

    /// The daemon's word that `last` is the last report of a start that it has: what follows on less follows on that.
    pub(crate) fn follows(&mut self, boot: u32, last: u32) {
        if let Some(next) = self.kept.iter_mut().find(|kept| kept.report.boot == boot && kept.report.number > last)
            && next.report.previous < Some(last)
        {
            next.report.previous = Some(last);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    pub(crate) fn kept(&self) -> impl Iterator<Item = &Kept> {
        self.kept.iter()
    }
}
