//! What holds after every step.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use shakmaty::{ByColor, Color};
use zeitnot::clock::{Bonus, Millis};
use zeitnot::envelope::Commitment;
use zeitnot::format::jsonl;
use zeitnot::game::{Adjournment, Consequence, Draft, Entry, Fact, Game, Phase, Ruling, Stage, StopReason};
use zeitnot::laws::{Laws, rows};
use zeitnot::wire;

use crate::world::{Outcome, World, logged};

/// What is remembered from one step to the next.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What each player wrote last that counted.
    written: ByColor<Option<Commitment>>,
}

pub(crate) fn holds(world: &World, outcome: &Outcome, seen: &mut Seen) {
    let canonical = world.game.canonical();
    match &outcome.taken {
        Err(refusal) => {
            assert_eq!(outcome.before.canonical(), canonical, "a refusal changes nothing");
            tells_nothing(world, refusal, "a refusal");
            let unlike = ["not-what-was-sealed", "the envelope stays closed", "EnvelopeError"].iter().any(|code| refusal.contains(code));
            assert!(!(outcome.right && unlike), "what was sealed is refused: {refusal}");
        }
        Ok(entries) => {
            let mut game = outcome.before.clone();
            for (seq, entry) in entries {
                let before = game.clone();
                game.evolve(*seq, entry);
                by_this_edition(&game, entry);
                time_is_conserved(&before, &game, entry, world.now);
                opened_before_its_reader(&before, entry);
                sealed_as_written(&before, &game, entry, seen);
                let logged = logged(*seq, entry);
                let bytes = prost::Message::encode_to_vec(&wire::encode_entry(&logged));
                let read = wire::entry(prost::Message::decode(&bytes[..]).expect("an entry")).expect("an entry");
                assert_eq!(read, logged, "an entry is read as it was written");
                bytes_tell_nothing(world, &bytes, "an entry's bytes");
                for shown in [entry.to_string(), format!("{entry:?}"), serde_json::Value::Object(jsonl::entry(&logged)).to_string()] {
                    tells_nothing(world, &shown, "an entry");
                }
            }
            assert_eq!(game.canonical(), canonical, "the entries give the game");
            undone(world, outcome);
        }
    }
    state(&world.game);
    tells_nothing(world, &canonical, "the state");
    let message = wire::state(&world.game, Some(Millis(world.now)));
    bytes_tell_nothing(world, &prost::Message::encode_to_vec(&message), "the state on the wire");
    tells_nothing(world, &format!("{:?}", world.game), "the game in a panic");
}

/// Nobody reads what is in an envelope before it is opened, or on a note that was replaced.
fn tells_nothing(world: &World, shown: &str, what: &str) {
    for secret in world.secrets.iter().filter(|secret| !secret.told) {
        let (text, nonce) = (secret.note.text.as_str(), secret.note.nonce.to_string());
        assert!(!shown.contains(text) && !shown.contains(&nonce), "'{text}' is told by {what}: {shown}");
    }
}

/// The same of bytes, in which a nonce stands as it is.
fn bytes_tell_nothing(world: &World, bytes: &[u8], what: &str) {
    tells_nothing(world, &String::from_utf8_lossy(bytes), what);
    for nonce in world.secrets.iter().filter(|secret| !secret.told).map(|secret| secret.note.nonce.0) {
        let found = bytes.iter().enumerate().any(|(at, byte)| *byte == nonce[0] && bytes[at..].starts_with(&nonce));
        assert!(!found, "a nonce is told by {what}");
    }
}

