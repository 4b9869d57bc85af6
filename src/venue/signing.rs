//! Signed heads: what the venue knows of them, and when a round wants one.

use std::collections::BTreeMap;

use super::entry::{Admin, Payload, Subject, TournamentId};
use super::{Batch, Refusal, Venue};
use crate::clock::WallTime;
use crate::game::{self, Consequence, Phase, Seq};
use crate::signature::SignedHead;

/// How many entries may come between the head that is signed and the entry that says so. Whoever checks a log keeps so many.
pub const SIGNED_WITHIN: u64 = 65_536;

/// What was signed last, and what was not signed yet.
#[derive(Debug, Clone, Default)]
pub(super) struct Signatures {
    last: Option<SignedHead>,
    /// Rounds of which a result is newer than what was signed: the last such entry, and when it was recorded.
    unsigned: BTreeMap<(TournamentId, u32), (Seq, WallTime)>,
}

/// A round that is over, with results that no signature covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnsignedRound {
    /// Of which tournament.
    pub tournament: TournamentId,
    /// Which one.
    pub round: u32,
    /// The last entry that gave or changed a result of it.
    pub seq: Seq,
    /// When that was recorded.
    pub at: WallTime,
}

/// Whether an entry gives, changes or takes back a result.
pub(super) fn is_result(said: &game::Entry) -> bool {
    use Consequence::{Annulled, GameOver, Reopened, ResultCorrected};
    matches!(said, game::Entry::Consequence(GameOver { .. } | ResultCorrected { .. } | Annulled | Reopened { .. }))
}

impl Signatures {
    pub(super) fn result(&mut self, round: (TournamentId, u32), seq: Seq, at: WallTime) {
        self.unsigned.insert(round, (seq, at));
    }

    pub(super) fn signed(&mut self, head: SignedHead) {
        self.unsigned.retain(|_, (seq, _)| head.seq < seq.0);
        self.last = Some(head);
    }
}

impl Venue {
    /// The head that was signed last.
    pub fn last_signed(&self) -> Option<SignedHead> {
        self.signatures.last
    }

    /// Whether a round wants a signature.
    pub fn wants_signature(&self) -> bool {
        self.unsigned_rounds().next().is_some()
    }

    /// The rounds that are over, every game of them finished or annulled, with results that no signature covers yet.
    pub fn unsigned_rounds(&self) -> impl Iterator<Item = UnsignedRound> {
        let ended = move |game| self.table(game).is_none_or(|table| matches!(table.game.phase, Phase::Over | Phase::Annulled));
        let rounds = self.signatures.unsigned.iter().filter(move |((tournament, round), _)| {
            let boards = self.tournaments.get(tournament).and_then(|tournament| tournament.rounds.get(round));
            boards.is_some_and(|boards| boards.values().filter_map(|(_, game)| *game).all(ended))
        });
        rounds.map(|((tournament, round), (seq, at))| UnsignedRound { tournament: *tournament, round: *round, seq: *seq, at: *at })
    }
}

