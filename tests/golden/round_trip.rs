//! What goes into the wire format comes out of it, for every kind; and what cannot be read is refused by its field.

use std::collections::BTreeSet;
use std::sync::Arc;

use prost::Message;
use shakmaty::{ByColor, Chess, Color::*, Square};
use zeitnot::board::mating::{Mating, Proof};
use zeitnot::board::{MoveText, Start};
use zeitnot::clock::{Adjustment, Clock, CountFrom, Interval, Millis, PeriodAdded};
use zeitnot::envelope::PublicKey;
use zeitnot::game::entry::{MAX_MATING_LINE, Reopened};
use zeitnot::game::{
    self, BoardSeen, Claim, ClaimsBy, Consequence, Duty, Fact, FlagsBy, Ground, IncidentCode, Loss, Moved, OpenPoint, OrderNo, named,
};
use zeitnot::game::{Penalty, Regulations, Ruling, Score, Seq, StopReason, Termination};
use zeitnot::laws::{Article, Edition, Play, Supervision};
use zeitnot::signature::SigningKey;
use zeitnot::venue::{
    Admin, CredentialId, DeviceEntry, Entry, Grant, Introduction, Pairing, Payload, Player, SecretHash, Sector, Subject, TournamentId, Version,
    WallTime,
};
use zeitnot::wire::{self, v1};

use super::{envelopes, kinds};

fn article() -> Article {
    Article::new("III.5.3")
}

fn sides() -> ByColor<Clock> {
    let side = |counter| Clock { left: Millis(60_001), free: Millis(5), period: 1, counter };
    ByColor { white: side(40), black: side(39) }
}

fn uci(text: &str) -> shakmaty::uci::UciMove {
    text.parse().unwrap()
}

fn claims() -> Vec<Claim> {
    let texts = [None, "g1f3".parse::<MoveText>().ok(), "O-O-O".parse().ok(), "exd8=N".parse().ok(), "Nbd2".parse().ok()];
    let mut claims: Vec<Claim> = texts.into_iter().flat_map(|with| [Claim::Threefold { with }, Claim::Fifty { with }]).collect();
    claims.extend([Ground::CannotWin, Ground::NoEffort, Ground::Both].map(|ground| Claim::Quickplay { ground }));
    claims.push(Claim::Clocks { times: ByColor { white: Millis(0), black: Millis(7_200_000) } });
    claims.extend([Claim::Flag, Claim::IllegalMove, Claim::FiveSeconds]);
    claims
}

fn matings() -> Vec<ByColor<Option<Mating>>> {
    let line = vec![uci("f2f3"), uci("e7e5"), uci("g2g4"), uci("d8h4")];
    vec![
        ByColor::default(),
        ByColor { white: Some(Mating::Unclear), black: Some(Mating::Possible(line)) },
        ByColor { white: Some(Mating::Possible(Vec::new())), black: None },
        ByColor { white: Some(Mating::Impossible(Proof::Terminal)), black: Some(Mating::Impossible(Proof::Material)) },
        ByColor { white: Some(Mating::Impossible(Proof::ForcedLine { plies: 3 })), black: Some(Mating::Impossible(Proof::Tree { leaves: 9 })) },
        ByColor {
            white: Some(Mating::Impossible(Proof::Reach { squares: 0 })),
            black: Some(Mating::Impossible(Proof::Closure { positions: u32::MAX, digest: [7; 32] })),
        },
        ByColor { white: None, black: Some(Mating::Possible(vec![uci("a7a8q"); MAX_MATING_LINE])) },
    ]
}

