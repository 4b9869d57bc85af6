//! What is tried: settings, and acts that mean something only in the game as it then is.

use proptest::prelude::*;
use shakmaty::{Color, Role, Square, uci::UciMove};
use zeitnot::board::{MoveText, Start};
use zeitnot::clock::{Adjustment, CountFrom, Millis, PeriodAdded};
use zeitnot::game::entry::Score;
use zeitnot::game::{BoardSeen, Claim, ClaimsBy, Command, DeviceId, Fact, FlagsBy, Ground, Lost, Moved, OrderNo, Penalty, Regulations, Ruling};
use zeitnot::laws::{Edition, Play};

/// What a player writes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum What {
    /// A legal move with both squares.
    Good,
    /// The same as a program prints it.
    Short,
    /// With another language's letter.
    Foreign,
    /// What fits several moves, where there is such a thing.
    Ambiguous,
    /// A move that cannot be.
    Illegal,
    /// Nothing like a move.
    Unreadable,
    /// What only a person can make out.
    Unclear,
}

/// How somebody tries to open the envelope.
#[derive(Debug, Clone, Copy)]
pub(crate) enum How {
    /// With the text and the nonce that were sealed.
    Right,
    /// With the private key.
    Key,
    /// With another private key.
    WrongKey,
    /// With the text of another envelope, or of a note that was replaced.
    WrongText,
    /// With the right text and another nonce.
    WrongNonce,
    /// With nothing.
    Nothing,
}

/// An item of the envelope.
#[derive(Debug, Clone, Copy)]
pub(crate) enum On {
    Place,
    NoPlace,
    Resumes(i64),
    Number(bool),
    Sealer(bool),
    Offer(bool),
    Times(bool),
}

/// What is tried, before the game as it is then says what exactly that means.
#[derive(Debug, Clone)]
pub(crate) enum Act {
    /// Whatever brings an adjournment on its way.
    Onward(u32),
    /// A legal move, the nth of all.
    Legal {
        n: u32,
        pressed: bool,
    },
    /// A move is written, by whose turn it is or by the other player, for the ply that is next or another.
    Seal {
        mine: bool,
        what: What,
        n: u32,
        other_ply: bool,
    },
    Open(How),
    /// The arbiter deciphers; `None`: nothing.
    Decipher(Option<u32>),
    Declare {
        mine: bool,
        n: u32,
    },
    Write(On),
    /// When the session ends and when the game is resumed, from now.
    Announce {
        ends: Option<i64>,
        resumes: Option<i64>,
    },
    Confirm,
    Fact {
        fact: Fact,
        /// Whether a device reports it, where one could.
        stamped: bool,
    },
    Ruling(Ruling),
}

/// One act, so much later by the timekeeper's clock, and so much more by the arbiter's watch.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) act: Act,
    pub(crate) pass: i64,
    pub(crate) jump: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) regulations: Regulations,
    pub(crate) start: Start,
    pub(crate) device: bool,
    pub(crate) ends: Option<i64>,
    pub(crate) absent: bool,
    pub(crate) salt: u64,
}

#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) setting: Setting,
    pub(crate) steps: Vec<Step>,
}

fn color() -> impl Strategy<Value = Color> {
    any::<bool>().prop_map(Color::from_white)
}

fn time() -> impl Strategy<Value = Millis> {
    prop_oneof![0..5_u64, 0..7_200_000_u64].prop_map(Millis)
}

fn moved() -> impl Strategy<Value = MoveText> {
    let squares = (0..64_u32, 0..64_u32).prop_map(|(from, to)| UciMove::Normal { from: Square::new(from), to: Square::new(to), promotion: None });
    let promotion =
        (0..8_u32).prop_map(|file| UciMove::Normal { from: Square::new(48 + file), to: Square::new(56 + file), promotion: Some(Role::Queen) });
    prop_oneof![4 => squares, 1 => promotion].prop_map(MoveText::Uci)
}

