//! A second day after the first: claims, flags that players call, illegal moves, penalties, positions restored.

use std::collections::BTreeSet;
use std::sync::Arc;

use shakmaty::{ByColor, Chess, Color, Color::*};
use zeitnot::board::Start;
use zeitnot::board::mating::Mating;
use zeitnot::clock::{Millis, Reading};
use zeitnot::game::{
    Claim, ClaimsBy, DeviceId, Fact, FlagsBy, GameId, Ground, Input as About, OpenPoint, Penalty, Phase, Regulations, Ruling, Score, StopReason,
    named,
};
use zeitnot::laws::{Edition, Supervision};
use zeitnot::log::MemoryLog;
use zeitnot::venue::{Input, Introduction, Origin, Pairing, Player, Role, TournamentId};

use super::day::Day;

/// Plays both days.
pub(crate) fn played() -> MemoryLog {
    let mut day = super::day::played();
    day.daemon(Input::Started { build: "0.2.0".into() });
    let starts_on = Some(jiff::civil::date(2026, 5, 2));
    day.office(Input::CreateTournament { name: "Spring Open".into(), regulations: control("5400+30"), starts_on });
    day.office(Input::OpenRound { tournament: TournamentId(2), round: 1 });
    day.claims_of_a_draw();
    day.a_flag_that_a_player_calls();
    day.a_flag_that_the_arbiter_calls();
    day.both_flags();
    day.quickplay_finish();
    day.illegal_moves();
    day.a_pawn_left_on_the_last_rank();
    day.colours_reversed();
    day.wrong_setup();
    day.late();
    day.a_verdict_that_is_awaited();
    day.wrong_setup_found_too_late();
    day.log
}

pub(crate) fn control(text: &str) -> Regulations {
    Regulations::of(text.parse().unwrap())
}

impl Day {
    /// The pairing and the game of a board in the last tournament. Boards are opened in order, and those of the first day were four, so that the
    /// game has the board's number.
    pub(crate) fn seated(
        &mut self,
        board: u32,
        own: Option<Regulations>,
        start: Start,
        device: Option<DeviceId>,
        absent: Option<Color>,
        clocks: Option<Reading>,
    ) {
        let tournament = self.paired(board, own, start);
        let absent = ByColor::new_with(|color| Some(color) == absent);
        self.office(Input::OpenGame { tournament, round: 1, board, device, black_device: None, absent, clocks });
    }

    /// A pairing of the last tournament, which is given.
    pub(crate) fn paired(&mut self, board: u32, own: Option<Regulations>, start: Start) -> TournamentId {
        let tournament = *self.writer.venue().tournaments().keys().next_back().unwrap();
        let player = |side: &str| Player { name: format!("Player, {side} {board}"), fide_id: 0 };
        let players = ByColor { white: player("White"), black: player("Black") };
        self.office(Input::Pair {
            pairing: Pairing { tournament, round: 1, board, players, start: Arc::new(start), regulations: own.map(Arc::new) },
        });
        tournament
    }

    /// A game without a device from the usual position, started.
    fn started(&mut self, board: u32, own: Regulations) {
        self.seated(board, Some(own), Start::standard(), None, None, None);
        self.rule(board.into(), Ruling::Start);
    }

    fn claims(&mut self, game: u64, by: Color, claim: Claim) {
        self.named(Role::Arbiter, "arbiter", Input::Game { game: GameId(game), input: About::Fact(Fact::Claim { by, claim }) });
    }

    /// What the daemon finds out by itself.
    pub(crate) fn found(&mut self, game: u64, fact: Fact) {
        self.daemon(Input::Game { game: GameId(game), input: About::Fact(fact) });
    }

    /// Moves in turn, each pressed.
    pub(crate) fn moves(&mut self, game: u64, first: Color, texts: &str) {
        let mut by = first;
        for text in texts.split(' ') {
            self.told(game, &format!("{} play {text}", by.fold_wb("white", "black")));
            by = !by;
        }
    }

    /// Play goes on, where it was stopped.
    fn resumes(&mut self, game: u64) {
        if matches!(self.phase(game), Phase::Stopped(_)) {
            self.rule(game, Ruling::Resume);
        }
    }

