//! One act for many boards: a round is started, and after a fire alarm every clock goes on as it stood.
//!
//! Each board gets a ruling of its own, under a key made of the act's and the game's number, so that the log tells of each
//! game what was ruled there, and an act that is sent twice is done once.

use std::collections::{BTreeMap, BTreeSet};

use tonic::Status;

use super::access::Caller;
use super::consoles::{MAX_BOARDS, named};
use super::{Hall, status};
use crate::game::entry::MAX_TEXT;
use crate::game::{self, GameId, Input as About, Phase, Ruling, Seq};
use crate::venue::{Command, Input, Key, Pairing, Payload, Role, Subject, Table, Venue};
use crate::wire::{self, v1};
use crate::writer;
use v1::hall_act::Act;

/// Longest key of an act, in bytes: with the number of a game behind it, it is still a key.
const MAX_ACT_KEY: usize = 40;
/// What stands before the key of an act that stops clocks, by which the last one is found.
const STOP: &str = "stop all ";

/// Which boards.
struct Scope {
    tournament: u64,
    round: u32,
    boards: Vec<u32>,
    except: Vec<u32>,
}

impl Scope {
    fn holds(&self, place: &Pairing) -> bool {
        let wanted = |asked: u64, is: u64| asked == 0 || asked == is;
        wanted(self.tournament, place.tournament.0)
            && wanted(self.round.into(), place.round.into())
            && (self.boards.is_empty() || self.boards.contains(&place.board))
            && !self.except.contains(&place.board)
    }
}

fn acted(place: &Pairing, game: u64, seq: u64, why: &str) -> v1::HallActed {
    v1::HallActed { game, tournament: place.tournament.0, round: place.round, board: place.board, seq, why: why.to_string() }
}

/// The key of the last act that stopped clocks.
fn last_stop(venue: &Venue) -> Option<String> {
    let (rest, _) = venue.taken_under(STOP).max_by_key(|(_, seq)| *seq)?;
    rest.rsplit_once('/').map(|(key, _)| key.to_string())
}

/// The games that an act under this key has met.
fn met(venue: &Venue, key: &str) -> BTreeMap<GameId, Seq> {
    let prefix = format!("{key}/");
    venue.taken_under(&prefix).filter_map(|(game, seq)| Some((GameId(game.parse().ok()?), seq))).collect()
}

impl Hall {
    /// Does one act at many boards.
    pub(super) async fn act_on_all(&self, caller: &Caller, asked: v1::HallAct) -> Result<v1::HallActAnswer, Status> {
        let malformed = |field, why: &str| status::malformed(&wire::Error::new(field, why));
        if asked.key.is_empty() || asked.key.len() > MAX_ACT_KEY || asked.key.contains('/') {
            return Err(malformed("key", &format!("1 to {MAX_ACT_KEY} bytes without a stroke")));
        }
        if asked.boards.len().max(asked.except.len()) > MAX_BOARDS {
            return Err(malformed("boards", &format!("at most {MAX_BOARDS}")));
        }
        let name = named(caller, asked.arbiter).map_err(|e| status::malformed(&e))?;
        let origin = caller.origin(Role::Arbiter, name);
        let scope = Scope { tournament: asked.tournament, round: asked.round, boards: asked.boards, except: asked.except };
        let (key, answered, ruling, games) = match asked.act.ok_or_else(|| malformed("act", "start, stop or resume"))? {
            Act::Start(_) => {
                let key = format!("start all {}", asked.key);
                let waits = |table: &Table| table.game.started.is_none() && matches!(table.game.phase, Phase::Scheduled | Phase::Ready);
                (key.clone(), asked.key, Ruling::Start, self.boards(scope, key, true, waits).await?)
            }
            Act::Stop(v1::HallStop { reason }) => {
                if reason.len() > MAX_TEXT {
                    return Err(malformed("reason", &format!("at most {MAX_TEXT} bytes")));
                }
                let key = format!("{STOP}{}", asked.key);
                let runs = |table: &Table| table.game.phase == Phase::Running;
                (key.clone(), asked.key, Ruling::Stop { reason }, self.boards(scope, key, false, runs).await?)
            }
            Act::Resume(v1::HallResume { after }) => {
                let after = if after.is_empty() { self.ask(last_stop).await? } else { Some(after) };
                let after = after.ok_or_else(|| Status::not_found("no act has stopped any clocks"))?;
                let games = self.stopped_by(scope, format!("{STOP}{after}")).await?;
                (format!("go on {}", asked.key), after, Ruling::Resume, games)
            }
        };
        let mut answer = v1::HallActAnswer { key: answered, ..v1::HallActAnswer::default() };
        let mut sent = Vec::new();
        for (place, game) in games {
            match game {
                Ok(game) => {
                    let input = Input::Game { game, input: About::Ruling(ruling.clone()) };
                    let key = Some(Key(format!("{key}/{}", game.0)));
                    sent.push((place, game, self.send(Command { origin: origin.clone(), key, seen: None, input }).await?));
                }
                Err((game, why)) => answer.left.push(acted(&place, game, 0, &why)),
            }
        }
        // All of them wait for the writer together, and are decided one after the other without anything in between.
        for (place, game, outcome) in sent {
            match outcome.await.map_err(|_| super::stopping())? {
                Ok(taken) => answer.done.push(acted(&place, game.0, taken.seq.0, "")),
                Err(refusal) => answer.left.push(acted(&place, game.0, 0, &refusal.to_string())),
            }
        }
        answer.left.sort_by_key(|left| (left.tournament, left.round, left.board));
        Ok(answer)
    }

