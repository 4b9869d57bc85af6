//! The audit: decides every recorded input again and reports where today's Laws derive something else.
//!
//! Replay never decides, so a corrected rule never rewrites a played game; the audit is where the difference shows.

mod envelopes;
mod reports;
mod signatures;

pub use envelopes::{EnvelopeDiffers, Envelopes, OpenedEnvelope};
pub use reports::{ReportWrong, in_turn};
pub use signatures::{SignatureWrong, Signatures, Signed};

use std::borrow::Cow;
use std::collections::BTreeMap;

use shakmaty::Color;

use crate::board::mating::{self, Mating};
use crate::clock::Millis;
use crate::game::{self, Fact, GameId, Ruling, Seq, When};
use crate::venue::{self, At, Command, Decided, Entry, Groups, Input, Origin, Payload, Role, Subject, Venue, Version, as_input, may_say};

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
    groups: Groups,
    versions: Versions,
    inputs: u64,
    differences: Vec<Difference>,
}

/// What an audit found.
#[derive(Debug)]
pub struct Audited {
    /// The venue at the end.
    pub venue: Venue,
    /// How many were decided again.
    pub inputs: u64,
    /// Where the outcome differs.
    pub differences: Vec<Difference>,
}

/// Entries that cannot have come about so.
fn unfounded(group: &[Entry], why: &str) -> Option<Difference> {
    let first = group.first()?;
    Some(differs(first, group, vec![why.to_string()]))
}

fn differs(input: &Entry, group: &[Entry], today: Vec<String>) -> Difference {
    Difference { seq: input.seq, subject: input.subject, recorded: group.iter().map(ToString::to_string).collect(), today }
}

