//! Consequences in plain words.

use shakmaty::Color;

use super::name;
use super::words::{claim, item, lost_too};
use crate::board::Meaning;
use crate::board::mating::Mating;
use crate::game::entry::Reopened;
use crate::game::{Answer, Command, Consequence, StopReason, Termination};

pub(super) fn consequence(consequence: &Consequence) -> String {
    match consequence {
        Consequence::PlayersReady => "Both players are there".to_string(),
        Consequence::ClockStarted { color, .. } => format!("{}'s clock runs", name(*color)),
        Consequence::ClocksStopped { sides, reason } => {
            format!("Both clocks stand at {} and {}: {}", sides.white.left, sides.black.left, stopped(*reason))
        }
        Consequence::Pressed { by, clock, completed, .. } => {
            format!("{}'s clock stands at {}, {} completed; {}'s runs", name(*by), clock.left, moves(*completed), name(!*by))
        }
        Consequence::MoveCompleted { by, completed } => format!("{} has completed {}", name(*by), moves(*completed)),
        Consequence::MoveTakenBack { by } => format!("The move that {} had not pressed is taken back", name(*by)),
        Consequence::PeriodAdded { color, clock, .. } => {
            format!("{} gets the time of period {}: {} is left", name(*color), clock.period + 1, clock.left)
        }
        Consequence::ClockRead { color, clock, .. } => format!("{}'s clock is read: {} is left", name(*color), clock.left),
        Consequence::FlagFallen { color, at, .. } => format!("{}'s flag fell at {at} of the timekeeper's time", name(*color)),
        Consequence::FlagWithdrawn { color } => format!("{}'s flag has not fallen: what is stamped before it came after it", name(*color)),
        Consequence::ClocksSet { sides } => {
            let counters = format!("counters at {} and {}", sides.white.counter, sides.black.counter);
            format!("The clocks are set to {} and {}, their {counters}", sides.white.left, sides.black.left)
        }
        Consequence::Ordered { order, command, to } => {
            let device = to.map_or("the".to_string(), |to| format!("{}'s", name(to)));
            format!("Order {} to {device} device: {}", order.0, ordered(command))
        }
        Consequence::OfferMade { by } => format!("A draw offered by {} stands", name(*by)),
        Consequence::OfferEnded => "The offer stands no longer".to_string(),
        Consequence::GameOver { score, termination, .. } => format!("The game is over: {score} by {}", by(*termination)),
        Consequence::ResultCorrected { score } => format!("The result is now {score}"),
        Consequence::Annulled => "The game is void".to_string(),
        Consequence::Reopened { phase } => match phase {
            Reopened::Waiting => "The game is open again, and has not started".to_string(),
            Reopened::Stopped => "The game is open again, and the clocks stand".to_string(),
            Reopened::Over => "The game counts again, with its result".to_string(),
            Reopened::Adjourned => "The game is adjourned again".to_string(),
        },
        Consequence::Undone { ruling } => format!("The ruling of entry {} is taken back", ruling.0),
        Consequence::ClockReplaced { device: Some(device) } => format!("Device {} keeps the time", device.0),
        Consequence::ClockReplaced { device: None } => "The daemon keeps the time".to_string(),
        Consequence::OwnClockReplaced { color, device } => format!("Device {} keeps {}'s time", device.0, name(*color)),
        Consequence::Placed { by, flag: true, hall } => format!("{}'s flag fell {hall} of the hall's time", name(*by)),
        Consequence::Placed { by, flag: false, hall } => format!("What ended the game was told by {}'s device, {hall} of the hall's time", name(*by)),
        Consequence::Incident { code, color, note, .. } => {
            let of = color.map_or(String::new(), |color| format!(" by {}", name(color)));
            let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
            format!("For the arbiter: {}{of}{note}", code.word().replace('-', " "))
        }
        Consequence::Compensated { by, reported, credited } => {
            format!("{} is credited {credited} for the way of the press, of {reported} as reported", name(*by))
        }
        Consequence::FlagDown { color, at } => {
            format!("{}'s clock reads zero since {at} of the timekeeper's time, and nobody has called it", name(*color))
        }
        Consequence::ClaimJudged { by, claim: what, answer, because, pending, .. } => {
            let answer = match answer {
                Answer::Correct => "correct",
                Answer::Incorrect => "not correct",
                Answer::Open => "for the arbiter",
            };
            let waits = if *pending { "; it waits for a decision" } else { "" };
            format!("{}'s claim ({}) is {answer}: {because}{waits}", name(*by), claim(what))
        }
        Consequence::ClaimEnded { .. } => "The claim is decided".to_string(),
        Consequence::ClaimPostponed { .. } => "The decision is put off".to_string(),
        Consequence::DutySet { by, duty: Some(duty) } => format!("For {}: {duty}", name(*by)),
        Consequence::DutySet { by, duty: None } => format!("{} may play anything again", name(*by)),
        Consequence::IllegalCounted { color, count, .. } => format!("Illegal moves of {} so far: {count}", name(*color)),
        Consequence::Restored { plies, on_move, .. } => format!("The position after {plies} half-moves stands, {} to move", name(*on_move)),
        Consequence::Promoted { by, made } => format!("{}'s pawn is a queen: {made}", name(*by)),
        Consequence::PointsChanged { color, halves } => format!("{}'s result changes by {} points", name(*color), f64::from(*halves) / 2.0),
        Consequence::IncrementSet { each } => format!("Each move now brings both {each}"),
        Consequence::MatingAsked { plies, .. } => format!("Whether somebody can still mate after {plies} half-moves is being worked out"),
        Consequence::MatingJudged { plies, mating } => {
            let found: Vec<String> =
                Color::ALL.into_iter().filter_map(|color| mating.get(color).as_ref().map(|found| can_mate(color, found))).collect();
            format!("After {plies} half-moves: {}", found.join(", "))
        }
        Consequence::Noted { color, .. } => format!("Noted{}", color.map_or(String::new(), |color| format!(" of {}", name(color)))),
        Consequence::Excused { color } => format!("{} may be late", name(*color)),
        Consequence::CastlingForbidden { rooks } => {
            let squares: Vec<String> = rooks.iter().map(ToString::to_string).collect();
            format!("Nobody castles with the rooks on {}", squares.join(", "))
        }
        Consequence::SealOrdered { color, .. } => format!("{} has to seal his move", name(*color)),
        Consequence::SessionAnnounced { ends, resumes, .. } => {
            let ends = ends.map(|at| format!("the session ends at {at}"));
            let resumes = resumes.map(|at| format!("the game is resumed at {at}"));
            format!("Announced: {}", ends.into_iter().chain(resumes).collect::<Vec<_>>().join(", "))
        }
        Consequence::MoveSealed { by, plies, board, offer, .. } => {
            let board = board.map_or(String::new(), |made| format!(", {made} on the board"));
            let offer = offer.map_or(String::new(), |by| format!(", with a draw offered by {}", name(by)));
            format!("{}'s move after {plies} half-moves is sealed{board}{offer}", name(*by))
        }
        Consequence::EnvelopeWritten { item: what, .. } => format!("On the envelope stands {}", item(what)),
        Consequence::Adjourned { .. } => "The game is adjourned".to_string(),
        Consequence::EnvelopeLost { lost, .. } => format!("The envelope is lost{}", lost_too(*lost)),
        Consequence::Resumed { at, .. } => format!("The game is resumed, as of {at}"),
        Consequence::LatenessOpen { color, .. } => {
            format!("{} too late; what that means is open", color.map_or("Both are", |c| c.fold_wb("White is", "Black is")))
        }
        Consequence::SealedMoveJudged { by, meaning, because, pending, .. } => {
            let waits = if *pending { "; it waits for the arbiter" } else { "" };
            format!("{}'s sealed move is {}: {because}{waits}", name(*by), meant(meaning))
        }
        Consequence::SealedMovePlayed { by, made, clock, .. } => {
            format!("{}'s sealed move {made} stands on the board, with {} left on his clock", name(*by), clock.left)
        }
        Consequence::ReplySealed { by, clock, .. } => {
            format!("{}'s answer is in an envelope; his clock stands at {}, {}'s runs", name(*by), clock.left, name(!*by))
        }
    }
}

