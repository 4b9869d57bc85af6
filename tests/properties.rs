//! Whatever happens at a board, in whatever order and with whatever stamps, some things hold.

use std::sync::Arc;

use proptest::prelude::*;
use shakmaty::{ByColor, Chess, Color, Position, Role, Square, uci::UciMove};
use zeitnot::board::mating::{Mating, Proof};
use zeitnot::board::{MoveText, Start};
use zeitnot::clock::{Adjustment, Bonus, CountFrom, Estimate, Millis, PeriodAdded, WallTime};
use zeitnot::game::entry::{Score, Termination};
use zeitnot::game::{
    BoardSeen, Claim, ClaimsBy, Command, Consequence, DeviceId, Entry, Fact, FlagsBy, Game, GameId, Ground, Input, Moved, OpenPoint, OrderNo, Own,
    Penalty, Phase, Regulations, Ruling, Seq, When, decide, named,
};
use zeitnot::laws::{Edition, Play, Supervision};

/// What is tried, before the game as it is then says what exactly that means.
#[derive(Debug, Clone)]
enum Act {
    /// A legal move, if there is one: the nth of all.
    Legal { n: usize, pressed: bool },
    /// Any fact.
    Fact(Fact),
    /// Any ruling.
    Ruling(Ruling),
    /// The device's oldest order.
    Confirm,
}

#[derive(Debug, Clone)]
struct Setting {
    regulations: Regulations,
    start: Start,
    device: bool,
    /// Each side has a device of its own.
    two: bool,
    absent: ByColor<bool>,
}

fn color() -> impl Strategy<Value = Color> {
    any::<bool>().prop_map(Color::from_white)
}

fn time() -> impl Strategy<Value = Millis> {
    prop_oneof![0..5_u64, 0..700_000_u64].prop_map(Millis)
}

fn squares() -> impl Strategy<Value = UciMove> {
    let promotion = prop_oneof![8 => Just(None), 1 => Just(Some(Role::Queen)), 1 => Just(Some(Role::Knight))];
    (0..64_u32, 0..64_u32, promotion).prop_map(|(from, to, promotion)| UciMove::Normal { from: Square::new(from), to: Square::new(to), promotion })
}

fn moved() -> impl Strategy<Value = MoveText> {
    let san = prop::sample::select(vec!["e4", "Nf3", "O-O", "e8=Q", "Kd7", "c8=N", "Ra8"]);
    prop_oneof![squares().prop_map(MoveText::Uci), san.prop_map(|text| text.parse().expect("a move"))]
}

fn press() -> impl Strategy<Value = Fact> {
    let moved = prop_oneof![4 => Just(Moved::AsReported), 1 => Just(Moved::Unknown), 1 => squares().prop_map(Moved::Move)];
    (color(), moved, prop::option::weighted(0.1, time())).prop_map(|(by, moved, shown)| Fact::Press { by, moved, shown, lag: None })
}

fn fact() -> impl Strategy<Value = Fact> {
    let shown = || (time(), time()).prop_map(|(white, black)| ByColor { white, black });
    prop_oneof![
        8 => press(),
        4 => (color(), moved()).prop_map(|(by, made)| Fact::Move { by, made }),
        1 => color().prop_map(|color| Fact::Arrival { color }),
        1 => (color(), 0..64_u32).prop_map(|(by, square)| Fact::Touch { by, square: Square::new(square) }),
        1 => color().prop_map(|color| Fact::Flag { color }),
        1 => prop::option::of(color()).prop_map(|by| Fact::Pause { by }),
        2 => color().prop_map(|by| Fact::Offer { by }),
        1 => color().prop_map(|by| Fact::Acceptance { by }),
        1 => color().prop_map(|by| Fact::Rejection { by }),
        1 => color().prop_map(|by| Fact::Resignation { by }),
        1 => (0..20_u32).prop_map(|order| Fact::Confirmation { order: OrderNo(order) }),
        1 => shown().prop_map(|shown| Fact::Display { shown }),
        1 => Just(Fact::Restart),
        1 => (0..20_u32, prop::collection::vec(moved(), 0..4)).prop_map(|(from, moves)| Fact::Scoresheet { from, moves }),
        1 => color().prop_map(|color| Fact::Silence { color }),
        1 => Just(Fact::BothFlags),
        6 => (color(), claim()).prop_map(|(by, claim)| Fact::Claim { by, claim }),
        1 => color().prop_map(|color| Fact::Late { color }),
        1 => (0..40_u32, mating(), mating()).prop_map(|(ply, white, black)| Fact::Verdict { ply, position: named(&Chess::default()), mating: ByColor { white, black } }),
    ]
}

