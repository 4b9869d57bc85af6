//! A table of the Laws as rows that can be shown and compared.
//!
//! Every struct is taken apart field by field, so that a new field does not compile until it has a row.

use super::{
    Acts, Adjournment, Agreement, Article, BadMove, BothFlags, BothFlagsThen, ColoursReversed, Completed, CorrectedLater, DefaultTime, DrawClaim,
    Fivefold, Fixed, Flag, FlagCalled, Grounds, Halving, IllegalMove, Late, LateAfter, Laws, LetOut, MatingBy, NeededToWin, Offer, OfferNoted,
    Penalties, Promotion, Quickplay, RapidRange, Recording, RefusedBy, Rejected, Resignation, Stopping, Unstated, Until, WrongCastling, WrongSetup,
};
use crate::clock::Millis;

/// One thing that an edition says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Name, the same in every edition.
    pub field: &'static str,
    /// What holds, in plain words or figures.
    pub value: String,
    /// Citation; empty where the edition has no such rule.
    pub article: String,
    /// Not seen in a text of this edition.
    pub unverified: bool,
}

/// The rows of one table, as they are gathered.
struct Rows<'a> {
    unverified: &'a [&'a str],
    rows: Vec<Row>,
}

impl Rows<'_> {
    fn add(&mut self, field: &'static str, value: impl Into<String>, article: Option<Article>) {
        let article = article.map(|article| article.to_string()).unwrap_or_default();
        self.rows.push(Row { field, value: value.into(), article, unverified: self.unverified.iter().any(|entry| names(entry, field)) });
    }

    /// A rule that every edition has: only its citation differs.
    fn rule(&mut self, field: &'static str, article: Article) {
        self.add(field, "yes", Some(article));
    }

    /// A rule that an edition has or has not.
    fn maybe(&mut self, field: &'static str, article: Option<Article>) {
        self.add(field, yes(article.is_some()), article);
    }
}

/// Whether an entry of [`Laws::unverified`] stands for a row: it is its name, or ends in `.*` and the name begins as it does.
pub(super) fn names(entry: &str, field: &str) -> bool {
    entry.strip_suffix('*').map_or(entry == field, |prefix| prefix.ends_with('.') && field.starts_with(prefix))
}

