//! The audit: decides every recorded input again and reports where today's Laws derive something else.
//!
//! Replay never decides, so a corrected rule never rewrites a played game; the audit is where the difference shows.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::game::{self, Fact, Seq};
use crate::venue::{Entry, Payload, Subject, Venue, Version};

/// A place where today's code would have derived something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Place of the input.
    pub seq: Seq,
    /// What it is about.
    pub subject: Subject,
    /// What was recorded, input and consequences.
    pub recorded: Vec<String>,
    /// What would be now, or why the input would be refused.
    pub today: Vec<String>,
}

/// An audit in progress: fed with every entry of a log in order.
#[derive(Debug, Default)]
pub struct Audit {
    venue: Venue,
    /// Entries of the input being gathered.
    group: Vec<Entry>,
    inputs: u64,
    differences: Vec<Difference>,
}

/// What an audit found.
#[derive(Debug)]
pub struct Audited {
    /// The venue at the end.
    pub venue: Venue,
    /// Facts and rulings that were decided again.
    pub inputs: u64,
    /// Where the outcome differs.
    pub differences: Vec<Difference>,
}

/// Entries about a game that nothing can have led to.
fn unfounded(group: &[Entry], why: &str) -> Option<Difference> {
    let first = group.iter().find(|entry| matches!(entry.payload, Payload::Game(_)))?;
    Some(Difference {
        seq: first.seq,
        subject: first.subject,
        recorded: group.iter().map(ToString::to_string).collect(),
        today: vec![why.to_string()],
    })
}

/// The place of the input that an entry belongs to.
fn input_of(entry: &Entry) -> Seq {
    entry.cause.unwrap_or(entry.seq)
}

impl Audit {
    /// The next entry of the log.
    pub fn entry(&mut self, entry: Entry) {
        if self.group.first().is_some_and(|first| input_of(first) != input_of(&entry)) {
            self.close();
        }
        self.group.push(entry);
    }

    /// The log has ended.
    pub fn finish(mut self) -> Audited {
        self.close();
        Audited { venue: self.venue, inputs: self.inputs, differences: self.differences }
    }

    fn close(&mut self) {
        let group = std::mem::take(&mut self.group);
        if let Some(difference) = self.compare(&group) {
            self.differences.push(difference);
        }
        group.iter().for_each(|entry| self.venue.evolve(entry));
    }

    fn compare(&mut self, group: &[Entry]) -> Option<Difference> {
        let Some(input) = group.iter().find(|entry| entry.origin.is_some()) else { return unfounded(group, "no input stands behind it") };
        let (Payload::Game(said), Subject::Game(id)) = (&input.payload, input.subject) else { return None };
        let offered = match said {
            game::Entry::Fact(fact) => game::Input::Fact(fact.clone()),
            game::Entry::Ruling(ruling) => game::Input::Ruling(ruling.clone()),
            game::Entry::Consequence(_) => return None,
        };
        self.inputs += 1;
        // A restart's stamp is on a timeline that begins with it.
        let stamp = input.origin.as_ref().and_then(|origin| origin.stamp).filter(|_| *said != game::Entry::Fact(Fact::Restart));
        let Some(table) = self.venue.table(id) else { return unfounded(group, "there is no such game") };
        let recorded: Vec<&game::Entry> = group
            .iter()
            .filter_map(|entry| match &entry.payload {
                Payload::Game(said) => Some(said),
                Payload::Admin(_) | Payload::Device(_) => None,
            })
            .collect();
        let device = stamp.and_then(|stamp| self.venue.devices().get(&stamp.device).zip(Some(stamp)));
        let game = device.map_or(Cow::Borrowed(&table.game), |(device, stamp)| device.as_stamped(&table.game, &stamp));
        let today = game::decide(&game, offered, stamp.map(|stamp| stamp.at));
        if today.as_ref().is_ok_and(|today| today.iter().eq(recorded.iter().copied())) {
            return None;
        }
        let today = match today {
            Ok(entries) => entries.iter().map(ToString::to_string).collect(),
            Err(refusal) => vec![format!("refused: {refusal}")],
        };
        Some(Difference { seq: input.seq, subject: input.subject, recorded: recorded.iter().map(ToString::to_string).collect(), today })
    }
}

/// Checks that the versions of every subject are numbered without gaps: fed with every entry of a log in order.
#[derive(Debug, Default)]
pub struct Versions(BTreeMap<Subject, Version>);

/// A version that does not follow on the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("version {} of {subject}, where {} comes next", found.0, next.0)]
pub struct VersionGap {
    /// Whose.
    pub subject: Subject,
    /// What stands there.
    pub found: Version,
    /// What has to stand there.
    pub next: Version,
}

impl Versions {
    /// The next entry of the log.
    ///
    /// # Errors
    /// Where its version does not follow.
    pub fn entry(&mut self, entry: &Entry) -> Result<(), VersionGap> {
        let last = self.0.entry(entry.subject).or_default();
        let next = Version(last.0 + 1);
        *last = entry.version;
        if entry.version == next { Ok(()) } else { Err(VersionGap { subject: entry.subject, found: entry.version, next }) }
    }
}
