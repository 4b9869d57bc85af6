//! Facts and rulings in plain words, and the reason that an arbiter gave.

use shakmaty::Color;

use super::{name, plain};
use crate::board::MoveText;
use crate::game::{Claim, Fact, Ground, Item, Lost, Moved, Penalty, Ruling};

/// A list of moves, as far as a sentence holds them.
fn listed(moves: &[MoveText]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

pub(super) fn fact(said: &Fact) -> String {
    match said {
        Fact::Arrival { color } => format!("{} has come", name(*color)),
        Fact::Move { by, made } => format!("{} moved {made}", name(*by)),
        Fact::Press { by, moved, shown, lag } => {
            let moved = match moved {
                Moved::AsReported => String::new(),
                Moved::Unknown => " after a move that the device could not read".to_string(),
                Moved::Move(uci) => format!(" after the move {uci}"),
            };
            let shown = shown.map_or(String::new(), |shown| format!("; the display showed {shown}"));
            let lag = lag.map_or(String::new(), |lag| format!("; by the player's word {lag} on the way"));
            format!("{} pressed the clock{moved}{shown}{lag}", name(*by))
        }
        Fact::Touch { by, square } => format!("{} touched the piece on {square}", name(*by)),
        Fact::Flag { color } => format!("{}'s flag is reported down", name(*color)),
        Fact::Pause { by: Some(by) } => format!("{} paused the clocks", name(*by)),
        Fact::Pause { by: None } => "The clocks were paused".to_string(),
        Fact::Offer { by } => format!("{} offered a draw", name(*by)),
        Fact::Acceptance { by } => format!("{} accepted the draw", name(*by)),
        Fact::Rejection { by } => format!("{} refused the draw", name(*by)),
        Fact::Resignation { by } => format!("{} resigned", name(*by)),
        Fact::Confirmation { order } => format!("The device has carried out order {}", order.0),
        Fact::Display { shown } => format!("The displays showed {} for White and {} for Black", shown.white, shown.black),
        Fact::Restart => "The device has started anew".to_string(),
        Fact::Scoresheet { from, moves } => format!("Typed in from a scoresheet, after {from} half-moves: {}", listed(moves)),
        Fact::Silence { color } => format!("By the daemon's reckoning {}'s time is over, and the device is silent", name(*color)),
        Fact::BothFlags => "Both flags are reported down, and the device cannot tell which fell first".to_string(),
        Fact::Claim { by, claim } => format!("{} claimed: {}", name(*by), self::claim(claim)),
        Fact::Late { color } => format!("{} has not come within the default time", name(*color)),
        Fact::Verdict { ply, .. } => format!("Worked out after {ply} half-moves: who can still mate"),
        Fact::SealedMove { by, ply, sealed } => {
            format!("{} wrote a sealed move, to be half-move {}; its commitment is {}", name(*by), ply + 1, sealed.commitment)
        }
        Fact::Stop { by } => format!("{} stopped the clocks", name(*by)),
        Fact::Declaration { by, made } => format!("{} says that he sealed {made}", name(*by)),
        Fact::Leap { by } => format!("By the daemon's reckoning the device's time leapt by {by}"),
        Fact::SessionOver => "The session is over".to_string(),
        Fact::Belated { fact: late } => format!("A device that is not at this board any more reports late, and it changes nothing: {}", fact(late)),
    }
}

pub(super) fn claim(claim: &Claim) -> String {
    let with = |with: &Option<MoveText>| with.map_or(String::new(), |text| format!(", with the move {text}"));
    match claim {
        Claim::Threefold { with: text } => format!("the same position for the third time{}", with(text)),
        Claim::Fifty { with: text } => format!("fifty moves without a capture or a pawn's move{}", with(text)),
        Claim::Flag => "his opponent's flag has fallen".to_string(),
        Claim::IllegalMove => "his opponent's last move is illegal".to_string(),
        Claim::Quickplay { ground: Ground::CannotWin } => "his opponent cannot win by normal means".to_string(),
        Claim::Quickplay { ground: Ground::NoEffort } => "his opponent makes no effort to win by normal means".to_string(),
        Claim::Quickplay { ground: Ground::Both } => "his opponent cannot win by normal means and makes no effort to".to_string(),
        Claim::Clocks { times } => format!("the clocks should show {} and {}", times.white, times.black),
        Claim::FiveSeconds => "five seconds a move for both".to_string(),
    }
}

fn penalty(color: Color, penalty: &Penalty) -> String {
    let points = |halves: &u8| f64::from(*halves) / 2.0;
    let (who, other) = (name(color), name(!color));
    match penalty {
        Penalty::Warning => format!("{who} is warned"),
        Penalty::OpponentTime(time) => format!("{other} gets {time} more, for what {who} did"),
        Penalty::OwnTime(time) => format!("{time} is taken from {who}"),
        Penalty::OpponentPoints(halves) => format!("{other} gets {} points more, for what {who} did", points(halves)),
        Penalty::OwnPoints(halves) => format!("{} points are taken from {who}", points(halves)),
        Penalty::Loss => format!("{who} loses the game"),
        Penalty::Fine => format!("{who} is fined"),
        Penalty::Exclusion => format!("{who} is excluded from rounds"),
        Penalty::Expulsion => format!("{who} is expelled from the competition"),
    }
}

pub(super) fn item(item: &Item) -> String {
    match item {
        Item::Place(place) => format!("the place, {place}"),
        Item::Resumes(at) => format!("the time of the resumption, {at}"),
        Item::Number(number) => format!("the number of the sealed move, {number}"),
        Item::Sealer(color) => format!("who sealed, {}", name(*color)),
        Item::Offer(color) => format!("the draw offer, {}", color.map_or("none", name)),
        Item::Times(times) => format!("the times, {} and {}", times.white, times.black),
    }
}

pub(super) fn ruling(ruling: &Ruling) -> String {
    match ruling {
        Ruling::Start => "Starts the game".to_string(),
        Ruling::Stop { .. } => "Stops the clocks".to_string(),
        Ruling::Resume => "Starts the clock again".to_string(),
        Ruling::SetClocks { times } => format!("Sets White's clock to {} and Black's to {}", times.white, times.black),
        Ruling::AddTime { color, by, .. } => format!("Changes {}'s time by {by}", name(*color)),
        Ruling::SetCounter { color, moves } => format!("Sets {}'s move counter to {moves}", name(*color)),
        Ruling::ReplaceClock { device: Some(device) } => format!("Puts device {} at the board", device.0),
        Ruling::ReplaceOwnClock { color, device } => format!("Puts device {} at {}'s side", device.0, name(*color)),
        Ruling::ReplaceClock { device: None } => "Takes the clock away: the daemon keeps the time".to_string(),
        Ruling::DeclareResult { score, .. } => format!("Ends the game: {score}"),
        Ruling::CorrectResult { score, .. } => format!("Puts the result right: {score}"),
        Ruling::Annul { .. } => "Declares the game void".to_string(),
        Ruling::Undo { .. } => "Takes the last decision back".to_string(),
        Ruling::Uphold { .. } => "Grants what was claimed".to_string(),
        Ruling::Reject { .. } => "Turns down what was claimed".to_string(),
        Ruling::Postpone { .. } => "Puts the decision off".to_string(),
        Ruling::CallFlag { color } => format!("Sees that {}'s flag has fallen", name(*color)),
        Ruling::RuleIllegal { color, two_hands } => {
            let of = color.map_or(String::new(), |color| format!(" of {}", name(color)));
            format!("Rules the last move{of} illegal{}", if *two_hands { ", made with two hands" } else { "" })
        }
        Ruling::Penalise { color, penalty: what, .. } => format!("Inflicts a penalty: {}", penalty(*color, what)),
        Ruling::Restore { plies } => format!("Goes back to the position after {plies} half-moves"),
        Ruling::FindColoursReversed => "Finds that the colours were reversed".to_string(),
        Ruling::FindWrongSetup => "Finds that the game began from a wrong position".to_string(),
        Ruling::Excuse { color, .. } => format!("Rules that being late does not lose {} the game", name(*color)),
        Ruling::OrderSeal => "Orders the player on move to seal".to_string(),
        Ruling::Announce { ends, resumes } => {
            let ends = ends.map(|at| format!("the session ends at {at}"));
            let resumes = resumes.map(|at| format!("the game is resumed at {at}"));
            format!("Announces: {}", ends.into_iter().chain(resumes).collect::<Vec<_>>().join(", "))
        }
        Ruling::WriteEnvelope { item } => format!("Writes on the envelope {}", self::item(item)),
        Ruling::TakeCustody => "Checks the envelope and keeps it".to_string(),
        Ruling::LoseEnvelope { lost } => format!("Finds the envelope lost{}", lost_too(*lost)),
        Ruling::Open { opened: Some(opened) } => format!("Opens the envelope; in it stands “{}”", plain(&opened.text)),
        Ruling::Open { opened: None } => "Opens the envelope; the sealed move is the one on the board".to_string(),
        Ruling::Decipher { made: Some(made) } => format!("Reads the sealed move as {made}"),
        Ruling::Decipher { made: None } => "Finds that the sealed move means nothing that can be established".to_string(),
    }
}

pub(super) fn lost_too(lost: Lost) -> &'static str {
    match lost {
        Lost::Move => "",
        Lost::Times => ", and the times",
        Lost::Position => ", and the position",
    }
}
