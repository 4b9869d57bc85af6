//! One game: what is known of it, and the two functions through which alone it changes.

mod adjournment;
mod arbiter;
mod ask;
mod chessclock;
mod citation;
mod claims;
mod completion;
mod digest;
mod drawn_game;
pub mod entry;
mod evolve;
mod flags;
mod irregularities;
mod mating;
mod orders;
mod print;
mod quickplay;
mod recording;
mod regulations;
mod state;
mod terms;
mod two;
mod undo;
mod words;

pub use adjournment::{Adjournment, Draft, Envelope, Lateness, Session, Stage};
pub use ask::{Answered, Possible, Unanswered, ask, led_to};
pub use chessclock::{DISPLAY_TOLERANCE, PERIODS_AT_ONCE};
pub use completion::ends_by_itself;
pub use digest::{Digest, side};
pub(crate) use entry::is_plain;
pub use entry::{
    Answer, Claim, Command, Consequence, DeviceId, Duty, Entry, Fact, GameId, Ground, IncidentCode, Input, Item, Loss, Lost, Moved, Opened, OrderNo,
    Penalty, Refusal, Ruling, Score, Seq, StopReason, Termination,
};
pub use mating::{named, who_can_mate};
pub use regulations::{BoardSeen, ClaimsBy, FlagsBy, MAX_COMPENSATION, OpenPoint, Regulations};
pub use state::{Game, Order, Outcome, Pending, Phase, Question};
pub use two::{Own, When};

use crate::clock::{Millis, WallTime};
use crate::laws::Article;

/// The input itself and what follows from it, or why it is not taken.
///
/// `when` is the instant on the timeline of whatever keeps the game's time; `None` where the
/// input carries no such stamp (an arbiter's word about a game that a device times). `wall` is the
/// arbiter's watch, by which sessions are measured and nothing else.
///
/// # Errors
/// A ruling that contradicts the state, or an input that has no meaning there.
pub fn decide(game: &Game, input: Input, when: impl Into<When>, wall: WallTime) -> Result<Vec<Entry>, Refusal> {
    let mut decision = Decision::on(game, when.into(), wall);
    let now = decision.now;
    match input {
        Input::Fact(fact) => {
            if let Fact::Belated { fact } = fact {
                chessclock::belated(&mut decision, fact);
                return Ok(decision.entries);
            }
            two::admit(game, &fact, decision.when.own)?;
            let fact = recording::resolved(game, fact)?;
            decision.now = chessclock::thought_until(game, &fact, now);
            chessclock::overtake_flag(&mut decision, &fact);
            chessclock::settle(&mut decision);
            adjournment::lateness(&mut decision);
            if adjournment::is_out_of_place(&decision.game, &fact) {
                adjournment::out_of_place(&mut decision, fact);
                return Ok(decision.entries);
            }
            completion::before_move(&mut decision, &fact);
            let before = Before::of(&decision.game);
            decision.add(Entry::Fact(fact.clone()));
            two::look_back(&mut decision, game, &fact);
            if decision.game.is_finished() {
                orders::after_the_end(&mut decision, game, &fact);
                if let Fact::Verdict { ply, position, mating } = fact {
                    mating::verdict(&mut decision, ply, &position, &mating);
                }
                return Ok(decision.entries);
            }
            if decision.game.uncounted && decision.game.clock.running().is_some() {
                chessclock::uncounted(&mut decision);
            }
            match fact {
                Fact::Arrival { .. } => arbiter::arrival(&mut decision),
                Fact::Move { by, .. } => completion::made(&mut decision, by, &before),
                Fact::Press { by, moved, shown, lag } => chessclock::press(&mut decision, by, moved, shown, lag, &before),
                Fact::Touch { by, .. } => drawn_game::touch(&mut decision, by),
                Fact::Flag { color } => chessclock::flag(&mut decision, color),
                Fact::Pause { .. } => chessclock::pause(&mut decision),
                Fact::Offer { by } => drawn_game::offer(&mut decision, by),
                Fact::Acceptance { by } => drawn_game::accept(&mut decision, by),
                Fact::Rejection { by } => drawn_game::reject(&mut decision, by),
                Fact::Resignation { by } => completion::resign(&mut decision, by),
                Fact::Confirmation { order } => orders::confirmed(&mut decision, game, order),
                Fact::Display { shown } => chessclock::display(&mut decision, shown),
                Fact::Restart => chessclock::restart(&mut decision),
                Fact::Scoresheet { .. } => {}
                Fact::Silence { color } => chessclock::silence(&mut decision, color),
                Fact::BothFlags => flags::both(&mut decision),
                Fact::Claim { by, claim } => claims::claim(&mut decision, by, claim),
                Fact::Late { .. } => chessclock::overdue(&mut decision),
                Fact::SealedMove { by, ply, .. } => adjournment::written(&mut decision, by, before.seals == Some((by, ply))),
                Fact::Stop { by } => adjournment::stop(&mut decision, by),
                Fact::Declaration { by, made } => adjournment::declared(&mut decision, by, made),
                Fact::SessionOver => adjournment::session_over(&mut decision),
                Fact::Leap { by } => chessclock::leapt(&mut decision, by),
                Fact::Belated { .. } => {}
                Fact::Verdict { ply, position, mating } => mating::verdict(&mut decision, ply, &position, &mating),
            }
        }
        Input::Ruling(ruling) => {
            chessclock::settle(&mut decision);
            adjournment::lateness(&mut decision);
            arbiter::admit(&decision.game, &ruling, now, wall)?;
            decision.add(Entry::Ruling(ruling.clone()));
            match &ruling {
                Ruling::Start => {
                    chessclock::start(&mut decision);
                    completion::check(&mut decision);
                }
                Ruling::Stop { .. } => chessclock::stop(&mut decision),
                Ruling::Resume if decision.game.is_suspended() => adjournment::resume(&mut decision),
                Ruling::Resume => chessclock::resume(&mut decision),
                Ruling::SetClocks { times } => arbiter::set_clocks(&mut decision, *times),
                Ruling::AddTime { color, by, .. } => arbiter::add_time(&mut decision, *color, *by),
                Ruling::SetCounter { color, moves } => arbiter::set_counter(&mut decision, *color, *moves),
                Ruling::ReplaceClock { device } => arbiter::replace_clock(&mut decision, *device),
                Ruling::ReplaceOwnClock { color, device } => arbiter::replace_own_clock(&mut decision, *color, *device),
                Ruling::DeclareResult { score, .. } => arbiter::declare(&mut decision, *score),
                Ruling::CorrectResult { score, .. } => arbiter::correct(&mut decision, *score),
                Ruling::Annul { .. } => arbiter::annul(&mut decision),
                Ruling::Uphold { .. } => claims::uphold(&mut decision),
                Ruling::Reject { .. } => claims::reject(&mut decision),
                Ruling::Postpone { .. } => claims::postpone(&mut decision),
                Ruling::CallFlag { color } => flags::called(&mut decision, *color),
                Ruling::RuleIllegal { color, two_hands } => irregularities::rule_illegal(&mut decision, *color, *two_hands),
                Ruling::Penalise { color, penalty, .. } => arbiter::penalise(&mut decision, *color, *penalty, &ruling),
                Ruling::Restore { plies } => irregularities::restore(&mut decision, *plies),
                Ruling::FindColoursReversed => irregularities::colours_reversed(&mut decision),
                Ruling::FindWrongSetup => irregularities::wrong_setup(&mut decision),
                Ruling::Excuse { color, .. } => arbiter::excuse(&mut decision, *color),
                Ruling::OrderSeal => adjournment::order(&mut decision),
                Ruling::Announce { ends, resumes } => adjournment::announce(&mut decision, *ends, *resumes),
                Ruling::WriteEnvelope { item } => adjournment::write(&mut decision, item),
                Ruling::TakeCustody => adjournment::take_custody(&mut decision),
                Ruling::LoseEnvelope { lost } => adjournment::lose(&mut decision, *lost),
                Ruling::Open { opened } => adjournment::open(&mut decision, opened.as_ref()),
                Ruling::Decipher { made } => adjournment::decipher(&mut decision, *made),
                Ruling::Undo { .. } => undo::undo(&mut decision),
            }
        }
    }
    mating::asks_again(&mut decision, game);
    if decision.game.line.known() != game.line.known() {
        completion::check(&mut decision);
    }
    chessclock::settle_again(&mut decision);
    Ok(decision.entries)
}

