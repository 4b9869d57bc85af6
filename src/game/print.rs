//! Entries as they are read: in goldens, in the terminal, in reports.

use std::fmt;

use shakmaty::{ByColor, Color};

use super::entry::{Command, Consequence, Entry, Fact, Lost, Moved, Reopened, Ruling, StopReason};
use super::side;
use crate::board::Meaning;
use crate::board::mating::Mating;

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Fact(fact) => write!(f, "fact    {fact}"),
            Entry::Ruling(ruling) => write!(f, "ruling  {ruling}"),
            Entry::Consequence(consequence) => write!(f, "  so    {consequence}"),
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Arrival { color } => write!(f, "arrival {}", side(*color)),
            Fact::Move { by, made } => write!(f, "move {} {made}", side(*by)),
            Fact::Press { by, moved, shown, lag } => {
                write!(f, "press {}", side(*by))?;
                match moved {
                    Moved::AsReported => {}
                    Moved::Unknown => f.write_str(" move unknown")?,
                    Moved::Move(uci) => write!(f, " {uci}")?,
                }
                shown.map_or(Ok(()), |shown| write!(f, " showing {shown}"))?;
                lag.map_or(Ok(()), |lag| write!(f, " {lag} on the way"))
            }
            Fact::Touch { by, square } => write!(f, "touch {} {square}", side(*by)),
            Fact::Flag { color } => write!(f, "flag {}", side(*color)),
            Fact::Pause { by: Some(by) } => write!(f, "pause {}", side(*by)),
            Fact::Pause { by: None } => f.write_str("pause"),
            Fact::Offer { by } => write!(f, "offer {}", side(*by)),
            Fact::Acceptance { by } => write!(f, "acceptance {}", side(*by)),
            Fact::Rejection { by } => write!(f, "rejection {}", side(*by)),
            Fact::Resignation { by } => write!(f, "resignation {}", side(*by)),
            Fact::Confirmation { order } => write!(f, "confirmation of order {}", order.0),
            Fact::Display { shown } => write!(f, "display {} {}", shown.white, shown.black),
            Fact::Restart => f.write_str("restart"),
            Fact::Scoresheet { from, moves } => {
                write!(f, "scoresheet from ply {from}:")?;
                moves.iter().try_for_each(|m| write!(f, " {m}"))
            }
            Fact::Silence { color } => write!(f, "silence {}", side(*color)),
            Fact::BothFlags => f.write_str("flag both"),
            Fact::Claim { by, claim } => write!(f, "claim {} {claim}", side(*by)),
            Fact::Late { color } => write!(f, "late {}", side(*color)),
            Fact::Verdict { ply, position, mating } => {
                write!(f, "verdict after ply {ply} on {position}")?;
                who_can_mate(f, mating)
            }
            Fact::SealedMove { by, ply, sealed } => write!(f, "sealed move {} for ply {ply}, commitment {}", side(*by), sealed.commitment),
            Fact::Stop { by } => write!(f, "stop {}", side(*by)),
            Fact::Declaration { by, made } => write!(f, "declaration {} {made}", side(*by)),
            Fact::SessionOver => f.write_str("session over"),
            Fact::Leap { by } => write!(f, "leap {by}"),
            Fact::Belated { fact } => write!(f, "belated {fact}"),
        }
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = |f: &mut fmt::Formatter<'_>, reason: &str| if reason.is_empty() { Ok(()) } else { write!(f, " \"{}\"", reason.escape_debug()) };
        match self {
            Ruling::Start => f.write_str("start"),
            Ruling::Stop { reason: why } => f.write_str("stop").and_then(|()| reason(f, why)),
            Ruling::Resume => f.write_str("resume"),
            Ruling::SetClocks { times } => write!(f, "clocks {} {}", times.white, times.black),
            Ruling::AddTime { color, by, reason: why } => write!(f, "add {} {by}", side(*color)).and_then(|()| reason(f, why)),
            Ruling::SetCounter { color, moves } => write!(f, "moves {} {moves}", side(*color)),
            Ruling::ReplaceClock { device } => write!(f, "replace-clock {}", device.map_or(0, |d| d.0)),
            Ruling::ReplaceOwnClock { color, device } => write!(f, "replace-clock {} {}", side(*color), device.0),
            Ruling::DeclareResult { score, reason: why } => write!(f, "result {score}").and_then(|()| reason(f, why)),
            Ruling::CorrectResult { score, reason: why } => write!(f, "correct {score}").and_then(|()| reason(f, why)),
            Ruling::Annul { reason: why } => f.write_str("annul").and_then(|()| reason(f, why)),
            Ruling::Uphold { reason: why } => f.write_str("uphold").and_then(|()| reason(f, why)),
            Ruling::Reject { reason: why } => f.write_str("reject").and_then(|()| reason(f, why)),
            Ruling::Postpone { reason: why } => f.write_str("postpone").and_then(|()| reason(f, why)),
            Ruling::CallFlag { color } => write!(f, "flag {}", side(*color)),
            Ruling::RuleIllegal { color, two_hands } => {
                write!(f, "illegal{}", color.map_or(String::new(), |color| format!(" {}", side(color))))?;
                if *two_hands { f.write_str(" two-hands") } else { Ok(()) }
            }
            Ruling::Penalise { color, penalty, reason: why } => write!(f, "penalty {} {penalty}", side(*color)).and_then(|()| reason(f, why)),
            Ruling::Restore { plies } => write!(f, "restore {plies}"),
            Ruling::FindColoursReversed => f.write_str("colours"),
            Ruling::FindWrongSetup => f.write_str("setup"),
            Ruling::Excuse { color, reason: why } => write!(f, "excuse {}", side(*color)).and_then(|()| reason(f, why)),
            Ruling::OrderSeal => f.write_str("order-seal"),
            Ruling::Announce { ends, resumes } => {
                f.write_str("announce")?;
                ends.map_or(Ok(()), |at| write!(f, " end {at}"))?;
                resumes.map_or(Ok(()), |at| write!(f, " resume {at}"))
            }
            Ruling::WriteEnvelope { item } => write!(f, "envelope {item}"),
            Ruling::TakeCustody => f.write_str("custody"),
            Ruling::LoseEnvelope { lost } => f.write_str(format!("lose-envelope {}", lost.word()).trim_end()),
            Ruling::Open { opened: None } => f.write_str("open"),
            Ruling::Open { opened: Some(opened) } => write!(f, "open \"{}\" nonce {}", opened.text.escape_debug(), opened.nonce),
            Ruling::Decipher { made: Some(made) } => write!(f, "decipher {made}"),
            Ruling::Decipher { made: None } => f.write_str("decipher none"),
            Ruling::Undo { reason: why } => f.write_str("undo").and_then(|()| reason(f, why)),
        }
    }
}

