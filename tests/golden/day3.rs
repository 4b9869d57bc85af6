//! Adjourned games, a night each: sealed, kept, lost, opened and read, in three editions.

use shakmaty::{ByColor, Color, Color::*, Square};
use zeitnot::board::Start;
use zeitnot::clock::Millis;
use zeitnot::envelope::{Nonce, Note, PrivateKey};
use zeitnot::game::{
    ClaimsBy, DeviceId, Fact, GameId, Input as About, Item, Lost, Opened, Phase, Regulations, Ruling, Score, Stage, StopReason, Termination,
};
use zeitnot::laws::Edition;
use zeitnot::log::MemoryLog;
use zeitnot::venue::{Input, Introduction, Origin, Report, Role, TournamentId, WallTime};
use zeroize::Zeroizing;

use super::day::Day;
use super::day2::control;

/// Every text that is sealed here, with its game, and whether it is opened at last.
pub(crate) const TEXTS: [(u64, &str, bool); 16] = [
    (1, "31.Rd1-d6 (?)", false),
    (1, "31.Rd1-d7 (=)", true),
    (3, "31. Rd1-d5", false),
    (4, "31 Rd1 - d4", false),
    (5, "31.Rd1-d3!", true),
    (5, "31...h7-h6!", true),
    (6, "22. R-d1", true),
    (7, "the rook goes to the seventh rank", true),
    (8, "31... Ra8-c8", true),
    (9, "40.Rd1-d8++", true),
    (10, "Rd1-d2", true),
    (11, "d1-d8?", false),
    (12, "31.Rd1-e7", true),
    (13, "good night", true),
    (14, "31... Ra8-d8", false),
    (14, "31.Rd1:d5", false),
];

/// Of the games that the daemon times each begins at one in the afternoon.
const DAY: u64 = 86_400_000;
/// From the adjournment to the next morning.
const NIGHT: Millis = Millis::minutes(20 * 60);

const MIDDLEGAME: &str = "r5k1/5ppp/1p6/8/8/1P6/5PPP/3R2K1 w - - 0 31";
const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 40";

/// The key to which everything is sealed.
pub(crate) fn key() -> PrivateKey {
    PrivateKey::new(Zeroizing::new([53; 32]))
}

/// What a player wrote; each text has a nonce of its own.
pub(crate) fn note(text: &str) -> Note {
    Note::new(Zeroizing::new(text.to_string()), Nonce(*blake3::hash(text.as_bytes()).as_bytes())).unwrap()
}

/// Plays the days, which are a log of their own.
pub(crate) fn played() -> MemoryLog {
    let mut day = Day::default();
    day.daemon(Input::Started { build: "0.3.0".into() });
    day.office(Input::SetEnvelopeKey { key: PrivateKey::new(Zeroizing::new([52; 32])).public() });
    day.office(Input::SetEnvelopeKey { key: key().public() });
    day.office(Input::CreateTournament { name: "Winter Open".into(), regulations: control("5400"), starts_on: None });
    day.office(Input::OpenRound { tournament: TournamentId(1), round: 1 });
    day.sealed_at_a_device();
    day.on_the_board_after_the_order();
    day.times_lost();
    day.custody_undone();
    day.sealer_away();
    day.ambiguous();
    day.unclear();
    day.agreed_overnight();
    day.late_and_mates();
    day.both_late();
    day.position_lost();
    day.illegal();
    day.no_meaning();
    day.sealed_before_the_end();
    day.log
}

/// The regulations of a board: half an hour's default time.
fn edition(edition: Edition) -> Regulations {
    Regulations { edition, default_time: Some(Millis::minutes(30)), ..control("5400") }
}

impl Day {
    /// A game without a device that has come as far as this, started.
    fn afternoon(&mut self, board: u32, own: Regulations, fen: &str) {
        let left = ByColor { white: Millis::minutes(20), black: Millis::minutes(85) };
        self.hall = self.hall.next_multiple_of(DAY);
        self.seated(board, Some(own), Start::fen(fen).unwrap(), None, None, Some(left));
        self.rule(board.into(), Ruling::Start);
        self.hall += 60_000;
    }

