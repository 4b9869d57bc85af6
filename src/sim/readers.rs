//! Those who follow the log: consoles that see everything, feeds that see what is public. Their connections break, and they go on from where they were.

use prost::Message;

use super::Bug;
use super::check::Check;
use super::daemon::Daemon;
use super::env::{Env, Event};
use crate::game::Seq;
use crate::service::Filter;
use crate::venue::Role;
use crate::wire::v1;

/// How long a reader waits for a page before he takes the connection for gone.
const PATIENCE: u64 = 20_000;

/// Somebody who follows.
#[derive(Debug)]
pub(super) struct Reader {
    index: usize,
    role: Role,
    /// Up to where he has seen everything.
    pub(super) position: u64,
    /// Which page he waits for, since when.
    waits: Option<(u64, u64)>,
    line: u64,
    opened: bool,
}

impl Reader {
    pub(super) fn new(index: usize, env: &mut Env) -> Reader {
        let role = if index.is_multiple_of(2) { Role::Feed } else { Role::Arbiter };
        env.after(env.now + 500, Event::Reads { reader: index });
        Reader { index, role, position: 0, waits: None, line: 1, opened: false }
    }

    /// Asks for what is new.
    pub(super) fn reads(&mut self, daemon: &mut Daemon, env: &mut Env, check: &mut Check) {
        let again = env.chance.between(300, 4_000);
        env.after(again, Event::Reads { reader: self.index });
        if self.waits.is_some_and(|(_, since)| env.now < since + PATIENCE) {
            return;
        }
        if self.waits.take().is_some() || (env.is_open() && env.chance.happens(env.weather.loss / 8.0)) {
            self.opened = false;
        }
        if !daemon.up {
            self.opened = false;
            return;
        }
        if !self.opened || !daemon.cursors.contains_key(&self.index) {
            (self.opened, self.line) = (true, self.line + 1);
            let back = u64::from(daemon.bug() == Some(Bug::EntryRepeated) && self.position > 0);
            daemon.cursors.insert(self.index, (Seq(self.position - back), Filter::default()));
        }
        match daemon.page(self.index, self.role) {
            Ok((from, to, entries)) if to > from => {
                self.waits = Some((self.line, env.now));
                if env.is_open() && env.chance.happens(env.weather.loss) {
                    env.counts.lost += 1;
                    return;
                }
                let entries = entries.iter().map(Message::encode_to_vec).collect();
                let wait = env.delay();
                env.after(wait, Event::Page { reader: self.index, line: self.line, from, to, entries });
            }
            Ok(_) => {}
            Err(e) => check.breaks(super::Invariant::ReadersSawAll, || e.to_string()),
        }
    }

    /// A page has come.
    pub(super) fn gets(&mut self, line: u64, (from, to): (u64, u64), entries: &[Vec<u8>], daemon: &Daemon, env: &mut Env, check: &mut Check) {
        let pushed = line == 0;
        if !pushed && self.waits.is_none_or(|(waited, _)| waited != line) {
            return;
        }
        let entries: Vec<v1::Entry> = entries.iter().filter_map(|bytes| v1::Entry::decode(&**bytes).ok()).collect();
        env.counts.shown += entries.len() as u64;
        check.page(&*daemon.disk.reader(), self.role, self.position, (from, to), &entries);
        self.position = to;
        self.waits = None;
    }
}
