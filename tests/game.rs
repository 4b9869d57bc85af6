//! What only a clock device brings about: orders and their confirmation, displays, silence, restarts, stamps out of order, scoresheets.

use std::sync::Arc;

use shakmaty::{ByColor, Color};
use zeitnot::board::Start;
use zeitnot::board::mating::{Mating, Proof};
use zeitnot::clock::{Adjustment, Millis, PeriodAdded, Reading, WallTime};
use zeitnot::game::entry::{IncidentCode, Score, Termination};
use zeitnot::game::{
    BoardSeen, Claim, Command, Consequence, DeviceId, Entry, Fact, FlagsBy, Game, GameId, Ground, Input, Moved, Order, OrderNo, Phase, Refusal,
    Regulations, Ruling, Seq, StopReason, decide, named,
};
use zeitnot::laws::Edition;

/// A game and its log.
struct Table {
    game: Game,
    seq: u64,
}

impl Table {
    fn open(control: &str, fen: &str, board: BoardSeen, device: Option<u64>) -> Table {
        let regulations = Regulations { board, ..Regulations::of(control.parse().expect("a control")) };
        let start = Start::fen(fen).expect("a position");
        let game = Game::open(GameId(1), Arc::new(regulations), Arc::new(start), device.map(DeviceId), ByColor::default(), None);
        Table { game, seq: 0 }
    }

    /// A running game that a device times.
    fn timed(control: &str, fen: &str) -> Table {
        let mut table = Table::open(control, fen, BoardSeen::Seen, Some(7));
        table.rule(Ruling::Start);
        table.confirm(0);
        table
    }

    fn put(&mut self, input: Input, now: Option<u64>) -> Result<Vec<Entry>, Refusal> {
        let entries = decide(&self.game, input, now.map(Millis), WallTime::default())?;
        for entry in &entries {
            self.seq += 1;
            self.game.evolve(Seq(self.seq), entry);
        }
        Ok(entries)
    }

    fn fact(&mut self, fact: Fact, now: u64) -> Vec<Entry> {
        self.put(Input::Fact(fact), Some(now)).expect("facts are taken")
    }

    fn rule(&mut self, ruling: Ruling) -> Vec<Entry> {
        self.put(Input::Ruling(ruling), None).expect("the ruling is taken")
    }

    fn refused(&mut self, input: Input, now: Option<u64>) -> &'static str {
        self.put(input, now).expect_err("it is refused").code()
    }

    /// The device carries its oldest order out.
    fn confirm(&mut self, now: u64) -> Vec<Entry> {
        let order = self.game.orders.first().expect("an order is out").number;
        self.fact(Fact::Confirmation { order }, now)
    }

    fn play(&mut self, uci: &str, now: u64) -> Vec<Entry> {
        let by = self.game.running().expect("a clock runs");
        self.fact(Fact::Press { by, moved: Moved::Move(uci.parse().expect("a move")), shown: None, lag: None }, now)
    }

    fn result(&self) -> Option<(Score, Termination)> {
        self.game.outcome.as_ref().map(|outcome| (outcome.score, outcome.termination))
    }
}

fn incidents(entries: &[Entry]) -> Vec<IncidentCode> {
    let code = |entry: &Entry| if let Entry::Consequence(Consequence::Incident { code, .. }) = entry { Some(*code) } else { None };
    entries.iter().filter_map(code).collect()
}