/// How the state hangs together.
fn state(game: &Game) {
    let finished = game.is_finished();
    if finished || matches!(game.stage(), Some(Stage::Sealed | Stage::Adjourned)) {
        assert!(game.device.is_some() || game.clock.running().is_none(), "a clock runs in a game that is {:?}", game.phase);
    }
    if let Some(running) = game.clock.running() {
        let later = game.clock.at(Some(running.since.plus(Millis(1_000))));
        let hourglass = game.clock.control().periods(Color::White)[0].bonus == Bonus::Hourglass;
        assert!(hourglass || later.side(!running.color) == game.clock.side(!running.color), "two clocks run");
    }
    if game.phase == Phase::Over {
        let outcome = game.outcome.as_ref().expect("a game that is over has a result");
        assert!(!outcome.article.as_str().is_empty(), "a result without an article");
    }
    if finished {
        return;
    }
    assert_eq!(game.phase == Phase::Adjourned, game.stage() == Some(Stage::Adjourned), "{:?} {:?}", game.phase, game.stage());
    if let Some(adjournment) = game.adjournment.as_ref().filter(|a| matches!(a.stage, Stage::Sealed | Stage::Adjourned | Stage::Resuming)) {
        assert_eq!(game.line.plies().len(), adjournment.plies as usize, "the sealed move comes after the moves that stand");
        assert_eq!(game.on_move, adjournment.responder(), "the sealer has moved");
        assert!(game.draft.is_none(), "somebody writes while the envelope is closed");
        assert!(adjournment.sealed.is_some() || adjournment.board.is_some(), "nothing is sealed");
        assert!(adjournment.reply.is_none(), "an answer to a move that nobody has seen");
    }
}

