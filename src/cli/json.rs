//! What programs read of entries and games.

use serde_json::{Value, json};

use crate::clock::{Millis, WallTime};
use crate::format::jsonl;
use crate::venue::Entry;
use crate::wire::v1;

/// An entry.
pub(super) fn entry(entry: &Entry) -> Value {
    Value::Object(jsonl::entry(entry))
}

/// The state of a game. What is empty is not known or not there.
pub(super) fn game(state: &v1::GameState) -> Value {
    let place = state.pairing.as_ref();
    let player = |player: Option<&v1::Player>| player.map(|player| json!({ "name": player.name, "fide_id": player.fide_id }));
    json!({
        "game": state.game,
        "version": state.version,
        "tournament": place.map(|p| p.tournament),
        "round": place.map(|p| p.round),
        "board": place.map(|p| p.board),
        "white": player(place.and_then(|p| p.white.as_ref())),
        "black": player(place.and_then(|p| p.black.as_ref())),
        "start": place.and_then(|p| p.start.as_ref()).map(|start| json!({ "fen": start.fen, "chess960": start.chess960, "seed": start.seed })),
        "control": state.regulations.as_ref().map(|r| r.control.clone()),
        "laws": state.regulations.as_ref().map(|r| r.edition),
        "play": state.regulations.as_ref().map(|r| play(r.play())),
        "phase": state.phase,
        "clocks": clocks(state),
        "running": color(state.running()),
        "running_for_ms": state.running_for_ms,
        "fen": state.fen,
        "moves": state.moves,
        "completed": { "white": state.completed_white, "black": state.completed_black },
        "offer": color(state.offer()),
        "claim": state.claim.as_ref().map(|claim| json!({
            "by": color(claim.by()), "claim": claim.text, "answer": claim.answer, "postponed": claim.postponed,
        })),
        "illegal": { "white": state.illegal_white, "black": state.illegal_black },
        "must_play": if state.duty.is_empty() { Value::Null } else { json!({ "by": color(state.duty_of()), "duty": state.duty }) },
        "board": if state.board.is_empty() { Value::Null } else { json!(state.board) },
        "flag_down": { "white": state.flag_down_white, "black": state.flag_down_black },
        "half_points": { "white": state.half_points_white, "black": state.half_points_black },
        "score": state.score,
        "termination": state.termination,
        "article": state.article,
        "device": state.device,
        "stale": !state.lost.is_empty(),
        "lost": state.lost,
        "black_device": if state.black_device > 0 { json!(state.black_device) } else { Value::Null },
        "orders": state.orders.len(),
        "proposed": if state.proposed.is_empty() { Value::Null } else { json!(state.proposed) },
        "replaces": if state.replaces > 0 { json!(state.replaces) } else { Value::Null },
        "session_ends": state.session_ends_ms.map(|at| WallTime(at).to_string()),
        "resumes": state.resumes_ms.map(|at| WallTime(at).to_string()),
        "adjournment": state.adjournment.as_ref().map(adjournment),
        "digest": state.digest,
    })
}

/// The last adjournment: the outside of its envelope, and what fixes the inside.
fn adjournment(a: &v1::Adjournment) -> Value {
    let used = a.used.unwrap_or_default();
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    json!({
        "sealer": color(a.sealer()),
        "stage": a.stage,
        "number": a.number,
        "on_the_board": a.board,
        "offer": color(a.offer()),
        "place": a.place,
        "used": { "white": Millis(used.white_ms).to_string(), "black": Millis(used.black_ms).to_string() },
        "lost": if a.envelope_lost { json!(if a.lost.is_empty() { "move" } else { &a.lost }) } else { Value::Null },
        "absent": { "white": a.absent_white, "black": a.absent_black },
        "waits": a.waits,
        "text": a.text,
        "envelope": a.envelope.as_ref().map(|e| json!({
            "by": color(e.by()), "ply": e.ply, "commitment": hex(&e.commitment), "ciphertext": hex(&e.ciphertext), "reply": e.reply,
        })),
    })
}

fn clocks(state: &v1::GameState) -> Value {
    let side = |side: Option<&v1::Side>| side.map(|s| json!({ "left": Millis(s.left_ms).to_string(), "left_ms": s.left_ms, "period": s.period + 1 }));
    let sides = state.sides.as_ref();
    json!({ "white": side(sides.and_then(|s| s.white.as_ref())), "black": side(sides.and_then(|s| s.black.as_ref())) })
}

/// A kind of play.
fn play(play: v1::Play) -> &'static str {
    match play {
        v1::Play::Standard => "standard",
        v1::Play::Rapid => "rapid",
        v1::Play::Blitz => "blitz",
        v1::Play::Unspecified => "",
    }
}

/// A side, or nothing.
pub(super) fn color(color: v1::Color) -> Option<&'static str> {
    match color {
        v1::Color::White => Some("white"),
        v1::Color::Black => Some("black"),
        v1::Color::Unspecified => None,
    }
}

/// How a device is reached.
pub(super) fn device(device: &v1::DeviceHealth) -> Value {
    json!({
        "device": device.device,
        "game": device.game,
        "online": device.online,
        "round_trip_ms": device.round_trip_ms,
        "offset_ms": device.offset_ms,
        "uncertainty_ms": device.uncertainty_ms,
        "drift_ppm": device.drift_ppm,
        "drift_uncertainty_ppm": device.drift_ppm.map(|_| device.drift_uncertainty_ppm),
        "battery": device.battery,
    })
}
