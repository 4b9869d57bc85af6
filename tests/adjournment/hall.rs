//! The venue in which a part of the games is played: a writer, a log in memory, and devices that report.

use std::collections::BTreeMap;
use std::sync::Arc;

use shakmaty::ByColor;
use zeitnot::clock::{Millis, WallTime};
use zeitnot::game::{DeviceId, Entry, Fact, Game, Input, Seq};
use zeitnot::log::{Log, MemoryLog};
use zeitnot::venue::{self, At, Command, DeviceStamp, Introduction, Origin, Pairing, Payload, Player, Report, Role as By, TournamentId};
use zeitnot::writer::Writer;

use crate::acts::{Setting, measured, reckoned};
use crate::world::{DEVICES, GAME, MORNING, Said, key};

/// The venue in which a part of the games is played.
#[derive(Debug)]
pub(crate) struct Hall {
    writer: Writer,
    pub(crate) log: MemoryLog,
    /// The last start of each device and its last report.
    reports: BTreeMap<DeviceId, (u32, u32)>,
}

fn player(name: &str) -> Player {
    Player { name: name.to_string(), fide_id: 0 }
}

impl Hall {
    pub(crate) fn open(setting: &Setting, absent: ByColor<bool>) -> Hall {
        let mut hall = Hall { writer: Writer::default(), log: MemoryLog::new(), reports: BTreeMap::new() };
        let office = |input| (By::Office, input);
        let introduction = Introduction { model: "Model".to_string(), firmware: String::new(), senses_board: true, wrap: None, scale: 1_000 };
        let device = setting.device.then_some(DEVICES[0]);
        let (tournament, round, board) = (TournamentId(1), 1, 1);
        let players = ByColor { white: player("White"), black: player("Black") };
        let pairing = Pairing { tournament, round, board, players, start: Arc::new(setting.start.clone()), regulations: None };
        let regulations = setting.regulations.clone();
        let inputs = [
            office(venue::Input::SetEnvelopeKey { key: key(3).public() }),
            office(venue::Input::CreateTournament { name: "Open".to_string(), regulations, starts_on: None }),
            office(venue::Input::OpenRound { tournament, round }),
            office(venue::Input::Pair { pairing }),
            (By::Clock, venue::Input::Hello { device: DEVICES[0], introduction: introduction.clone() }),
            (By::Clock, venue::Input::Hello { device: DEVICES[1], introduction }),
            office(venue::Input::OpenGame { tournament, round, board, device, black_device: None, absent, clocks: None }),
        ];
        for (role, input) in inputs {
            let origin = Origin::new(role, String::new());
            hall.put(origin, input, At { wall: WallTime(MORNING), hall: Millis(0) }).expect("the hall opens");
        }
        hall
    }

    fn put(&mut self, origin: Origin, input: venue::Input, at: At) -> Result<Vec<venue::Entry>, String> {
        let reader = self.log.reader();
        let (head, digest) = (self.writer.venue().head(), self.writer.venue().digest());
        let command = Command { origin, key: None, seen: None, input };
        let taken = self.writer.decide(&*reader, command, at).expect("the log is read");
        if let Err(refusal) = taken {
            assert_eq!((head, digest), (self.writer.venue().head(), self.writer.venue().digest()), "a refusal changes nothing");
            return Err(format!("{refusal} {refusal:?}"));
        }
        let (first, bodies, entries) = self.writer.take_pending();
        self.log.append(first, &bodies).expect("the log takes it");
        Ok(entries)
    }

    pub(crate) fn say(&mut self, game: &Game, said: Said, at: At) -> Result<Vec<(Seq, Entry)>, String> {
        let device = game.device.filter(|_| match &said {
            Said::Input { input: Input::Fact(fact), stamped } => {
                *fact == Fact::Restart || measured(fact, game.clock.running().is_some()) || (*stamped && !reckoned(fact))
            }
            Said::Seal { stamped, .. } => *stamped,
            _ => false,
        });
        let restart = matches!(said, Said::Input { input: Input::Fact(Fact::Restart), .. });
        let role = match &said {
            _ if device.is_some() => By::Clock,
            Said::Input { input: Input::Fact(Fact::Press { .. } | Fact::Pause { .. } | Fact::Stop { .. }), .. } => By::Arbiter,
            Said::Input { input: Input::Fact(fact), .. } if reckoned(fact) || restart || measured(fact, false) => By::Daemon,
            _ => By::Arbiter,
        };
        let (previous, stamp) = match device {
            None => (0, None),
            Some(device) => {
                let (boot, last) = *self.reports.entry(device).or_insert((1, 0));
                let (boot, last) = if restart { (boot + 1, 0) } else { (boot, last) };
                (last, Some(DeviceStamp { device, boot, report: last + 1, at: at.hall, arrived: None }))
            }
        };
        let input = match (said, device) {
            (Said::Input { input: Input::Fact(fact), .. }, Some(_)) => {
                venue::Input::Report { previous, game: Some(GAME), report: Report::Fact(fact) }
            }
            (Said::Input { input, .. }, _) => venue::Input::Game { game: GAME, input },
            (Said::Seal { by, note, .. }, Some(_)) => venue::Input::Report { previous, game: Some(GAME), report: Report::Seal { by, note } },
            (Said::Seal { by, note, .. }, None) => venue::Input::Seal { game: GAME, by, note },
            (Said::OpenWith(key), _) => venue::Input::Open { game: GAME, key },
        };
        let entries = self.put(Origin { stamp, ..Origin::new(role, String::new()) }, input, at)?;
        if let Some(stamp) = stamp {
            self.reports.insert(stamp.device, (stamp.boot, stamp.report));
        }
        let ours = |entry: venue::Entry| match entry.payload {
            Payload::Game(said) => Some((entry.seq, said)),
            Payload::Admin(_) | Payload::Device(_) => None,
        };
        Ok(entries.into_iter().filter_map(ours).collect())
    }
}