/// Citations are those of the edition, and there are some.
fn by_this_edition(game: &Game, entry: &Entry) {
    static TABLES: OnceLock<Vec<(&'static Laws, BTreeSet<String>)>> = OnceLock::new();
    let tables = TABLES.get_or_init(|| {
        let all = zeitnot::laws::Edition::ALL.into_iter().flat_map(|edition| {
            let plays = zeitnot::laws::Play::ALL.iter().map(move |play| Laws::of(edition, *play, zeitnot::laws::Supervision::default()));
            plays.map(|laws| (laws, rows(laws).into_iter().map(|row| row.article).filter(|article| !article.is_empty()).collect()))
        });
        all.collect()
    });
    let Entry::Consequence(consequence) = entry else { return };
    let Some(article) = entry.article(game.laws) else { return };
    let (_, known) = tables.iter().find(|(laws, _)| std::ptr::eq(*laws, game.laws)).expect("a table");
    assert!(known.contains(article.as_str()), "{} knows no {article:?}: {consequence}", game.laws.edition.year());
}

/// The envelope is opened only when the player is there who has to answer (A7).
fn opened_before_its_reader(before: &Game, entry: &Entry) {
    if let Entry::Ruling(Ruling::Open { .. }) = entry {
        let envelope = before.envelope().expect("an envelope");
        assert!(!*before.absent.get(!envelope.by), "opened while the responder is away");
        // Of one that is lost the move that was made on the board is known.
        let known = |a: &Adjournment| a.lost.is_none() || a.board.is_some() || envelope.is_reply;
        assert!(before.adjournment.as_deref().is_some_and(known), "opened, though it is lost");
    }
}

/// What is in the envelope is what its player wrote last.
fn sealed_as_written(before: &Game, game: &Game, entry: &Entry, seen: &mut Seen) {
    match entry {
        Entry::Fact(Fact::SealedMove { by, ply, sealed }) if before.seals() == Some((*by, *ply)) && !before.is_finished() => {
            *seen.written.get_mut(*by) = Some(sealed.commitment);
        }
        Entry::Consequence(Consequence::MoveSealed { by, .. }) => {
            let sealed = game.adjournment.as_ref().and_then(|adjournment| adjournment.sealed.as_ref());
            assert!(sealed.is_none_or(|sealed| *seen.written.get(*by) == Some(sealed.commitment)), "another text is sealed than was written last");
        }
        Entry::Consequence(Consequence::ReplySealed { by, .. }) => {
            let sealed = game.adjournment.as_ref().and_then(|adjournment| adjournment.reply.as_ref()).expect("an answer");
            assert_eq!(*seen.written.get(*by), Some(sealed.sealed.commitment), "another answer is sealed than was written last");
        }
        Entry::Consequence(Consequence::SealedMovePlayed { by, made, .. }) => {
            let ply = game.line.plies().last().expect("a ply");
            assert!(ply.legal && ply.made == Some(*made), "the sealed move that is played is not legal");
            assert_ne!(game.line.turn(), *by);
        }
        _ => {}
    }
}

/// What an undo gives back, and what it leaves alone.
fn undone(world: &World, outcome: &Outcome) {
    let (before, game) = (&outcome.before, &world.game);
    let Some(Entry::Consequence(Consequence::Undone { ruling })) =
        outcome.taken.as_deref().unwrap_or_default().iter().map(|(_, entry)| entry).next_back()
    else {
        return;
    };
    let Some((_, Entry::Ruling(ruling))) = world.entries.iter().find(|(seq, _)| seq == ruling) else { return };
    // Unless it is another player's turn to seal without the order, who had made his move and not pressed.
    let may_seal = |draft: &Draft| game.seals().is_some_and(|(by, _)| by == draft.by);
    if before.stage() == Some(Stage::Ordered) && before.draft.as_deref().is_some_and(may_seal) {
        assert_eq!(before.draft, game.draft, "what was written is still there when the order is taken back");
    }
    let adjourns =
        matches!(ruling, Ruling::OrderSeal | Ruling::TakeCustody | Ruling::LoseEnvelope { .. } | Ruling::Open { .. } | Ruling::Decipher { .. });
    // An answer in its envelope is counted by the clock, and not completed yet.
    let is_reply = game.envelope().is_some_and(|envelope| envelope.is_reply);
    for color in Color::ALL.into_iter().filter(|_| adjourns && !is_reply) {
        let uncounted = |game: &Game| i64::from(game.clock.side(color).counter) - i64::from(*game.completed.get(color));
        assert_eq!(uncounted(before), uncounted(game), "{color}'s counter and his moves go back together\n{}", log(world));
    }
}

/// Time goes where an entry says, and nowhere else.
fn time_is_conserved(before: &Game, after: &Game, entry: &Entry, now: u64) {
    let left = |game: &Game, color: Color| game.clock.side(color).left;
    let control = before.clock.control();
    for color in Color::ALL {
        let (old, new) = (left(before, color), left(after, color));
        let runs = before.clock.running().filter(|running| running.color == color);
        let earned = || {
            let period = after.clock.control().period(color, after.clock.side(color).period as usize);
            let gained = period.bonus.increment().plus(control.period(color, 0).bonus.increment());
            let periods: u64 =
                (before.clock.side(color).period..after.clock.side(color).period).map(|n| control.period(color, n as usize + 1).time.0).sum();
            gained.plus(Millis(periods))
        };
        let holds = match entry {
            Entry::Consequence(Consequence::ClocksSet { .. } | Consequence::FlagWithdrawn { .. } | Consequence::PeriodAdded { .. }) => true,
            Entry::Consequence(Consequence::Pressed { by, .. } | Consequence::ReplySealed { by, .. }) if *by == color => new <= old.plus(earned()),
            // The sealer is paid for his move as for any other, and not twice.
            Entry::Consequence(Consequence::SealedMovePlayed { by, .. }) if *by == color => old <= new && new <= old.plus(earned()),
            Entry::Consequence(Consequence::FlagDown { .. } | Consequence::FlagFallen { .. }) => new == old || new == Millis::ZERO || new < old,
            // Who seals before the session's end has sealed at its end.
            Entry::Consequence(Consequence::ClocksStopped { reason: StopReason::Sealed, .. }) if before.session.ends.is_some() => new <= old,
            Entry::Consequence(
                Consequence::ClocksStopped { .. } | Consequence::ClockRead { .. } | Consequence::Pressed { .. } | Consequence::ReplySealed { .. },
            ) => runs.map_or(new == old, |running| new <= old && old.less(new) <= Millis(now).less(running.since)),
            _ => new == old,
        };
        assert!(holds, "{color}: {old} became {new} by {entry}");
    }
}

/// All entries of a game, for who has to find out why one is wrong.
fn log(world: &World) -> String {
    world.entries.iter().map(|(seq, entry)| format!("{} {entry}\n", seq.0)).collect()
}