fn claim() -> impl Strategy<Value = Claim> {
    let with = || prop::option::of(moved());
    prop_oneof![
        2 => with().prop_map(|with| Claim::Threefold { with }),
        2 => with().prop_map(|with| Claim::Fifty { with }),
        1 => Just(Claim::Flag),
        2 => Just(Claim::IllegalMove),
        2 => prop::sample::select(vec![Ground::CannotWin, Ground::NoEffort, Ground::Both]).prop_map(|ground| Claim::Quickplay { ground }),
        1 => (time(), time()).prop_map(|(white, black)| Claim::Clocks { times: ByColor { white, black } }),
        1 => Just(Claim::FiveSeconds),
    ]
}

fn mating() -> impl Strategy<Value = Option<Mating>> {
    prop::sample::select(vec![None, Some(Mating::Unclear), Some(Mating::Impossible(Proof::Material)), Some(Mating::Possible(Vec::new()))])
}

fn penalty() -> impl Strategy<Value = Penalty> {
    prop_oneof![
        Just(Penalty::Warning),
        time().prop_map(Penalty::OpponentTime),
        time().prop_map(Penalty::OwnTime),
        (0..4_u8).prop_map(Penalty::OpponentPoints),
        (0..4_u8).prop_map(Penalty::OwnPoints),
        Just(Penalty::Loss),
        Just(Penalty::Fine),
        Just(Penalty::Exclusion),
        Just(Penalty::Expulsion),
    ]
}

fn ruling() -> impl Strategy<Value = Ruling> {
    let reason = || prop::sample::select(vec!["", "so"]).prop_map(str::to_string);
    let score = || prop::sample::select(Score::ALL.to_vec());
    prop_oneof![
        4 => Just(Ruling::Start),
        1 => reason().prop_map(|reason| Ruling::Stop { reason }),
        4 => Just(Ruling::Resume),
        1 => (time(), time()).prop_map(|(white, black)| Ruling::SetClocks { times: ByColor { white, black } }),
        1 => (color(), -300_000..300_000_i64, reason()).prop_map(|(color, by, reason)| Ruling::AddTime { color, by: Adjustment(by), reason }),
        1 => (color(), 0..12_u32).prop_map(|(color, moves)| Ruling::SetCounter { color, moves }),
        1 => prop::option::of(1..3_u64).prop_map(|device| Ruling::ReplaceClock { device: device.map(DeviceId) }),
        1 => (color(), 1..3_u64).prop_map(|(color, n)| Ruling::ReplaceOwnClock { color, device: DeviceId(color.fold_wb(10, 20) + n) }),
        1 => (score(), reason()).prop_map(|(score, reason)| Ruling::DeclareResult { score, reason }),
        1 => (score(), reason()).prop_map(|(score, reason)| Ruling::CorrectResult { score, reason }),
        1 => reason().prop_map(|reason| Ruling::Annul { reason }),
        3 => reason().prop_map(|reason| Ruling::Undo { reason }),
        2 => reason().prop_map(|reason| Ruling::Uphold { reason }),
        2 => reason().prop_map(|reason| Ruling::Reject { reason }),
        1 => reason().prop_map(|reason| Ruling::Postpone { reason }),
        1 => color().prop_map(|color| Ruling::CallFlag { color }),
        4 => (prop::option::of(color()), prop::bool::weighted(0.2)).prop_map(|(color, two_hands)| Ruling::RuleIllegal { color, two_hands }),
        2 => (color(), penalty(), reason()).prop_map(|(color, penalty, reason)| Ruling::Penalise { color, penalty, reason }),
        1 => (0..20_u32).prop_map(|plies| Ruling::Restore { plies }),
        1 => Just(Ruling::FindColoursReversed),
        1 => Just(Ruling::FindWrongSetup),
        1 => (color(), reason()).prop_map(|(color, reason)| Ruling::Excuse { color, reason }),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        12 => (0..200_usize, prop::bool::weighted(0.8)).prop_map(|(n, pressed)| Act::Legal { n, pressed }),
        6 => fact().prop_map(Act::Fact),
        3 => ruling().prop_map(Act::Ruling),
        6 => Just(Act::Confirm),
    ]
}