/// The one entry that somebody sent, where all others follow from it and claim no more than that.
fn input_of(group: &[Entry]) -> Option<&Entry> {
    let input = group.iter().find(|entry| entry.origin.is_some())?;
    let follows = |entry: &Entry| entry.origin.is_none() && entry.key.is_none() && entry.cause == Some(input.seq);
    let founded = group.iter().all(|entry| std::ptr::eq(entry, input) || follows(entry));
    (founded && input.cause.is_none()).then_some(input)
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

impl Audit {
    /// The next entry of the log.
    pub fn entry(&mut self, entry: Entry) {
        if let Some(group) = self.groups.entry(entry) {
            self.close(&group);
        }
    }

    /// The log has ended.
    pub fn finish(mut self) -> Audited {
        let last = self.groups.end();
        self.close(&last);
        Audited { venue: self.venue, inputs: self.inputs, differences: self.differences }
    }

    fn close(&mut self, group: &[Entry]) {
        let mut found = self.compare(group);
        for entry in group {
            // What is numbered wrongly may follow from its input all the same.
            let numbered = self.versions.entry(entry).map_err(|e| e.to_string());
            let taken = in_turn(&self.venue, entry).map_err(|e| e.to_string());
            if let (None, Err(why)) = (&found, numbered.and(taken)) {
                found = unfounded(group, &why);
            }
            self.venue.evolve(entry);
        }
        self.differences.extend(found);
    }

    /// An input and what follows from it, against what would follow today.
    fn compare(&mut self, group: &[Entry]) -> Option<Difference> {
        if group.is_empty() {
            return None;
        }
        let Some(input) = input_of(group) else { return unfounded(group, "no input stands behind it") };
        let Some((origin, said)) = input.origin.as_ref().zip(as_input(&self.venue, input)) else {
            return unfounded(group, "nobody can have sent it");
        };
        self.inputs += 1;
        let offered = match &input.payload {
            Payload::Game(game::Entry::Fact(fact)) => Some(game::Input::Fact(fact.clone())),
            Payload::Game(game::Entry::Ruling(ruling)) => Some(game::Input::Ruling(ruling.clone())),
            _ => None,
        };
        let may = match &offered {
            Some(game::Input::Fact(fact)) => may_say(origin.role, fact),
            Some(game::Input::Ruling(_)) => origin.role == Role::Arbiter,
            None => true,
        };
        if !may {
            return unfounded(group, "who is said to have said it cannot");
        }
        if origin.role != Role::Daemon && origin.credential.is_none() && self.venue.asks_who() {
            return unfounded(group, "no credential was shown, and this venue asks for one");
        }
        if let Err(refusal) = self.venue.admits(origin, &said, input.recorded_at) {
            return unfounded(group, &format!("the credential that is said to have been shown does not admit it: {refusal}"));
        }
        match (offered, input.subject) {
            (Some(offered), Subject::Game(id)) => self.about(group, input, id, offered),
            _ => self.in_the_venue(group, input, origin, said),
        }
    }

    /// What is about no game, or only puts one up: decided as the venue does.
    fn in_the_venue(&self, group: &[Entry], input: &Entry, origin: &Origin, said: Input) -> Option<Difference> {
        let hall = origin.stamp.map_or(Millis::ZERO, |stamp| stamp.at);
        let command = Command { origin: origin.clone(), key: input.key.clone(), seen: None, input: said };
        let today = match venue::decide(&self.venue, command, At { wall: input.recorded_at, hall }) {
            // Facts of games that it leads to are inputs of their own.
            Ok(Decided::Entries(entries)) => entries.into_iter().filter(|entry| entry.input() == input.seq).collect::<Vec<_>>(),
            Ok(Decided::Repeat(seq)) => return unfounded(group, &format!("it was taken before, as entry {}", seq.0)),
            Err(refusal) => return unfounded(group, &format!("refused: {refusal}")),
        };
        (today != group).then(|| differs(input, group, today.iter().map(ToString::to_string).collect()))
    }

    /// Whether a ruling that puts a device at another board takes it from a game that is over.
    fn lets_go(&self, ruled: &game::Input, entry: &Entry) -> bool {
        let game::Input::Ruling(Ruling::ReplaceClock { device: Some(device) } | Ruling::ReplaceOwnClock { device, .. }) = ruled else { return false };
        let Subject::Game(id) = entry.subject else { return false };
        let Some(over) = self.venue.table(id).map(|table| &table.game).filter(|game| game.is_finished()) else { return false };
        let left = over.devices().find(|at_board| at_board != device);
        let gone = Payload::Game(game::Entry::Consequence(game::Consequence::ClockReplaced { device: left }));
        entry.payload == gone && over.devices().any(|at_board| at_board == *device)
    }

    /// A fact or a ruling of a game.
    fn about(&self, group: &[Entry], input: &Entry, id: GameId, offered: game::Input) -> Option<Difference> {
        let origin = input.origin.as_ref()?;
        let Some(table) = self.venue.table(id) else { return unfounded(group, "there is no such game") };
        if let game::Input::Ruling(ruling) = &offered
            && self.venue.lacks_second(table, ruling, origin, input.recorded_at)
        {
            return unfounded(group, "no second arbiter has ruled it");
        }
        let mut recorded = Vec::with_capacity(group.len());
        for entry in group {
            match &entry.payload {
                Payload::Game(said) if entry.subject == input.subject => recorded.push(said),
                _ if self.lets_go(&offered, entry) => {}
                _ => return unfounded(group, "it does not follow for another subject"),
            }
        }
        // A restart's stamp is on a timeline that begins with it, and what is belated on one that is not the game's.
        let timed = !matches!(offered, game::Input::Fact(Fact::Restart | Fact::Belated { .. }));
        let stamp = origin.stamp.filter(|_| timed);
        let device = stamp.and_then(|stamp| self.venue.devices().get(&stamp.device).zip(Some(stamp)));
        let game = device.map_or(Cow::Borrowed(&table.game), |(device, stamp)| device.as_stamped(&table.game, &stamp));
        let at = device.map(|(device, stamp)| device.believed(&game, &stamp)).or(stamp.map(|stamp| stamp.at));
        let own = origin.stamp.and_then(|stamp| self.venue.devices().get(&stamp.device)?.own(&table.game, &stamp));
        let today = game::decide(&game, offered, When { at, own }, input.recorded_at);
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
