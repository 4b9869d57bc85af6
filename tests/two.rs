//! Two devices at one game, each with a timeline of its own: whose stamps count for what, and in what order things happened.

use std::sync::Arc;

use proptest::prelude::*;
use shakmaty::{ByColor, Color, Color::*};
use zeitnot::board::{MoveText, Start};
use zeitnot::clock::{Estimate, Interval, Millis, WallTime};
use zeitnot::game::entry::{IncidentCode, Score, Termination};
use zeitnot::game::{
    Command, Consequence, DeviceId, Entry, Fact, FlagsBy, Game, GameId, Input, Moved, OpenPoint, Own, Phase, Refusal, Regulations, Ruling, Seq,
    StopReason, When, decide,
};
use zeitnot::laws::{Edition, Play};

/// What the timelines of the two devices show when the daemon starts.
const BEGAN: ByColor<u64> = ByColor { white: 300, black: 7_000_000 };

/// A board between two devices. Times are the hall's, and each device stamps by its own.
struct Board {
    game: Game,
    /// How far the daemon's estimate of a device may be off.
    error: u64,
}

impl Board {
    fn open(control: &str, edition: Edition, flags: FlagsBy) -> Board {
        let regulations = Regulations { edition, flags: Some(flags), ..Regulations::of(control.parse().expect("a control")) };
        let mut game = Game::open(GameId(1), Arc::new(regulations), Arc::new(Start::standard()), Some(DeviceId(7)), ByColor::default(), None);
        game.black_device = Some(DeviceId(8));
        Board { game, error: 8 }
    }

    /// Started, with White's clock running since 1000.
    fn running(control: &str) -> Board {
        let mut board = Board::open(control, Edition::Y2023, FlagsBy::Auto);
        board.rule(Ruling::Start);
        board.confirms(White, 1_000);
        board
    }

    fn put(&mut self, input: Input, when: When) -> Result<Vec<Entry>, Refusal> {
        let entries = decide(&self.game, input, when, WallTime::default())?;
        entries.iter().for_each(|entry| self.game.evolve(Seq(1), entry));
        Ok(entries)
    }

    fn when(&self, side: Color, at: u64, came: u64) -> When {
        let timeline = |hall: u64| Millis(hall + BEGAN.get(side));
        let arrived = Estimate { at: timeline(came), uncertainty: Millis(self.error), hall: Some(Millis(came)) };
        When { at: Some(timeline(at)), own: Some(Own { side, arrived: Some(arrived), scale: 1_000 }) }
    }

    /// Something happens at a side and is told then, or so much later.
    fn late(&mut self, side: Color, at: u64, came: u64, fact: Fact) -> Vec<Entry> {
        let when = self.when(side, at, came);
        self.put(Input::Fact(fact), when).expect("facts are taken")
    }

    fn fact(&mut self, side: Color, at: u64, fact: Fact) -> Vec<Entry> {
        self.late(side, at, at, fact)
    }

    fn rule(&mut self, ruling: Ruling) -> Vec<Entry> {
        self.put(Input::Ruling(ruling), When::default()).expect("the ruling is taken")
    }

    /// The side's device carries its oldest order out.
    fn confirms(&mut self, side: Color, at: u64) -> Vec<Entry> {
        let order = self.game.orders.iter().find(|told| told.to == Some(side)).expect("an order is out").number;
        self.fact(side, at, Fact::Confirmation { order })
    }

    fn press(&mut self, by: Color, made: &str, at: u64) -> Vec<Entry> {
        self.fact(by, at, Fact::Press { by, moved: Moved::Move(made.parse().expect("a move")), shown: None, lag: None })
    }

    fn left(&self) -> [u64; 2] {
        [self.game.clock.side(White).left.0, self.game.clock.side(Black).left.0]
    }

    fn orders(&self) -> Vec<(Option<Color>, &'static str)> {
        let word = |command: &Command| match command {
            Command::Start { .. } => "start",
            Command::Stop => "stop",
            Command::Set { .. } => "set",
            Command::Add { .. } => "add",
        };
        self.game.orders.iter().map(|told| (told.to, word(&told.command))).collect()
    }

    fn result(&self) -> Option<(Score, Termination)> {
        self.game.outcome.as_ref().map(|outcome| (outcome.score, outcome.termination))
    }
}

fn incidents(entries: &[Entry]) -> Vec<(IncidentCode, String)> {
    let incident = |entry: &Entry| match entry {
        Entry::Consequence(Consequence::Incident { code, note, .. }) => Some((*code, note.clone())),
        _ => None,
    };
    entries.iter().filter_map(incident).collect()
}

