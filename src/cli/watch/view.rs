//! What a watcher knows of the hall: the snapshot, kept up to date by what is heard after it.

use std::collections::{BTreeMap, VecDeque};

use crate::cli::state;
use crate::clock::Millis;
use crate::wire::{self, v1};
use v1::consequence::Kind as So;
use v1::console_update::Kind as Said;
use v1::entry::{Payload, Subject};

/// Incidents and alarms that are kept.
const KEPT: usize = 50;
/// Lines of the screen for incidents, where there are many games.
const BELOW: usize = 8;

/// The games, by number, and what goes with them.
#[derive(Debug, Default)]
pub(super) struct View {
    games: BTreeMap<u64, Seen>,
    devices: BTreeMap<u64, v1::DeviceHealth>,
    incidents: VecDeque<String>,
    position: u64,
}

/// A game, and when its running clock was last read, by the watcher's own time.
#[derive(Debug)]
struct Seen {
    state: v1::GameState,
    read: Millis,
}

/// What an update asks of the watcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing.
    Kept,
    /// A new snapshot: what happened cannot be told from the entry alone.
    LookAgain,
}

impl View {
    /// Takes an update in; `now` is the watcher's own time.
    pub(super) fn hear(&mut self, update: v1::ConsoleUpdate, now: Millis) -> Heard {
        match update.kind {
            Some(Said::Snapshot(snapshot)) => {
                self.position = snapshot.position;
                self.devices = snapshot.devices.into_iter().map(|device| (device.device, device)).collect();
                self.games = snapshot.games.into_iter().map(|state| (state.game, Seen { state, read: now })).collect();
            }
            Some(Said::Entry(entry)) => return self.entry(entry, now),
            Some(Said::Health(health)) => drop(self.devices.insert(health.device, health)),
            Some(Said::Position(position)) => self.position = position,
            Some(Said::Outcome(_) | Said::Refused(_)) | None => {}
        }
        Heard::Kept
    }

    fn entry(&mut self, entry: v1::Entry, now: Millis) -> Heard {
        self.position = entry.seq;
        self.note(&entry);
        let Some(Subject::Game(id)) = entry.subject else { return Heard::Kept };
        let Some(seen) = self.games.get_mut(&id) else { return Heard::LookAgain };
        seen.state.version = entry.version;
        match entry.payload {
            Some(Payload::Fact(fact)) => seen.happened(fact),
            Some(Payload::Consequence(v1::Consequence { kind: Some(so) })) => return seen.follows(so, now),
            Some(Payload::Admin(_)) => return Heard::LookAgain,
            _ => {}
        }
        Heard::Kept
    }

    /// Keeps what an arbiter has to look at.
    fn note(&mut self, entry: &v1::Entry) {
        let worth = match &entry.payload {
            Some(Payload::Consequence(so)) => {
                matches!(&so.kind, Some(So::Incident(_))) || matches!(&so.kind, Some(So::ClaimJudged(claim)) if claim.pending)
            }
            Some(Payload::Admin(admin)) => matches!(admin.kind, Some(v1::admin::Kind::Alarm(_) | v1::admin::Kind::Proposed(_))),
            _ => false,
        };
        if let (true, Ok(entry)) = (worth, wire::entry(entry.clone())) {
            self.incidents.push_front(entry.to_string());
            self.incidents.truncate(KEPT);
        }
    }

    /// The screen, `height` lines at most: those that play first, and the newest incidents below.
    pub(super) fn lines(&self, now: Millis, height: usize) -> Vec<String> {
        let below = self.incidents.len().min(BELOW);
        let room = height.saturating_sub(below + 5).max(1);
        let rank = |seen: &Seen| match seen.state.phase.as_str() {
            "running" | "stopped" => 0,
            "ready" | "scheduled" => 1,
            _ => 2,
        };
        let place = |seen: &Seen| seen.state.pairing.as_ref().map(|p| (p.tournament, p.round, p.board));
        let mut games: Vec<&Seen> = self.games.values().collect();
        games.sort_by_key(|seen| (rank(seen), place(seen)));
        let mut lines = vec![format!("zeitnot: {} games, up to entry {}", games.len(), self.position), state::HEADS.to_string()];
        lines.extend(games.iter().take(room).map(|seen| state::row(&seen.state, self.passed(seen, now), &self.reached(&seen.state))));
        if games.len() > room {
            lines.push(format!("  and {} more", games.len() - room));
        }
        if below > 0 {
            lines.push(String::new());
            lines.push("incidents, and claims and rulings that wait, newest first".to_string());
            lines.extend(self.incidents.iter().take(below).cloned());
        }
        lines
    }