    fn says(&mut self, game: u64, fact: Fact) {
        self.named(Role::Arbiter, "arbiter", Input::Game { game: GameId(game), input: About::Fact(fact) });
    }

    /// A player seals from a device of his own, or an arbiter types for him what he wrote.
    fn seals(&mut self, role: Role, game: u64, by: Color, text: &str) {
        let name = if role == Role::Player { "" } else { "arbiter" };
        self.named(role, name, Input::Seal { game: GameId(game), by, note: note(text) });
    }

    /// The order, the move in its envelope, and the clock stopped.
    fn sealed(&mut self, role: Role, game: u64, by: Color, text: &str) {
        self.rule(game, Ruling::OrderSeal);
        self.hall += 45_000;
        self.seals(role, game, by, text);
        self.says(game, Fact::Stop { by });
        assert_eq!((self.phase(game), self.stage(game)), (Phase::Stopped(StopReason::Sealed), Some(Stage::Sealed)));
    }

    fn tomorrow(&self) -> WallTime {
        self.watch().plus(NIGHT)
    }

    fn writes(&mut self, game: u64, item: Item) {
        self.rule(game, Ruling::WriteEnvelope { item });
    }

    /// The envelope is completed and kept.
    fn kept(&mut self, game: u64) {
        self.writes(game, Item::Place("Town hall".into()));
        let at = self.tomorrow();
        self.writes(game, Item::Resumes(at));
        self.rule(game, Ruling::TakeCustody);
        assert_eq!(self.phase(game), Phase::Adjourned);
    }

    /// A night passes, and these players have come.
    fn night(&mut self, game: u64, come: &[Color]) {
        self.hall += NIGHT.0;
        for color in come {
            self.says(game, Fact::Arrival { color: *color });
        }
    }

    /// The arbiter opens with the key.
    fn opens(&mut self, game: u64) {
        self.named(Role::Arbiter, "chief arbiter", Input::Open { game: GameId(game), key: key() });
    }

    /// The arbiter opens by what another tool has found in the envelope.
    fn opens_by(&mut self, game: u64, text: &str) {
        self.rule(game, Ruling::Open { opened: Some(Opened::from(&note(text))) });
    }

    fn stage(&self, game: u64) -> Option<Stage> {
        self.writer.venue().table(GameId(game)).unwrap().game.stage()
    }

    fn ended(&self, game: u64) -> Option<(Score, Termination)> {
        let outcome = self.writer.venue().table(GameId(game)).unwrap().game.outcome.clone();
        outcome.map(|outcome| (outcome.score, outcome.termination))
    }

    /// Board 1: White seals at the clock, thinks again, and offers a draw with it; in the morning Black touches a piece and plays on.
    fn sealed_at_a_device(&mut self) {
        let introduction = Introduction { model: "Testuhr".into(), firmware: "2.0".into(), senses_board: true, wrap: None, scale: 1_000 };
        let origin = Origin::new(Role::Clock, String::new());
        self.put(origin, None, Input::Hello { device: DeviceId(41), introduction });
        let left = ByColor { white: Millis::minutes(20), black: Millis::minutes(85) };
        self.seated(1, Some(edition(Edition::Y2023)), Start::fen(MIDDLEGAME).unwrap(), Some(DeviceId(41)), None, Some(left));
        self.rule(1, Ruling::Start);
        self.confirms(41, 1, 1_000);
        let ends = Some(self.watch().plus(Millis::minutes(60)));
        self.rule(1, Ruling::Announce { ends, resumes: None });
        self.rule(1, Ruling::OrderSeal);
        self.report(41, 50_000, Report::Seal { by: White, note: note(TEXTS[0].1) });
        self.report(41, 70_000, Report::Seal { by: White, note: note(TEXTS[1].1) });
        self.fact(41, 80_000, Fact::Offer { by: White });
        self.fact(41, 91_000, Fact::Stop { by: White });
        let times = ByColor { white: Millis(1_110_000), black: Millis::minutes(85) };
        for item in
            [Item::Place("Town hall, first floor".into()), Item::Number(31), Item::Sealer(White), Item::Offer(Some(White)), Item::Times(times)]
        {
            self.writes(1, item);
        }
        let at = self.tomorrow();
        self.writes(1, Item::Resumes(at));
        self.rule(1, Ruling::TakeCustody);
        self.night(1, &[White, Black]);
        self.rule(1, Ruling::Resume);
        self.confirms(41, 1, 72_000_000);
        self.opens(1);
        assert_eq!(self.stage(1), Some(Stage::Resumed));
        self.confirms(41, 1, 72_020_000);
        self.fact(41, 72_030_000, Fact::Touch { by: Black, square: Square::H7 });
        self.fact(41, 72_040_000, Fact::Move { by: Black, made: "h7h6".parse().unwrap() });
        self.fact(41, 72_041_000, Fact::Press { by: Black, moved: zeitnot::game::Moved::AsReported, shown: None, lag: None });
        self.fact(41, 72_100_000, Fact::Resignation { by: White });
        assert_eq!(self.ended(1), Some((Score::BlackWins, Termination::Resignation)));
    }