/// How many moves.
fn moves(n: u32) -> String {
    if n == 1 { "1 move".to_string() } else { format!("{n} moves") }
}

/// By what a game ended.
pub(super) fn by(termination: Termination) -> String {
    termination.word().replace('-', " ")
}

/// Why the clocks stand.
pub(super) fn stopped(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Arbiter => "the arbiter stopped them",
        StopReason::Pause => "they were paused at the device",
        StopReason::DeviceRestart => "the device started anew",
        StopReason::TimekeeperRestart => "the daemon, which kept the time, started anew",
        StopReason::StampsBackwards => "the device's stamps cannot be",
        StopReason::ClockReplaced => "another clock was put at the board",
        StopReason::FlagUndecided => "a flag fell, and who has won cannot be told",
        StopReason::GameOver => "the game is over",
        StopReason::Claim => "a player claims something",
        StopReason::Restored => "a move was taken back",
        StopReason::MatingAsked => "whether somebody can still mate is being worked out",
        StopReason::Sealed => "the move is sealed",
        StopReason::DeviceLeapt => "the device's time leapt, or stood still",
        StopReason::Uncounted => "the clock was pressed after the end, which was taken back",
        StopReason::Resuming => "the sealed move is about to be put on the board",
    }
}

fn ordered(command: &Command) -> String {
    match command {
        Command::Start { color } => format!("start {}'s clock", name(*color)),
        Command::Stop => "stop both clocks".to_string(),
        Command::Set { sides } => format!("show {} and {}", sides.white.left, sides.black.left),
        Command::Add { color, by } => format!("change {}'s time by {by}", name(*color)),
    }
}

fn can_mate(color: Color, found: &Mating) -> String {
    match found {
        Mating::Possible(line) => format!("{} can mate, by {} half-moves that are recorded", name(color), line.len()),
        Mating::Impossible(_) => format!("{} cannot mate", name(color)),
        Mating::Unclear => format!("whether {} can mate is not clear", name(color)),
    }
}

fn meant(meaning: &Meaning) -> String {
    match meaning {
        Meaning::Move(made) => format!("the move {made}"),
        Meaning::Ambiguous(between) => format!("ambiguous, {} moves", between.len()),
        Meaning::Illegal => "illegal".to_string(),
        Meaning::NoMeaning => "without meaning".to_string(),
        Meaning::Unclear => "unclear".to_string(),
    }
}