fn yes(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

fn number(n: Option<u32>) -> String {
    n.map_or_else(|| "none".to_string(), |n| n.to_string())
}

/// What a table says, in the order in which it says it.
pub fn rows(laws: &Laws) -> Vec<Row> {
    let Laws {
        edition: _,
        play: _,
        supervision: _,
        unverified,
        range,
        checkmate,
        stalemate,
        dead_position,
        agreement,
        resignation,
        completed,
        counter,
        start,
        default_time,
        flag,
        both_flags,
        needed_to_win,
        defective_clock,
        wrong_setting,
        stopping,
        restored,
        wrong_setup,
        colours_reversed,
        illegal_move,
        recording,
        result,
        offer,
        claim,
        fivefold,
        seventy_five,
        quickplay,
        adjournment,
        time_added,
        arbiter,
        penalties,
    } = laws;
    let mut rows = Rows { unverified, rows: Vec::new() };
    let RapidRange { article, from, below } = range;
    // Whole milliseconds: "more than" begins with the next one, and so does what comes after "up to".
    let whole = |time: &Millis| time.0.is_multiple_of(1_000);
    let before = |time: &Millis| time.less(Millis(1));
    rows.add("rapid.from", if whole(from) { from.to_string() } else { format!("more than {}", before(from)) }, Some(*article));
    rows.add("rapid.to", if whole(below) { format!("less than {below}") } else { before(below).to_string() }, Some(*article));
    rows.rule("checkmate", *checkmate);
    rows.rule("stalemate", *stalemate);
    rows.rule("dead-position", *dead_position);
    let Agreement { article, both_have_moved } = agreement;
    rows.add("agreement.both-have-moved", yes(*both_have_moved), Some(*article));
    let Resignation { article, draws_if_unwinnable } = resignation;
    rows.add("resignation.draws-if-unwinnable", yes(*draws_if_unwinnable), Some(*article));
    let Completed { article, by_next_move } = completed;
    rows.add("completed.by-next-move", yes(*by_next_move), Some(*article));
    rows.rule("counter", *counter);
    rows.rule("start", *start);
    default_time_rows(&mut rows, default_time);
    flag_rows(&mut rows, flag, both_flags, needed_to_win);
    rows.rule("defective-clock", *defective_clock);
    rows.rule("wrong-setting", *wrong_setting);
    let Stopping { article, by_player, without_reason } = stopping;
    rows.rule("stopping", *article);
    rows.rule("stopping.by-player", *by_player);
    rows.maybe("stopping.without-reason", *without_reason);
    rows.rule("restored", *restored);
    let WrongSetup { voids, article, closes_after, castling } = wrong_setup;
    rows.rule("wrong-setup.voids", *voids);
    rows.add("wrong-setup.closes-after", number(*closes_after), Some(*article));
    let castling = match castling {
        WrongCastling::Allowed => "allowed",
        WrongCastling::King => "not with a misplaced king",
        WrongCastling::KingOrRook => "not with a misplaced king or rook",
    };
    rows.add("wrong-setup.castling", castling, Some(*article));
    let ColoursReversed { article, restart_before } = colours_reversed;
    rows.add("colours-reversed.restart-before", number(*restart_before), Some(*article));
    illegal_move_rows(&mut rows, illegal_move);
    let Recording { article, required, exemption, exempt_below, unless_increment } = recording;
    rows.add("recording.required", yes(*required), Some(*article));
    rows.add("recording.exempt-below", exempt_below.to_string(), Some(*exemption));
    let unless_increment = unless_increment.map_or_else(|| "none".to_string(), |increment| increment.to_string());
    rows.add("recording.unless-increment", unless_increment, Some(*exemption));
    rows.rule("result", *result);
    let Offer { article, disturbance, recorded, refused_by } = offer;
    rows.rule("offer", *article);
    rows.rule("offer.disturbance", *disturbance);
    rows.rule("offer.recorded", *recorded);
    rows.add("offer.refused-by", hand(*refused_by), Some(*article));
    claim_rows(&mut rows, claim);
    let (value, article) = match fivefold {
        Fivefold::Never => ("no", None),
        Fivefold::Consecutive(article) => ("consecutive", Some(*article)),
        Fivefold::AnyOrder(article) => ("any order", Some(*article)),
    };
    rows.add("fivefold", value, article);
    rows.maybe("seventy-five", *seventy_five);
    quickplay_rows(&mut rows, quickplay.as_ref());
    adjournment_rows(&mut rows, adjournment);
    rows.rule("time-added", *time_added);
    rows.rule("arbiter", *arbiter);
    penalty_rows(&mut rows, penalties);
    rows.rows
}

fn default_time_rows(rows: &mut Rows<'_>, default_time: &DefaultTime) {
    let DefaultTime { article, unless_stated, neither_present } = default_time;
    let unless_stated = match unless_stated {
        Unstated::Hour => Millis::minutes(60).to_string(),
        Unstated::Zero => Millis::ZERO.to_string(),
        Unstated::MustBeStated => "must be stated".to_string(),
    };
    rows.add("default-time.unless-stated", unless_stated, Some(*article));
    rows.maybe("default-time.neither-present", *neither_present);
}

fn flag_rows(rows: &mut Rows<'_>, flag: &Flag, both_flags: &BothFlags, needed_to_win: &NeededToWin) {
    let Flag { article, observed, called, claimed } = flag;
    rows.rule("flag", *article);
    rows.rule("flag.observed", *observed);
    let called = match called {
        FlagCalled::ByArbiter => "by the arbiter or a player",
        FlagCalled::ArbiterShall => "by the arbiter, who shall, or a player",
        FlagCalled::ByPlayers => "by a player",
        FlagCalled::ByPlayersUnlessBoth => "by a player, unless both are down",
    };
    rows.add("flag.called", called, Some(*observed));
    rows.rule("flag.claimed", *claimed);
    let BothFlags { article, continues, then } = both_flags;
    let then = match then {
        BothFlagsThen::ContinuesUnlessQuickplay => "drawn in the quickplay finish",
        BothFlagsThen::ContinuesUnlessLastPeriod => "drawn in the last period",
        BothFlagsThen::Guideline => "drawn in the last period, by guideline",
        BothFlagsThen::AlwaysDrawn => "drawn",
    };
    rows.add("both-flags.then", then, Some(*article));
    rows.rule("both-flags.continues", *continues);
    let NeededToWin { article, by } = needed_to_win;
    let by = match by {
        MatingBy::AnySeries => "any series of moves",
        MatingBy::Potential => "mating potential",
    };
    rows.add("needed-to-win.by", by, Some(*article));
}

fn illegal_move_rows(rows: &mut Rows<'_>, illegal_move: &IllegalMove) {
    let IllegalMove {
        article,
        tariff,
        opponent_gains,
        amount,
        loses_at,
        fixed,
        draws_if_unwinnable,
        until,
        arbiter_acts,
        still_impossible,
        promotion,
        press_without_move,
        handling,
        two_hands,
    } = illegal_move;
    rows.rule("illegal-move", *article);
    rows.add("illegal-move.opponent-gains", opponent_gains.to_string(), Some(*amount));
    rows.add("illegal-move.loses-at", loses_at.map_or_else(|| "none".to_string(), |n| format!("loses at {n}")), Some(*tariff));
    let fixed = match fixed {
        Fixed::Always => "always",
        Fixed::InQuickplay => "in the quickplay finish",
    };
    rows.add("illegal-move.fixed", fixed, Some(*tariff));
    rows.add("illegal-move.draws-if-unwinnable", yes(*draws_if_unwinnable), Some(*tariff));
    let until = match until {
        Until::GameEnds => "the game ends",
        Until::OpponentMoves => "the opponent moves",
    };
    rows.add("illegal-move.until", until, Some(*article));
    let arbiter_acts = match arbiter_acts {
        Acts::Always => "always",
        Acts::OnClaim => "on a claim",
        Acts::OnClaimUnlessImpossible => "on a claim, unless impossible",
    };
    rows.add("illegal-move.arbiter-acts", arbiter_acts, Some(*article));
    rows.add("illegal-move.still-impossible", if still_impossible.is_some() { "drawn" } else { "no" }, *still_impossible);
    let promotion = match promotion {
        Promotion::TakenBack => "taken back",
        Promotion::Queen => "queen",
    };
    rows.add("illegal-move.promotion", promotion, Some(*article));
    rows.maybe("illegal-move.press-without-move", *press_without_move);
    rows.rule("illegal-move.handling", *handling);
    rows.maybe("illegal-move.two-hands", *two_hands);
}

fn hand(by: RefusedBy) -> &'static str {
    match by {
        RefusedBy::Move => "move",
        RefusedBy::Touch => "touch",
    }
}

