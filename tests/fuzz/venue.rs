//! The venue: whatever is said to it, and whatever stands in its log.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use shakmaty::ByColor;
use zeitnot::audit::Audit;
use zeitnot::board::Start;
use zeitnot::clock::{Estimate, Millis};
use zeitnot::envelope::PrivateKey;
use zeitnot::format::{jsonl, pgn};
use zeitnot::game::{self, DeviceId, GameId, Regulations, Seq};
use zeitnot::laws::{Edition, Play, Supervision};
use zeitnot::log::{Log, MemoryLog};
use zeitnot::venue::{
    At, Command, DeviceStamp, Entry, Input, Introduction, Origin, Pairing, Payload, Player, Report, Role, Subject, TournamentId, Venue, WallTime,
};
use zeitnot::writer::{self, Writer};
use zeitnot::{disclosure, wire};
use zeroize::Zeroizing;

use crate::engine::Target;
use crate::kept;
use crate::numbers::{EDGES, replaced};

/// 2 May 2026, 13:00 UTC.
const MORNING: i64 = 1_777_726_800_000;
const CONTROLS: [&str; 6] = ["300+2", "2/60+5:30", "60d5", "3/30b2:20", "*60", "300|90+1"];

/// A venue in memory: one tournament, game 1 with a device, game 2 without.
struct Hall {
    writer: Writer,
    log: MemoryLog,
    hall: u64,
    report: u32,
}

impl Hall {
    fn open(choice: u8) -> Hall {
        let mut hall = Hall { writer: Writer::default(), log: MemoryLog::new(), hall: 1_000, report: 0 };
        let of = |n: usize| usize::from(choice) % n;
        let regulations = Regulations {
            edition: Edition::ALL[of(Edition::ALL.len())],
            play: Play::ALL[of(Play::ALL.len())],
            supervision: Supervision::ALL[of(Supervision::ALL.len())],
            default_time: Some(Millis::minutes(30)),
            ..Regulations::of(CONTROLS[of(CONTROLS.len())].parse().unwrap())
        };
        let (tournament, round) = (TournamentId(1), 1);
        let introduction = Introduction { model: "Testuhr".into(), firmware: String::new(), senses_board: true, wrap: None, scale: 1_000 };
        let players = ByColor { white: Player { name: "Alpha".into(), fide_id: 0 }, black: Player { name: "Beta".into(), fide_id: 0 } };
        let office = |input| (Role::Office, input);
        let mut inputs = vec![
            office(Input::SetEnvelopeKey { key: PrivateKey::new(Zeroizing::new([5; 32])).public() }),
            office(Input::CreateTournament { name: "Open".into(), regulations, starts_on: None }),
            office(Input::OpenRound { tournament, round }),
            (Role::Clock, Input::Hello { device: DeviceId(7), introduction }),
        ];
        for (board, device) in [(1, Some(DeviceId(7))), (2, None)] {
            let start = Arc::new(Start::standard());
            let pairing = Pairing { tournament, round, board, players: players.clone(), start, regulations: None };
            let absent = ByColor { white: false, black: choice.is_multiple_of(5) };
            inputs.push(office(Input::Pair { pairing }));
            inputs.push(office(Input::OpenGame { tournament, round, board, device, black_device: None, absent, clocks: None }));
        }
        for (role, input) in inputs {
            assert!(hall.say(Origin::new(role, String::new()), input), "the hall opens");
        }
        hall
    }

    /// Whether it was taken.
    fn say(&mut self, origin: Origin, input: Input) -> bool {
        let at = At { wall: WallTime(MORNING + self.hall as i64), hall: Millis(self.hall) };
        let command = Command { origin, key: None, seen: None, input };
        let taken = self.writer.decide(&*self.log.reader(), command, at).expect("the log is read");
        if let Err(refusal) = &taken {
            assert!(refusal.to_string().len() >= 5 && !refusal.code().is_empty(), "{refusal:?}");
        }
        self.writer.commit(&mut self.log).expect("what is decided fits the log");
        taken.is_ok()
    }

    /// Somebody who can says what that entry says, about one of the two games. Whether it was taken.
    fn says(&mut self, choice: u8, said: game::Entry) -> bool {
        self.hall += u64::from(choice) * 40;
        let game = GameId(1 + u64::from(choice % 2));
        let input = match said {
            game::Entry::Fact(fact) if choice.is_multiple_of(4) => {
                let came = Estimate { at: Millis(self.hall), uncertainty: Millis(5), hall: Some(Millis(self.hall)) };
                let arrived = self.report.is_multiple_of(3).then_some(came);
                let stamp = DeviceStamp { device: DeviceId(7), boot: 1, report: self.report + 1, at: Millis(self.hall.saturating_sub(30)), arrived };
                let origin = Origin { stamp: Some(stamp), ..Origin::new(Role::Clock, String::new()) };
                let report = Input::Report { previous: self.report, game: Some(GameId(1)), report: Report::Fact(fact) };
                let taken = self.say(origin, report);
                self.report += u32::from(taken);
                return taken;
            }
            game::Entry::Fact(fact) => game::Input::Fact(fact),
            game::Entry::Ruling(ruling) => game::Input::Ruling(ruling),
            game::Entry::Consequence(_) => return false,
        };
        let role = if choice % 32 == 1 { Role::Daemon } else { Role::Arbiter };
        self.say(Origin::new(role, String::new()), Input::Game { game, input })
    }
}

/// What a game's entry says, where the bytes are one.
fn said(body: &[u8]) -> Option<game::Entry> {
    let message = prost::Message::decode(body).ok()?;
    match wire::entry(message).ok()?.payload {
        Payload::Game(entry) => Some(entry),
        Payload::Admin(_) | Payload::Device(_) => None,
    }
}