/// How the stamp stands to the one before: later, the same, before it, or none.
fn step() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![12 => (0..20_000_i64).prop_map(Some), 1 => (-3_000..0_i64).prop_map(Some), 1 => (50_000..400_000_i64).prop_map(Some), 2 => Just(None)]
}

/// What a tournament chooses of the Laws; the rest of the regulations does not matter here.
fn law() -> impl Strategy<Value = Regulations> {
    let some = |ms: Vec<u64>| prop::option::of(prop::sample::select(ms)).prop_map(|ms| ms.map(Millis));
    let flags = prop::sample::select(vec![None, Some(FlagsBy::Auto), Some(FlagsBy::Arbiter), Some(FlagsBy::Players)]);
    let otherwise = prop::collection::btree_set(prop::sample::select(OpenPoint::ALL.map(|(point, ..)| point).to_vec()), 0..3);
    let choices =
        (prop::sample::select(Edition::ALL.to_vec()), prop::sample::select(Play::ALL.to_vec()), prop::sample::select(Supervision::ALL.to_vec()));
    (choices, some(vec![0, 20_000, 1_800_000]), flags, any::<bool>(), prop::option::of(any::<bool>()), otherwise).prop_map(
        |((edition, play, supervision), default_time, flags, arbiter, quickplay, otherwise)| Regulations {
            edition,
            play,
            supervision,
            default_time,
            flags,
            claims: if arbiter { ClaimsBy::Arbiter } else { ClaimsBy::Auto },
            quickplay,
            otherwise,
            ..Regulations::of("600".parse().expect("a control"))
        },
    )
}

fn setting() -> impl Strategy<Value = Setting> {
    let control = prop::sample::select(vec!["300+2", "2/60+5:30", "60d5", "3/30b2:20", "*60", "300|90+1", "600"]);
    let start = prop::sample::select(vec![
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rr2k3/8/8/8/8/8/8/4K3 b b - 0 1",
        "8/2P2k2/8/8/8/8/5Kp1/8 b - - 0 40",
        "7k/8/6K1/8/8/8/8/R7 w - - 99 90",
        "7k/8/6K1/8/8/8/8/R7 w - - 149 120",
        "8/8/8/1q6/8/4k3/8/2K5 b - - 0 70",
        "4k3/6p1/8/p1p1p3/P1P1P1P1/8/8/4K3 b - - 0 1",
    ]);
    (control, start, any::<[bool; 6]>(), prop::bool::weighted(0.2), law()).prop_map(
        |(control, start, [after, at_zero, unseen, device, two, white], away, law)| {
            let regulations = Regulations {
                edition: law.edition,
                play: law.play,
                supervision: law.supervision,
                default_time: law.default_time,
                flags: law.flags,
                claims: law.claims,
                quickplay: law.quickplay,
                otherwise: law.otherwise,
                count_from: if after { CountFrom::After } else { CountFrom::Before },
                period_added: if at_zero { PeriodAdded::AtZero } else { PeriodAdded::Counted },
                board: if unseen { BoardSeen::Unseen } else { BoardSeen::Seen },
                ..Regulations::of(control.parse().expect("a control"))
            };
            let start = Start::fen(start).expect("a position");
            Setting { regulations, start, device, two, absent: ByColor { white: white && away, black: !white && away } }
        },
    )
}

fn open(setting: &Setting) -> Game {
    let (regulations, start) = (Arc::new(setting.regulations.clone()), Arc::new(setting.start.clone()));
    let hourglass = setting.regulations.control.periods(Color::White)[0].bonus == Bonus::Hourglass;
    let mut game = Game::open(GameId(3), regulations, start, setting.device.then_some(DeviceId(7)), setting.absent, None);
    game.black_device = Some(DeviceId(8)).filter(|_| setting.device && setting.two && !hourglass);
    game
}

