//! What a game's device is told to do, and what its confirmation means.
//!
//! A clock on the board starts and stops when it does, not when the arbiter says so: an order
//! takes effect with the stamp by which the device confirms it. Where the daemon keeps the time
//! it takes effect at once.

use super::entry::{Command, Consequence, Fact, OrderNo, StopReason};
use super::{Decision, Game, Phase, chessclock, claims};

/// Orders a start or a stop, or does it at once where no device keeps the time.
pub(super) fn command(d: &mut Decision, command: Command) {
    if d.game.device.is_some() { tell(d, command) } else { carried_out(d, &command) }
}

/// Lets the device know what already holds.
pub(super) fn tell(d: &mut Decision, command: Command) {
    if d.game.device.is_some() {
        let order = OrderNo(d.game.last_order.0 + 1);
        d.so(Consequence::Ordered { order, command });
    }
}

/// The device has done what it was told, at the instant of its stamp.
pub(super) fn confirmed(d: &mut Decision, game: &Game, order: OrderNo) {
    if let Some((_, command)) = game.orders.iter().find(|(no, _)| *no == order) {
        carried_out(d, command);
        if *command == Command::Stop {
            claims::now_standing(d);
        }
    }
}

/// After the end only the exact time at which the device stopped is still of interest.
pub(super) fn after_the_end(d: &mut Decision, game: &Game, fact: &Fact) {
    if let Fact::Confirmation { order } = fact
        && game.orders.iter().any(|(no, command)| no == order && *command == Command::Stop)
        && d.game.clock.running().is_some()
    {
        let stopped = if d.game.uncounted { d.game.clock.clone() } else { d.game.clock.stopped(d.now) };
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&stopped), reason: StopReason::GameOver });
    }
}

fn carried_out(d: &mut Decision, command: &Command) {
    match command {
        Command::Start { color } if d.game.phase != Phase::Running => {
            if let Some(since) = d.now {
                d.so(Consequence::ClockStarted { color: *color, since });
            }
        }
        // A result that was taken back may have left the device's clock running, and pressed.
        Command::Stop if d.game.clock.running().is_some() && d.game.uncounted => chessclock::uncounted(d),
        Command::Stop if d.game.clock.running().is_some() => {
            let stopped = d.game.clock.stopped(d.now);
            d.so(Consequence::ClocksStopped { sides: chessclock::sides(&stopped), reason: StopReason::Arbiter });
        }
        Command::Start { .. } | Command::Stop | Command::Set { .. } | Command::Add { .. } => {}
    }
}