    /// Board 2, 2005: the daemon finds that the session is over; White moves on the board and presses. Black comes late, and his clock has run.
    fn on_the_board_after_the_order(&mut self) {
        self.afternoon(2, edition(Edition::Y2005), MIDDLEGAME);
        let (ends, resumes) = (Some(self.watch().plus(Millis::minutes(1))), Some(self.tomorrow()));
        self.rule(2, Ruling::Announce { ends, resumes });
        self.hall += 60_000;
        self.found(2, Fact::SessionOver);
        assert_eq!(self.stage(2), Some(Stage::Ordered));
        self.told(2, "white move Rd6");
        self.told(2, "white press");
        self.writes(2, Item::Place("Town hall".into()));
        self.writes(2, Item::Offer(None));
        self.rule(2, Ruling::TakeCustody);
        self.night(2, &[White]);
        self.rule(2, Ruling::Resume);
        assert_eq!(self.phase(2), Phase::Running);
        self.rule(2, Ruling::Excuse { color: Black, reason: "his train stands in the snow".into() });
        self.hall += 240_000;
        self.says(2, Fact::Arrival { color: Black });
        self.opens(2);
        assert_eq!(self.phase(2), Phase::Running);
        self.moves(2, Black, "Rb8");
        self.told(2, "white offer");
        self.told(2, "black accept");
        assert_eq!(self.ended(2), Some((Score::Draw, Termination::Agreement)));
    }

    /// Board 3, 1997: envelope and times are lost; the arbiter sets the clocks, and White declares his move, the second time a legal one.
    fn times_lost(&mut self) {
        self.afternoon(3, edition(Edition::Y1997), MIDDLEGAME);
        self.sealed(Role::Player, 3, White, TEXTS[2].1);
        self.kept(3);
        self.hall += 3_600_000;
        self.rule(3, Ruling::LoseEnvelope { lost: Lost::Times });
        self.night(3, &[White, Black]);
        self.rule(3, Ruling::SetClocks { times: ByColor { white: Millis::minutes(15), black: Millis::minutes(80) } });
        self.rule(3, Ruling::Resume);
        for words in ["white declare Rh5", "white declare Rd5", "black resign"] {
            self.told(3, words);
        }
        assert_eq!(self.ended(3), Some((Score::WhiteWins, Termination::Resignation)));
    }