/// A minute is added as the last seconds run, and the order is on its way when the device's clock reads zero.
#[test]
fn a_flag_that_the_stamps_do_not_bear_out_stops_the_clocks_where_they_were() {
    let mut table = Table::timed("60", USUAL);
    table.rule(Ruling::AddTime { color: Color::White, by: Adjustment::gain(Millis::minutes(1)), reason: "a late order".into() });
    assert_eq!(incidents(&table.fact(Fact::Flag { color: Color::White }, 60_000)), [IncidentCode::FlagDoubtful]);
    assert_eq!((table.game.phase, table.result()), (Phase::Stopped(StopReason::FlagUndecided), None));
    assert_eq!(table.game.clock.at(Some(Millis(300_000))).reading(None), clocks(60_000, 60_000), "what passes then is nobody's");
    while !table.game.orders.is_empty() {
        table.confirm(130_000);
    }
    table.rule(Ruling::Resume);
    table.confirm(140_000);
    table.play("e2e4", 150_000);
    assert_eq!(table.game.clock.reading(None).white, Millis(50_000));
    // A period that comes at zero is what a clock without a counter calls a fall.
    let regulations = Regulations { period_added: PeriodAdded::AtZero, ..Regulations::of("1/60:60".parse().expect("a control")) };
    let start = Start::fen(USUAL).expect("a position");
    let game = Game::open(GameId(1), Arc::new(regulations), Arc::new(start), Some(DeviceId(7)), ByColor::default(), None);
    let mut table = Table { game, seq: 0 };
    table.rule(Ruling::Start);
    table.confirm(0);
    table.play("e2e4", 50_000);
    table.play("e7e5", 60_000);
    table.fact(Fact::Flag { color: Color::White }, 70_000);
    assert_eq!((table.game.running(), table.game.clock.reading(None)), (Some(Color::White), clocks(60_000, 50_000)));
}

fn clocks(white: u64, black: u64) -> Reading {
    ByColor { white: Millis(white), black: Millis(black) }
}

const USUAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const BEFORE_MATE: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 31";

/// A claim comes without a stamp: what the claimant's clock shows is known when the device has stopped it.
#[test]
fn a_quickplay_claim_is_weighed_by_the_time_at_which_the_device_stops() {
    let fen = "8/5k2/5p1r/5P2/8/3RK3/8/8 w - - 12 63";
    for (stopped, pending) in [(9_999, false), (10_000, false), (10_001, true), (40_000, true)] {
        let regulations = Regulations { edition: Edition::Y2005, ..Regulations::of("5400".parse().expect("a control")) };
        let start = Arc::new(Start::fen(fen).expect("a position"));
        let times = Some(clocks(130_000, 300_000));
        let game = Game::open(GameId(1), Arc::new(regulations), start, Some(DeviceId(7)), ByColor::default(), times);
        let mut table = Table { game, seq: 0 };
        table.rule(Ruling::Start);
        table.confirm(0);
        let claim = Fact::Claim { by: Color::White, claim: Claim::Quickplay { ground: Ground::NoEffort } };
        table.put(Input::Fact(claim), None).expect("facts are taken");
        assert!(table.game.claim.is_some(), "{stopped}");
        assert_eq!(table.refused(Input::Ruling(Ruling::Uphold { reason: String::new() }), None), "stop-pending");
        table.confirm(stopped);
        assert_eq!(table.game.claim.is_some(), pending, "{stopped}");
        assert_eq!(table.game.clock.reading(None), clocks(130_000 - stopped, 300_000));
    }
}

#[test]
fn a_flag_claimed_before_the_device_has_reported_it_is_down_when_the_clocks_stand() {
    for (stopped, over) in [(4_999, false), (5_000, true)] {
        let regulations = Regulations { flags: Some(FlagsBy::Players), ..Regulations::of("5".parse().expect("a control")) };
        let start = Arc::new(Start::standard());
        let mut table = Table { game: Game::open(GameId(1), Arc::new(regulations), start, Some(DeviceId(7)), ByColor::default(), None), seq: 0 };
        table.rule(Ruling::Start);
        table.confirm(0);
        table.put(Input::Fact(Fact::Claim { by: Color::Black, claim: Claim::Flag }), None).expect("facts are taken");
        table.confirm(stopped);
        assert_eq!((table.game.claim, table.result()), (None, over.then_some((Score::BlackWins, Termination::Time))), "{stopped}");
    }
}

/// The device restarts between a claim and the stop: the arbiter decides, and the stop that is confirmed late finds nothing left.
#[test]
fn a_claim_outlives_the_device_that_was_to_stop() {
    let mut table = Table::timed("300", USUAL);
    table.fact(Fact::Move { by: Color::White, made: "e2e5".parse().expect("a move") }, 1_000);
    table.fact(Fact::Press { by: Color::White, moved: Moved::AsReported, shown: None, lag: None }, 2_000);
    table.put(Input::Fact(Fact::Claim { by: Color::Black, claim: Claim::IllegalMove }), None).expect("facts are taken");
    assert_eq!((table.game.phase, table.game.illegal.white), (Phase::Running, 0));
    table.put(Input::Fact(Fact::Restart), None).expect("facts are taken");
    assert!(table.game.claim.is_some());
    assert_eq!(table.refused(Input::Ruling(Ruling::Resume), None), "claim-pending", "the stop that comes late would decide it");
    table.rule(Ruling::Uphold { reason: String::new() });
    assert_eq!((table.game.claim, table.game.illegal.white), (None, 1));
    assert_eq!(table.game.clock.reading(None), clocks(298_000, 360_000));
    table.confirm(100);
    assert_eq!((table.game.illegal.white, table.game.on_move), (1, Color::White));
}