    /// The boards at which something is to be ruled, those that the act has met before among them, and where games are to be
    /// started those without one.
    async fn boards(&self, scope: Scope, key: String, starts: bool, wanted: impl Fn(&Table) -> bool + Send + 'static) -> Result<Found, Status> {
        self.ask(move |venue| {
            let met = met(venue, &key);
            let tables = venue.tables().iter().filter(|table| scope.holds(&table.pairing));
            let chosen = tables.filter(|table| wanted(table) || met.contains_key(&table.game.id));
            let games = chosen.map(|table| ((*table.pairing).clone(), Ok(table.game.id)));
            // A round that is named is started as a whole.
            let boards = venue.tournaments().values().flat_map(|tournament| &tournament.rounds).filter(|_| starts && scope.round > 0);
            let empty = boards.flat_map(|(_, boards)| boards.values()).filter(|(place, game)| game.is_none() && scope.holds(place));
            games.chain(empty.map(|(place, _)| ((**place).clone(), Err((0, "no game is open".to_string()))))).collect()
        })
        .await
    }

    /// The games that an act has stopped, and those of them in which something was ruled since.
    async fn stopped_by(&self, scope: Scope, key: String) -> Result<Found, Status> {
        let stops = self.ask(move |venue| met(venue, &key)).await?;
        let Some(first) = stops.values().min().copied() else { return Err(Status::not_found("no act of this key has stopped any clocks")) };
        let (reader, known) = (self.reader.clone(), stops.clone());
        let ruled = self
            .think(move || {
                let mut ruled = BTreeSet::new();
                writer::each_entry(&*reader, first, None, &mut |entry| {
                    if let (Subject::Game(game), Payload::Game(game::Entry::Ruling(_))) = (entry.subject, &entry.payload)
                        && known.get(&game).is_some_and(|stop| entry.seq > *stop)
                    {
                        ruled.insert((game, entry.key.clone()));
                    }
                })
                .map(|()| ruled)
            })
            .await?
            .map_err(|e| Status::internal(e.to_string()))?;
        self.ask(move |venue| {
            let tables = stops.keys().filter_map(|game| venue.table(*game)).filter(|table| scope.holds(&table.pairing));
            let since =
                |game: GameId| ruled.iter().any(|(ruled, key)| *ruled == game && !key.as_ref().is_some_and(|key| key.0.starts_with("go on ")));
            let games = tables.map(|table| {
                let id = table.game.id;
                let game = if since(id) { Err((id.0, "something was ruled here since: rule resume".to_string())) } else { Ok(id) };
                ((*table.pairing).clone(), game)
            });
            games.collect()
        })
        .await
    }
}

/// Boards, with the game that is ruled on, or the game that is not and why.
type Found = Vec<(Pairing, Result<GameId, (u64, String)>)>;
