//! Article 7: illegal moves and what they cost, positions restored, wrong set-up, reversed colours.

use shakmaty::{Bitboard, ByColor, Chess, Color, File, Position, Rank, Role, uci::UciMove};

use super::claims::{Judgement, put, stop_for_claim};
use super::entry::{Claim, Consequence, Duty, Loss, Refusal, Score, StopReason, Termination};
use super::{Decision, Game, OpenPoint, arbiter, chessclock, completion, mating};
use crate::board::Line;
use crate::clock::{Adjustment, Clock};
use crate::laws::{Acts, Article, Fixed, Promotion, Until, WrongCastling};

/// What is ruled illegal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A press without a move.
    Press,
    /// The move of this ply, from 0.
    Ply(usize),
}

/// Why nothing can be ruled illegal: a word for programs, the ground, the reason.
type Against = (&'static str, Article, &'static str);

/// What a ruling about this side's last completed move would be about.
fn target(game: &Game, color: Color, two_hands: bool) -> Result<Target, Against> {
    let laws = &game.laws.illegal_move;
    if game.empty_press == Some(color) && !two_hands {
        return match laws.press_without_move {
            Some(_) => Ok(Target::Press),
            None => Err(("no-illegal-move", laws.handling, "a press without a move is no illegal move in this edition: inflict a penalty")),
        };
    }
    if two_hands && laws.two_hands.is_none() {
        return Err(("no-illegal-move", laws.handling, "two hands are no illegal move in this edition: inflict a penalty"));
    }
    let first = game.line.start().position.turn();
    let mover = |ply: usize| if ply.is_multiple_of(2) { first } else { !first };
    let plies = game.line.plies();
    let wrong = |ply: usize| two_hands || !plies[ply].legal || plies[ply].made.is_none();
    let mut own = (0..plies.len()).rev().filter(|ply| mover(*ply) == color);
    let Some(ply) = (if two_hands { own.next() } else { own.find(|ply| wrong(*ply)) }) else {
        return Err(("move-is-legal", laws.article, "by the record that side has made no illegal move"));
    };
    let completed = plies[ply].left.is_some() || (game.laws.completed.by_next_move && plies.len() > ply + 2);
    if !completed {
        return Err(("not-completed", laws.article, "the move was not completed: the player may still put it right"));
    }
    if laws.until == Until::OpponentMoves && plies.len() > ply + 1 {
        return Err(("too-late", laws.article, "the opponent has made his own move: it stands"));
    }
    Ok(Target::Ply(ply))
}

/// The side that is meant where none is named: who pressed without a move, or moved last.
fn meant(game: &Game, color: Option<Color>) -> Option<Color> {
    color.or(game.empty_press).or(game.last_mover)
}

/// What stands against ruling that side's last completed move illegal.
pub(super) fn admit_illegal(game: &Game, color: Option<Color>, two_hands: bool) -> Result<(), Refusal> {
    let laws = &game.laws.illegal_move;
    let refused = |(code, article, why): Against| Refusal::Contradicts { code, article, why: why.to_string() };
    let Some(color) = meant(game, color) else {
        return Err(refused(("move-is-legal", laws.article, "no move has been made")));
    };
    if still_impossible(game) {
        return Ok(());
    }
    if laws.still_impossible.is_some() && impossible(&game.line) {
        return Err(refused(("wait", laws.article, "wait for the next completed move: if the position is impossible then, it is a draw")));
    }
    target(game, color, two_hands).map_err(refused)?;
    let acts = match laws.arbiter_acts {
        Acts::Always => true,
        Acts::OnClaim => false,
        Acts::OnClaimUnlessImpossible => impossible(&game.line),
    };
    if acts { Ok(()) } else { Err(refused(("arbiter-refrains", laws.article, "only the opponent may claim it here, before he moves"))) }
}

/// What stands against granting a claim that this side's last move was illegal.
pub(super) fn admit_claim(game: &Game, color: Color) -> Result<(), Refusal> {
    let refused = |(code, article, why): Against| Refusal::Contradicts { code, article, why: why.to_string() };
    target(game, color, false).map(|_| ()).map_err(refused)
}

/// Both kings in check, or a pawn on the last rank.
fn impossible(line: &Line) -> bool {
    let pawn = line.plies().last().and_then(|ply| ply.made).is_some_and(|made| promotes_to_nothing(line, made));
    line.raw().is_some_and(|raw| raw.kings_in_check()) || pawn
}

fn promotes_to_nothing(line: &Line, made: UciMove) -> bool {
    let UciMove::Normal { to, promotion: None, .. } = made else { return false };
    let pawn = line.raw().and_then(|raw| raw.piece(to)).is_some_and(|piece| piece.role == Role::Pawn);
    pawn && (to.rank() == Rank::Eighth || to.rank() == Rank::First)
}

