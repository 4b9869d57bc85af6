//! Whether what devices reported was taken once, in order, and of the game at whose board each was.

use crate::game::{self, DeviceId, Fact, GameId};
use crate::venue::{Entry, Payload, Role, Subject, Venue};

/// A report that cannot have been taken there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's sentence says what is wrong")]
pub enum ReportWrong {
    #[error("report {report} of boot {boot} of device {}, of which boot {now} had begun", device.0)]
    OldBoot { device: DeviceId, boot: u32, report: u32, now: u32 },
    #[error("report {report} of boot {boot} of device {}, of which report {last} was taken last", device.0)]
    Again { device: DeviceId, boot: u32, report: u32, last: u32 },
    #[error("device {} reports about {subject}, at whose board it is not", device.0)]
    Elsewhere { device: DeviceId, subject: Subject },
    #[error("a clock's word with the stamp of no device")]
    Unstamped,
    #[error("the stamp of device {} on what no device says", device.0)]
    NotReported { device: DeviceId },
    #[error("timed by the daemon in game {}, whose time device {} keeps", game.0, device.0)]
    TimedByAnother { game: GameId, device: DeviceId },
}

/// The next entry of a log, on the venue as it was before.
///
/// # Errors
/// It holds a report that was taken before, or after a later one, or is none of that device's.
pub fn in_turn(before: &Venue, entry: &Entry) -> Result<(), ReportWrong> {
    let Some(origin) = &entry.origin else { return Ok(()) };
    // A hello has no number.
    let reports = origin.role == Role::Clock && !matches!(entry.payload, Payload::Device(crate::venue::DeviceEntry::Introduced(_)));
    let Some(stamp) = origin.stamp else { return if reports { Err(ReportWrong::Unstamped) } else { Ok(()) } };
    let (device, boot, report, subject) = (stamp.device, stamp.boot, stamp.report, entry.subject);
    match (device, reports) {
        (DeviceId(0), true) => return Err(ReportWrong::Unstamped),
        (DeviceId(0), false) => {
            let Subject::Game(game) = subject else { return Ok(()) };
            let keeps = before.table(game).and_then(|table| table.game.device);
            return keeps.map_or(Ok(()), |device| Err(ReportWrong::TimedByAnother { game, device }));
        }
        (_, false) => return Err(ReportWrong::NotReported { device }),
        (_, true) => {}
    }
    let known = before.devices().get(&device);
    let (now, last) = known.map_or((0, 0), |known| (known.boot, known.last_of(boot)));
    if boot < now {
        return Err(ReportWrong::OldBoot { device, boot, report, now });
    }
    if boot == 0 || report <= last {
        return Err(ReportWrong::Again { device, boot, report, last });
    }
    let belated = matches!(entry.payload, Payload::Game(game::Entry::Fact(Fact::Belated { .. })));
    let own = known.is_some_and(|known| match subject {
        Subject::Device(said) => said == device,
        Subject::Game(game) if belated => known.was_at(game),
        Subject::Game(game) => known.game == Some(game),
        Subject::Venue | Subject::Tournament(_) => false,
    });
    if own { Ok(()) } else { Err(ReportWrong::Elsewhere { device, subject }) }
}