/// Everything that looks at a venue.
fn seen(venue: &Venue) {
    let _ = venue.digest();
    for table in venue.tables() {
        let _ = wire::game_state(table, None);
        let _ = wire::game_state(table, Some(Millis(u64::MAX / 2)));
        let _ = (pgn::write(&table.game, &pgn::Tags::default()), table.game.canonical());
    }
}

/// Whatever is said, and in whatever order: what is taken replays to the same, and is decided today as it was.
///
/// An input is a list of entries, each by its number among those of the kept logs, with a byte for who says it and when, and one
/// for a number in it that is another one.
#[test]
fn what_is_taken() {
    let inputs: Vec<Vec<u8>> =
        kept::bodies().into_iter().filter(|body| matches!(said(body), Some(game::Entry::Fact(_) | game::Entry::Ruling(_)))).collect();
    let start = inputs.iter().position(|body| said(body) == Some(game::Entry::Ruling(game::Ruling::Start))).unwrap() as u16;
    let taken = std::sync::atomic::AtomicUsize::new(0);
    let seeds = (0..24_u8).map(|n| {
        let acts = (0..30_u16).map(|i| if i == 0 { start } else { (i * 37 + u16::from(n) * 53) % inputs.len() as u16 });
        [n].into_iter().chain(acts.flat_map(|act| [act.to_le_bytes()[0], act.to_le_bytes()[1], (act % 251) as u8 | 1, 0])).collect()
    });
    Target::of("taken", seeds.collect()).with_inputs(60).holds(|bytes| {
        let Some((setting, acts)) = bytes.split_first() else { return };
        let mut hall = Hall::open(*setting);
        for act in acts.chunks_exact(4).take(80) {
            let body = &inputs[usize::from(u16::from_le_bytes([act[0], act[1]])) % inputs.len()];
            // The first numbers say where it stands in its log.
            let body = if act[3] == 0 { body.clone() } else { replaced(body, 3 + usize::from(act[3] >> 4), EDGES[usize::from(act[3] & 15)]) };
            let took = said(&body).is_some_and(|said| hall.says(act[2], said));
            taken.fetch_add(usize::from(took), std::sync::atomic::Ordering::Relaxed);
        }
        let replayed = writer::replay(&*hall.log.reader(), None, &mut |_| {}).unwrap();
        assert_eq!(replayed.digest(), hall.writer.venue().digest());
        seen(&replayed);
        let mut audit = Audit::default();
        writer::each_entry(&*hall.log.reader(), Seq(0), None, &mut |entry| audit.entry(entry)).unwrap();
        let differences = audit.finish().differences;
        assert!(differences.is_empty(), "{differences:#?}");
    });
    let taken = taken.into_inner();
    assert!(taken > 500, "only {taken} inputs were taken");
}

/// Whatever stands in a log can be applied, shown and decided upon: an entry is changed, and the day goes on after it.
#[test]
fn what_stands_in_a_log() {
    let days: Vec<Vec<Entry>> = kept::NAMES.iter().map(|name| kept::entries(name)).collect();
    // A log until some of its entries, from where the changed one goes on.
    let places: Vec<(usize, usize, Venue)> = days
        .iter()
        .enumerate()
        .flat_map(|(day, entries)| {
            let mut venue = Venue::default();
            let mut places = Vec::new();
            for (place, entry) in entries.iter().enumerate() {
                if place % 23 == 7 {
                    places.push((day, place, venue.clone()));
                }
                venue.evolve(entry);
            }
            places
        })
        .collect();
    let bodies = kept::bodies();
    let seeds = bodies.iter().enumerate().step_by(5).map(|(n, body)| [&(n as u16).to_le_bytes()[..], body].concat()).collect();
    let places = AssertUnwindSafe(places);
    Target::of("applied", seeds).of_messages(2).with_words(&["\x08", "\x10", "\u{ff}\u{ff}\u{ff}\x7f", "\x00", "\x12\x00"]).with_inputs(150).holds(
        |bytes| {
            let Some((number, body)) = bytes.split_first_chunk::<2>() else { return };
            let Some(mut entry) = prost::Message::decode(body).ok().and_then(|message| wire::entry(message).ok()) else { return };
            let (day, place, before) = &places[usize::from(u16::from_le_bytes(*number)) % places.len()];
            let mut venue = before.clone();
            entry.seq = Seq(venue.head().0 + 1);
            venue.evolve(&entry);
            seen(&venue);
            let feed = disclosure::redacted(Role::Feed, entry.clone());
            assert!(!disclosure::shown(Role::Feed, &entry) || !jsonl::entry(&feed).is_empty());
            let mut audit = Audit::default();
            audit.entry(entry.clone());
            let after = days[*day].iter().skip(*place).take(25).cloned();
            for mut next in after {
                if let (Payload::Game(said), Subject::Game(game)) = (next.payload.clone(), next.subject) {
                    let input = match said {
                        game::Entry::Fact(fact) => Some(game::Input::Fact(fact)),
                        game::Entry::Ruling(ruling) => Some(game::Input::Ruling(ruling)),
                        game::Entry::Consequence(_) => None,
                    };
                    let at = At { wall: next.recorded_at, hall: Millis(1_000_000) };
                    if let Some(input) = input {
                        let command = Command { origin: Origin::daemon(), key: None, seen: None, input: Input::Game { game, input } };
                        let _ = zeitnot::venue::decide(&venue, command, at);
                    }
                }
                next.seq = Seq(venue.head().0 + 1);
                venue.evolve(&next);
            }
            seen(&venue);
        },
    );
}