    /// Board 4, 2023: custody is undone and taken again; the envelope is lost, found, and lost again.
    fn custody_undone(&mut self) {
        self.afternoon(4, edition(Edition::Y2023), MIDDLEGAME);
        self.sealed(Role::Arbiter, 4, White, TEXTS[3].1);
        self.kept(4);
        self.rule(4, Ruling::Undo { reason: "the place is another".into() });
        assert_eq!(self.stage(4), Some(Stage::Sealed));
        self.writes(4, Item::Place("School".into()));
        self.rule(4, Ruling::TakeCustody);
        self.rule(4, Ruling::LoseEnvelope { lost: Lost::Move });
        self.rule(4, Ruling::Undo { reason: "it was in another drawer".into() });
        self.rule(4, Ruling::LoseEnvelope { lost: Lost::Move });
        self.night(4, &[White, Black]);
        self.rule(4, Ruling::Resume);
        self.told(4, "white declare Rd4");
        self.moves(4, Black, "Rb8");
        self.told(4, "white resign");
    }

    /// Board 5, 2005: White is away, and Black answers in a second envelope, which is opened when White comes.
    fn sealer_away(&mut self) {
        self.afternoon(5, edition(Edition::Y2005), MIDDLEGAME);
        self.sealed(Role::Player, 5, White, TEXTS[4].1);
        self.kept(5);
        self.night(5, &[Black]);
        self.rule(5, Ruling::Resume);
        self.opens_by(5, TEXTS[4].1);
        self.hall += 300_000;
        self.seals(Role::Arbiter, 5, Black, TEXTS[5].1);
        self.told(5, "black press");
        self.hall += 600_000;
        self.says(5, Fact::Arrival { color: White });
        self.opens_by(5, TEXTS[5].1);
        self.moves(5, White, "Rd6");
        self.told(5, "black resign");
        assert_eq!(self.ended(5), Some((Score::WhiteWins, Termination::Resignation)));
    }

    /// Board 6, 1997: either rook can go there; where claims wait for the arbiter that does too, and he finds that it cannot be settled.
    fn ambiguous(&mut self) {
        let own = Regulations { claims: ClaimsBy::Arbiter, ..edition(Edition::Y1997) };
        self.afternoon(6, own, "3q2k1/pp3ppp/8/8/8/8/PP3PPP/R4RK1 w - - 2 22");
        self.sealed(Role::Arbiter, 6, White, TEXTS[6].1);
        self.kept(6);
        self.night(6, &[White, Black]);
        self.rule(6, Ruling::Resume);
        self.opens(6);
        self.rule(6, Ruling::Decipher { made: None });
        assert_eq!(self.ended(6), Some((Score::BlackWins, Termination::SealedMove)));
    }

    /// Board 7, 2023: the move is in words, which no machine reads; the arbiter does, the second time rightly.
    fn unclear(&mut self) {
        self.afternoon(7, edition(Edition::Y2023), MIDDLEGAME);
        self.sealed(Role::Player, 7, White, TEXTS[7].1);
        self.kept(7);
        self.night(7, &[White, Black]);
        self.rule(7, Ruling::Resume);
        self.opens(7);
        self.rule(7, Ruling::Decipher { made: "Rd6".parse().ok() });
        self.rule(7, Ruling::Undo { reason: "the seventh, not the sixth".into() });
        self.rule(7, Ruling::Decipher { made: "Rd7".parse().ok() });
        self.moves(7, Black, "h6");
        self.told(7, "white resign");
    }

    /// Board 8, 2005: Black has sealed; a draw is announced overnight for the wrong board, and what White offered then is refused in the morning.
    fn agreed_overnight(&mut self) {
        self.afternoon(8, edition(Edition::Y2005), "r5k1/5ppp/1p6/8/8/1P6/5PPP/3R2K1 b - - 0 31");
        self.sealed(Role::Arbiter, 8, Black, TEXTS[8].1);
        self.kept(8);
        self.rule(8, Ruling::DeclareResult { score: Score::Draw, reason: "agreed by telephone".into() });
        assert_eq!(self.phase(8), Phase::Over);
        self.rule(8, Ruling::Undo { reason: "that was another board".into() });
        assert_eq!(self.phase(8), Phase::Adjourned);
        self.told(8, "white offer");
        self.told(8, "black decline");
        self.rule(8, Ruling::Annul { reason: "the players are of one team".into() });
        self.rule(8, Ruling::Undo { reason: "they are not".into() });
        let resumes = Some(self.watch().plus(Millis(NIGHT.0 - 1_800_000)));
        self.rule(8, Ruling::Announce { ends: None, resumes });
        self.night(8, &[White, Black]);
        self.rule(8, Ruling::Resume);
        self.opens(8);
        self.told(8, "white resign");
        assert_eq!(self.ended(8), Some((Score::BlackWins, Termination::Resignation)));
    }