impl Batch<'_> {
    pub(super) fn sign(&mut self, head: SignedHead) -> Result<(), Refusal> {
        let end = self.venue.head.0;
        if head.seq == 0 || head.seq > end || end - head.seq > SIGNED_WITHIN {
            let why = format!("one of the last {SIGNED_WITHIN} entries of the log, which ends at {end}, not {}", head.seq);
            return Err(Refusal::Unreadable { field: "seq", why });
        }
        if !head.holds() {
            return Err(Refusal::Unreadable { field: "signature", why: "is not the key's over that head".to_string() });
        }
        self.put(Subject::Venue, Payload::Admin(Admin::Signed { head }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Millis;
    use crate::signature::SigningKey;
    use crate::venue::{At, Command, Decided, Input, Key, Origin, Role, decide};

    const AT: At = At { wall: WallTime(1_777_726_800_000), hall: Millis(0) };

    fn put(venue: &mut Venue, origin: Origin, key: Option<Key>, input: Input) -> Result<Decided, Refusal> {
        let decided = decide(venue, Command { origin, key, seen: None, input }, AT)?;
        if let Decided::Entries(entries) = &decided {
            entries.iter().for_each(|entry| venue.evolve(entry));
        }
        Ok(decided)
    }

    #[test]
    fn only_what_has_just_been_is_signed_and_only_what_holds_is_recorded() {
        let (mut venue, key) = (Venue::default(), SigningKey::new(&[1; 32]).unwrap());
        let alarms = |venue: &mut Venue, n: u64| {
            (0..n).for_each(|_| _ = put(venue, Origin::daemon(), None, Input::Alarm { text: "look".into() }).unwrap());
        };
        alarms(&mut venue, 2);
        let sign = |venue: &mut Venue, head| put(venue, Origin::daemon(), None, Input::Sign { head });
        for seq in [0, 3, u64::MAX] {
            assert_eq!(sign(&mut venue, key.sign(seq, [3; 32])).unwrap_err().code(), "unreadable", "{seq}");
        }
        let good = key.sign(2, [3; 32]);
        assert!(sign(&mut venue, SignedHead { head: [4; 32], ..good }).unwrap_err().to_string().contains("signature"));
        sign(&mut venue, good).unwrap();
        assert_eq!((venue.last_signed(), venue.head()), (Some(good), Seq(3)));
        alarms(&mut venue, SIGNED_WITHIN - 1);
        sign(&mut venue, good).unwrap();
        assert!(sign(&mut venue, good).unwrap_err().to_string().contains("one of the last 65536 entries"));
    }

    #[test]
    fn who_asks_again_under_the_same_key_gets_the_first_signature() {
        let (mut venue, key) = (Venue::default(), SigningKey::new(&[1; 32]).unwrap());
        put(&mut venue, Origin::daemon(), None, Input::Alarm { text: "look".into() }).unwrap();
        let named = || Some(Key("once".into()));
        let office = || Origin::new(Role::Office, "chief".into());
        let taken = put(&mut venue, office(), named(), Input::Sign { head: key.sign(1, [3; 32]) }).unwrap();
        let again = Input::Sign { head: key.sign(2, [4; 32]) };
        assert_eq!(put(&mut venue, office(), named(), again.clone()).unwrap(), Decided::Repeat(Seq(2)));
        let Decided::Entries(entries) = taken else { panic!("{taken:?}") };
        let command = Command { origin: office(), key: named(), seen: None, input: again };
        assert!(crate::venue::same(&entries[0], &command, None));
        assert_eq!(put(&mut venue, Origin::new(Role::Arbiter, "a".into()), None, command.input).unwrap_err().code(), "not-allowed");
    }

    /// Two boards: nothing is to be signed before the second game is over, and then once for each state of the results.
    #[test]
    fn a_round_wants_a_signature_when_all_its_games_are_over_and_when_a_result_changes() {
        use crate::game::{Fact, Input as About, Ruling, Score};
        let (mut venue, key) = (Venue::default(), SigningKey::new(&[1; 32]).unwrap());
        let regulations = game::Regulations { default_time: Some(Millis::minutes(30)), ..game::Regulations::of("300".parse().unwrap()) };
        let (tournament, round) = (TournamentId(1), 1);
        let office = |venue: &mut Venue, input| put(venue, Origin::new(Role::Office, "office".into()), None, input).unwrap();
        office(&mut venue, Input::CreateTournament { name: "Open".into(), regulations, starts_on: None });
        office(&mut venue, Input::OpenRound { tournament, round });
        for board in [1, 2, 3] {
            let player = |name: &str| crate::venue::Player { name: name.into(), fide_id: 0 };
            let players = shakmaty::ByColor { white: player("A"), black: player("B") };
            let start = std::sync::Arc::new(crate::board::Start::standard());
            office(&mut venue, Input::Pair { pairing: crate::venue::Pairing { tournament, round, board, players, start, regulations: None } });
            if board < 3 {
                let absent = shakmaty::ByColor::default();
                office(&mut venue, Input::OpenGame { tournament, round, board, device: None, black_device: None, absent, clocks: None });
            }
        }
        let arbiter = |venue: &mut Venue, game, input| {
            put(venue, Origin::new(Role::Arbiter, "arbiter".into()), None, Input::Game { game: game::GameId(game), input }).unwrap();
        };
        let rules = |venue: &mut Venue, game, ruling| arbiter(venue, game, About::Ruling(ruling));
        let resigns = |venue: &mut Venue, game| arbiter(venue, game, About::Fact(Fact::Resignation { by: shakmaty::Color::Black }));
        let signs = |venue: &mut Venue| {
            let head = key.sign(venue.head().0, [3; 32]);
            put(venue, Origin::daemon(), None, Input::Sign { head }).unwrap();
            assert!(!venue.wants_signature());
        };
        (1..=2).for_each(|game| rules(&mut venue, game, Ruling::Start));
        assert!(!venue.wants_signature());
        resigns(&mut venue, 1);
        assert!(!venue.wants_signature(), "the other game is being played");
        signs(&mut venue);
        let before = venue.head().0;
        resigns(&mut venue, 2);
        assert!(venue.wants_signature(), "a pairing without a game is not waited for");
        put(&mut venue, Origin::daemon(), None, Input::Sign { head: key.sign(before, [3; 32]) }).unwrap();
        assert!(venue.wants_signature(), "what was signed lies before the result");
        signs(&mut venue);
        rules(&mut venue, 1, Ruling::CorrectResult { score: Score::Draw, reason: "misread".into() });
        assert!(venue.wants_signature());
        signs(&mut venue);
        rules(&mut venue, 2, Ruling::Annul { reason: "colours".into() });
        assert!(venue.wants_signature());
    }
}
