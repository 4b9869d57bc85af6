//! A game as people read it in the terminal.

use crate::clock::Millis;
use crate::wire::v1;

/// What both displays show now: as last read, less what has passed since for the side that runs.
///
/// A delay that is left is used up first, as on the clock itself.
pub(super) fn clocks(state: &v1::GameState, passed: u64) -> [Millis; 2] {
    let running = state.running();
    let side = |side: Option<&v1::Side>, runs: bool| {
        let side = side.copied().unwrap_or_default();
        let used = if runs { passed.saturating_sub(side.free_ms) } else { 0 };
        Millis(side.left_ms).less(Millis(used))
    };
    let sides = state.sides.as_ref();
    [side(sides.and_then(|s| s.white.as_ref()), running == v1::Color::White), side(sides.and_then(|s| s.black.as_ref()), running == v1::Color::Black)]
}

/// Tournament, round and board.
pub(super) fn place(state: &v1::GameState) -> String {
    state.pairing.as_ref().map_or("?".to_string(), |p| format!("{}.{}.{}", p.tournament, p.round, p.board))
}

/// White's and Black's names.
pub(super) fn players(state: &v1::GameState) -> [String; 2] {
    let name = |player: Option<&v1::Player>| player.map_or("?".to_string(), |player| player.name.clone());
    let place = state.pairing.as_ref();
    [name(place.and_then(|p| p.white.as_ref())), name(place.and_then(|p| p.black.as_ref()))]
}

/// The heads of the columns of [`row`].
pub(super) const HEADS: &str =
    " GAME  BOARD       WHITE                  BLACK                      WHITE'S     BLACK'S  PHASE      LAST MOVE  DEVICE";

/// A game in one line. `>` stands before the clock that runs; `device` says how its device is reached.
pub(super) fn row(state: &v1::GameState, passed: u64, device: &str) -> String {
    let ([white, black], [left, right]) = (players(state), clocks(state, passed));
    let mark = |runs: bool| if runs { '>' } else { ' ' };
    let (w, b) = (mark(state.running() == v1::Color::White), mark(state.running() == v1::Color::Black));
    let phase = match (&state.claim, state.score.is_empty()) {
        (Some(_), true) => "claim".to_string(),
        (None, true) => state.phase.clone(),
        (_, false) => state.score.clone(),
    };
    let (left, right) = (left.whole_seconds().to_string(), right.whole_seconds().to_string());
    let offer = if state.offer() == v1::Color::Unspecified { "" } else { " draw?" };
    let flag = if state.flag_down_white || state.flag_down_black { " flag" } else { "" };
    format!(
        "{:>5}  {:<10}  {:<21.21}  {:<21.21}  {w}{left:>10}  {b}{right:>10}  {:<9}  {:<9}  {device}{offer}{flag}",
        state.game,
        place(state),
        white,
        black,
        phase,
        state.moves.last().map_or("-", String::as_str),
    )
}

/// A game on several lines.
pub(super) fn text(state: &v1::GameState) -> String {
    let ([white, black], [left, right]) = (players(state), clocks(state, state.running_for_ms));
    let mark = |runs: bool| if runs { "  (runs)" } else { "" };
    let place = state.pairing.as_ref();
    let control = state.regulations.as_ref().map_or("?".to_string(), |r| format!("{}, laws {}", r.control, r.edition));
    let mut text = format!("game {} at {}, version {}\n", state.game, self::place(state), state.version);
    text += &format!("White    {white}, {left}{}\n", mark(state.running() == v1::Color::White));
    text += &format!("Black    {black}, {right}{}\n", mark(state.running() == v1::Color::Black));
    if !state.proposed.is_empty() {
        text += &format!("waits    for a second arbiter: {}\n", state.proposed);
    }
    for device in &state.lost {
        text += &format!("stale    device {device} is not connected: as last known\n");
    }
    if state.replaces > 0 {
        text += &format!("replaces game {}\n", state.replaces);
    }
    text += &format!("control  {control}\nphase    {}\n", state.phase);
    if !state.score.is_empty() {
        text += &format!("result   {} {} ({})\n", state.score, state.termination, state.article);
    }
    if let Some(by) = super::json::color(state.offer()) {
        text += &format!("offer    {by}\n");
    }
    text += &adjournment(state);
    if let Some(claim) = &state.claim {
        let by = super::json::color(claim.by()).unwrap_or("?");
        let postponed = if claim.postponed { ", postponed" } else { "" };
        text += &format!("claim    {by}: {} (by the Laws {}{postponed})\n", claim.text, claim.answer);
    }
    if state.illegal_white + state.illegal_black > 0 {
        text += &format!("illegal  white {}, black {}\n", state.illegal_white, state.illegal_black);
    }
    for (side, down) in [("white", state.flag_down_white), ("black", state.flag_down_black)] {
        if down {
            text += &format!("flag     {side}'s is down and has not been called\n");
        }
    }
    for (side, halves) in [("white", state.half_points_white), ("black", state.half_points_black)] {
        if halves != 0 {
            text += &format!("points   {side}'s result will be changed by {halves:+} half points\n");
        }
    }
    if let Some(start) = place.and_then(|p| p.start.as_ref())
        && let (Some(number), Some(seed)) = (start.chess960, start.seed)
    {
        text += &format!("start    array {number} of Chess960, drawn from seed {seed}\n");
    }
    if !state.duty.is_empty() {
        text += &format!("must     {}: {}\n", super::json::color(state.duty_of()).unwrap_or("?"), state.duty);
    }
    if !state.board.is_empty() {
        text += &format!("board    {} (not legal)\n", state.board);
    }
    match state.device {
        0 => text += "clock    the daemon keeps the time\n",
        device if state.black_device > 0 => {
            let black = state.black_device;
            text += &format!("clock    White's device {device}, Black's device {black}, {} orders not confirmed\n", state.orders.len());
        }
        device => text += &format!("clock    device {device}, {} orders not confirmed\n", state.orders.len()),
    }
    text += &format!("moves    {}\nposition {}\ndigest   {}\n", state.moves.join(" "), state.fen, state.digest);
    text
}

