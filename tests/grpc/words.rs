//! The protocol's words, said shortly.

use zeitnot::wire::v1::{self, Fact, Ruling, fact, ruling};

pub(crate) const WHITE: i32 = v1::Color::White as i32;
pub(crate) const BLACK: i32 = v1::Color::Black as i32;

fn fact(kind: fact::Kind) -> Fact {
    Fact { kind: Some(kind) }
}

/// A press, with the move made or none.
pub(crate) fn press(by: i32, made: &str) -> Fact {
    fact(fact::Kind::Press(v1::Press { by, r#move: made.to_string(), ..v1::Press::default() }))
}

pub(crate) fn made(by: i32, text: &str) -> Fact {
    fact(fact::Kind::Move(v1::Move { by, r#move: text.to_string() }))
}

pub(crate) fn flag(color: i32) -> Fact {
    fact(fact::Kind::Flag(color))
}

pub(crate) fn pause() -> Fact {
    fact(fact::Kind::Pause(0))
}

pub(crate) fn offer(by: i32) -> Fact {
    fact(fact::Kind::Offer(by))
}

pub(crate) fn resignation(by: i32) -> Fact {
    fact(fact::Kind::Resignation(by))
}

pub(crate) fn confirmation(order: u32) -> Fact {
    fact(fact::Kind::Confirmation(order))
}

pub(crate) fn restarted() -> Fact {
    fact(fact::Kind::Restart(v1::Restart {}))
}

fn ruling(kind: ruling::Kind) -> Ruling {
    Ruling { kind: Some(kind) }
}

/// Takes the last ruling back.
pub(crate) fn undo() -> Ruling {
    ruling(ruling::Kind::Undo(v1::Undo::default()))
}

/// Puts another device at the board.
pub(crate) fn replace_clock(device: u64) -> Ruling {
    ruling(ruling::Kind::ReplaceClock(device))
}

pub(crate) fn start() -> Ruling {
    ruling(ruling::Kind::Start(v1::Start {}))
}

pub(crate) fn stop() -> Ruling {
    ruling(ruling::Kind::Stop(v1::Stop { reason: String::new() }))
}

pub(crate) fn resume() -> Ruling {
    ruling(ruling::Kind::Resume(v1::Resume {}))
}

pub(crate) fn clocks(white_ms: u64, black_ms: u64) -> Ruling {
    ruling(ruling::Kind::SetClocks(v1::Times { white_ms, black_ms }))
}

pub(crate) fn add(color: i32, by_ms: i64) -> Ruling {
    ruling(ruling::Kind::AddTime(v1::AddTime { color, by_ms, reason: String::new() }))
}

pub(crate) fn result(score: &str) -> Ruling {
    ruling(ruling::Kind::DeclareResult(v1::Result { score: score.to_string(), reason: String::new() }))
}

/// Regulations that say nothing but the control.
pub(crate) fn control(control: &str) -> v1::Regulations {
    v1::Regulations { control: control.to_string(), ..v1::Regulations::default() }
}

pub(crate) fn player(name: &str) -> Option<v1::Player> {
    Some(v1::Player { name: name.to_string(), fide_id: 0 })
}

/// What is left to both sides, in milliseconds.
pub(crate) fn left(state: &v1::GameState) -> [u64; 2] {
    let sides = state.sides.unwrap_or_default();
    [sides.white, sides.black].map(|side| side.unwrap_or_default().left_ms)
}
