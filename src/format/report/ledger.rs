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
    /// How long its presses were on their way: nobody's time.
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
    /// All of it.
    pub sum: Adjustment,
    /// The longest.
    pub greatest: Option<Adjustment>,
    /// What a player from afar was credited for it.
    pub credited: Millis,
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.greatest {
            Some(greatest) => write!(f, "{} in all, {greatest} at most, of {} that were measured; charged to nobody", self.sum, self.measured)?,
            None => f.write_str("not measured, and charged to nobody")?,
        }
        if self.credited > Millis::ZERO { write!(f, "; {} credited for the way, as reported", self.credited) } else { Ok(()) }
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
    pub(super) fn pressed(&mut self, by: Color, came: Option<Came>) {
        *self.presses.get_mut(by) += 1;
        // A stamp that cannot be tells nothing of the network.
        if let Some(came) = came.filter(|came| came.believed) {
            let network = self.network.get_mut(by);
            network.measured += 1;
            network.sum.0 = network.sum.0.saturating_add(came.late.0);
            network.greatest = network.greatest.max(Some(came.late));
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
