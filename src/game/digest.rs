//! The digest of a game: a hash of its state in one written form, the same on every machine.

use std::fmt::{self, Write};
use std::str::FromStr;

use shakmaty::Color;

use super::adjournment::Session;
use super::{Game, Phase};

/// BLAKE3 over the canonical text of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of a canonical text.
    pub fn of(text: &str) -> Digest {
        Digest(*blake3::hash(text.as_bytes()).as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = blake3::HexError;

    fn from_str(text: &str) -> Result<Digest, blake3::HexError> {
        blake3::Hash::from_hex(text).map(|hash| Digest(*hash.as_bytes()))
    }
}

impl Phase {
    /// The word for it in scenarios, in print and in the digest.
    pub fn word(self) -> &'static str {
        match self {
            Phase::Scheduled => "scheduled",
            Phase::Ready => "ready",
            Phase::Running => "running",
            Phase::Stopped(_) => "stopped",
            Phase::Adjourned => "adjourned",
            Phase::Over => "over",
            Phase::Annulled => "annulled",
        }
    }
}

/// The word for a side: `white` or `black`.
pub fn side(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

impl Game {
    /// The digest of the whole state.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.canonical())
    }

    /// The whole state as text, one thing a line: what the digest is taken over, and what to compare when two digests differ.
    pub fn canonical(&self) -> String {
        let mut text = String::with_capacity(1024);
        // Writing to a string cannot fail.
        let _ = self.write_canonical(&mut text);
        text
    }

    fn write_canonical(&self, to: &mut String) -> fmt::Result {
        let r = &self.regulations;
        writeln!(to, "game {} laws {} {} control {}", self.id.0, r.edition.year(), r.play.word(), r.control)?;
        writeln!(to, "regulations {:?} {:?} {:?} device {}", r.count_from, r.period_added, r.board, self.device.map_or(0, |d| d.0))?;
        writeln!(to, "supervision {:?} default time {:?} flags {:?} claims {:?}", r.supervision, r.default_time, r.flags, r.claims)?;
        writeln!(to, "quickplay {:?} otherwise {:?}", r.quickplay, r.otherwise)?;
        if let Some(cap) = r.compensation {
            writeln!(to, "compensation {cap}")?;
        }
        writeln!(to, "phase {:?} absent {} {}", self.phase, self.absent.white, self.absent.black)?;
        for color in Color::ALL {
            let c = self.clock.side(color);
            let (completed, made) = (self.completed.get(color), self.made.get(color));
            let open = self.uncompleted.get(color);
            let side = side(color);
            writeln!(
                to,
                "{side} left {} free {} period {} counter {} completed {completed} made {made} open {open}",
                c.left.0, c.free.0, c.period, c.counter
            )?;
        }
        if let Some(running) = self.clock.running() {
            writeln!(to, "running {} since {}", side(running.color), running.since.0)?;
        }
        writeln!(to, "on move {} last {}", side(self.on_move), self.last_mover.map_or("nobody", side))?;
        writeln!(to, "offer {}", self.offer.map_or("none", side))?;
        for claim in self.claim.iter().chain(&self.set_aside) {
            writeln!(to, "claim {} {} {} postponed {}", side(claim.by), claim.claim, claim.answer, claim.postponed)?;
        }
        if let Some((by, duty)) = &self.duty {
            writeln!(to, "duty {} {duty}", side(*by))?;
        }
        writeln!(to, "illegal {:?} down {:?} touched {:?} points {:?}", self.illegal, self.down, self.touched, self.points)?;
        writeln!(to, "excused {:?} exempt {:?} started {:?} asked {:?}", self.excused, self.exempt, self.started, self.asked)?;
        writeln!(to, "question {:?} awaiting {:?}", self.question, self.awaiting)?;
        writeln!(to, "empty press {} moves ever {}", self.empty_press.map_or("none", side), self.moves_ever)?;
        if let Some(outcome) = &self.outcome {
            writeln!(to, "result {} {} {}", outcome.score, outcome.termination, outcome.article)?;
        }
        for order in &self.orders {
            writeln!(to, "order {} {:?}{}", order.number.0, order.command, order.to.map_or("", |to| to.fold_wb(" to white", " to black")))?;
        }
        // Games with one device, or none, keep the digests that they had.
        if let Some(device) = self.black_device {
            writeln!(to, "black's device {} fell {:?} ended {:?}", device.0, self.fell, self.ended)?;
        }
        // Logs that know nothing of adjournments keep the digests that they had.
        if self.session != Session::default() {
            writeln!(to, "session {:?}", self.session)?;
        }
        if let Some(draft) = &self.draft {
            writeln!(to, "draft {draft}")?;
        }
        if let Some(adjournment) = &self.adjournment {
            writeln!(to, "adjournment {adjournment}")?;
        }
        for undoable in &self.undoable {
            writeln!(to, "undoable {undoable}")?;
        }
        writeln!(to, "last order {} before end {:?}", self.last_order.0, self.before_end)?;
        writeln!(to, "start {}", self.line.start().to_fen())?;
        for ply in self.line.plies() {
            match ply.made {
                Some(uci) => write!(to, "{uci}{}{}", if ply.legal { "" } else { " illegal" }, if ply.offered { " (=)" } else { "" })?,
                None => to.write_str("?")?,
            }
            match ply.left {
                Some(left) => writeln!(to, " {}", left.0)?,
                None => writeln!(to)?,
            }
        }
        if let Some(raw) = self.line.raw() {
            writeln!(to, "board {}", raw.fen())?;
        }
        writeln!(to, "position {} stood {}", self.line.fen(), self.line.occurrences())
    }
}
