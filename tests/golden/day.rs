//! A day in a hall in which everything happens that an entry can tell.

use std::collections::BTreeMap;
use std::sync::Arc;

use shakmaty::{ByColor, Color::*};
use zeitnot::board::Start;
use zeitnot::clock::{Adjustment, Millis, PeriodAdded, Wrap};
use zeitnot::game::{BoardSeen, DeviceId, Fact, GameId, Input as About, Moved, Phase, Regulations, Ruling, Score};
use zeitnot::log::{Log, MemoryLog};
use zeitnot::scenario;
use zeitnot::venue::{At, Command, DeviceStamp, Input, Introduction, Key, Origin, Pairing, Player, Report, Role, TournamentId, WallTime};
use zeitnot::writer::Writer;

/// 2 May 2026, 13:00 UTC.
const MORNING: i64 = 1_777_726_800_000;

/// The hall: what is written, and how far each device has counted.
#[derive(Default)]
pub(crate) struct Day {
    pub(crate) writer: Writer,
    pub(crate) log: MemoryLog,
    /// Milliseconds since the daemon's start.
    pub(crate) hall: u64,
    keys: u32,
    /// Start and last report of each device.
    reports: BTreeMap<u64, (u32, u32)>,
}

/// Plays the day.
pub(crate) fn played() -> Day {
    let mut day = Day::default();
    day.daemon(Input::Started { build: "0.1.0".into() });
    day.opened();
    day.with_a_device();
    day.by_the_daemon();
    day.flag_and_resignation();
    day.moves_typed_in();
    day.daemon(Input::Alarm { text: "the mirror lacked 3 entries and was refilled from the store".into() });
    day
}

impl Day {
    /// The arbiter's watch.
    pub(crate) fn watch(&self) -> WallTime {
        WallTime(MORNING + self.hall as i64)
    }

    pub(crate) fn put(&mut self, origin: Origin, key: Option<Key>, input: Input) {
        self.hall += 250;
        let at = At { wall: self.watch(), hall: Millis(self.hall) };
        let said = format!("{input:?}");
        let reader = self.log.reader();
        let taken = self.writer.decide(&*reader, Command { origin, key, seen: None, input }, at).unwrap();
        taken.unwrap_or_else(|refusal| panic!("{said}: {refusal}"));
        self.writer.commit(&mut self.log).unwrap();
    }

    pub(crate) fn daemon(&mut self, input: Input) {
        self.put(Origin::daemon(), None, input);
    }

    pub(crate) fn named(&mut self, role: Role, name: &str, input: Input) {
        self.keys += 1;
        let key = Key(format!("key-{}", self.keys));
        self.put(Origin::new(role, name.into()), Some(key), input);
    }

    pub(crate) fn office(&mut self, input: Input) {
        self.named(Role::Office, "office", input);
    }

    pub(crate) fn rule(&mut self, game: u64, ruling: Ruling) {
        self.named(Role::Arbiter, "chief arbiter", Input::Game { game: GameId(game), input: About::Ruling(ruling) });
    }

    /// What a player did, in the words of a scenario, told by an arbiter.
    pub(crate) fn told(&mut self, game: u64, words: &str) {
        let words: Vec<String> = words.split(' ').map(String::from).collect();
        for fact in scenario::facts(if words[0] == "white" { White } else { Black }, &words[1], &words[2..]).unwrap() {
            self.named(Role::Arbiter, "arbiter", Input::Game { game: GameId(game), input: About::Fact(fact) });
        }
    }

    pub(crate) fn report(&mut self, device: u64, at: u64, report: Report) {
        let (boot, previous) = *self.reports.entry(device).or_insert((1, 0));
        let stamp = DeviceStamp { device: DeviceId(device), boot, report: previous + 1, at: Millis(at), arrived: None };
        self.reports.insert(device, (boot, previous + 1));
        let game = self.writer.venue().devices().get(&DeviceId(device)).and_then(|device| device.game);
        self.put(Origin { stamp: Some(stamp), ..Origin::new(Role::Clock, String::new()) }, None, Input::Report { previous, game, report });
    }

    pub(crate) fn fact(&mut self, device: u64, at: u64, fact: Fact) {
        self.report(device, at, Report::Fact(fact));
    }