fn claim() -> impl Strategy<Value = Claim> {
    let with = || prop::option::weighted(0.3, moved());
    prop_oneof![
        2 => with().prop_map(|with| Claim::Threefold { with }),
        2 => with().prop_map(|with| Claim::Fifty { with }),
        1 => Just(Claim::Flag),
        1 => Just(Claim::IllegalMove),
        2 => prop::sample::select(vec![Ground::CannotWin, Ground::NoEffort, Ground::Both]).prop_map(|ground| Claim::Quickplay { ground }),
        2 => (time(), time()).prop_map(|(white, black)| Claim::Clocks { times: shakmaty::ByColor { white, black } }),
        1 => Just(Claim::FiveSeconds),
    ]
}

fn fact() -> impl Strategy<Value = Fact> {
    prop_oneof![
        3 => color().prop_map(|by| Fact::Press { by, moved: Moved::AsReported, shown: None, lag: None }),
        1 => color().prop_map(|by| Fact::Press { by, moved: Moved::Unknown, shown: None, lag: None }),
        2 => (color(), moved()).prop_map(|(by, made)| Fact::Move { by, made }),
        3 => color().prop_map(|by| Fact::Stop { by }),
        4 => color().prop_map(|color| Fact::Arrival { color }),
        2 => (color(), 0..64_u32).prop_map(|(by, square)| Fact::Touch { by, square: Square::new(square) }),
        1 => color().prop_map(|color| Fact::Flag { color }),
        1 => Just(Fact::BothFlags),
        1 => prop::option::of(color()).prop_map(|by| Fact::Pause { by }),
        3 => color().prop_map(|by| Fact::Offer { by }),
        2 => color().prop_map(|by| Fact::Acceptance { by }),
        1 => color().prop_map(|by| Fact::Rejection { by }),
        1 => color().prop_map(|by| Fact::Resignation { by }),
        1 => (0..12_u32).prop_map(|order| Fact::Confirmation { order: OrderNo(order) }),
        1 => (time(), time()).prop_map(|(white, black)| Fact::Display { shown: shakmaty::ByColor { white, black } }),
        1 => Just(Fact::Restart),
        4 => (color(), claim()).prop_map(|(by, claim)| Fact::Claim { by, claim }),
        2 => color().prop_map(|color| Fact::Late { color }),
        1 => color().prop_map(|color| Fact::Silence { color }),
        2 => Just(Fact::SessionOver),
        1 => (0..20_u32, prop::collection::vec(moved(), 1..3)).prop_map(|(from, moves)| Fact::Scoresheet { from, moves }),
    ]
}

fn penalty() -> impl Strategy<Value = Penalty> {
    prop_oneof![
        3 => Just(Penalty::Warning),
        1 => time().prop_map(Penalty::OpponentTime),
        1 => time().prop_map(Penalty::OwnTime),
        1 => (0..3_u8).prop_map(Penalty::OpponentPoints),
        1 => Just(Penalty::Loss),
    ]
}

