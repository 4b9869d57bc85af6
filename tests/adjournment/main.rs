//! Whatever players, arbiters and clocks do about a game that is adjourned, some things hold.

mod acts;
mod hall;
mod holds;
mod onward;
mod world;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use shakmaty::{ByColor, Color};
use zeitnot::board::Start;
use zeitnot::clock::{Millis, WallTime};
use zeitnot::envelope::{CIPHERTEXT, Commitment, Sealed};
use zeitnot::game::{DeviceId, Fact, Game, GameId, Input, Lateness, Lost, OrderNo, Phase, Regulations, Ruling, Score, Seq, Stage, decide};

use crate::acts::Case;
use crate::holds::Seen;
use crate::world::play;

/// Cases of each kind, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 240;

fn cases(usual: u32) -> Config {
    let config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { config } else { Config { cases: usual, ..config } }
}

/// Plays a case; where something does not hold, with all that had happened.
fn tried(case: &Case, in_a_hall: bool) -> Result<(), TestCaseError> {
    let history = RefCell::new(Vec::new());
    let played = catch_unwind(AssertUnwindSafe(|| whatever_happens(case, in_a_hall, &history)));
    played.map_err(|why| {
        let why = why.downcast::<String>().map_or_else(|why| why.downcast_ref().map_or("", |why: &&str| *why).to_string(), |why| *why);
        TestCaseError::fail(format!("{why}\n\n{}\n", history.borrow().join("\n")))
    })
}

fn whatever_happens(case: &Case, in_a_hall: bool, history: &RefCell<Vec<String>>) {
    let mut seen = Seen::default();
    let world = play(case, in_a_hall, &mut |world, outcome| {
        history.borrow_mut().push(outcome.to_string());
        holds::holds(world, outcome, &mut seen);
    });
    let mut again = world.opened.clone();
    for (seq, entry) in &world.entries {
        again.evolve(*seq, entry);
    }
    assert_eq!(again.canonical(), world.game.canonical());
    assert_eq!(again.digest(), world.game.digest());
    let differences = world.differences();
    assert!(differences.is_empty(), "decided again: {differences:#?}");
}

proptest! {
    #![proptest_config(cases(CASES))]

    #[test]
    fn whatever_happens_at_a_board(case in acts::case()) {
        tried(&case, false)?;
    }
}

proptest! {
    #![proptest_config(cases(CASES / 3))]

    #[test]
    fn whatever_happens_in_a_hall(case in acts::case()) {
        tried(&case, true)?;
    }
}

/// What is known of a case when it is over.
#[derive(Debug, Default)]
struct Reached(BTreeSet<String>);

impl Reached {
    /// Marks how far the game has come, and by what it has ended there.
    fn mark(&mut self, before: &Game, game: &Game) {
        if let (Some(stage), false) = (game.stage(), game.is_finished()) {
            self.0.insert(format!("{stage:?}"));
        }
        if let (Phase::Over, false, Some(outcome)) = (game.phase, before.is_finished(), &game.outcome) {
            let score = if outcome.score == Score::Draw { "drawn" } else { "won" };
            self.0.insert(format!("over by {} {score}", outcome.termination));
            let stage = before.stage().map_or("no adjournment".to_string(), |stage| format!("{stage:?}"));
            self.0.insert(format!("over while {stage}"));
        }
        let Some(adjournment) = &game.adjournment else { return };
        let marks = [
            (adjournment.late == Some(Lateness::Sealer), "the sealer is late"),
            (adjournment.late == Some(Lateness::Both), "both are late"),
            (adjournment.lost == Some(Lost::Move), "the envelope is lost"),
            (adjournment.lost == Some(Lost::Times), "the times are lost"),
            (adjournment.lost == Some(Lost::Position), "the position is lost"),
            (adjournment.waits.is_some(), "what it means waits for the arbiter"),
            (adjournment.reply.is_some(), "an answer in its envelope"),
            (adjournment.stage == Stage::Sealed && adjournment.board.is_some(), "sealed on the board"),
            (game.phase == Phase::Annulled && !before.is_finished(), "annulled"),
        ];
        self.0.extend(marks.into_iter().filter(|(holds, _)| *holds).map(|(_, mark)| mark.to_string()));
    }
}