fn stop() -> Ruling {
    Ruling::Stop { reason: String::new() }
}

/// A second between White's press and the start of Black's clock costs neither anything.
#[test]
fn what_passes_between_the_two_is_charged_to_nobody() {
    let mut board = Board::running("300+2");
    assert_eq!(board.left(), [302_000, 302_000]);
    board.press(White, "e2e4", 11_000);
    assert_eq!((board.left(), board.game.phase, board.game.running()), ([294_000, 302_000], Phase::Running, None));
    // A press on a side that does not run yet does nothing, as on any clock.
    board.press(Black, "e7e5", 11_500);
    assert_eq!(board.orders(), [(Some(Black), "start")]);
    board.confirms(Black, 12_000);
    assert_eq!(board.game.running(), Some(Black));
    board.press(Black, "e7e5", 15_000);
    board.confirms(White, 15_700);
    board.press(White, "g1f3", 16_700);
    assert_eq!(board.left(), [295_000, 301_000]);
    assert!(board.game.canonical().contains("black's device 8"));
}

#[test]
fn a_device_speaks_for_its_side_alone() {
    let mut board = Board::running("300");
    board.rule(stop());
    let order = board.game.last_order;
    let e4 = MoveText::Uci("e2e4".parse().expect("a move"));
    let others = [
        Fact::Press { by: White, moved: Moved::AsReported, shown: None, lag: None },
        Fact::Move { by: White, made: e4 },
        Fact::Flag { color: White },
        Fact::Offer { by: White },
        Fact::Resignation { by: White },
        Fact::Arrival { color: White },
        Fact::Pause { by: Some(White) },
        Fact::Confirmation { order },
        Fact::BothFlags,
    ];
    for fact in others {
        let when = board.when(Black, 2_000, 2_000);
        let refusal = board.put(Input::Fact(fact.clone()), when).expect_err("not its side");
        assert_eq!(refusal.to_string(), "fact: this device keeps Black's time and reports for that side only", "{fact:?}");
    }
    board.fact(Black, 2_500, Fact::Offer { by: Black });
    assert_eq!(board.game.running(), Some(White), "and what it tells of its own stops nobody");
}

#[test]
fn orders_go_to_whom_they_concern() {
    let mut board = Board::running("300");
    board.rule(stop());
    assert_eq!(board.orders(), [(Some(White), "stop")]);
    board.confirms(White, 21_000);
    assert_eq!((board.left(), board.game.phase), ([280_000, 300_000], Phase::Stopped(StopReason::Arbiter)));
    board.rule(Ruling::SetClocks { times: ByColor { white: Millis(200_000), black: Millis(250_000) } });
    board.rule(Ruling::AddTime { color: Black, by: "+0:00:10".parse().expect("a time"), reason: String::new() });
    assert_eq!(board.orders(), [(Some(White), "set"), (Some(Black), "set"), (Some(Black), "add")]);
    board.confirms(Black, 22_000);
    board.confirms(Black, 22_000);
    board.rule(Ruling::Resume);
    board.confirms(White, 23_000);
    board.confirms(White, 24_000);
    assert_eq!((board.game.running(), board.orders()), (Some(White), vec![]));
    // A claim at the device that runs stops its clock at once, and both are told.
    board.fact(White, 25_000, Fact::Claim { by: White, claim: zeitnot::game::Claim::IllegalMove });
    assert_eq!((board.left(), board.game.phase), ([199_000, 260_000], Phase::Stopped(StopReason::Claim)));
    assert_eq!(board.orders(), [(Some(White), "stop"), (Some(Black), "stop")]);
    board.confirms(Black, 90_000);
    assert_eq!(board.left(), [199_000, 260_000]);
}

/// The standing side's device never has to confirm what does not concern it before the arbiter can go on.
#[test]
fn an_old_order_to_the_other_side_is_in_nobody_s_way() {
    let mut board = Board::running("300");
    board.fact(White, 2_000, Fact::Pause { by: Some(White) });
    assert_eq!(board.orders(), [(Some(White), "stop"), (Some(Black), "stop")]);
    board.confirms(White, 2_100);
    board.rule(Ruling::Resume);
    board.confirms(White, 3_000);
    board.rule(stop());
    assert_eq!(board.orders(), [(Some(Black), "stop"), (Some(White), "stop")]);
    board.confirms(Black, 3_500);
    assert_eq!(board.game.running(), Some(White), "and when it is carried out it stops nobody else");
    board.confirms(White, 4_000);
    assert_eq!((board.left(), board.game.phase), ([298_000, 300_000], Phase::Stopped(StopReason::Arbiter)));
}