fn claim_rows(rows: &mut Rows<'_>, claim: &DrawClaim) {
    let DrawClaim { threefold, fifty, lapse, lost_by, procedure, correct, incorrect, opponent_gains, amount, claimant_loses, is_offer } = claim;
    let Grounds { written, standing } = threefold;
    rows.rule("claim.threefold.written", *written);
    rows.rule("claim.threefold.standing", *standing);
    let Grounds { written, standing } = fifty;
    rows.rule("claim.fifty.written", *written);
    rows.rule("claim.fifty.standing", *standing);
    rows.add("claim.lost-by", hand(*lost_by), Some(*lapse));
    rows.rule("claim.procedure", *procedure);
    rows.rule("claim.correct", *correct);
    rows.add("wrong-claim.opponent-gains", opponent_gains.to_string(), Some(*amount));
    let loses = match claimant_loses {
        None => "none".to_string(),
        Some(Halving { at_most, floor: None }) => format!("half, at most {at_most}"),
        Some(Halving { at_most, floor: Some(floor) }) => format!("half, at most {at_most}, down to {floor}"),
    };
    rows.add("wrong-claim.claimant-loses", loses, Some(*incorrect));
    rows.maybe("claim.is-offer", *is_offer);
}

fn quickplay_rows(rows: &mut Rows<'_>, quickplay: Option<&Quickplay>) {
    let Some(quickplay) = quickplay else {
        rows.add("quickplay", "no", None);
        for field in [
            "quickplay.announced",
            "quickplay.without-increment",
            "quickplay.below",
            "quickplay.upheld",
            "quickplay.postponed",
            "quickplay.rejected",
            "quickplay.is-offer",
            "quickplay.five-seconds",
            "quickplay.no-arbiter",
        ] {
            rows.add(field, "none", None);
        }
        return;
    };
    let Quickplay { article, announced, without_increment, below, upheld, postponed, rejected, is_offer, five_seconds, no_arbiter } = quickplay;
    rows.rule("quickplay", *article);
    rows.add("quickplay.announced", yes(*announced), Some(*article));
    rows.add("quickplay.without-increment", yes(*without_increment), Some(*article));
    rows.add("quickplay.below", below.to_string(), Some(*article));
    rows.rule("quickplay.upheld", *upheld);
    rows.rule("quickplay.postponed", *postponed);
    let (value, article) = match rejected {
        Some(Rejected { article, opponent_gains }) => (opponent_gains.to_string(), Some(*article)),
        None => ("no".to_string(), None),
    };
    rows.add("quickplay.rejected", value, article);
    rows.maybe("quickplay.is-offer", *is_offer);
    rows.maybe("quickplay.five-seconds", *five_seconds);
    rows.rule("quickplay.no-arbiter", *no_arbiter);
}