impl fmt::Display for Consequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Consequence::PlayersReady => f.write_str("players ready"),
            Consequence::ClockStarted { color, since } => write!(f, "clock started {} at {since}", side(*color)),
            Consequence::ClocksStopped { sides, reason } => write!(f, "clocks stopped {} {} ({})", sides.white.left, sides.black.left, reason.word()),
            Consequence::Pressed { by, clock, completed, .. } => {
                write!(f, "pressed {} left {} counter {} completed {completed}", side(*by), clock.left, clock.counter)
            }
            Consequence::MoveCompleted { by, completed } => write!(f, "move completed {} {completed}", side(*by)),
            Consequence::MoveTakenBack { by } => write!(f, "move taken back {}", side(*by)),
            Consequence::PeriodAdded { color, clock, .. } => {
                write!(f, "period added {} left {} period {}", side(*color), clock.left, clock.period + 1)
            }
            Consequence::ClockRead { color, clock, .. } => write!(f, "clock read {} left {}", side(*color), clock.left),
            Consequence::FlagFallen { color, at, article } => write!(f, "flag fallen {} at {at}  {article}", side(*color)),
            Consequence::FlagWithdrawn { color } => write!(f, "flag withdrawn {}", side(*color)),
            Consequence::ClocksSet { sides } => {
                write!(f, "clocks set {} {} counters {} {}", sides.white.left, sides.black.left, sides.white.counter, sides.black.counter)
            }
            Consequence::Ordered { order, command, to: None } => write!(f, "ordered {} {command}", order.0),
            Consequence::Ordered { order, command, to: Some(to) } => write!(f, "ordered {} {command} to {}", order.0, side(*to)),
            Consequence::OfferMade { by } => write!(f, "offer made {}", side(*by)),
            Consequence::OfferEnded => f.write_str("offer ended"),
            Consequence::GameOver { score, termination, article } => write!(f, "game over {score} {termination}  {article}"),
            Consequence::ResultCorrected { score } => write!(f, "result corrected {score}"),
            Consequence::Annulled => f.write_str("annulled"),
            Consequence::Reopened { phase } => write!(f, "reopened {}", phase.word()),
            Consequence::Undone { ruling } => write!(f, "undone {}", ruling.0),
            Consequence::ClockReplaced { device } => write!(f, "clock replaced {}", device.map_or(0, |d| d.0)),
            Consequence::OwnClockReplaced { color, device } => write!(f, "clock replaced {} {}", side(*color), device.0),
            Consequence::Placed { by, flag: true, hall } => write!(f, "the flag of {} fell {hall} of the hall's time", side(*by)),
            Consequence::Placed { by, flag: false, hall } => write!(f, "ended by {} {hall} of the hall's time", side(*by)),
            Consequence::Compensated { by, reported, credited } => {
                write!(f, "compensated {} {credited} of {reported} on the way", side(*by))
            }
            Consequence::FlagDown { color, at } => write!(f, "flag down {} at {at}", side(*color)),
            Consequence::ClaimJudged { by, claim, answer, because, article, pending } => {
                let waits = if *pending { ", waits" } else { "" };
                write!(f, "claim judged {} {claim}: {answer}{waits}  {article}  ({because})", side(*by))
            }
            Consequence::ClaimEnded { article } => write!(f, "claim ended  {article}"),
            Consequence::ClaimPostponed { article } => write!(f, "claim postponed  {article}"),
            Consequence::DutySet { by, duty: Some(duty) } => write!(f, "duty {}: {duty}", side(*by)),
            Consequence::DutySet { by, duty: None } => write!(f, "duty {} done", side(*by)),
            Consequence::IllegalCounted { color, count, article } => write!(f, "illegal moves {} {count}  {article}", side(*color)),
            Consequence::Restored { plies, on_move, completed, article, .. } => {
                let (white, black) = (completed.white, completed.black);
                write!(f, "restored after ply {plies}, {} to move, completed {white} {black}  {article}", side(*on_move))
            }
            Consequence::Promoted { by, made } => write!(f, "promoted {} {made}", side(*by)),
            Consequence::PointsChanged { color, halves } => write!(f, "points {} {halves:+} halves", side(*color)),
            Consequence::IncrementSet { each } => write!(f, "increment {each} a move"),
            Consequence::MatingAsked { plies, then } => {
                write!(f, "mating asked after ply {plies}")?;
                then.map_or(Ok(()), |loss| write!(f, " for {} {}", side(loss.color), loss.termination))
            }
            Consequence::MatingJudged { plies, mating } => write!(f, "mating judged after ply {plies}").and_then(|()| who_can_mate(f, mating)),
            Consequence::Noted { color, article } => {
                write!(f, "noted{}  {article}", color.map_or(String::new(), |color| format!(" {}", side(color))))
            }
            Consequence::CastlingForbidden { rooks } => {
                f.write_str("castling forbidden")?;
                rooks.iter().try_for_each(|rook| write!(f, " {rook}"))
            }
            Consequence::Excused { color } => write!(f, "excused {}", side(*color)),
            Consequence::SealOrdered { color, article } => write!(f, "{} has to seal  {article}", side(*color)),
            Consequence::SessionAnnounced { ends, resumes, article } => {
                f.write_str("announced")?;
                ends.map_or(Ok(()), |at| write!(f, " end {at}"))?;
                resumes.map_or(Ok(()), |at| write!(f, " resumption {at}"))?;
                write!(f, "  {article}")
            }
            Consequence::MoveSealed { by, plies, board, offer, article } => {
                write!(f, "move sealed {} after {plies} plies", side(*by))?;
                board.map_or(Ok(()), |made| write!(f, ", {made} on the board"))?;
                offer.map_or(Ok(()), |by| write!(f, ", a draw offered by {}", side(by)))?;
                write!(f, "  {article}")
            }
            Consequence::EnvelopeWritten { item, article } => write!(f, "on the envelope: {item}  {article}"),
            Consequence::Adjourned { article } => write!(f, "adjourned  {article}"),
            Consequence::EnvelopeLost { lost, article } => {
                write!(f, "envelope lost{}  {article}", if *lost == Lost::Move { String::new() } else { format!(", and the {}", lost.word()) })
            }
            Consequence::Resumed { at, article } => write!(f, "resumed at {at}  {article}"),
            Consequence::LatenessOpen { color, article } => write!(f, "too late: {}  {article}", color.map_or("both", side)),
            Consequence::SealedMoveJudged { by, meaning, because, article, pending } => {
                write!(f, "sealed move of {}: {meaning}{}  {article}  ({because})", side(*by), if *pending { ", waits" } else { "" })
            }
            Consequence::SealedMovePlayed { by, made, clock, completed, article } => {
                write!(f, "sealed move played {} {made} left {} completed {completed}  {article}", side(*by), clock.left)
            }
            Consequence::ReplySealed { by, clock, article, .. } => write!(f, "answer sealed {} left {}  {article}", side(*by), clock.left),
            Consequence::Incident { code, color, article, note } => {
                write!(f, "incident {code}")?;
                if let Some(color) = color {
                    write!(f, " {}", side(*color))?;
                }
                write!(f, "  {article}")?;
                if note.is_empty() { Ok(()) } else { write!(f, "  ({note})") }
            }
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Start { color } => write!(f, "start {}", side(*color)),
            Command::Stop => f.write_str("stop"),
            Command::Set { sides } => write!(f, "set {} {}", sides.white.left, sides.black.left),
            Command::Add { color, by } => write!(f, "add {} {by}", side(*color)),
        }
    }
}