/// When the session ends, and how far an adjournment has come.
fn adjournment(state: &v1::GameState) -> String {
    let local = super::envelope::local;
    let mut text = String::new();
    if let Some(at) = state.session_ends_ms {
        text += &format!("session  ends {}\n", local(at));
    }
    if let Some(at) = state.resumes_ms {
        text += &format!("resumes  {}\n", local(at));
    }
    let over = matches!(state.phase.as_str(), "over" | "annulled");
    if let Some(adjournment) = state.adjournment.as_ref().filter(|_| over) {
        if adjournment.stage != "resumed" {
            text = format!("envelope of move {} stays closed\n", adjournment.number);
        }
        if !adjournment.text.is_empty() {
            text = format!("opened   \"{}\"\n", adjournment.text.escape_debug());
        }
        return text;
    }
    let Some(adjournment) = state.adjournment.as_ref().filter(|a| a.stage != "resumed" || a.envelope.is_some()) else { return text };
    let sealer = super::json::color(adjournment.sealer()).unwrap_or("?");
    match adjournment.stage.as_str() {
        "ordered" => text += &format!("envelope {sealer} has to seal\n"),
        stage => {
            let place = if adjournment.place.is_empty() { "no place yet" } else { &adjournment.place };
            text += &format!("envelope {stage}, {sealer} sealed move {}, {place}\n", adjournment.number);
        }
    }
    if !adjournment.board.is_empty() {
        text += &format!("sealed   {} was made on the board\n", adjournment.board);
    }
    if let Some(by) = super::json::color(adjournment.offer()) {
        text += &format!("noted    a draw offered by {by}\n");
    }
    if adjournment.envelope_lost {
        let also = if adjournment.lost.is_empty() { String::new() } else { format!(", and the {}", adjournment.lost) };
        text += &format!("lost     the envelope{also}\n");
    }
    if adjournment.envelope.as_ref().is_some_and(|envelope| envelope.reply) {
        text += "answer   in a second envelope\n";
    }
    if adjournment.waits {
        text += &format!("waits    for the arbiter to decipher \"{}\"\n", adjournment.text.escape_debug());
    }
    let away = [("white", adjournment.absent_white), ("black", adjournment.absent_black)];
    let away: Vec<&str> = away.into_iter().filter_map(|(side, away)| away.then_some(side)).collect();
    if adjournment.stage != "sealed" && !away.is_empty() {
        text += &format!("away     {}\n", away.join(", "));
    }
    text
}

/// A device in one line.
pub(super) fn device(device: &v1::DeviceHealth) -> String {
    let game = if device.game > 0 { format!("game {}", device.game) } else { "no board".to_string() };
    let battery = device.battery.map_or(String::new(), |percent| format!("  battery {percent}%"));
    let trip = device.round_trip_ms.map_or(String::new(), |ms| format!("  round trip {ms} ms"));
    let drift = device.drift_ppm.map_or(String::new(), |ppm| format!("  drift {ppm} ± {} ppm", device.drift_uncertainty_ppm));
    format!("device {:<12}  {:<12}  {}{trip}{drift}{battery}", device.device, game, if device.online { "online" } else { "lost" })
}
