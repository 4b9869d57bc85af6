//! The zeitnot command.
fn main() {}