/// The arbiter stops White's clock, and White presses before his device hears it: Black's does not start.
#[test]
fn an_order_to_stop_that_crosses_a_press_holds() {
    let mut board = Board::running("300");
    board.rule(stop());
    board.press(White, "e2e4", 5_000);
    assert_eq!((board.left(), board.game.phase), ([296_000, 300_000], Phase::Stopped(StopReason::Arbiter)));
    board.confirms(White, 5_100);
    assert_eq!((board.orders(), board.game.on_move), (vec![], Black));
    // And between press and start it goes after the start.
    board.rule(Ruling::Resume);
    board.confirms(Black, 6_000);
    board.press(Black, "e7e5", 7_000);
    board.rule(stop());
    assert_eq!(board.orders(), [(Some(White), "start"), (Some(White), "stop")]);
    board.confirms(White, 8_000);
    board.confirms(White, 8_200);
    assert_eq!((board.left(), board.game.phase), ([295_800, 299_000], Phase::Stopped(StopReason::Arbiter)));
}

/// Who is not there is late by the timeline on which the game began, and by no other.
#[test]
fn a_player_is_late_by_the_timeline_of_the_start() {
    let mut board = Board::open("300", Edition::Y2023, FlagsBy::Auto);
    Arc::make_mut(&mut board.game.regulations).default_time = Some(Millis::seconds(30));
    (board.game.absent.black, board.game.phase) = (true, Phase::Scheduled);
    board.rule(Ruling::Start);
    board.confirms(White, 1_000);
    board.press(White, "e2e4", 11_000);
    board.confirms(Black, 12_000);
    assert_eq!(board.result(), None);
    board.fact(White, 31_500, Fact::Offer { by: White });
    assert_eq!(board.result(), Some((Score::WhiteWins, Termination::DefaultTime)));
}

/// Both flags are down within 40 ms, and nobody has called them.
fn both_down(edition: Edition, error: u64, otherwise: Option<OpenPoint>) -> Board {
    let mut board = Board::open("60", edition, FlagsBy::Arbiter);
    let regulations = Arc::make_mut(&mut board.game.regulations);
    regulations.play = Play::Standard;
    regulations.otherwise.extend(otherwise);
    board.game.laws = regulations.laws();
    board.error = error;
    board.rule(Ruling::Start);
    board.confirms(White, 1_000);
    board.press(White, "e2e4", 31_000);
    board.confirms(Black, 31_010);
    board.press(Black, "e7e5", 90_990);
    board.confirms(White, 91_000);
    // White's last half minute is used up at 121 000, and he presses all the same; Black has a fiftieth of a second left.
    board.press(White, "g1f3", 121_010);
    board.confirms(Black, 121_020);
    board.fact(Black, 121_041, Fact::Flag { color: Black });
    assert!(board.game.down.white.is_some() && board.game.down.black.is_some() && board.result().is_none());
    board
}

#[test]
fn flags_that_certainly_fell_apart_have_an_order() {
    for color in [White, Black] {
        let mut board = both_down(Edition::Y2023, 8, None);
        assert!(board.game.fell.white.zip(board.game.fell.black).is_some_and(|(white, black)| white.is_before(black)));
        board.rule(Ruling::CallFlag { color });
        assert_eq!(board.result(), Some((Score::BlackWins, Termination::Time)), "whichever is called");
    }
}

/// Where the intervals meet it is impossible to establish which fell first: the article on both flags, of each edition.
#[test]
fn flags_whose_intervals_meet_have_none() {
    for edition in [Edition::Y2009, Edition::Y2023] {
        let mut board = both_down(edition, 80, None);
        board.rule(Ruling::CallFlag { color: White });
        assert_eq!(board.result(), Some((Score::Draw, Termination::BothFlags)), "{edition:?}");
        assert_eq!(board.game.outcome.as_ref().map(|outcome| outcome.article), Some(board.game.laws.both_flags.article));
    }
    // Where no guideline was adopted the game goes on; and where a device has answered no probe there is no order either.
    let mut board = both_down(Edition::Y2023, 8, Some(OpenPoint::BothFlags));
    board.game.fell.white = None;
    let entries = board.rule(Ruling::CallFlag { color: Black });
    assert_eq!((board.result(), incidents(&entries)[0].0), (None, IncidentCode::BothFlags));
}