/// BH-13: the order is that of the device's stamps, not that in which its messages came.
#[test]
fn a_mate_stamped_before_the_flag_and_sent_after_it_counts() {
    let made = |text: &str| Fact::Move { by: Color::White, made: text.parse().expect("a move") };
    for device in [None, Some(7)] {
        let mut table = Table::open("0.4", BEFORE_MATE, BoardSeen::Seen, device);
        table.put(Input::Ruling(Ruling::Start), Some(0)).expect("it starts");
        if device.is_some() {
            table.confirm(0);
        }
        table.fact(Fact::Flag { color: Color::White }, 400);
        assert_eq!(table.result(), Some((Score::BlackWins, Termination::Time)));
        let mut mate = Table { game: table.game.clone(), seq: table.seq };
        let entries = mate.fact(made("d1d8"), 350);
        assert!(entries.contains(&Entry::Consequence(Consequence::FlagWithdrawn { color: Color::White })), "{entries:?}");
        assert_eq!(mate.result(), Some((Score::WhiteWins, Termination::Checkmate)));
        assert_eq!(mate.game.clock.reading(None), clocks(50, 400));

        // A move that does not end the game does not stop the clock: the flag falls all the same, at its own instant.
        let mut other = Table { game: table.game.clone(), seq: table.seq };
        other.fact(made("d1d7"), 350);
        assert_eq!(other.result(), Some((Score::BlackWins, Termination::Time)));
        assert_eq!(other.game.clock.reading(None), clocks(0, 400));

        // A press does.
        let mut pressed = Table { game: table.game.clone(), seq: table.seq };
        pressed.fact(Fact::Press { by: Color::White, moved: Moved::Move("d1d7".parse().expect("a move")), shown: None, lag: None }, 350);
        assert_eq!((pressed.result(), pressed.game.running()), (None, Some(Color::Black)));

        // What is stamped after the fall, or is not the flagged player's, changes nothing.
        table.fact(made("d1d8"), 400);
        table.fact(Fact::Move { by: Color::Black, made: "g8f8".parse().expect("a move") }, 100);
        assert_eq!(table.result(), Some((Score::BlackWins, Termination::Time)));
    }
}

#[test]
fn a_clock_starts_and_stops_when_it_says_so() {
    let mut table = Table::open("300+2", USUAL, BoardSeen::Seen, Some(7));
    let entries = table.rule(Ruling::Start);
    let start = Command::Start { color: Color::White };
    assert_eq!(entries.last(), Some(&Entry::Consequence(Consequence::Ordered { order: OrderNo(1), command: start, to: None })));
    assert_eq!(table.game.phase, Phase::Ready);
    assert_eq!(table.refused(Input::Ruling(Ruling::Start), None), "start-pending");
    table.fact(Fact::Confirmation { order: OrderNo(9) }, 400);
    assert_eq!(table.game.running(), None);
    table.confirm(500);
    assert_eq!(table.game.running(), Some(Color::White));

    table.rule(Ruling::Stop { reason: "a question".into() });
    assert_eq!(table.refused(Input::Ruling(Ruling::Stop { reason: String::new() }), None), "stop-pending");
    assert_eq!(table.game.running(), Some(Color::White));
    table.confirm(2_500);
    assert_eq!((table.game.phase, table.game.clock.reading(None)), (Phase::Stopped(StopReason::Arbiter), clocks(300_000, 302_000)));

    table.rule(Ruling::SetClocks { times: clocks(60_000, 50_000) });
    table.confirm(3_000);
    table.rule(Ruling::Resume);
    table.confirm(4_000);
    table.play("e2e4", 5_000);
    assert_eq!(table.game.clock.reading(None), clocks(61_000, 50_000));
    table.rule(Ruling::AddTime { color: Color::Black, by: "+0:02:00".parse().expect("a time"), reason: String::new() });
    assert!(matches!(table.game.orders[..], [Order { command: Command::Add { color: Color::Black, .. }, .. }]));
    assert_eq!(table.game.clock.reading(Some(Millis(6_000))), clocks(61_000, 169_000));
}