fn facts() -> Vec<Fact> {
    let (color, by) = (White, Black);
    let mut facts = vec![
        Fact::Arrival { color },
        Fact::Move { by, made: MoveText::Uci(uci("e1g1")) },
        Fact::Press { by, moved: Moved::AsReported, shown: Some(Millis(0)), lag: None },
        Fact::Press { by, moved: Moved::Unknown, shown: None, lag: None },
        Fact::Press { by, moved: Moved::Unknown, shown: None, lag: Some(Millis(350)) },
        Fact::Press { by, moved: Moved::Move(uci("a7a8n")), shown: None, lag: None },
        Fact::Touch { by, square: Square::G1 },
        Fact::Flag { color },
        Fact::Pause { by: None },
        Fact::Pause { by: Some(by) },
        Fact::Offer { by },
        Fact::Acceptance { by },
        Fact::Rejection { by },
        Fact::Resignation { by },
        Fact::Confirmation { order: OrderNo(7) },
        Fact::Display { shown: ByColor { white: Millis(1), black: Millis(2) } },
        Fact::Restart,
        Fact::Scoresheet { from: 3, moves: vec![MoveText::Uci(uci("e2e4")), "Nf6".parse().unwrap()] },
        Fact::Silence { color },
        Fact::Leap { by: Adjustment(-5) },
        Fact::Belated { fact: Box::new(Fact::Flag { color }) },
        Fact::BothFlags,
        Fact::Late { color },
    ];
    facts.extend(envelopes::facts());
    facts.extend(claims().into_iter().map(|claim| Fact::Claim { by, claim }));
    facts.extend(matings().into_iter().map(|mating| Fact::Verdict { ply: 40, position: named(&Chess::default()), mating }));
    facts
}

fn penalties() -> [Penalty; 9] {
    let time = Millis::minutes(2);
    [
        Penalty::Warning,
        Penalty::OpponentTime(time),
        Penalty::OwnTime(time),
        Penalty::OpponentPoints(1),
        Penalty::OwnPoints(2),
        Penalty::Loss,
        Penalty::Fine,
        Penalty::Exclusion,
        Penalty::Expulsion,
    ]
}

fn rulings() -> Vec<Ruling> {
    let (color, reason) = (Black, || "so".to_string());
    let mut rulings = vec![
        Ruling::Start,
        Ruling::Stop { reason: reason() },
        Ruling::Resume,
        Ruling::SetClocks { times: ByColor { white: Millis(1), black: Millis(2) } },
        Ruling::AddTime { color, by: Adjustment(-60_000), reason: reason() },
        Ruling::SetCounter { color, moves: 40 },
        Ruling::ReplaceClock { device: None },
        Ruling::ReplaceClock { device: Some(game::DeviceId(9)) },
        Ruling::ReplaceOwnClock { color: Black, device: game::DeviceId(9) },
        Ruling::DeclareResult { score: Score::BothLose, reason: String::new() },
        Ruling::CorrectResult { score: Score::WhiteHalf, reason: reason() },
        Ruling::Annul { reason: reason() },
        Ruling::Undo { reason: reason() },
        Ruling::Uphold { reason: reason() },
        Ruling::Reject { reason: reason() },
        Ruling::Postpone { reason: reason() },
        Ruling::CallFlag { color },
        Ruling::RuleIllegal { color: None, two_hands: true },
        Ruling::RuleIllegal { color: Some(color), two_hands: false },
        Ruling::Restore { plies: 0 },
        Ruling::Restore { plies: 41 },
        Ruling::FindColoursReversed,
        Ruling::FindWrongSetup,
        Ruling::Excuse { color, reason: reason() },
    ];
    rulings.extend(envelopes::rulings());
    rulings.extend(penalties().map(|penalty| Ruling::Penalise { color, penalty, reason: reason() }));
    rulings
}

fn commands() -> [game::Command; 4] {
    let by = Adjustment(-1);
    [game::Command::Start { color: Black }, game::Command::Stop, game::Command::Set { sides: sides() }, game::Command::Add { color: Black, by }]
}