/// A position that was impossible and is no legal one although the opponent has completed a move since (A.5.4).
fn still_impossible(game: &Game) -> bool {
    let answered = game.line.plies().iter().rev().take(2).map(|ply| ply.left.is_some()).eq([true, true]);
    let illegal = game.line.raw().is_some_and(|raw| raw.legal().is_none());
    if game.laws.illegal_move.still_impossible.is_none() || !answered || !illegal {
        return false;
    }
    let mut before = game.line.clone();
    before.pop();
    impossible(&before)
}

/// The arbiter rules a completed move illegal.
pub(super) fn rule_illegal(d: &mut Decision, color: Option<Color>, two_hands: bool) {
    if let (Some(article), true) = (d.game.laws.illegal_move.still_impossible, still_impossible(&d.game)) {
        return completion::over(d, Score::Draw, Termination::IllegalMoves, &article);
    }
    if let Some(color) = meant(&d.game, color) {
        rule(d, color, two_hands);
    }
}

/// A completed illegal move is put right and paid for.
pub(super) fn rule(d: &mut Decision, color: Color, two_hands: bool) {
    let Ok(target) = target(&d.game, color, two_hands) else { return };
    let laws = &d.game.laws.illegal_move;
    chessclock::halt(d, StopReason::Restored);
    falls_away(d, laws.article);
    let mut sides = chessclock::sides(&d.game.clock);
    let (offer, duty) = (d.game.offer, d.game.duty);
    let queen = queen(&d.game, target);
    match (target, queen) {
        (_, Some(made)) => d.so(Consequence::Promoted { by: color, made }),
        (Target::Ply(ply), None) => back_to(d, ply, color, &mut sides),
        (Target::Press, None) => back_to(d, d.game.line.plies().len(), color, &mut sides),
    }
    stands_all_the_same(d, offer, duty);
    let priced = match laws.fixed {
        Fixed::Always => true,
        Fixed::InQuickplay => {
            let period = d.game.clock.side(color).period as usize;
            d.game.clock.control().moves_until(color, period).is_none()
        }
    };
    let count = d.game.illegal.get(color) + 1;
    let article = if priced { laws.tariff } else { laws.article };
    d.so(Consequence::IllegalCounted { color, count, article });
    let lost = priced && laws.loses_at.is_some_and(|limit| count >= limit);
    let opponent = sides.get_mut(!color);
    if priced && !lost {
        opponent.left = opponent.left.adjusted(Adjustment::gain(laws.opponent_gains));
    }
    arbiter::set(d, sides);
    if lost {
        let loss = Loss { color, termination: Termination::IllegalMoves, article };
        if laws.draws_if_unwinnable { mating::decides(d, loss) } else { completion::over(d, Score::win(!color), loss.termination, &article) }
    } else if queen.is_some() {
        completion::promoted(d);
    }
}

/// A claim about the position, or the move, that is taken back now.
fn falls_away(d: &mut Decision, article: Article) {
    let about = |claim: &Claim| matches!(claim, Claim::IllegalMove | Claim::Threefold { .. } | Claim::Fifty { .. });
    if d.game.claim.is_some_and(|pending| about(&pending.claim)) {
        d.so(Consequence::ClaimEnded { article });
    }
}

/// An illegal move takes no offer back (9.1.2.1), and what had to be played has to be played still.
fn stands_all_the_same(d: &mut Decision, offer: Option<Color>, duty: Option<(Color, Duty)>) {
    if let Some(by) = offer.filter(|_| d.game.offer.is_none()) {
        d.so(Consequence::OfferMade { by });
    }
    if let Some((by, duty)) = duty.filter(|(by, _)| *by == d.game.on_move && d.game.duty.is_none()) {
        d.so(Consequence::DutySet { by, duty: Some(duty) });
    }
}

/// The move as the edition completes it, where a pawn was left on the last rank.
fn queen(game: &Game, target: Target) -> Option<UciMove> {
    let Target::Ply(ply) = target else { return None };
    let last = game.line.plies().len() == ply + 1 && game.laws.illegal_move.promotion == Promotion::Queen;
    match game.line.plies().get(ply)?.made? {
        made @ UciMove::Normal { from, to, .. } if last && promotes_to_nothing(&game.line, made) => {
            let queen = UciMove::Normal { from, to, promotion: Some(Role::Queen) };
            let (_, position) = game.line.known();
            queen.to_move(position).is_ok().then_some(queen)
        }
        _ => None,
    }
}