fn adjournment_rows(rows: &mut Rows<'_>, adjournment: &Adjournment) {
    let Adjournment {
        sealing,
        early,
        early_recorded,
        envelope,
        offer_noted,
        offer_item,
        custody,
        offer_after,
        set_up,
        ended,
        opening,
        bad_move,
        responder_present,
        responder_absent,
        sealer_absent,
        reply_kept,
        late,
        late_sealer,
        neither_present,
        lost,
        position_lost,
        wrong_times,
        corrected_later,
        sessions,
        end_announced,
    } = adjournment;
    rows.rule("adjournment.sealing", *sealing);
    rows.rule("adjournment.early", *early);
    rows.add("adjournment.early-recorded", yes(*early_recorded), Some(*early));
    rows.rule("adjournment.envelope", *envelope);
    let noted = match offer_noted {
        OfferNoted::Made => "made before",
        OfferNoted::Current => "current",
    };
    rows.add("adjournment.offer-noted", noted, Some(*offer_item));
    rows.rule("adjournment.custody", *custody);
    rows.rule("adjournment.offer-after", *offer_after);
    rows.rule("adjournment.set-up", *set_up);
    rows.rule("adjournment.ended", *ended);
    rows.rule("adjournment.opening", *opening);
    let BadMove { article, ambiguous, undecipherable, illegal, except } = bad_move;
    rows.add("adjournment.bad-move.except", *except, Some(*article));
    rows.rule("adjournment.bad-move.ambiguous", *ambiguous);
    rows.rule("adjournment.bad-move.undecipherable", *undecipherable);
    rows.rule("adjournment.bad-move.illegal", *illegal);
    rows.rule("adjournment.responder-present", *responder_present);
    rows.rule("adjournment.responder-absent", *responder_absent);
    rows.rule("adjournment.sealer-absent", *sealer_absent);
    rows.maybe("adjournment.reply-kept", *reply_kept);
    let Late { article, after, let_out } = late;
    let after = match after {
        LateAfter::Hour => "an hour",
        LateAfter::DefaultTime => "the default time",
    };
    rows.add("adjournment.late.after", after, Some(*article));
    let let_out = match let_out {
        LetOut::None => "none",
        LetOut::RulesOrArbiter => "the rules or the arbiter",
        LetOut::Arbiter => "the arbiter",
    };
    rows.add("adjournment.late.let-out", let_out, Some(*article));
    rows.rule("adjournment.late-sealer", *late_sealer);
    rows.maybe("adjournment.neither-present", *neither_present);
    rows.rule("adjournment.lost", *lost);
    rows.rule("adjournment.position-lost", *position_lost);
    rows.rule("adjournment.wrong-times", *wrong_times);
    let later = match corrected_later {
        CorrectedLater::IfTooSevere => "if too severe",
        CorrectedLater::AsTheArbiterDecides => "as the arbiter decides",
    };
    rows.add("adjournment.corrected-later", later, Some(*wrong_times));
    rows.rule("adjournment.sessions", *sessions);
    rows.add("adjournment.end-announced", yes(*end_announced), Some(*sessions));
}

fn penalty_rows(rows: &mut Rows<'_>, penalties: &Penalties) {
    let Penalties { warning, opponent_time, own_time, opponent_points, own_points, loss, fine, exclusion, expulsion } = penalties;
    rows.rule("penalties.warning", *warning);
    rows.rule("penalties.opponent-time", *opponent_time);
    rows.rule("penalties.own-time", *own_time);
    rows.maybe("penalties.opponent-points", *opponent_points);
    rows.maybe("penalties.own-points", *own_points);
    rows.rule("penalties.loss", *loss);
    rows.maybe("penalties.fine", *fine);
    rows.maybe("penalties.exclusion", *exclusion);
    rows.rule("penalties.expulsion", *expulsion);
}

/// The rows in which two tables differ, by value or by citation.
pub fn diff(a: &Laws, b: &Laws) -> Vec<(&'static str, Row, Row)> {
    let pairs = rows(a).into_iter().zip(rows(b));
    pairs.filter(|(a, b)| a.value != b.value || a.article != b.article).map(|(a, b)| (a.field, a, b)).collect()
}