fn consequences() -> Vec<Consequence> {
    let (color, by, article) = (White, Black, article());
    let (clock, other, since, at) = (sides().white, Millis(3), Millis(4), Millis(5));
    let mut all = vec![
        Consequence::PlayersReady,
        Consequence::ClockStarted { color, since },
        Consequence::Pressed { by, clock, other, completed: 40, since },
        Consequence::MoveCompleted { by, completed: 2 },
        Consequence::MoveTakenBack { by },
        Consequence::PeriodAdded { color, clock, other, since },
        Consequence::ClockRead { color, clock, other, since },
        Consequence::FlagFallen { color, at, article },
        Consequence::FlagWithdrawn { color },
        Consequence::ClocksSet { sides: sides() },
        Consequence::OfferMade { by },
        Consequence::OfferEnded,
        Consequence::ResultCorrected { score: Score::DoubleForfeit },
        Consequence::Annulled,
        Consequence::Undone { ruling: Seq(9) },
        Consequence::ClockReplaced { device: None },
        Consequence::Compensated { by, reported: Millis(9), credited: Millis(7) },
        Consequence::FlagDown { color, at },
        Consequence::ClaimEnded { article },
        Consequence::ClaimPostponed { article },
        Consequence::IllegalCounted { color, count: 2, article },
        Consequence::Restored { plies: 9, on_move: by, made: ByColor { white: 5, black: 4 }, completed: ByColor { white: 3, black: 2 }, article },
        Consequence::Promoted { by, made: uci("a7a8q") },
        Consequence::PointsChanged { color, halves: -2 },
        Consequence::PointsChanged { color, halves: 1 },
        Consequence::IncrementSet { each: Millis(5_000) },
        Consequence::MatingAsked { plies: 0, then: None },
        Consequence::MatingAsked { plies: 7, then: Some(Loss { color, termination: Termination::IllegalMoves, article }) },
        Consequence::Noted { color: None, article },
        Consequence::Noted { color: Some(by), article },
        Consequence::Excused { color },
        Consequence::CastlingForbidden { rooks: vec![Square::A1, Square::H8] },
    ];
    all.extend(envelopes::consequences());
    let duties = [None, Some(Duty::Play(uci("e2e4"))), Some(Duty::Move(Square::H8))];
    all.extend(duties.map(|duty| Consequence::DutySet { by, duty }));
    all.extend([Reopened::Waiting, Reopened::Stopped, Reopened::Over, Reopened::Adjourned].map(|phase| Consequence::Reopened { phase }));
    all.extend(commands().map(|command| Consequence::Ordered { order: OrderNo(3), command, to: None }));
    all.extend(commands().map(|command| Consequence::Ordered { order: OrderNo(3), command, to: Some(by) }));
    let hall = Interval { from: Millis(12), until: Millis(34) };
    all.extend([true, false].map(|flag| Consequence::Placed { by, flag, hall }));
    all.push(Consequence::OwnClockReplaced { color, device: game::DeviceId(8) });
    all.extend(Termination::ALL.iter().map(|termination| Consequence::GameOver { score: Score::Draw, termination: *termination, article }));
    all.extend(IncidentCode::ALL.iter().map(|code| Consequence::Incident { code: *code, color: None, article, note: "look".into() }));
    all.extend(reasons_to_stop().map(|reason| Consequence::ClocksStopped { sides: sides(), reason }));
    all.extend(matings().into_iter().map(|mating| Consequence::MatingJudged { plies: 4, mating }));
    for (i, claim) in claims().into_iter().enumerate() {
        let answer = [game::Answer::Correct, game::Answer::Incorrect, game::Answer::Open][i % 3];
        all.push(Consequence::ClaimJudged { by, claim, answer, because: "it stands".into(), article, pending: i % 2 == 0 });
    }
    all
}

fn reasons_to_stop() -> [StopReason; 15] {
    [
        StopReason::Arbiter,
        StopReason::Pause,
        StopReason::DeviceRestart,
        StopReason::TimekeeperRestart,
        StopReason::StampsBackwards,
        StopReason::DeviceLeapt,
        StopReason::Uncounted,
        StopReason::ClockReplaced,
        StopReason::FlagUndecided,
        StopReason::GameOver,
        StopReason::Claim,
        StopReason::Restored,
        StopReason::MatingAsked,
        StopReason::Sealed,
        StopReason::Resuming,
    ]
}