/// Who stamps it, and by what time. Two devices have timelines that lie far apart, and no ruling is on either.
fn when(game: &Game, input: &Input, stamp: Option<Millis>) -> When {
    let (true, Input::Fact(fact)) = (game.has_two(), input) else {
        return stamp.filter(|_| !game.has_two()).into();
    };
    let Some(now) = stamp.filter(|_| !matches!(fact, Fact::Late { .. } | Fact::Verdict { .. } | Fact::SessionOver | Fact::Leap { .. })) else {
        return When::default();
    };
    let side = match fact {
        Fact::Flag { color } | Fact::Arrival { color } | Fact::Silence { color } => *color,
        Fact::Confirmation { order } => game.orders.iter().find(|told| told.number == *order).and_then(|told| told.to).unwrap_or(Color::White),
        fact => fact.by().unwrap_or(Color::from_white(now.0.is_multiple_of(2))),
    };
    let at = Millis(now.0 + side.fold_wb(0, 1_000_000_000));
    let arrived = Some(Estimate { at, uncertainty: Millis(50), hall: Some(now) });
    When { at: Some(at).filter(|_| *fact != Fact::Restart), own: Some(Own { side, arrived, scale: 1_000 }) }
}

/// The input that the act comes to in this game.
fn input(game: &Game, act: Act) -> Input {
    match act {
        Act::Legal { n, pressed } => {
            let (_, position) = game.line.known();
            let legal = position.legal_moves();
            let by = game.running().unwrap_or(position.turn());
            let uci = (!legal.is_empty()).then(|| legal[n % legal.len()].to_uci(position.castles().mode()));
            Input::Fact(match (uci, pressed) {
                (Some(uci), true) => Fact::Press { by, moved: Moved::Move(uci), shown: None, lag: None },
                (Some(uci), false) => Fact::Move { by, made: MoveText::Uci(uci) },
                (None, _) => Fact::Press { by, moved: Moved::AsReported, shown: None, lag: None },
            })
        }
        Act::Fact(fact) => Input::Fact(fact),
        Act::Ruling(ruling) => Input::Ruling(ruling),
        Act::Confirm => match game.orders.first() {
            Some(told) => Input::Fact(Fact::Confirmation { order: told.number }),
            None => Input::Ruling(if matches!(game.phase, Phase::Stopped(_)) { Ruling::Resume } else { Ruling::Start }),
        },
    }
}

fn holds(before: &Game, after: &Game, input: &Input, entries: &[Entry]) {
    let waits = matches!(after.phase, Phase::Scheduled | Phase::Ready | Phase::Stopped(_));
    // A device that was told to stop runs until it says that it did.
    let told = after.orders.iter().any(|told| told.command == Command::Stop);
    assert!(!waits || told || after.clock.running().is_none(), "a clock runs in a game that stands");
    assert!(after.phase != Phase::Running || after.is_at_work(None), "no clock runs in a game that runs");
    assert!(after.has_two() || after.is_at_work(None) == after.clock.running().is_some());
    assert!((after.phase == Phase::Over) <= after.outcome.is_some(), "a game is over without a result");
    assert!(after.offer.is_none() || !after.is_finished(), "an offer stands after the end");

    // Who came too late may be heard afterwards (6.7.1).
    let excused =
        matches!(input, Input::Ruling(Ruling::Excuse { .. })) && before.outcome.as_ref().is_some_and(|o| o.termination == Termination::DefaultTime);
    let reopens = excused || matches!(input, Input::Ruling(Ruling::CorrectResult { .. } | Ruling::Annul { .. } | Ruling::Undo { .. }));
    let withdrawn = entries.iter().any(|entry| matches!(entry, Entry::Consequence(Consequence::FlagWithdrawn { .. })));
    // A position that was dead before the end is no ruling, but overrides it.
    let overrides = matches!(input, Input::Fact(Fact::Verdict { .. }));
    if before.is_finished() && !reopens && !withdrawn && !overrides {
        assert_eq!((before.phase, &before.outcome), (after.phase, &after.outcome), "a game that is over stays over");
        assert!(before.line.known().0 <= after.line.known().0, "moves are only added after the end");
    }
    let facts = entries.iter().filter(|entry| !matches!(entry, Entry::Consequence(_))).count();
    assert_eq!(facts, 1, "the input goes in once");
}