/// Seeds that are counted.
const SEEDS: u32 = 800;
/// What must be reached by at least so many of them.
const REACHED: &[(u32, &str)] = &[
    (200, "Ordered"),
    (200, "Sealed"),
    (150, "Adjourned"),
    (100, "Resuming"),
    (50, "Resumed"),
    (5, "an answer in its envelope"),
    (20, "sealed on the board"),
    (20, "what it means waits for the arbiter"),
    (5, "the envelope is lost"),
    (2, "the times are lost"),
    (5, "the position is lost"),
    (10, "the sealer is late"),
    (20, "both are late"),
    (20, "annulled"),
    (10, "over while Ordered"),
    (5, "over while Sealed"),
    (5, "over while Adjourned"),
    (20, "over while Resuming"),
    (5, "over while Resumed"),
    (5, "over by sealed-move won"),
    (5, "over by sealed-move drawn"),
    (5, "over by default-time won"),
    (5, "over by agreement drawn"),
    (5, "over by resignation won"),
    (1, "over by resignation drawn"),
    (5, "over by time won"),
    (5, "over by time drawn"),
    (5, "over by checkmate won"),
    (5, "over by stalemate drawn"),
    (2, "over by dead-position drawn"),
    (2, "over by seventyfive drawn"),
    (5, "over by arbiter won"),
];

#[test]
fn every_stage_and_every_end_is_reached() {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]));
    let mut counted: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..SEEDS {
        let case = acts::case().new_tree(&mut runner).expect("a case").current();
        let mut reached = Reached::default();
        play(&case, false, &mut |world, outcome| reached.mark(&outcome.before, &world.game));
        reached.0.into_iter().for_each(|mark| *counted.entry(mark).or_default() += 1);
    }
    let short = |(least, mark): &&(u32, &str)| counted.get(*mark).is_none_or(|seeds| seeds < least);
    let missing: Vec<_> = REACHED.iter().filter(short).collect();
    assert!(missing.is_empty(), "of {SEEDS} seeds too few reach {missing:?}: {counted:#?}");
}

/// An order that the device has not carried out: what is sealed then would be sealed before the clock has run.
#[test]
fn a_clock_that_is_yet_to_start_closes_no_envelope() {
    let sealed = Box::new(Sealed { commitment: Commitment([1; 32]), ciphertext: vec![0; CIPHERTEXT] });
    let regulations = Arc::new(Regulations::of("5400".parse().expect("a control")));
    let mut game = Game::open(GameId(1), regulations, Arc::new(Start::standard()), Some(DeviceId(7)), ByColor::default(), None);
    let mut does = |input: Input, now: Option<u64>| {
        let entries = decide(&game, input, now.map(Millis), WallTime::default()).expect("taken");
        entries.iter().for_each(|entry| game.evolve(Seq(1), entry));
        game.clone()
    };
    let confirmed = |order| Input::Fact(Fact::Confirmation { order: OrderNo(order) });
    does(Input::Ruling(Ruling::Start), None);
    does(confirmed(1), Some(0));
    does(Input::Fact(Fact::Pause { by: None }), Some(10));
    does(Input::Ruling(Ruling::OrderSeal), None);
    does(Input::Fact(Fact::SealedMove { by: Color::White, ply: 0, sealed }), None);
    does(Input::Ruling(Ruling::Resume), None);
    assert_eq!(does(Input::Fact(Fact::Stop { by: Color::White }), None).stage(), Some(Stage::Ordered));
    assert_eq!(does(confirmed(2), Some(20)).running(), Some(Color::White));
    assert_eq!(does(Input::Fact(Fact::Stop { by: Color::White }), Some(30)).stage(), Some(Stage::Sealed));
}