fn ruling() -> impl Strategy<Value = Ruling> {
    let reason = || Just("so".to_string());
    let score = || prop::sample::select(Score::ALL.to_vec());
    prop_oneof![
        1 => Just(Ruling::Start),
        2 => reason().prop_map(|reason| Ruling::Stop { reason }),
        2 => Just(Ruling::Resume),
        2 => (time(), time()).prop_map(|(white, black)| Ruling::SetClocks { times: shakmaty::ByColor { white, black } }),
        2 => (color(), -300_000..300_000_i64, reason()).prop_map(|(color, by, reason)| Ruling::AddTime { color, by: Adjustment(by), reason }),
        1 => (color(), 0..45_u32).prop_map(|(color, moves)| Ruling::SetCounter { color, moves }),
        1 => prop::option::of(7..9_u64).prop_map(|device| Ruling::ReplaceClock { device: device.map(DeviceId) }),
        1 => (score(), reason()).prop_map(|(score, reason)| Ruling::DeclareResult { score, reason }),
        1 => (score(), reason()).prop_map(|(score, reason)| Ruling::CorrectResult { score, reason }),
        1 => reason().prop_map(|reason| Ruling::Annul { reason }),
        10 => reason().prop_map(|reason| Ruling::Undo { reason }),
        2 => reason().prop_map(|reason| Ruling::Uphold { reason }),
        2 => reason().prop_map(|reason| Ruling::Reject { reason }),
        1 => reason().prop_map(|reason| Ruling::Postpone { reason }),
        1 => color().prop_map(|color| Ruling::CallFlag { color }),
        2 => (prop::option::of(color()), prop::bool::weighted(0.2)).prop_map(|(color, two_hands)| Ruling::RuleIllegal { color, two_hands }),
        3 => (color(), penalty(), reason()).prop_map(|(color, penalty, reason)| Ruling::Penalise { color, penalty, reason }),
        1 => (0..12_u32).prop_map(|plies| Ruling::Restore { plies }),
        1 => Just(Ruling::FindColoursReversed),
        1 => Just(Ruling::FindWrongSetup),
        3 => (color(), reason()).prop_map(|(color, reason)| Ruling::Excuse { color, reason }),
        3 => Just(Ruling::OrderSeal),
        2 => Just(Ruling::TakeCustody),
        3 => prop::sample::select(vec![Lost::Move, Lost::Move, Lost::Times, Lost::Position]).prop_map(|lost| Ruling::LoseEnvelope { lost }),
    ]
}

fn what() -> impl Strategy<Value = What> {
    use What::{Ambiguous, Foreign, Good, Illegal, Short, Unclear, Unreadable};
    prop::sample::select(vec![Good, Good, Good, Good, Short, Short, Foreign, Ambiguous, Illegal, Unreadable, Unclear])
}

fn how() -> impl Strategy<Value = How> {
    prop::sample::select(vec![How::Right, How::Right, How::Key, How::WrongKey, How::WrongText, How::WrongNonce, How::Nothing])
}

fn on() -> impl Strategy<Value = On> {
    prop_oneof![
        2 => Just(On::Place),
        1 => Just(On::NoPlace),
        2 => (-1_000..80_000_000_i64).prop_map(On::Resumes),
        1 => any::<bool>().prop_map(On::Number),
        1 => any::<bool>().prop_map(On::Sealer),
        1 => any::<bool>().prop_map(On::Offer),
        1 => any::<bool>().prop_map(On::Times),
    ]
}

fn act() -> impl Strategy<Value = Act> {
    let n = || any::<u32>();
    let span = || prop::option::of(-1_000..10_000_000_i64);
    prop_oneof![
        40 => n().prop_map(Act::Onward),
        3 => (n(), prop::bool::weighted(0.8)).prop_map(|(n, pressed)| Act::Legal { n, pressed }),
        4 => (any::<bool>(), what(), n(), prop::bool::weighted(0.1)).prop_map(|(mine, what, n, other_ply)| Act::Seal { mine, what, n, other_ply }),
        4 => how().prop_map(Act::Open),
        2 => prop::option::of(n()).prop_map(Act::Decipher),
        2 => (any::<bool>(), n()).prop_map(|(mine, n)| Act::Declare { mine, n }),
        2 => on().prop_map(Act::Write),
        1 => (span(), span()).prop_map(|(ends, resumes)| Act::Announce { ends, resumes }),
        2 => Just(Act::Confirm),
        9 => (fact(), prop::bool::weighted(0.7)).prop_map(|(fact, stamped)| Act::Fact { fact, stamped }),
        12 => ruling().prop_map(Act::Ruling),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let pass = prop_oneof![20 => 0..20_000_i64, 2 => 50_000..400_000_i64, 1 => 3_000_000..4_000_000_i64, 1 => -3_000..0_i64];
    let jump = prop_oneof![20 => Just(0), 3 => 0..90_000_i64, 2 => prop::sample::select(vec![1_800_000, 3_600_000, 3_600_001, 7_200_000_i64])];
    (act(), pass, jump).prop_map(|(act, pass, jump)| Step { act, pass, jump })
}

const STARTS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r5k1/5ppp/1p6/8/8/1P6/5PPP/3R2K1 w - - 0 31",
    // Two rooks go to one square, and a pawn promotes.
    "3R4/2P2k2/8/8/8/3R4/5Kp1/8 w - - 0 40",
    // Mate, stalemate or nothing left in one move.
    "7k/5Q2/8/6K1/8/8/8/8 w - - 3 60",
    "7k/R7/6K1/8/8/8/8/1R6 w - - 0 50",
    "8/8/8/8/8/5k2/6q1/7K w - - 0 70",
    // Only one of the two can still mate.
    "8/8/8/1q6/8/4k3/8/2K5 b - - 0 70",
    "7k/8/6K1/8/8/8/8/R7 w - - 99 90",
    "7k/8/8/6K1/8/8/8/R7 w - - 149 120",
];