#[test]
fn after_the_end_the_clock_still_says_when_it_stopped() {
    let mut table = Table::timed("300", USUAL);
    table.play("e2e4", 1_000);
    table.rule(Ruling::DeclareResult { score: Score::Draw, reason: "the hall burns".into() });
    assert_eq!(table.game.clock.reading(None), clocks(299_000, 300_000));
    table.confirm(3_500);
    assert_eq!(table.game.clock.reading(None), clocks(299_000, 297_500));
    assert_eq!(table.result(), Some((Score::Draw, Termination::Arbiter)));
}

#[test]
fn displays_are_compared_with_the_stamps() {
    let mut table = Table::timed("300", USUAL);
    assert_eq!(incidents(&table.fact(Fact::Display { shown: clocks(289_000, 300_000) }, 10_000)), []);
    assert_eq!(incidents(&table.fact(Fact::Display { shown: clocks(289_000, 298_900) }, 11_000)), [IncidentCode::ClockDiscrepancy]);
    let press = |shown| Fact::Press { by: Color::White, moved: Moved::Move("e2e4".parse().expect("a move")), shown: Some(Millis(shown)), lag: None };
    assert_eq!(incidents(&table.fact(press(270_000), 20_000)), [IncidentCode::ClockDiscrepancy]);
    assert_eq!(table.game.clock.reading(None).white, Millis(280_000), "the stamps hold");
}

#[test]
fn a_silent_flag_is_only_reported() {
    let mut table = Table::timed("300", USUAL);
    let silence = Fact::Silence { color: Color::White };
    let entries = table.put(Input::Fact(silence), None).expect("facts are taken");
    assert_eq!((incidents(&entries), table.game.running()), (vec![IncidentCode::FlagDue], Some(Color::White)));
}

#[test]
fn a_device_that_restarts_stops_the_game() {
    let mut table = Table::timed("300", USUAL);
    table.play("e2e4", 2_000);
    let entries = table.put(Input::Fact(Fact::Restart), None).expect("facts are taken");
    assert_eq!(incidents(&entries), [IncidentCode::DeviceRestarted]);
    assert_eq!((table.game.phase, table.game.clock.reading(None)), (Phase::Stopped(StopReason::DeviceRestart), clocks(298_000, 300_000)));
}

#[test]
fn stamps_that_go_backwards_charge_nobody() {
    let mut table = Table::timed("300", USUAL);
    table.play("e2e4", 2_000);
    let entries = table.play("e7e5", 1_999);
    assert_eq!(incidents(&entries), [IncidentCode::StampsBackwards]);
    assert_eq!((table.game.phase, table.game.clock.reading(None)), (Phase::Stopped(StopReason::StampsBackwards), clocks(298_000, 300_000)));
}

#[test]
fn a_scoresheet_fills_in_what_the_clock_could_not_see() {
    let mut table = Table::open("300", USUAL, BoardSeen::Unseen, None);
    table.put(Input::Ruling(Ruling::Start), Some(0)).expect("it starts");
    for now in 1..=4 {
        let by = table.game.running().expect("a clock runs");
        table.fact(Fact::Press { by, moved: Moved::AsReported, shown: None, lag: None }, now * 1_000);
    }
    let sheet = |from, text: &str| Fact::Scoresheet { from, moves: text.split(' ').map(|m| m.parse().expect("a move")).collect() };
    for (from, text) in [(0, "e4 e5 Ke3"), (1, "e5"), (5, "e4"), (0, "f3 e5 g4 Qh4 Ke2")] {
        assert_eq!(table.refused(Input::Fact(sheet(from, text)), Some(5_000)), "unreadable", "{from} {text}");
    }
    table.fact(sheet(0, "f3 e5"), 5_000);
    assert_eq!(table.game.line.known().0, 2);
    assert_eq!(table.refused(Input::Fact(sheet(1, "d5 g4")), Some(5_500)), "unreadable", "what is known stays");
    table.fact(sheet(2, "g4 Qh4"), 6_000);
    assert_eq!(table.result(), Some((Score::BlackWins, Termination::Checkmate)));
}

