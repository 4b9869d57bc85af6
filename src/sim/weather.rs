//! How rough a simulated day is: what goes wrong, and how often. Some days nothing does.

use super::env::Chance;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weather {
    /// Usual delay of a message, in milliseconds.
    pub(super) delay: u64,
    /// Messages that take seconds.
    pub(super) slow: f64,
    /// Messages that are lost.
    pub(super) loss: f64,
    /// Messages that come twice.
    pub(super) doubling: f64,
    /// Messages that do not wait for those before them.
    pub(super) overtaking: f64,
    /// What befalls a device, an hour: cut off, restarted, its counter set.
    pub(super) strikes: f64,
    /// Kills of the daemon, an hour.
    pub(super) kills: f64,
    /// Kills of the daemon in the middle of its work, for each time that it works.
    pub(super) kills_at_work: f64,
    /// Commits that fail.
    pub(super) disk: f64,
    /// Commits that find the disk full, for a while.
    pub(super) full: f64,
    /// How far the devices' oscillators are off, in millionths.
    pub(super) drift: u64,
    /// What players do besides moving, in thousandths of their moves.
    pub(super) mischief: f64,
    /// Rulings of the arbiters on games that go their way, an hour and board.
    pub(super) rulings: f64,
}

impl Weather {
    /// A network that works, a machine that stays up.
    pub(super) fn calm() -> Weather {
        Weather {
            delay: 20,
            slow: 0.0,
            loss: 0.0,
            doubling: 0.0,
            overtaking: 0.0,
            strikes: 0.0,
            kills: 0.0,
            kills_at_work: 0.0,
            disk: 0.0,
            full: 0.0,
            drift: 50,
            mischief: 0.5,
            rulings: 2.0,
        }
    }

    /// The weather of a day.
    pub(super) fn drawn(chance: &mut Chance) -> Weather {
        let calm = Weather { mischief: chance.share() * 3.0, rulings: chance.share() * 10.0, drift: chance.between(0, 300), ..Weather::calm() };
        if chance.happens(0.1) {
            return calm;
        }
        let mut rough = |most: f64| if chance.happens(0.75) { chance.share() * most } else { 0.0 };
        let (slow, loss, doubling, overtaking) = (rough(0.05), rough(0.15), rough(0.10), rough(0.3));
        let (strikes, kills, kills_at_work) = (rough(8.0), rough(20.0), rough(0.004));
        let (disk, full) = (rough(0.002), rough(0.0005));
        Weather { delay: chance.between(5, 400), slow, loss, doubling, overtaking, strikes, kills, kills_at_work, disk, full, ..calm }
    }

    /// What still goes wrong once everybody has gone home: nothing.
    pub(super) fn settled(self) -> Weather {
        Weather { drift: self.drift, ..Weather::calm() }
    }
}