/// The daemon has started again in between: what fell before that fell before what came after it.
#[test]
fn a_start_of_the_daemon_keeps_the_order() {
    let mut board = both_down(Edition::Y2023, 80, None);
    let black = board.game.fell.black.take();
    board.game.begin_hall_time();
    assert_eq!(board.game.fell.white, Some(Interval::EARLIER));
    board.game.fell.black = black;
    board.rule(Ruling::CallFlag { color: White });
    assert_eq!(board.result(), Some((Score::BlackWins, Termination::Time)));
}

/// White's device was cut off when his flag fell; Black resigned meanwhile. Nothing is undone, and the arbiter sees both intervals.
#[test]
fn what_happened_before_the_end_and_came_after_it_is_told() {
    let mut board = Board::running("60");
    board.fact(Black, 70_000, Fact::Resignation { by: Black });
    let entries = board.late(White, 61_000, 80_000, Fact::Flag { color: White });
    assert_eq!(board.result(), Some((Score::WhiteWins, Termination::Resignation)));
    let told = incidents(&entries);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].0, IncidentCode::HappenedBefore);
    assert!(told[0].1.contains("between 0:01:00.989 and 0:01:01.011") && told[0].1.contains("between 0:01:09.990 and 0:01:10"), "{}", told[0].1);

    for (at, came, error) in [(69_995, 80_000, 8), (70_500, 80_000, 8), (61_000, 80_000, 20_000)] {
        let mut board = Board::running("100");
        board.error = error;
        board.fact(Black, 70_000, Fact::Resignation { by: Black });
        let entries = board.late(White, at, came, Fact::Resignation { by: White });
        assert_eq!(incidents(&entries), [], "{at} ± {error}");
    }
}

/// Black's device has not heard that it shall stop, and its flag falls too, after White's has ended the game: only the arbiter can tell.
#[test]
fn a_device_that_did_not_hear_the_stop_changes_nothing() {
    for (at, error, code) in [(60_000, 8, Some(IncidentCode::HappenedBefore)), (61_010, 20, Some(IncidentCode::BothFlags)), (62_000, 8, None)] {
        let mut board = Board::running("60");
        board.error = error;
        board.fact(White, 61_000, Fact::Flag { color: White });
        assert_eq!(board.result(), Some((Score::BlackWins, Termination::Time)));
        let entries = board.late(Black, at, 90_000, Fact::Flag { color: Black });
        assert_eq!(incidents(&entries).iter().map(|(code, _)| *code).collect::<Vec<_>>(), code.into_iter().collect::<Vec<_>>(), "at {at}");
        assert_eq!(board.result(), Some((Score::BlackWins, Termination::Time)));
    }
    // While White's clock runs on, such a flag is a doubtful one.
    let mut board = Board::running("60");
    let entries = board.fact(Black, 20_000, Fact::Flag { color: Black });
    assert_eq!(incidents(&entries)[0].0, IncidentCode::FlagDoubtful);
    assert_eq!((board.game.running(), board.left()), (Some(White), [60_000, 60_000]));
}

/// A press in time by a device that was cut off counts before its own flag, as with one device.
#[test]
fn a_late_press_still_overtakes_its_own_flag() {
    let mut board = Board::running("60");
    board.late(White, 61_000, 62_000, Fact::Flag { color: White });
    assert!(board.result().is_some());
    board.late(White, 60_900, 63_000, Fact::Press { by: White, moved: Moved::Unknown, shown: None, lag: None });
    assert_eq!((board.result(), board.left()), (None, [100, 60_000]));
    assert!(board.game.fell.white.is_none());
}

/// The device of the side that stands restarts: the other side's own device stops its clock, and loses nothing of its time.
#[test]
fn a_restart_touches_the_other_side_s_time_in_nothing() {
    let mut board = Board::running("300");
    let restart = |board: &mut Board, side| {
        let when = When { at: None, ..board.when(side, 0, 0) };
        board.put(Input::Fact(Fact::Restart), when).expect("taken")
    };
    let entries = restart(&mut board, Black);
    assert_eq!(incidents(&entries)[0].0, IncidentCode::DeviceRestarted);
    assert_eq!(board.orders(), [(Some(White), "stop")]);
    board.confirms(White, 31_000);
    assert_eq!(board.left(), [270_000, 300_000]);
    board.rule(Ruling::Resume);
    board.confirms(White, 32_000);
    board.press(White, "e2e4", 33_000);
    board.confirms(Black, 33_500);
    restart(&mut board, Black);
    assert_eq!((board.left(), board.game.phase), ([269_000, 300_000], Phase::Stopped(StopReason::DeviceRestart)));
}