/// A decision in the making: the game as it is after the entries so far.
#[derive(Debug)]
struct Decision {
    game: Game,
    /// When it happened, by what told it.
    when: When,
    /// That instant, where it compares with those of the clock that runs.
    now: Option<Millis>,
    /// When it came to whoever keeps the time; of a press from afar that is later.
    came: Option<Millis>,
    /// The arbiter's watch.
    wall: WallTime,
    entries: Vec<Entry>,
}

/// What a rule must know of the game as it was just before the input.
#[derive(Debug)]
struct Before {
    uncompleted: shakmaty::ByColor<bool>,
    last_mover: Option<shakmaty::Color>,
    plies: usize,
    seals: Option<(shakmaty::Color, u32)>,
}

impl Before {
    fn of(game: &Game) -> Before {
        Before { uncompleted: game.uncompleted, last_mover: game.last_mover, plies: game.line.plies().len(), seals: game.seals() }
    }
}

impl Decision {
    fn on(game: &Game, when: When, wall: WallTime) -> Decision {
        let now = when.on_the_clock(game);
        Decision { game: game.clone(), when, now, came: now, wall, entries: Vec::with_capacity(3) }
    }

    /// The input, applied at once. Its place in the log is not known yet; only undo looks at that, later.
    fn add(&mut self, entry: Entry) {
        self.game.evolve(Seq(0), &entry);
        self.entries.push(entry);
    }

    /// What follows, applied at once, so that no rule has to predict another.
    fn so(&mut self, consequence: Consequence) {
        self.add(Entry::Consequence(consequence));
    }

    /// Something for the arbiter to look at.
    fn incident(&mut self, code: IncidentCode, color: Option<shakmaty::Color>, article: &Article, note: impl Into<String>) {
        self.so(Consequence::Incident { code, color, article: *article, note: note.into() });
    }
}