    /// Board 5: claims decided at once, and one on the clocks, which is for the arbiter.
    fn claims_of_a_draw(&mut self) {
        self.started(5, Regulations { supervision: Supervision::Full, ..control("5400+30") });
        self.moves(5, White, "Nf3 Nf6 Ng1 Ng8");
        self.claims(5, White, Claim::Threefold { with: "b1c3".parse().ok() });
        self.resumes(5);
        self.moves(5, White, "Nf3 Nf6");
        self.claims(5, White, Claim::Fifty { with: "a1a3".parse().ok() });
        self.resumes(5);
        self.moves(5, White, "Ng1");
        self.claims(5, Black, Claim::Clocks { times: ByColor { white: Millis::seconds(5_400), black: Millis::seconds(5_500) } });
        self.rule(5, Ruling::Uphold { reason: "as it was agreed".into() });
        self.resumes(5);
        self.moves(5, Black, "Ng8");
        self.claims(5, White, Claim::Threefold { with: None });
        assert_eq!(self.phase(5), Phase::Over);
    }

    /// Board 6: only players call flags here; whether the other side could mate comes as a verdict.
    fn a_flag_that_a_player_calls(&mut self) {
        self.started(6, Regulations { flags: Some(FlagsBy::Players), ..control("60") });
        self.claims(6, Black, Claim::Flag);
        self.resumes(6);
        self.hall += 70_000;
        self.claims(6, Black, Claim::Flag);
        let mate = ["f2f3", "e7e5", "g2g4", "d8h4"].map(|uci| uci.parse().unwrap()).to_vec();
        let mating = ByColor { white: Some(Mating::Unclear), black: Some(Mating::Possible(mate)) };
        self.found(6, Fact::Verdict { ply: 0, position: named(&Chess::default()), mating });
        assert_eq!(self.phase(6), Phase::Over);
    }

    /// Board 7: the arbiter observes the flag; he decides claims too.
    fn a_flag_that_the_arbiter_calls(&mut self) {
        self.started(7, Regulations { flags: Some(FlagsBy::Arbiter), claims: ClaimsBy::Arbiter, ..control("60") });
        self.claims(7, White, Claim::Fifty { with: None });
        self.rule(7, Ruling::Reject { reason: String::new() });
        self.resumes(7);
        self.hall += 200_000;
        self.rule(7, Ruling::CallFlag { color: White });
    }

    /// Board 8: a device that cannot tell which flag fell first.
    fn both_flags(&mut self) {
        let introduction = Introduction { model: "Testuhr".into(), firmware: "1.0".into(), senses_board: false, wrap: None, scale: 1_000 };
        let origin = Origin::new(Role::Clock, String::new());
        self.put(origin, None, Input::Hello { device: DeviceId(21), introduction });
        let left = ByColor::new_with(|_| Millis(900));
        self.seated(8, Some(control("60")), Start::standard(), Some(DeviceId(21)), None, Some(left));
        self.rule(8, Ruling::Start);
        self.confirms(21, 8, 1_000);
        self.fact(21, 1_500, Fact::BothFlags);
        assert_eq!(self.phase(8), Phase::Over);
    }

    /// Board 9: less than two minutes left, and no increment.
    fn quickplay_finish(&mut self) {
        let own = Regulations { quickplay: Some(true), default_time: Some(Millis::minutes(15)), ..control("1800") };
        let left = ByColor::new_with(|_| Millis::seconds(100));
        self.seated(9, Some(own), Start::standard(), None, None, Some(left));
        self.rule(9, Ruling::Start);
        self.moves(9, White, "e4 e5");
        self.claims(9, White, Claim::Quickplay { ground: Ground::Both });
        self.rule(9, Ruling::Postpone { reason: "play on".into() });
        self.resumes(9);
        self.moves(9, White, "Nf3 Nc6");
        self.rule(9, Ruling::Reject { reason: "he tries to win".into() });
        self.resumes(9);
        self.claims(9, White, Claim::FiveSeconds);
        self.rule(9, Ruling::Uphold { reason: String::new() });
        self.resumes(9);
        self.moves(9, White, "Bb5");
        self.claims(9, Black, Claim::Quickplay { ground: Ground::CannotWin });
        self.told(9, "black resign");
    }