#[test]
fn a_side_s_clock_is_swapped_in_mid_game() {
    let mut board = Board::running("300");
    let swap = |color, device| Ruling::ReplaceOwnClock { color, device: DeviceId(device) };
    assert!(board.put(Input::Ruling(swap(Black, 8)), When::default()).is_err(), "it is there");
    board.rule(swap(Black, 9));
    assert_eq!(board.orders(), [(Some(White), "stop")]);
    board.confirms(White, 11_000);
    assert_eq!((board.left(), board.game.black_device), ([290_000, 300_000], Some(DeviceId(9))));
    board.rule(Ruling::Resume);
    board.confirms(White, 12_000);
    board.rule(swap(White, 10));
    assert_eq!((board.left(), board.game.phase), ([290_000, 300_000], Phase::Stopped(StopReason::ClockReplaced)));
    assert_eq!((board.game.device, board.orders()), (Some(DeviceId(10)), vec![]));
    // Between press and start: the order to the old device is gone with it.
    board.rule(Ruling::Resume);
    board.confirms(White, 13_000);
    board.press(White, "e2e4", 14_000);
    board.rule(swap(Black, 11));
    assert_eq!((board.orders(), board.game.phase), (vec![], Phase::Stopped(StopReason::ClockReplaced)));
    // One device for both again.
    board.rule(Ruling::ReplaceClock { device: Some(DeviceId(10)) });
    assert!(!board.game.has_two() && !board.game.canonical().contains("black's device"));
}

#[derive(Debug, Clone)]
enum Act {
    Waits(u64),
    /// Of a side: a press, an order carried out, an offer, a restart.
    Does(bool, u8),
    Rules(u8),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (0..9_000_u64).prop_map(Act::Waits),
        12 => (any::<bool>(), prop::sample::select(vec![0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 3])).prop_map(|(white, n)| Act::Does(white, n)),
        2 => (0..4_u8).prop_map(Act::Rules),
    ];
    prop::collection::vec(act, 0..120)
}

proptest! {
    /// Whatever one device tells leaves the other side's time as it was, and a clock is charged only from its own start to its own stop.
    #[test]
    fn no_stamp_of_one_device_is_charged_to_the_other(acts in acts()) {
        let (mut board, mut now) = (Board::open("3600", Edition::Y2023, FlagsBy::Auto), 1_000);
        let mut most = ByColor { white: 3_600_000_u64, black: 3_600_000 };
        board.rule(Ruling::Start);
        for act in acts {
            let (before, ran) = (board.left(), board.game.running());
            let side = if let Act::Does(white, _) = act { Some(Color::from_white(white)) } else { None };
            match act {
                Act::Waits(ms) => {
                    if let Some(ran) = ran {
                        *most.get_mut(ran) -= ms;
                    }
                    now += ms;
                }
                Act::Does(white, n) => {
                    let by = Color::from_white(white);
                    let told = board.game.orders.iter().find(|told| told.to == Some(by)).map(|told| told.number);
                    let (press, offer) = (Fact::Press { by, moved: Moved::Unknown, shown: None, lag: None }, Fact::Offer { by });
                    let fact = [Some(press), told.map(|order| Fact::Confirmation { order }), Some(offer), Some(Fact::Restart)][usize::from(n)].clone();
                    let when = board.when(by, now, now);
                    let when = When { at: when.at.filter(|_| n != 3), ..when };
                    let _ = fact.map(|fact| board.put(Input::Fact(fact), when).expect("taken"));
                }
                Act::Rules(n) => {
                    let ruling = [stop(), Ruling::Resume, Ruling::Restore { plies: 0 }, Ruling::FindColoursReversed][usize::from(n)].clone();
                    let _ = board.put(Input::Ruling(ruling), When::default());
                }
            }
            let after = board.left();
            if let Some(side) = side {
                let other = usize::from(side.is_white());
                prop_assert_eq!(before[other], after[other], "what {} tells is charged to the other", side);
            }
            for (color, left) in [(White, after[0]), (Black, after[1])] {
                prop_assert!(left >= *most.get(color), "{} is charged for more than his clock ran", color);
            }
            prop_assert!(board.game.phase != Phase::Running || board.game.is_at_work(None));
            if board.game.is_finished() {
                break;
            }
        }
    }
}