fn regulations() -> Vec<Regulations> {
    let plain = Regulations::of("900+10".parse().unwrap());
    let mut all = vec![
        plain.clone(),
        Regulations {
            edition: Edition::default(),
            play: Play::Standard,
            supervision: Supervision::Full,
            count_from: CountFrom::After,
            period_added: PeriodAdded::AtZero,
            board: BoardSeen::Unseen,
            default_time: Some(Millis::ZERO),
            claims: ClaimsBy::Arbiter,
            quickplay: Some(false),
            otherwise: OpenPoint::ALL.into_iter().map(|(point, ..)| point).collect(),
            ..plain.clone()
        },
        Regulations {
            default_time: Some(Millis::minutes(30)),
            compensation: Some(Millis::seconds(1)),
            quickplay: Some(true),
            otherwise: BTreeSet::from([OpenPoint::Fines]),
            ..plain.clone()
        },
    ];
    all.extend([FlagsBy::Auto, FlagsBy::Arbiter, FlagsBy::Players].map(|flags| Regulations { flags: Some(flags), ..plain.clone() }));
    all
}

fn admin() -> Vec<Admin> {
    let (tournament, round, board) = (TournamentId(1), 2, 3);
    let mut all = vec![
        Admin::Started { build: "1".into() },
        Admin::RoundOpened { tournament, round },
        Admin::DeviceAssigned { device: game::DeviceId(7), game: None, side: None },
        Admin::DeviceAssigned { device: game::DeviceId(7), game: Some(game::GameId(3)), side: Some(Black) },
        Admin::Alarm { text: "look".into() },
        Admin::EnvelopeKey { key: PublicKey([0xa5; 32]) },
    ];
    let sector = Sector { tournament: Some(tournament), first: 1, last: 50 };
    let grants = [
        Grant::Clock(game::DeviceId(7)),
        Grant::Player(game::GameId(4), White),
        Grant::Player(game::GameId(4), Black),
        Grant::Arbiter(None),
        Grant::Arbiter(Some(sector)),
        Grant::Arbiter(Some(Sector { tournament: None, ..sector })),
        Grant::ChiefArbiter,
        Grant::Feed,
        Grant::Auditor,
    ];
    for grant in grants {
        for expires in [None, Some(WallTime(i64::MAX >> 12))] {
            let (credential, code) = (CredentialId(1), SecretHash([1; 32]));
            all.push(Admin::Invited { credential, grant, name: "A".into(), code, until: WallTime(7), expires });
        }
    }
    all.push(Admin::Enrolled { credential: CredentialId(1), secret: SecretHash([2; 32]) });
    all.push(Admin::Signed { head: SigningKey::new(&[4; 32]).unwrap().sign(812, [3; 32]) });
    all.push(Admin::SecondNeeded { rulings: BTreeSet::new() });
    all.push(Admin::SecondNeeded { rulings: ["annul".to_string(), "correct".to_string()].into() });
    all.extend(rulings().into_iter().map(|ruling| Admin::Proposed { ruling }));
    all.push(Admin::Revoked { credential: CredentialId(1), reason: "lost".into() });
    for starts_on in [None, Some(jiff::civil::date(2026, 5, 2)), Some(jiff::civil::date(1997, 7, 1))] {
        all.extend(regulations().into_iter().map(|r| Admin::TournamentCreated {
            tournament,
            name: "Open".into(),
            regulations: Arc::new(r),
            starts_on,
        }));
    }
    let starts = [
        Start::standard(),
        Start::chess960(518).unwrap(),
        Start::drawn(0),
        Start::drawn(u64::MAX),
        Start::fen("4k3/8/8/8/8/8/4P3/4K3 b - - 3 9").unwrap(),
    ];
    for start in starts.map(Arc::new) {
        let players = ByColor::new_with(|_| Player { name: "A".into(), fide_id: 1 });
        let pairing = Pairing { tournament, round, board, players, start: start.clone(), regulations: Some(Arc::new(regulations().remove(1))) };
        all.push(Admin::Paired { pairing });
        all.push(Admin::GameOpened {
            replaces: start.number.map(|_| game::GameId(3)),
            black_device: start.number.map(|_| game::DeviceId(8)),
            game: game::GameId(4),
            tournament,
            round,
            board,
            regulations: Arc::new(regulations().remove(0)),
            start,
            device: None,
            absent: ByColor { white: false, black: true },
            clocks: Some(ByColor { white: Millis(1), black: Millis(2) }),
        });
    }
    all
}

