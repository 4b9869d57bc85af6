//! The ledger: what each clock was given or lost otherwise than by playing, by whom, and who gained what.

use std::fmt;

use shakmaty::{ByColor, Color};

use super::{Came, Seq, name};
use crate::clock::{Adjustment, Chessclock, Clock, Interval, Millis};
use crate::laws::Article;

/// What the clocks were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// How often each side pressed.
    pub presses: ByColor<u32>,
    /// How long its presses were on their way: nobody's time, where a device stamps them.
    pub network: ByColor<Network>,
    /// What passed between a press and the start of the other clock, where each is a device of its own: nobody's time.
    pub between: Option<Between>,
    /// Every change of the times that was not played for.
    pub corrections: Vec<Correction>,
}

/// How long a side's presses were on their way, as far as that was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Network {
    /// Of how many it is known.
    pub measured: u32,
    /// Of how many that a device stamped it is not.
    pub unmeasured: u32,
    /// How many the daemon timed: their way is the player's, but for what he was credited.
    pub by_the_daemon: u32,
    /// All of it.
    pub sum: Adjustment,
    /// The longest.
    pub greatest: Option<Adjustment>,
    /// What a player from afar was credited for it.
    pub credited: Millis,
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stamped = match self.greatest {
            Some(greatest) => Some(format!("{} in all, {greatest} at most, of {} that were measured; charged to nobody", self.sum, self.measured)),
            None => (self.unmeasured > 0).then(|| "not measured, and charged to nobody".to_string()),
        };
        let timed = (self.by_the_daemon > 0).then(|| {
            let (n, credited) = (self.by_the_daemon, self.credited);
            let which = if stamped.is_some() { format!("{n} that the daemon timed ") } else { String::new() };
            format!("{which}not measured; counted as thinking time, but for {credited} credited, as reported")
        });
        let told: Vec<String> = stamped.into_iter().chain(timed).collect();
        f.write_str(if told.is_empty() { "none" } else { "" })?;
        f.write_str(&told.join("; "))
    }
}

/// What passed between presses and the starts of the other side's clock, as far as the hall's time of both is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Between {
    /// How often that is known.
    pub measured: u32,
    /// At least so much in all.
    pub least: Millis,
    /// At most.
    pub most: Millis,
}

impl fmt::Display for Between {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.measured == 0 {
            return f.write_str("not measured, and charged to nobody");
        }
        write!(f, "{} to {} in all, of {} that were measured; charged to nobody", self.least, self.most, self.measured)
    }
}

/// A change of the times that was not played for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// Its entry.
    pub entry: Seq,
    /// What led to it.
    pub said: String,
    /// By which article.
    pub article: Option<Article>,
    /// What each clock gained.
    pub change: ByColor<Adjustment>,
}

impl Ledger {
    /// A side pressed; `on_a_device`: that stamped it.
    pub(super) fn pressed(&mut self, by: Color, on_a_device: bool, came: Option<Came>) {
        *self.presses.get_mut(by) += 1;
        let network = self.network.get_mut(by);
        // A stamp that cannot be tells nothing of the network.
        if let Some(came) = came.filter(|came| came.believed) {
            network.measured += 1;
            network.sum.0 = network.sum.0.saturating_add(came.late.0);
            network.greatest = network.greatest.max(Some(came.late));
        } else if on_a_device {
            network.unmeasured += 1;
        } else {
            network.by_the_daemon += 1;
        }
    }

    /// A player from afar was credited something for the way of a press.
    pub(super) fn credited(&mut self, by: Color, credited: Millis) {
        let network = self.network.get_mut(by);
        network.credited = network.credited.plus(credited);
    }

    /// The other side's clock has started by its own device, after a press at the presser's.
    pub(super) fn passed(&mut self, pressed: Option<Interval>, started: Option<Interval>) {
        let between = self.between.get_or_insert_default();
        if let Some((pressed, started)) = pressed.zip(started) {
            between.measured += 1;
            between.least = between.least.plus(started.from.less(pressed.until));
            between.most = between.most.plus(started.until.less(pressed.from));
        }
    }

    /// The clocks were set.
    pub(super) fn set(&mut self, entry: Seq, said: &str, article: Option<Article>, before: &Chessclock, sides: &ByColor<Clock>) {
        let change = ByColor::new_with(|color| before.side(color).left.to(sides.get(color).left));
        if Color::ALL.into_iter().any(|color| *change.get(color) != Adjustment(0)) {
            self.corrections.push(Correction { entry, said: said.to_string(), article, change });
        }
    }

    /// What a side gained in all.
    pub fn gained(&self, color: Color) -> Adjustment {
        Adjustment(self.corrections.iter().map(|correction| correction.change.get(color).0).sum())
    }

    /// Who gained what, in a sentence.
    pub(super) fn sum(&self) -> String {
        let (white, black) = (self.gained(Color::White), self.gained(Color::Black));
        let ahead = Adjustment(white.0 - black.0);
        let who = match ahead.0.signum() {
            0 => "neither gained over the other".to_string(),
            1 => format!("{} gained {} over {}", name(Color::White), plain(ahead), name(Color::Black)),
            _ => format!("{} gained {} over {}", name(Color::Black), plain(ahead.reversed()), name(Color::White)),
        };
        format!("White {white}, Black {black}: {who}")
    }
}

/// A gain without its sign.
fn plain(gain: Adjustment) -> Millis {
    Millis(gain.0.unsigned_abs())
}