fn regulations() -> impl Strategy<Value = Regulations> {
    let control = prop::sample::select(vec!["5400", "5400", "300+2", "2/60+5:30", "40/5400:900", "600d5", "2/1800b8:60", "1800"]);
    let late = prop::option::of(prop::sample::select(vec![0, 20_000, 1_800_000, 3_600_000]));
    let flags = prop::sample::select(vec![None, Some(FlagsBy::Auto), Some(FlagsBy::Arbiter), Some(FlagsBy::Players)]);
    let choices = (prop::sample::select(Edition::ALL.to_vec()), prop::bool::weighted(0.1), prop::option::of(any::<bool>()));
    (control, late, flags, choices, any::<[bool; 2]>(), prop::bool::weighted(0.2), prop::bool::weighted(0.2)).prop_map(
        |(control, late, flags, (edition, rapid, quickplay), [arbiter, after], at_zero, unseen)| Regulations {
            edition,
            play: if rapid { Play::Rapid } else { Play::Standard },
            // Where it has to be stated nothing is played without it.
            default_time: late.map(Millis).or((edition >= Edition::Y2014).then_some(Millis::minutes(30))),
            flags,
            quickplay,
            claims: if arbiter { ClaimsBy::Arbiter } else { ClaimsBy::Auto },
            count_from: if after { CountFrom::After } else { CountFrom::Before },
            period_added: if at_zero { PeriodAdded::AtZero } else { PeriodAdded::Counted },
            board: if unseen { BoardSeen::Unseen } else { BoardSeen::Seen },
            ..Regulations::of(control.parse().expect("a control"))
        },
    )
}

fn setting() -> impl Strategy<Value = Setting> {
    let start = prop_oneof![
        6 => prop::sample::select(STARTS.to_vec()).prop_map(|fen| Start::fen(fen).expect("a position")),
        1 => (0..960_u32).prop_map(|number| Start::chess960(number).expect("an array")),
    ];
    let ends = prop::option::weighted(0.4, 1..6_000_000_i64);
    (regulations(), start, any::<bool>(), ends, prop::bool::weighted(0.2), any::<u64>())
        .prop_map(|(regulations, start, device, ends, absent, salt)| Setting { regulations, start, device, ends, absent, salt })
}

pub(crate) fn case() -> impl Strategy<Value = Case> {
    (setting(), prop::collection::vec(step(), 1..60)).prop_map(|(setting, steps)| Case { setting, steps })
}

/// Whether a fact about a game with a device comes from that device alone.
pub(crate) fn measured(fact: &Fact, runs: bool) -> bool {
    match fact {
        Fact::Press { .. } | Fact::Pause { .. } | Fact::Flag { .. } | Fact::BothFlags | Fact::Confirmation { .. } | Fact::Display { .. } => true,
        Fact::Stop { .. } => runs,
        _ => false,
    }
}

/// Whether a fact is the daemon's own.
pub(crate) fn reckoned(fact: &Fact) -> bool {
    matches!(fact, Fact::Late { .. } | Fact::Verdict { .. } | Fact::Silence { .. } | Fact::SessionOver)
}

/// Whether a device has something to start.
pub(crate) fn starts(command: &Command) -> bool {
    matches!(command, Command::Start { .. })
}