    fn moved(&mut self, device: u64, at: u64, by: shakmaty::Color, uci: &str) {
        self.fact(device, at, Fact::Move { by, made: uci.parse().unwrap() });
    }

    fn pressed(&mut self, device: u64, at: u64, by: shakmaty::Color, moved: Moved) {
        self.fact(device, at, Fact::Press { by, moved, shown: None, lag: None });
    }

    /// The device does what it was told last.
    pub(crate) fn confirms(&mut self, device: u64, game: u64, at: u64) {
        let order = self.writer.venue().table(GameId(game)).unwrap().game.last_order;
        self.fact(device, at, Fact::Confirmation { order });
    }

    pub(crate) fn phase(&self, game: u64) -> Phase {
        self.writer.venue().table(GameId(game)).unwrap().game.phase
    }

    /// A tournament, four boards, three devices.
    fn opened(&mut self) {
        let control = |text: &str| Regulations::of(text.parse().unwrap());
        self.office(Input::CreateTournament { name: "May Open".into(), regulations: control("40/5400+30:1800+30"), starts_on: None });
        let tournament = TournamentId(1);
        self.office(Input::OpenRound { tournament, round: 1 });
        for serial in [7, 8, 9] {
            let wrap = if serial == 7 { Some(Wrap::MICROS_32) } else { None };
            let introduction = Introduction { model: "Testuhr".into(), firmware: "1.0".into(), senses_board: serial != 9, wrap, scale: 1_000 };
            let origin = Origin::new(Role::Clock, String::new());
            self.put(origin, None, Input::Hello { device: DeviceId(serial), introduction });
            self.fact(serial, 10, Fact::Restart);
        }
        self.report(9, 50, Report::Battery { percent: 87 });
        let own = [
            None,
            Some(Regulations { period_added: PeriodAdded::AtZero, ..control("2/10:5") }),
            Some(control("60")),
            Some(Regulations { board: BoardSeen::Unseen, ..control("300d5") }),
        ];
        let starts = [Start::standard(), Start::chess960(356).unwrap(), Start::standard(), Start::fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap()];
        for (board, (regulations, start)) in (1..).zip(own.into_iter().zip(starts)) {
            let player = |side: &str| Player { name: format!("Player, {side} {board}"), fide_id: u64::from(board) };
            let players = ByColor { white: player("White"), black: player("Black") };
            let pairing = Pairing { tournament, round: 1, board, players, start: Arc::new(start), regulations: regulations.map(Arc::new) };
            self.office(Input::Pair { pairing });
        }
        let game = |board, device, absent, clocks| Input::OpenGame { tournament, round: 1, board, device, black_device: None, absent, clocks };
        let both = ByColor { white: true, black: true };
        self.office(game(1, Some(DeviceId(7)), both, None));
        self.office(game(2, None, ByColor::default(), None));
        self.office(game(3, Some(DeviceId(8)), ByColor::default(), None));
        let times = ByColor { white: Millis::seconds(200), black: Millis::seconds(100) };
        self.office(game(4, None, ByColor::default(), Some(times)));
    }