/// So many plies stand; the counts follow, and the clocks' counters with them. A move out of turn or a press without one leaves them too.
fn back_to(d: &mut Decision, plies: usize, on_move: Color, sides: &mut ByColor<Clock>) {
    let first = d.game.line.start().position.turn();
    let all = d.game.line.plies();
    let (mut made, mut completed, mut known) = (ByColor::default(), ByColor::default(), ByColor::default());
    for (i, ply) in all.iter().enumerate() {
        let mover = if i.is_multiple_of(2) { first } else { !first };
        let complete = u32::from(ply.left.is_some() || (d.game.laws.completed.by_next_move && i + 2 < all.len()));
        *known.get_mut(mover) += complete;
        if i < plies {
            *made.get_mut(mover) += 1;
            *completed.get_mut(mover) += complete;
        } else if ply.left.is_some() {
            sides.get_mut(mover).counter = sides.get(mover).counter.saturating_sub(1);
        }
    }
    for color in Color::ALL {
        let out_of_turn: u32 = d.game.completed.get(color).saturating_sub(*known.get(color));
        let without_a_move = u32::from(d.game.empty_press == Some(color));
        sides.get_mut(color).counter = sides.get(color).counter.saturating_sub(out_of_turn + without_a_move);
    }
    let article = d.game.laws.restored;
    d.so(Consequence::Restored { plies: plies as u32, on_move, made, completed, article });
}

/// The position after so many plies is put back (7.1).
pub(super) fn restore(d: &mut Decision, plies: u32) {
    chessclock::halt(d, StopReason::Restored);
    falls_away(d, d.game.laws.restored);
    let mut sides = chessclock::sides(&d.game.clock);
    let first = d.game.line.start().position.turn();
    let on_move = if plies.is_multiple_of(2) { first } else { !first };
    back_to(d, plies as usize, on_move, &mut sides);
    arbiter::set(d, sides);
}

/// A player claims that his opponent's last move was illegal.
pub(super) fn claim(d: &mut Decision, by: Color) {
    let laws = d.game.laws;
    if d.game.waits() {
        let judgement = Judgement::not_admitted(laws.claim.procedure, "a claim waits for its decision");
        return put(d, by, Claim::IllegalMove, judgement);
    }
    stop_for_claim(d);
    let judgement = match target(&d.game, !by, false) {
        Ok(_) => Judgement::correct(laws.illegal_move.article, "the move is illegal and was completed"),
        Err((_, article, why)) => Judgement::incorrect(article, why),
    };
    put(d, by, Claim::IllegalMove, judgement);
}

/// Whether both have completed so many moves.
pub(super) fn both_have_completed(game: &Game, moves: u32) -> bool {
    game.completed.white >= moves && game.completed.black >= moves
}

/// The game began from a wrong position: void, as long as that may still be found.
pub(super) fn wrong_setup(d: &mut Decision) {
    let laws = &d.game.laws.wrong_setup;
    let open = laws.closes_after.is_none_or(|moves| !both_have_completed(&d.game, moves));
    found(d, open, if open { laws.voids } else { laws.article });
    let start = d.game.line.start();
    // In an array of Chess960 no square is a wrong one by itself.
    let rooks = if start.number.is_none() { misplaced(&start.position, laws.castling) } else { Bitboard::EMPTY };
    if !open && rooks.any() {
        d.so(Consequence::CastlingForbidden { rooks: rooks.into_iter().collect() });
    }
}

/// The rooks with which a player may not castle because king or rook began on a wrong square.
fn misplaced(start: &Chess, forbidden: WrongCastling) -> Bitboard {
    let rights = start.castles().castling_rights();
    let mut rooks = Bitboard::EMPTY;
    for color in Color::ALL {
        let home = Bitboard::from(color.fold_wb(Rank::First, Rank::Eighth));
        let king = start.board().king_of(color).is_some_and(|king| king.file() != File::E);
        for rook in rights & home {
            let corner = rook.file() == File::A || rook.file() == File::H;
            let wrong = match forbidden {
                WrongCastling::Allowed => false,
                WrongCastling::King => king,
                WrongCastling::KingOrRook => king || !corner,
            };
            if wrong {
                rooks.add(rook);
            }
        }
    }
    rooks
}

/// Colours were reversed: a new game or not, as the edition says (7.3).
pub(super) fn colours_reversed(d: &mut Decision) {
    let laws = &d.game.laws.colours_reversed;
    let restart = laws.restart_before.is_some_and(|moves| {
        let completed = d.game.completed;
        let fewer = if d.game.regulations.otherwise(OpenPoint::UnevenTenMoves) {
            completed.white.max(completed.black)
        } else {
            completed.white.min(completed.black)
        };
        fewer < moves
    });
    found(d, restart, laws.article);
}

fn found(d: &mut Decision, void: bool, article: Article) {
    if void {
        arbiter::annul(d);
    } else {
        chessclock::halt(d, StopReason::Arbiter);
        d.so(Consequence::Noted { color: None, article });
    }
}
