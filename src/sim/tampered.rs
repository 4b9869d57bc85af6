//! What the bugs of a simulation do to what passes through the daemon.

use super::Bug;
use crate::clock::Millis;
use crate::game::{self, Consequence, Fact, GameId, Penalty, Ruling, Score, StopReason};
use crate::log::{Chain, Reader};
use crate::venue::{Command, DeviceStamp, Entry, Input, Origin, Payload, Report, Role, Venue, Version};
use crate::wire;
use crate::writer;
use prost::Message;
use shakmaty::Color;

/// Rebuilds the venue, or not quite.
pub(super) fn replay(reader: &dyn Reader, bug: Option<Bug>) -> Result<Venue, writer::Error> {
    if bug != Some(Bug::ReplayForgets) {
        return writer::replay(reader, None, &mut |_| {});
    }
    let mut venue = Venue::default();
    writer::each_entry(reader, game::Seq(0), None, &mut |mut entry| {
        if let Payload::Game(game::Entry::Consequence(Consequence::Pressed { completed, .. })) = &mut entry.payload {
            *completed = 0;
        }
        venue.evolve(&entry);
    })?;
    Ok(venue)
}

/// What goes into the log instead of what was decided; says whether anything does.
pub(super) fn commit(bug: Option<Bug>, entries: &[Entry], bodies: &mut [Vec<u8>]) -> bool {
    let Some(bug) = bug else { return false };
    let mut any = false;
    for (entry, body) in entries.iter().zip(bodies) {
        let ruled = entries.iter().find(|one| Some(one.seq) == entry.cause);
        if let Some(other) = other(bug, entry, ruled.map(|ruled| &ruled.payload)) {
            *body = wire::encode_entry(&other).encode_to_vec();
            any = true;
        }
    }
    any
}

fn other(bug: Bug, entry: &Entry, ruled: Option<&Payload>) -> Option<Entry> {
    let mut other = entry.clone();
    match (bug, &mut other.payload) {
        (Bug::VersionSkipped, Payload::Game(game::Entry::Fact(Fact::Pause { .. }))) => other.version = Version(entry.version.0 + 1),
        (Bug::TimeLost, Payload::Game(game::Entry::Consequence(Consequence::ClocksStopped { sides, reason: StopReason::Pause }))) => {
            sides.white.left = sides.white.left.less(Millis::seconds(1));
        }
        (Bug::PaysTooMuch, Payload::Game(game::Entry::Consequence(said))) => dearer(said, ruled?)?,
        (Bug::WrongScore, Payload::Game(game::Entry::Consequence(Consequence::GameOver { score, .. }))) => {
            *score = match score {
                Score::WhiteWins => Score::BlackWins,
                Score::BlackWins => Score::WhiteWins,
                _ => return None,
            };
        }
        (Bug::PlaysAfterTheEnd, Payload::Game(said)) => {
            let game::Entry::Consequence(Consequence::ResultCorrected { .. }) = said else { return None };
            *said = game::Entry::Consequence(Consequence::OfferMade { by: Color::White });
        }
        _ => return None,
    }
    Some(other)
}

/// A price that is a second higher, on the clock and in the order that brings the display along.
fn dearer(said: &mut Consequence, ruled: &Payload) -> Option<()> {
    let paid = match ruled {
        Payload::Game(game::Entry::Ruling(Ruling::Penalise { color, penalty: Penalty::OpponentTime(_), .. })) => !*color,
        Payload::Game(game::Entry::Ruling(Ruling::RuleIllegal { .. })) => Color::White,
        _ => return None,
    };
    match said {
        Consequence::ClocksSet { sides } | Consequence::Ordered { command: game::Command::Set { sides }, .. } => {
            let clock = sides.get_mut(paid);
            clock.left = clock.left.plus(Millis::seconds(1));
        }
        Consequence::Ordered { command: game::Command::Add { by, .. }, .. } => by.0 += 1_000,
        _ => return None,
    }
    Some(())
}

/// The fall of a flag that the device has not reported: under the next number, at the instant at which it was due.
pub(super) fn flag(venue: &Venue, game: GameId) -> Option<Command> {
    let table = venue.table(game)?;
    let (device, running, at) = (table.game.device?, table.game.clock.running()?, table.game.clock.falls_at()?);
    let known = venue.devices().get(&device)?;
    let stamp = DeviceStamp { device, boot: known.boot, report: known.last_report + 1, at, arrived: None };
    let origin = Origin { stamp: Some(stamp), ..Origin::new(Role::Clock, String::new()) };
    let input = Input::Report { previous: known.last_report, game: Some(game), report: Report::Fact(Fact::Flag { color: running.color }) };
    Some(Command { origin, key: None, seen: None, input })
}

/// Entries as they would be shown if they were in the log.
pub(super) fn chained(mut tip: Chain, bodies: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let show = |body: &Vec<u8>| {
        tip = tip.next(body);
        let mut entry = wire::v1::Entry::decode(body.as_slice()).unwrap_or_default();
        entry.chain = tip.0.to_vec();
        entry.encode_to_vec()
    };
    bodies.iter().map(show).collect()
}