    /// By estimate, what has passed on the timekeeper's timeline since the game's reading.
    fn passed(&self, seen: &Seen, now: Millis) -> u64 {
        let scale = self.devices.get(&timekeeper(&seen.state)).map_or(1000, |device| if device.time_scale == 0 { 1000 } else { device.time_scale });
        let own = u128::from(now.less(seen.read).0) * u128::from(scale) / 1000;
        seen.state.running_for_ms.saturating_add(u64::try_from(own).unwrap_or(u64::MAX))
    }

    fn reached(&self, game: &v1::GameState) -> String {
        match self.devices.get(&timekeeper(game)) {
            None => "-".to_string(),
            Some(device) if !device.online && game.score.is_empty() => format!("{} LOST", device.device),
            Some(device) => device.device.to_string(),
        }
    }
}

/// The device that keeps the time of the side that runs, or of who has the first move.
fn timekeeper(game: &v1::GameState) -> u64 {
    if game.black_device > 0 && game.running() == v1::Color::Black { game.black_device } else { game.device }
}

impl Seen {
    fn happened(&mut self, fact: v1::Fact) {
        use v1::fact::Kind;
        let made = match fact.kind {
            Some(Kind::Move(made)) => made.r#move,
            Some(Kind::Press(press)) if press.unread => "?".to_string(),
            Some(Kind::Press(press)) => press.r#move,
            _ => String::new(),
        };
        if !made.is_empty() && self.state.phase != "over" {
            self.state.moves.push(made);
        }
    }

    fn follows(&mut self, so: So, now: Millis) -> Heard {
        let nobody = i32::from(v1::Color::Unspecified);
        match so {
            So::ClockStarted(started) => {
                self.state.phase = "running".to_string();
                self.runs(started.color, now);
            }
            So::Pressed(pressed) => {
                let side = v1::Side { left_ms: pressed.left_ms, free_ms: pressed.free_ms, period: pressed.period, counter: pressed.counter };
                self.read(pressed.by, Some(side), Some(pressed.other_ms));
                self.runs(other(pressed.by), now);
            }
            So::ClockRead(read) | So::PeriodAdded(read) => {
                self.read(read.color, read.side, Some(read.other_ms));
                self.runs(read.color, now);
            }
            So::ClocksStopped(stopped) => {
                self.state.sides = stopped.sides;
                self.runs(nobody, now);
                if self.state.phase == "running" {
                    self.state.phase = "stopped".to_string();
                }
            }
            So::ClocksSet(sides) => {
                self.state.sides = Some(sides);
                self.runs(self.state.running, now);
            }
            So::FlagFallen(fallen) => {
                self.read(fallen.color, Some(v1::Side::default()), None);
                self.runs(nobody, now);
            }
            So::OfferMade(by) => self.state.offer = by,
            So::OfferEnded(_) => self.state.offer = nobody,
            So::PlayersReady(_) => self.state.phase = "ready".to_string(),
            So::ResultCorrected(score) => self.state.score = score,
            So::GameOver(over) => {
                self.state.phase = "over".to_string();
                (self.state.score, self.state.termination, self.state.article) = (over.score, over.termination, over.article);
                self.runs(nobody, now);
            }
            So::MoveCompleted(_)
            | So::Ordered(_)
            | So::Incident(_)
            | So::IncrementSet(_)
            | So::MatingAsked(_)
            | So::MatingJudged(_)
            | So::Noted(_)
            | So::Excused(_)
            | So::CastlingForbidden(_) => {}
            // Moves, results, claims, counts or devices change by what is not in the entry.
            So::MoveTakenBack(_)
            | So::FlagWithdrawn(_)
            | So::Annulled(_)
            | So::Reopened(_)
            | So::Undone(_)
            | So::ClockReplaced(_)
            | So::OwnClockReplaced(_)
            | So::Placed(_)
            | So::FlagDown(_)
            | So::Compensated(_)
            | So::ClaimJudged(_)
            | So::ClaimEnded(_)
            | So::ClaimPostponed(_)
            | So::DutySet(_)
            | So::IllegalCounted(_)
            | So::Restored(_)
            | So::Promoted(_)
            | So::PointsChanged(_)
            | So::SealOrdered(_)
            | So::SessionAnnounced(_)
            | So::MoveSealed(_)
            | So::EnvelopeWritten(_)
            | So::Adjourned(_)
            | So::EnvelopeLost(_)
            | So::Resumed(_)
            | So::LatenessOpen(_)
            | So::SealedMoveJudged(_)
            | So::SealedMovePlayed(_)
            | So::ReplySealed(_) => return Heard::LookAgain,
        }
        Heard::Kept
    }