    /// Board 10: illegal moves ruled and claimed, and what else an arbiter may inflict.
    fn illegal_moves(&mut self) {
        let otherwise = BTreeSet::from([OpenPoint::Fines, OpenPoint::RestoredPosition]);
        self.started(10, Regulations { otherwise, ..control("5400+30") });
        self.moves(10, White, "e2e5");
        self.rule(10, Ruling::RuleIllegal { color: Some(White), two_hands: false });
        self.resumes(10);
        self.moves(10, White, "e4 e7e4");
        self.claims(10, White, Claim::IllegalMove);
        self.resumes(10);
        self.moves(10, Black, "e5 Nf3 Nc6");
        self.rule(10, Ruling::Restore { plies: 2 });
        let reason = || "as announced".to_string();
        for penalty in [
            Penalty::Warning,
            Penalty::OpponentTime(Millis::minutes(3)),
            Penalty::OwnTime(Millis::minutes(1)),
            Penalty::Fine,
            Penalty::Exclusion,
            Penalty::OpponentPoints(1),
        ] {
            self.rule(10, Ruling::Penalise { color: Black, penalty, reason: reason() });
        }
        self.resumes(10);
        self.rule(10, Ruling::Penalise { color: Black, penalty: Penalty::OwnPoints(1), reason: reason() });
        self.rule(10, Ruling::Penalise { color: White, penalty: Penalty::Loss, reason: reason() });
        assert_eq!(self.phase(10), Phase::Over);
    }

    /// Board 11: the pawn becomes a queen.
    fn a_pawn_left_on_the_last_rank(&mut self) {
        self.seated(11, None, Start::fen("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1").unwrap(), None, None, None);
        self.rule(11, Ruling::Start);
        self.moves(11, White, "a7a8");
        self.rule(11, Ruling::RuleIllegal { color: None, two_hands: false });
        self.resumes(11);
        self.rule(11, Ruling::Penalise { color: Black, penalty: Penalty::Expulsion, reason: "he shouts".into() });
    }

    /// Board 12: reversed colours, found when both have made ten moves.
    fn colours_reversed(&mut self) {
        self.started(12, control("5400+30"));
        self.moves(12, White, "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7");
        self.rule(12, Ruling::FindColoursReversed);
        assert_ne!(self.phase(12), Phase::Annulled);
    }

    /// Board 13: an array drawn, and set up wrongly.
    fn wrong_setup(&mut self) {
        self.seated(13, None, Start::drawn(2026), None, None, None);
        self.rule(13, Ruling::Start);
        self.rule(13, Ruling::FindWrongSetup);
        assert_eq!(self.phase(13), Phase::Annulled);
    }

    /// Board 17, under older Laws: found too late, the game goes on, and the king from d1 may not castle.
    fn wrong_setup_found_too_late(&mut self) {
        let swapped = Start::fen("rnbkqbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1").unwrap();
        self.seated(17, Some(Regulations { edition: Edition::Y2009, ..control("1500") }), swapped, None, None, None);
        self.rule(17, Ruling::Start);
        self.moves(17, White, "e4 e5 Nf3 Nc6 Nc3 Nf6");
        self.rule(17, Ruling::FindWrongSetup);
        assert_eq!(self.phase(17), Phase::Stopped(StopReason::Arbiter));
    }

    /// Boards 14 and 15: one player does not come, and another is excused.
    fn late(&mut self) {
        for (board, absent) in [(14, White), (15, Black)] {
            self.seated(board, None, Start::standard(), None, Some(absent), None);
        }
        self.rule(15, Ruling::Excuse { color: Black, reason: "the bus".into() });
        self.rule(14, Ruling::Start);
        self.found(14, Fact::Late { color: White });
        assert_eq!(self.phase(14), Phase::Over);
    }

    /// Board 16: nobody finds out whether the knight can mate, and the arbiter rules.
    fn a_verdict_that_is_awaited(&mut self) {
        let start = Start::fen("8/2k1n3/8/8/8/8/2K2N2/8 w - - 0 1").unwrap();
        self.seated(16, Some(control("60")), start, None, None, None);
        self.rule(16, Ruling::Start);
        self.hall += 61_000;
        self.found(16, Fact::Flag { color: White });
        self.found(16, Fact::Verdict { ply: 0, position: named(&Chess::default()), mating: ByColor { white: None, black: Some(Mating::Unclear) } });
        self.rule(16, Ruling::DeclareResult { score: Score::Draw, reason: "nobody knows".into() });
    }
}