    /// Board 9, 1997: White is too late, which is open until his envelope is: his move mates.
    fn late_and_mates(&mut self) {
        self.afternoon(9, edition(Edition::Y1997), BACK_RANK);
        self.sealed(Role::Player, 9, White, TEXTS[9].1);
        self.kept(9);
        self.night(9, &[Black]);
        self.rule(9, Ruling::Resume);
        self.hall += 3_660_000;
        self.found(9, Fact::Late { color: White });
        self.opens_by(9, TEXTS[9].1);
        assert_eq!(self.ended(9), Some((Score::WhiteWins, Termination::Checkmate)));
    }

    /// Board 10, 2023: both are too late; the arbiter lets them play, and a clock that ran stands while the envelope is opened.
    fn both_late(&mut self) {
        self.afternoon(10, edition(Edition::Y2023), MIDDLEGAME);
        self.sealed(Role::Arbiter, 10, White, TEXTS[10].1);
        self.kept(10);
        self.night(10, &[]);
        self.rule(10, Ruling::Resume);
        self.hall += 1_800_000;
        self.found(10, Fact::Late { color: Black });
        assert_eq!(self.phase(10), Phase::Stopped(StopReason::Arbiter));
        for color in Color::ALL {
            self.rule(10, Ruling::Excuse { color, reason: "the only road is closed".into() });
            self.says(10, Fact::Arrival { color });
        }
        self.opens(10);
        self.moves(10, Black, "Rb8");
        self.told(10, "white resign");
    }

    /// Board 11, 2005: nobody knows the position any more.
    fn position_lost(&mut self) {
        self.afternoon(11, edition(Edition::Y2005), MIDDLEGAME);
        self.sealed(Role::Player, 11, White, TEXTS[11].1);
        self.kept(11);
        self.rule(11, Ruling::LoseEnvelope { lost: Lost::Position });
        assert_eq!(self.phase(11), Phase::Annulled);
    }

    /// Board 12, 2023: the rook cannot go there.
    fn illegal(&mut self) {
        self.afternoon(12, edition(Edition::Y2023), MIDDLEGAME);
        self.sealed(Role::Arbiter, 12, White, TEXTS[12].1);
        self.kept(12);
        self.night(12, &[White, Black]);
        self.rule(12, Ruling::Resume);
        self.opens(12);
        assert_eq!(self.ended(12), Some((Score::BlackWins, Termination::SealedMove)));
    }

    /// Board 13, 2005: nothing in it names a move.
    fn no_meaning(&mut self) {
        self.afternoon(13, edition(Edition::Y2005), MIDDLEGAME);
        self.sealed(Role::Player, 13, White, TEXTS[13].1);
        self.kept(13);
        self.night(13, &[White, Black]);
        self.rule(13, Ruling::Resume);
        self.opens(13);
        assert_eq!(self.ended(13), Some((Score::BlackWins, Termination::SealedMove)));
    }

    /// Board 14, 1997: White leaves before the end of the session, which is charged to him; what he wrote is never read, since he resigns overnight.
    fn sealed_before_the_end(&mut self) {
        self.afternoon(14, edition(Edition::Y1997), MIDDLEGAME);
        let ends = Some(self.watch().plus(Millis::minutes(10)));
        self.rule(14, Ruling::Announce { ends, resumes: None });
        self.seals(Role::Player, 14, Black, TEXTS[14].1);
        self.seals(Role::Player, 14, White, TEXTS[15].1);
        self.says(14, Fact::Stop { by: White });
        self.kept(14);
        self.told(14, "white resign");
        assert_eq!(self.ended(14), Some((Score::BlackWins, Termination::Resignation)));
    }
}
