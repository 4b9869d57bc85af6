//! The audit: decides every recorded input again and reports where today's Laws derive something else.
//!
//! Replay never decides, so a corrected rule never rewrites a played game; the audit is where the difference shows.

mod envelopes;
mod signatures;

pub use envelopes::{EnvelopeDiffers, Envelopes, OpenedEnvelope};
pub use signatures::{SignatureWrong, Signatures, Signed};

use std::borrow::Cow;
use std::collections::BTreeMap;

use shakmaty::Color;

use crate::board::mating::{self, Mating};
use crate::game::{self, Fact, Seq};
use crate::venue::{Entry, Payload, Role, Subject, Venue, Version, as_input, may_say};

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

/// Whether today's entry says what the recorded one says. Another helpmate or another proof finds the same.
fn same(today: &game::Entry, then: &game::Entry) -> bool {
    use game::Consequence::MatingJudged;
    match (today, then) {
        (game::Entry::Consequence(MatingJudged { plies, mating }), game::Entry::Consequence(MatingJudged { plies: ply, mating: found })) => {
            let kind = |one: &Option<Mating>| one.as_ref().map(std::mem::discriminant);
            plies == ply && Color::ALL.into_iter().all(|color| kind(mating.get(color)) == kind(found.get(color)))
        }
        (today, then) => today == then,
    }
}

/// A helpmate that does not mate, or a proof that proves nothing, among what was recorded about a game.
fn unproved(before: &game::Game, recorded: &[&game::Entry]) -> Option<String> {
    let mut game = before.clone();
    for entry in recorded {
        let judged = match entry {
            game::Entry::Consequence(game::Consequence::MatingJudged { plies, mating }) => Some((*plies, mating, None)),
            game::Entry::Fact(Fact::Verdict { ply, position, mating }) => Some((*ply, mating, Some(position))),
            _ => None,
        };
        if let Some((plies, mating, on)) = judged {
            // A verdict on a position that does not stand any more has no effect.
            let position = game.line.position_after(plies as usize).filter(|position| on.is_none_or(|on| game::named(position) == *on));
            for color in Color::ALL {
                let (Some(found), Some(position)) = (mating.get(color), &position) else { continue };
                let holds = match found {
                    Mating::Possible(line) => mating::replays(position, line, color),
                    Mating::Impossible(proof) => mating::check(position, color, proof),
                    Mating::Unclear => true,
                };
                if !holds {
                    return Some(format!("that {} is not borne out: {found}", game::side(color)));
                }
            }
        }
        game.evolve(Seq(0), entry);
    }
    None
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

    /// Whether a game that is over lets its device go, to wherever it comes.
    fn lets_go(&self, entry: &Entry) -> bool {
        let (Payload::Game(game::Entry::Consequence(game::Consequence::ClockReplaced { device: None })), Subject::Game(id)) =
            (&entry.payload, entry.subject)
        else {
            return false;
        };
        self.venue.table(id).is_some_and(|table| table.game.is_finished())
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
        let role = input.origin.as_ref().map(|origin| origin.role);
        let may = |role| match &offered {
            game::Input::Fact(fact) => may_say(role, fact),
            game::Input::Ruling(_) => role == Role::Arbiter,
        };
        if !role.is_none_or(may) {
            return unfounded(group, "who is said to have said it cannot");
        }
        let shown = input.origin.as_ref().zip(as_input(input));
        if let Some(Err(refusal)) = shown.map(|(origin, said)| self.venue.admits(origin, &said, input.recorded_at)) {
            return unfounded(group, &format!("the credential that is said to have been shown does not admit it: {refusal}"));
        }
        if let (game::Input::Ruling(ruling), Some(table), Some(origin)) = (&offered, self.venue.table(id), &input.origin)
            && self.venue.lacks_second(table, ruling, origin, input.recorded_at)
        {
            return unfounded(group, "no second arbiter has ruled it");
        }
        // A restart's stamp is on a timeline that begins with it, and what is belated on one that is not the game's.
        let timed = !matches!(said, game::Entry::Fact(Fact::Restart | Fact::Belated { .. }));
        let stamp = input.origin.as_ref().and_then(|origin| origin.stamp).filter(|_| timed);
        let Some(table) = self.venue.table(id) else { return unfounded(group, "there is no such game") };
        if group.iter().any(|entry| entry.subject != input.subject && !self.lets_go(entry)) {
            return unfounded(group, "it does not follow for another game");
        }
        let recorded: Vec<&game::Entry> = group
            .iter()
            .filter_map(|entry| match &entry.payload {
                Payload::Game(said) if entry.subject == input.subject => Some(said),
                _ => None,
            })
            .collect();
        let device = stamp.and_then(|stamp| self.venue.devices().get(&stamp.device).zip(Some(stamp)));
        let game = device.map_or(Cow::Borrowed(&table.game), |(device, stamp)| device.as_stamped(&table.game, &stamp));
        let now = device.map(|(device, stamp)| device.believed(&game, &stamp)).or(stamp.map(|stamp| stamp.at));
        let today = game::decide(&game, offered, now, input.recorded_at);
        let as_recorded =
            |today: &Vec<game::Entry>| today.len() == recorded.len() && today.iter().zip(&recorded).all(|(today, then)| same(today, then));
        if today.as_ref().is_ok_and(as_recorded) {
            let unproved = unproved(&table.game, &recorded)?;
            return unfounded(group, &unproved);
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