    /// Whose clock runs from now on.
    fn runs(&mut self, color: i32, now: Millis) {
        self.state.running = color;
        self.state.running_for_ms = 0;
        self.read = now;
    }

    /// What a clock shows, and the main time of the other.
    fn read(&mut self, color: i32, side: Option<v1::Side>, other_ms: Option<u64>) {
        let sides = self.state.sides.get_or_insert_default();
        let (own, others) =
            if color == i32::from(v1::Color::White) { (&mut sides.white, &mut sides.black) } else { (&mut sides.black, &mut sides.white) };
        *own = side;
        if let (Some(left_ms), Some(others)) = (other_ms, others) {
            others.left_ms = left_ms;
        }
    }
}

fn other(color: i32) -> i32 {
    if color == i32::from(v1::Color::White) { v1::Color::Black.into() } else { v1::Color::White.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(view: &mut View, so: So, now: u64) -> Heard {
        let payload = Some(Payload::Consequence(v1::Consequence { kind: Some(so) }));
        let entry = v1::Entry { seq: 9, subject: Some(Subject::Game(1)), payload, ..v1::Entry::default() };
        view.hear(v1::ConsoleUpdate { kind: Some(Said::Entry(entry)) }, Millis(now))
    }

    /// A game whose device runs twice as fast as the hall.
    fn view() -> View {
        let side = Some(v1::Side { left_ms: 60_000, ..v1::Side::default() });
        let sides = Some(v1::Sides { white: side, black: side });
        let game = v1::GameState { game: 1, device: 7, phase: "ready".into(), sides, ..v1::GameState::default() };
        let device = v1::DeviceHealth { device: 7, game: 1, online: true, time_scale: 2_000, ..v1::DeviceHealth::default() };
        let snapshot = v1::Snapshot { position: 8, games: vec![game], devices: vec![device] };
        let mut view = View::default();
        view.hear(v1::ConsoleUpdate { kind: Some(Said::Snapshot(snapshot)) }, Millis(0));
        view
    }

    #[test]
    fn clocks_run_between_the_entries_at_the_rate_of_their_device() {
        let (mut view, white, black) = (view(), i32::from(v1::Color::White), i32::from(v1::Color::Black));
        assert_eq!(heard(&mut view, So::ClockStarted(v1::ClockStarted { color: white, since_ms: 5 }), 1_000), Heard::Kept);
        let clocks = |view: &View, now| state::clocks(&view.games[&1].state, view.passed(&view.games[&1], Millis(now)));
        assert_eq!(clocks(&view, 6_000), [Millis(50_000), Millis(60_000)]);
        let pressed = v1::Pressed { by: white, left_ms: 49_500, other_ms: 60_000, ..v1::Pressed::default() };
        heard(&mut view, So::Pressed(pressed), 6_000);
        assert_eq!((view.games[&1].state.running, clocks(&view, 7_000)), (black, [Millis(49_500), Millis(58_000)]));
    }

    #[test]
    fn what_an_entry_does_not_say_is_asked_for() {
        let mut view = view();
        assert_eq!(heard(&mut view, So::Undone(3), 0), Heard::LookAgain);
        let over = v1::GameOver { score: "1-0".into(), termination: "resignation".into(), article: "5.1.2".into() };
        assert_eq!(heard(&mut view, So::GameOver(over), 0), Heard::Kept);
        assert!(view.lines(Millis(0), 24).iter().any(|line| line.contains("1-0") && line.contains("7")));
    }
}