    /// Board 1: everything that an arbiter can do to a device.
    fn with_a_device(&mut self) {
        self.told(1, "white arrive");
        self.told(1, "black arrive");
        self.rule(1, Ruling::Start);
        self.confirms(7, 1, 1_000);
        self.moved(7, 5_000, White, "e2e4");
        self.moved(7, 6_000, White, "d2d4");
        self.pressed(7, 7_000, White, Moved::AsReported);
        self.moved(7, 9_000, Black, "g8f6");
        self.fact(7, 9_500, Fact::Offer { by: Black });
        self.fact(7, 10_000, Fact::Press { by: Black, moved: Moved::AsReported, shown: Some(Millis::seconds(5_457)), lag: None });
        self.fact(7, 11_000, Fact::Rejection { by: White });
        self.fact(7, 12_000, Fact::Touch { by: White, square: shakmaty::Square::G1 });
        self.fact(7, 13_000, Fact::Display { shown: ByColor { white: Millis::seconds(5_451), black: Millis::seconds(5_400) } });
        self.moved(7, 14_000, White, "d4d6");
        self.pressed(7, 15_000, White, Moved::AsReported);
        self.rule(1, Ruling::Stop { reason: "an illegal move".into() });
        self.confirms(7, 1, 20_000);
        self.rule(1, Ruling::SetClocks { times: ByColor { white: Millis::seconds(5_400), black: Millis::seconds(5_520) } });
        self.confirms(7, 1, 21_000);
        self.rule(1, Ruling::SetCounter { color: White, moves: 1 });
        self.rule(1, Ruling::Undo { reason: "the wrong side".into() });
        self.rule(1, Ruling::AddTime { color: Black, by: Adjustment(120_000), reason: "disturbed".into() });
        self.rule(1, Ruling::Resume);
        self.confirms(7, 1, 30_000);
        self.fact(7, 40_000, Fact::Pause { by: Some(Black) });
        self.rule(1, Ruling::Resume);
        self.confirms(7, 1, 50_000);
        self.reports.insert(7, (2, 0));
        self.fact(7, 5, Fact::Restart);
        self.rule(1, Ruling::ReplaceClock { device: Some(DeviceId(9)) });
        self.rule(1, Ruling::DeclareResult { score: Score::Draw, reason: "the hall closes".into() });
        self.rule(1, Ruling::CorrectResult { score: Score::WhiteWins, reason: "typed wrongly".into() });
        self.rule(1, Ruling::Undo { reason: String::new() });
        self.rule(1, Ruling::Undo { reason: "it does not close".into() });
        self.rule(1, Ruling::Annul { reason: "colours reversed".into() });
        assert_eq!(self.phase(1), Phase::Annulled);
    }

    /// Board 2: the daemon keeps the time, gives the next period at zero, and sees the flag.
    fn by_the_daemon(&mut self) {
        self.rule(2, Ruling::Start);
        for words in ["white play e4", "black play e5", "white play d3"] {
            self.told(2, words);
        }
        self.told(2, "black move d5");
        self.told(2, "black press");
        self.hall += 12_000;
        self.told(2, "white press");
        self.hall += 30_000;
        self.daemon(Input::Game { game: GameId(2), input: About::Fact(Fact::Silence { color: Black }) });
        self.daemon(Input::Game { game: GameId(2), input: About::Fact(Fact::Flag { color: Black }) });
        assert_eq!(self.phase(2), Phase::Over);
    }

    /// Board 3: a flag that a press stamped before it overtakes, and the end.
    fn flag_and_resignation(&mut self) {
        self.rule(3, Ruling::Start);
        self.confirms(8, 3, 1_000);
        self.pressed(8, 4_000, White, Moved::Move("e2e4".parse().unwrap()));
        self.pressed(8, 9_000, Black, Moved::Move("e7e5".parse().unwrap()));
        self.moved(8, 65_000, White, "g1f3");
        self.fact(8, 66_000, Fact::Flag { color: White });
        self.pressed(8, 65_900, White, Moved::AsReported);
        // A move that is not pressed is completed when that side moves again.
        self.moved(8, 66_200, Black, "b8c6");
        self.moved(8, 66_300, White, "f1b5");
        self.moved(8, 66_400, Black, "a7a6");
        self.fact(8, 66_500, Fact::Offer { by: White });
        self.fact(8, 67_000, Fact::Resignation { by: Black });
        self.fact(8, 68_000, Fact::Acceptance { by: Black });
    }

    /// Board 4: presses alone, and the moves from the scoresheet; a device comes, and goes, before the start.
    fn moves_typed_in(&mut self) {
        self.office(Input::AssignDevice { device: DeviceId(7), game: Some(GameId(4)), side: None });
        self.office(Input::AssignDevice { device: DeviceId(7), game: None, side: None });
        self.rule(4, Ruling::Start);
        self.told(4, "white press");
        self.told(4, "black press");
        let moves = ["e4", "Kd7"].map(|text| text.parse().unwrap()).to_vec();
        self.named(Role::Office, "office", Input::Game { game: GameId(4), input: About::Fact(Fact::Scoresheet { from: 0, moves }) });
        self.told(4, "white press");
    }
}