#[test]
fn a_stamp_that_leaps_over_many_periods_is_not_believed() {
    let mut table = Table::open("1/60", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", BoardSeen::Unseen, Some(7));
    let regulations = Regulations { period_added: zeitnot::clock::PeriodAdded::AtZero, ..(*table.game.regulations).clone() };
    table.game = Game::open(GameId(1), Arc::new(regulations), Arc::new(Start::standard()), Some(DeviceId(7)), ByColor::default(), None);
    table.rule(Ruling::SetCounter { color: Color::White, moves: 9_000 });
    table.confirm(0);
    table.rule(Ruling::Start);
    table.confirm(0);
    let entries = table.fact(Fact::Touch { by: Color::White, square: shakmaty::Square::E2 }, 6_000_000);
    assert!(entries.len() < 100, "{}", entries.len());
    assert_eq!(table.game.phase, Phase::Stopped(StopReason::StampsBackwards));
}

/// The capture locks the position, and whether it is dead takes longer than a decision may.
const LOCKED_BY_A_CAPTURE: &str = "8/1p2r3/1Pp2B2/k1P5/p1P5/P1K5/3B4/8 w - - 0 1";

impl Table {
    fn moves(&mut self, uci: &str, now: u64) {
        let by = self.game.running().expect("a clock runs");
        self.fact(Fact::Move { by, made: uci.parse().expect("a move") }, now);
    }

    /// The daemon's answer that nobody can mate, on the position that now stands.
    fn nobody_can_mate(&self) -> Fact {
        let (ply, position) = self.game.line.known();
        let dead = || Some(Mating::Impossible(Proof::Material));
        Fact::Verdict { ply: ply as u32, position: named(position), mating: ByColor { white: dead(), black: dead() } }
    }
}

#[test]
fn a_verdict_on_a_move_that_was_taken_back_ends_no_game() {
    let mut table = Table::timed("300", LOCKED_BY_A_CAPTURE);
    table.moves("f6e7", 1_000);
    assert!(table.game.question.is_some());
    let late = table.nobody_can_mate();
    table.moves("f6g5", 1_500);
    assert_eq!(table.game.question, None, "nothing is asked any more");
    table.fact(late, 2_000);
    assert_eq!(table.result(), None);
    table.moves("f6e7", 2_500);
    assert!(table.game.question.is_some(), "the same move is asked about again");
    let late = table.nobody_can_mate();
    table.fact(late, 3_000);
    assert_eq!(table.result(), Some((Score::Draw, Termination::DeadPosition)));
}

#[test]
fn a_loss_is_judged_where_the_game_stands() {
    let mut table = Table::timed("300", LOCKED_BY_A_CAPTURE);
    table.moves("f6e7", 1_000);
    table.fact(Fact::Resignation { by: Color::White }, 1_200);
    assert_eq!(table.game.phase, Phase::Stopped(StopReason::MatingAsked));
    let late = table.nobody_can_mate();
    table.fact(Fact::Move { by: Color::White, made: "f6g5".parse().expect("a move") }, 1_500);
    table.fact(late, 2_000);
    assert_eq!(table.result(), None, "it was about another move");
    assert!(table.game.question.is_some(), "and is asked again");
    let verdict = table.nobody_can_mate();
    table.fact(verdict, 2_500);
    assert_eq!(table.result(), Some((Score::Draw, Termination::DeadPosition)));
}

/// What an arbiter writes is shown in other people's terminals, and stands in a line of its own.
#[test]
fn a_reason_is_plain_text() {
    let mut table = Table::open("300", USUAL, BoardSeen::Seen, None);
    table.put(Input::Ruling(Ruling::Start), Some(0)).expect("it starts");
    for reason in ["a\u{1b}[2Jb", "a\nb", "a\u{202e}b", &"x".repeat(501)] {
        let refused = table.put(Input::Ruling(Ruling::Stop { reason: reason.to_string() }), Some(5));
        assert!(matches!(refused, Err(Refusal::Unreadable { field: "reason", .. })), "{reason:?}: {refused:?}");
    }
    let taken = table.put(Input::Ruling(Ruling::Stop { reason: "silence, please: Ärger".to_string() }), Some(5));
    assert!(taken.is_ok(), "{taken:?}");
}