/// Time goes where an entry says, and nowhere else.
fn time_is_conserved(before: &Game, after: &Game, entry: &Entry) {
    let left = |game: &Game, color: Color| game.clock.side(color).left;
    let hourglass = before.clock.control().periods(Color::White)[0].bonus == Bonus::Hourglass;
    for color in Color::ALL {
        let (old, new) = (left(before, color), left(after, color));
        let runs = before.clock.running().is_some_and(|running| running.color == color);
        let holds = match entry {
            Entry::Consequence(Consequence::ClocksSet { .. } | Consequence::FlagWithdrawn { .. }) => true,
            Entry::Consequence(Consequence::Pressed { by, .. }) if *by == color => {
                let period = after.clock.control().period(color, after.clock.side(color).period as usize);
                let gained = period.bonus.increment().plus(before.clock.control().period(color, 0).bonus.increment());
                let periods: u64 = (0..8).map(|n| before.clock.control().period(color, n).time.0).sum();
                new <= old.plus(gained).plus(Millis(periods))
            }
            Entry::Consequence(Consequence::PeriodAdded { .. }) => true,
            // The device says that both are down: what its displays show is conclusive.
            Entry::Consequence(Consequence::FlagDown { .. }) => hourglass || new == old || new == Millis::ZERO,
            Entry::Consequence(
                Consequence::Pressed { .. } | Consequence::ClocksStopped { .. } | Consequence::FlagFallen { .. } | Consequence::ClockRead { .. },
            ) => hourglass || new == old || (runs && new < old),
            _ => new == old,
        };
        assert!(holds, "{color}: {old} became {new} by {entry}");
    }
}

fn line_is_legal(game: &Game) {
    if game.line.plies().iter().any(|ply| !ply.legal) || game.line.raw().is_some() {
        return;
    }
    let (known, reached) = game.line.known();
    let mut position: Chess = game.line.start().position.clone();
    for ply in &game.line.plies()[..known] {
        let m = ply.made.expect("known").to_move(&position).expect("legal");
        position.play_unchecked(m);
    }
    assert_eq!(&position, reached);
    // With a delay a move may be played without any main time.
    let free = Color::ALL.iter().any(|color| game.clock.control().periods(*color).iter().any(|period| period.bonus.free() > Millis::ZERO));
    let called = game.regulations.flags() == FlagsBy::Auto;
    assert!(free || !called || game.line.plies().iter().all(|ply| ply.left != Some(Millis::ZERO)), "a press came when no time was left");
}

/// A verdict names the position it is about, which is the one that stood after so many plies or the initial one.
fn about_this_position(game: &Game, input: Input) -> Input {
    let Input::Fact(Fact::Verdict { ply, position, mating }) = input else { return input };
    let position = game.line.position_after(ply as usize).map_or(position, |stood| named(&stood));
    Input::Fact(Fact::Verdict { ply, position, mating })
}

proptest! {
    #[test]
    fn whatever_happens(setting in setting(), acts in prop::collection::vec((act(), step()), 1..80)) {
        let opened = open(&setting);
        let (mut game, mut log, mut now) = (opened.clone(), Vec::new(), 0_u64);
        for (act, step) in acts {
            let input = about_this_position(&game, input(&game, act));
            let stamp = step.map(|step| {
                now = now.saturating_add_signed(step);
                Millis(now)
            });
            match decide(&game, input.clone(), when(&game, &input, stamp), WallTime::default()) {
                Ok(entries) => {
                    let before = game.clone();
                    for entry in &entries {
                        log.push(entry.clone());
                        let earlier = game.clone();
                        game.evolve(Seq(log.len() as u64), entry);
                        time_is_conserved(&earlier, &game, entry);
                    }
                    holds(&before, &game, &input, &entries);
                }
                Err(refusal) => prop_assert!(matches!(input, Input::Ruling(_)) || refusal.code() == "unreadable", "{input:?}: {refusal}"),
            }
        }
        line_is_legal(&game);
        let mut again = opened;
        for (i, entry) in log.iter().enumerate() {
            again.evolve(Seq(i as u64 + 1), entry);
        }
        prop_assert_eq!(game.canonical(), again.canonical());
        prop_assert_eq!(game.digest(), again.digest());
    }
}