fn everything() -> Vec<Payload> {
    let introduced = Introduction { model: "M".into(), firmware: "F".into(), senses_board: true, wrap: None, scale: 1_000 };
    let devices = [DeviceEntry::Introduced(introduced), DeviceEntry::Battery { percent: 100 }, DeviceEntry::Restarted];
    let noticed = [DeviceEntry::Lost, DeviceEntry::Back, DeviceEntry::Leapt { by: Adjustment(-5) }, DeviceEntry::Drifts { ppm: -300 }];
    let mut all: Vec<Payload> = devices.into_iter().chain(noticed).map(Payload::Device).collect();
    all.extend(facts().into_iter().map(|fact| Payload::Game(game::Entry::Fact(fact))));
    all.extend(rulings().into_iter().map(|ruling| Payload::Game(game::Entry::Ruling(ruling))));
    all.extend(consequences().into_iter().map(|so| Payload::Game(game::Entry::Consequence(so))));
    all.extend(admin().into_iter().map(Payload::Admin));
    all
}

#[test]
fn every_kind_comes_back_as_it_was() {
    let mut met = BTreeSet::new();
    for payload in everything() {
        let subject = Subject::Game(game::GameId(4));
        let entry = Entry { seq: Seq(9), subject, version: Version(2), recorded_at: WallTime(3), origin: None, cause: None, key: None, payload };
        let bytes = wire::encode_entry(&entry).encode_to_vec();
        let read = v1::Entry::decode(bytes.as_slice()).unwrap();
        assert_eq!(wire::entry(read).unwrap(), entry);
        met.insert(kinds::of(&entry));
    }
    let missing: Vec<_> = kinds::ALL.iter().filter(|kind| !met.contains(**kind)).collect();
    assert!(missing.is_empty(), "missing: {missing:?}");
}

#[test]
fn a_fact_that_cannot_be_read_names_its_field() {
    use v1::fact::Kind;
    let white = v1::Color::White.into();
    let claim = |kind| Kind::Claim(v1::Claim { by: white, kind });
    let verdict =
        |kind| Kind::Verdict(v1::Verdict { plies: 1, white: Some(v1::Mating { kind }), black: None, position: named(&Chess::default()).to_string() });
    let proof = |kind: &str, count, digest: usize| {
        verdict(Some(v1::mating::Kind::Impossible(v1::Proof { kind: kind.to_string(), count, digest: vec![0; digest] })))
    };
    let line = |text: &str, plies| verdict(Some(v1::mating::Kind::Possible(v1::MatingLine { moves: vec![text.to_string(); plies] })));
    for (kind, field) in [
        (Kind::Late(0), "late"),
        (claim(None), "claim.kind"),
        (Kind::Claim(v1::Claim { by: 0, kind: Some(v1::claim::Kind::Flag(v1::FlagClaim {})) }), "claim.by"),
        (claim(Some(v1::claim::Kind::Threefold("e9".to_string()))), "claim.threefold"),
        (claim(Some(v1::claim::Kind::Fifty("0000".to_string()))), "claim.fifty"),
        (claim(Some(v1::claim::Kind::Quickplay(0))), "claim.quickplay"),
        (claim(Some(v1::claim::Kind::Clocks(v1::Times { white_ms: u64::MAX, black_ms: 0 }))), "white_ms"),
        (verdict(None), "verdict.white"),
        (line("e2e4", MAX_MATING_LINE + 1), "verdict.white"),
        (line("Nf3", 1), "verdict.white"),
        (proof("hope", 0, 0), "proof"),
        (proof("material", 1, 0), "proof"),
        (proof("material", 0, 5), "proof.digest"),
    ] {
        let said = format!("{kind:?}").chars().take(80).collect::<String>();
        assert_eq!(wire::fact(v1::Fact { kind: Some(kind) }).unwrap_err().field, field, "{said}");
    }
}

