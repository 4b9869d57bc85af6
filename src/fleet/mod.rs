//! The fleet: simulated clocks that play games of PGN files against a daemon.

pub mod plan;
