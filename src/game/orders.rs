//! What a game's device is told to do, and what its confirmation means.
//!
//! A clock on the board starts and stops when it does, not when the arbiter says so: an order
//! takes effect with the stamp by which the device confirms it. Where the daemon keeps the time
//! it takes effect at once.

use shakmaty::Color;

use super::entry::{Command, Consequence, Fact, OrderNo, StopReason};
use super::{Decision, Game, Order, Phase, chessclock, claims};

impl Game {
    /// Whether a device was told to start a clock, and has not confirmed it.
    pub fn awaits_start(&self) -> bool {
        self.orders.iter().any(|order| matches!(order.command, Command::Start { .. }))
    }
}

/// Orders a start or a stop, or does it at once where no device keeps the time.
pub(super) fn command(d: &mut Decision, command: Command) {
    if d.game.device.is_some() { tell(d, command) } else { carried_out(d, None, &command) }
}

/// Lets the device know what already holds.
pub(super) fn tell(d: &mut Decision, command: Command) {
    for to in addressees(&d.game, &command) {
        let order = OrderNo(d.game.last_order.0 + 1);
        d.so(Consequence::Ordered { order, command: command.clone(), to });
    }
}

/// Who has to know: the game's device, or, where each side has one of its own, those whose side it concerns.
fn addressees(game: &Game, command: &Command) -> Vec<Option<Color>> {
    let both = || vec![Some(Color::White), Some(Color::Black)];
    match command {
        _ if game.device.is_none() => Vec::new(),
        _ if !game.has_two() => vec![None],
        Command::Start { color } | Command::Add { color, .. } => vec![Some(*color)],
        Command::Stop => game.at_work().map_or_else(both, |side| vec![Some(side)]),
        Command::Set { .. } => both(),
    }
}

/// The device has done what it was told, at the instant of its stamp.
pub(super) fn confirmed(d: &mut Decision, game: &Game, order: OrderNo) {
    if let Some(Order { command, to, .. }) = game.orders.iter().find(|told| told.number == order) {
        carried_out(d, *to, command);
        if *command == Command::Stop && !d.game.is_at_work(None) {
            claims::now_standing(d);
        }
    }
}

/// After the end only the exact time at which the device stopped is still of interest.
pub(super) fn after_the_end(d: &mut Decision, game: &Game, fact: &Fact) {
    if let Fact::Confirmation { order } = fact
        && let Some(told) = game.orders.iter().find(|told| told.number == *order && told.command == Command::Stop)
        && d.game.clock.running().is_some_and(|running| told.to.is_none_or(|to| to == running.color))
    {
        let stopped = if d.game.uncounted { d.game.clock.clone() } else { d.game.clock.stopped(d.now) };
        d.so(Consequence::ClocksStopped { sides: chessclock::sides(&stopped), reason: StopReason::GameOver });
    }
}

fn carried_out(d: &mut Decision, by: Option<Color>, command: &Command) {
    match command {
        Command::Start { color } if d.game.phase != Phase::Running || d.game.is_between() => {
            if let Some(since) = d.now {
                d.so(Consequence::ClockStarted { color: *color, since });
            }
        }
        // A result that was taken back may have left the device's clock running.
        Command::Stop if d.game.is_at_work(by) => {
            let stopped = d.game.clock.stopped(d.now);
            d.so(Consequence::ClocksStopped { sides: chessclock::sides(&stopped), reason: StopReason::Arbiter });
        }
        Command::Start { .. } | Command::Stop | Command::Set { .. } | Command::Add { .. } => {}
    }
}
