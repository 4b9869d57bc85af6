//! zeitnot: the arbiter that playing halls do not have.
//!
//! The log is the truth and every game is rebuilt from it. An input goes to a pure `decide`,
//! which gives it back with what follows; the batch is appended, applied by `evolve`, and read
//! by whoever follows. In the order in which the modules may use one another:
//!
//! - [`clock`]: how time runs; [`laws`]: what each edition says; [`board`]: the moves, on shakmaty;
//! - [`game`]: one game, with `decide` and `evolve`; [`venue`]: tournaments, boards and devices around the games;
//! - [`audit`]: decides a log again; [`disclosure`]: who may see what; [`mod@format`]: text in and out; [`scenario`]: games told in plain lines;
//! - [`wire`]: the domain in protobuf and back; [`time`]: where time enters; [`log`]: the durable log; [`writer`]: the one writer;
//! - [`service`]: gRPC; [`http`]: the port; [`daemon`]: all of it together; [`client`]: how it is reached; [`fleet`]: simulated clocks; [`sim`]: a whole day, simulated; [`cli`]: the command line.
//!
//! The first line is pure: no IO, no async, no clock reading, no randomness.

pub mod audit;
pub mod board;
pub mod cli;
pub mod client;
pub mod clock;
pub mod daemon;
pub mod disclosure;
pub mod envelope;
pub mod fleet;
pub mod format;
pub mod game;
pub mod http;
pub mod laws;
pub mod log;
pub mod scenario;
pub mod service;
pub mod signature;
pub mod sim;
pub mod time;
pub mod venue;
pub mod wire;
pub mod writer;