/// Plies of a helpmate that are printed; all of them are in the entry.
const SHOWN: usize = 6;

impl fmt::Display for Mating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mating::Possible(line) => {
                write!(f, "can mate in {} plies:", line.len())?;
                line.iter().take(SHOWN).try_for_each(|uci| write!(f, " {uci}"))?;
                if line.len() > SHOWN { f.write_str(" …") } else { Ok(()) }
            }
            Mating::Impossible(proof) => write!(f, "cannot mate: {proof}"),
            Mating::Unclear => f.write_str("unclear"),
        }
    }
}

impl Meaning {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Meaning::Move(_) => "move",
            Meaning::Ambiguous(_) => "ambiguous",
            Meaning::Illegal => "illegal",
            Meaning::NoMeaning => "no-meaning",
            Meaning::Unclear => "unclear",
        }
    }
}

impl fmt::Display for Meaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())?;
        match self {
            Meaning::Move(made) => write!(f, " {made}"),
            Meaning::Ambiguous(between) => between.iter().try_for_each(|made| write!(f, " {made}")),
            Meaning::Illegal | Meaning::NoMeaning | Meaning::Unclear => Ok(()),
        }
    }
}

fn who_can_mate(f: &mut fmt::Formatter<'_>, mating: &ByColor<Option<Mating>>) -> fmt::Result {
    for color in Color::ALL {
        if let Some(mating) = mating.get(color) {
            write!(f, ", {} {mating}", side(color))?;
        }
    }
    Ok(())
}

impl StopReason {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            StopReason::Arbiter => "arbiter",
            StopReason::Pause => "pause",
            StopReason::DeviceRestart => "device-restart",
            StopReason::TimekeeperRestart => "timekeeper-restart",
            StopReason::StampsBackwards => "stamps-backwards",
            StopReason::DeviceLeapt => "device-leapt",
            StopReason::Uncounted => "uncounted",
            StopReason::ClockReplaced => "clock-replaced",
            StopReason::FlagUndecided => "flag-undecided",
            StopReason::GameOver => "game-over",
            StopReason::Claim => "claim",
            StopReason::Restored => "restored",
            StopReason::MatingAsked => "mating-asked",
            StopReason::Sealed => "sealed",
            StopReason::Resuming => "resuming",
        }
    }
}

impl Reopened {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Reopened::Waiting => "waiting",
            Reopened::Stopped => "stopped",
            Reopened::Over => "over",
            Reopened::Adjourned => "adjourned",
        }
    }
}