#[test]
fn a_ruling_that_cannot_be_read_names_its_field() {
    use v1::ruling::Kind;
    let white = v1::Color::White.into();
    let penalty = |kind: &str, time_ms, half_points| {
        Kind::Penalise(v1::Penalise { color: white, kind: kind.to_string(), time_ms, half_points, reason: String::new() })
    };
    for (kind, field) in [
        (Kind::CallFlag(0), "call_flag"),
        (Kind::CallFlag(3), "call_flag"),
        (Kind::RuleIllegal(v1::RuleIllegal { color: 7, two_hands: false }), "rule_illegal.color"),
        (Kind::Excuse(v1::Excuse::default()), "excuse.color"),
        (Kind::Uphold(v1::Uphold { reason: "r".repeat(501) }), "reason"),
        (Kind::Penalise(v1::Penalise { kind: "loss".to_string(), ..Default::default() }), "penalise.color"),
        (penalty("", 0, 0), "penalise.kind"),
        (penalty("caning", 0, 0), "penalise.kind"),
        (penalty("own-time", u64::MAX, 0), "penalise.time_ms"),
        (penalty("warning", 1, 0), "penalise.time_ms"),
        (penalty("own-time", 1, 1), "penalise.half_points"),
        (penalty("own-points", 0, 256), "penalise.half_points"),
    ] {
        let said = format!("{kind:?}").chars().take(80).collect::<String>();
        assert_eq!(wire::ruling(v1::Ruling { kind: Some(kind) }).unwrap_err().field, field, "{said}");
    }
}

#[test]
fn what_cannot_be_set_up_names_its_field() {
    let plain = || v1::Regulations { control: "300".to_string(), ..Default::default() };
    for (regulations, field) in [
        (v1::Regulations { flags: 9, ..plain() }, "regulations.flags"),
        (v1::Regulations { default_time_ms: Some(u64::MAX), ..plain() }, "regulations.default_time_ms"),
        (v1::Regulations { default_time_ms: Some(u64::from(u32::MAX)), ..plain() }, "regulations.default_time_ms"),
        (v1::Regulations { otherwise: vec!["claim-offer stands".to_string()], ..plain() }, "regulations.otherwise"),
        (v1::Regulations { otherwise: vec!["tea five".to_string()], ..plain() }, "regulations.otherwise"),
    ] {
        assert_eq!(Regulations::try_from(regulations).unwrap_err().field, field);
    }
    for (text, date) in [("", Some(None)), ("2026-05-02", Some(Some(jiff::civil::date(2026, 5, 2))))] {
        assert_eq!(wire::date("starts_on", text).ok(), date);
    }
    for text in ["2026-5-2", "20260502", "2026-02-30", "today", "2026-05-02T00:00", " 2026-05-02"] {
        assert_eq!(wire::date("starts_on", text).unwrap_err().field, "starts_on", "{text}");
    }
}

#[test]
fn an_array_is_drawn_or_agrees_with_its_seed() {
    let pairing = |fen: &str, chess960, seed| {
        let player = || Some(v1::Player { name: "A".to_string(), fide_id: 0 });
        let start = Some(v1::StartPosition { fen: fen.to_string(), chess960, seed });
        wire::pairing(v1::Pairing { white: player(), black: player(), start, ..Default::default() }).map(|pairing| Start::clone(&pairing.start))
    };
    let drawn = Start::drawn(2026);
    let number = drawn.number.unwrap();
    assert_eq!(pairing("", None, Some(2026)).unwrap(), drawn);
    assert_eq!(pairing("", Some(number), Some(2026)).unwrap(), drawn);
    assert_eq!(pairing("", Some(number), None).unwrap().seed, None);
    assert_eq!(pairing("", Some(959 - number), Some(2026)).unwrap_err().field, "start.seed");
    assert_eq!(pairing("", Some(960), Some(2026)).unwrap_err().field, "start");
    assert_eq!(pairing("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", None, Some(2026)).unwrap_err().field, "start.seed");
}
