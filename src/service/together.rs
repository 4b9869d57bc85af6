//! One act for many boards: a round is started, and after a fire alarm every clock goes on as it stood.
//!
//! Each board gets a ruling of its own, under a key made of the act's and the game's number, so that the log tells of each
//! game what was ruled there, and an act that is sent twice is done once.

use std::collections::BTreeSet;

use tonic::Status;

use super::access::Caller;
use super::consoles::{MAX_BOARDS, named};
use super::{Hall, status};
use crate::game::entry::MAX_TEXT;
use crate::game::{GameId, Input as About, Phase, Ruling};
use crate::venue::{Command, Input, Pairing, Role, Table, TournamentId, Venue, acts};
use crate::wire::{self, v1};
use v1::hall_act::Act;

/// Longest key of an act, in bytes: with the number of a game behind it, it is still a key.
const MAX_ACT_KEY: usize = 40;
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

/// The games that an act has met.
fn met(venue: &Venue, prefix: &str, act: &str) -> BTreeSet<GameId> {
    let prefix = format!("{prefix}{act}/");
    venue.taken_under(&prefix).filter_map(|(game, _)| Some(GameId(game.parse().ok()?))).collect()
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
        if asked.tournament > 0 {
            let (tournament, round) = (TournamentId(asked.tournament), asked.round);
            let there = move |venue: &Venue| venue.tournaments().get(&tournament).is_some_and(|t| round == 0 || t.rounds.contains_key(&round));
            if !self.ask(there).await? {
                return Err(Status::not_found(format!("there is no round {}.{round}", tournament.0)));
            }
        }
        let key = asked.key;
        let (prefix, ruling, games) = match asked.act.ok_or_else(|| malformed("act", "start, stop or resume"))? {
            Act::Start(_) => {
                let waits = |table: &Table| table.game.started.is_none() && matches!(table.game.phase, Phase::Scheduled | Phase::Ready);
                (acts::START, Ruling::Start, self.boards(scope, (acts::START, key.clone()), waits).await?)
            }
            Act::Stop(v1::HallStop { reason }) => {
                if reason.len() > MAX_TEXT {
                    return Err(malformed("reason", &format!("at most {MAX_TEXT} bytes")));
                }
                let runs = |table: &Table| table.game.phase == Phase::Running || table.game.awaits_start();
                (acts::STOP, Ruling::Stop { reason }, self.boards(scope, (acts::STOP, key.clone()), runs).await?)
            }
            Act::Resume(v1::HallResume { after }) => (acts::RESUME, Ruling::Resume, self.stopped(scope, key.clone(), after).await?),
        };
        let mut answer = v1::HallActAnswer { key: key.clone(), ..v1::HallActAnswer::default() };
        let mut sent = Vec::new();
        for (place, game) in games {
            match game {
                Ok(game) => {
                    let input = Input::Game { game, input: About::Ruling(ruling.clone()) };
                    let command = Command { origin: origin.clone(), key: Some(acts::key(prefix, &key, game)), seen: None, input };
                    sent.push((place, game, self.send(self.clock.now(), command).await?));
                }
                Err((game, why)) => answer.left.push(acted(&place, game, 0, &why)),
            }
        }
        // All of them wait for the writer together, each with the instant at which it was sent.
        for (place, game, outcome) in sent {
            match outcome.await.map_err(|_| super::stopping())? {
                Ok(taken) => answer.done.push(acted(&place, game.0, taken.seq.0, "")),
                Err(refusal) => answer.left.push(acted(&place, game.0, 0, &refusal.to_string())),
            }
        }
        // What was ordered of a clock that is not there waits for it.
        let devices = self.devices.clone();
        let lost = move |venue: &Venue, game: u64| {
            let table = venue.table(GameId(game)).filter(|table| !table.game.orders.is_empty())?;
            table.game.devices().find(|device| !devices.is_online(*device))
        };
        let done = std::mem::take(&mut answer.done);
        answer.done = self
            .ask(move |venue| {
                let told = |acted: v1::HallActed| match lost(venue, acted.game) {
                    Some(device) => v1::HallActed { why: format!("waits for device {}, which is not connected", device.0), ..acted },
                    None => acted,
                };
                done.into_iter().map(told).collect()
            })
            .await?;
        answer.left.sort_by_key(|left| (left.tournament, left.round, left.board));
        Ok(answer)
    }

    /// The boards at which something is to be ruled, those that the act has met before among them, and where games are to be
    /// started those without one.
    async fn boards(
        &self,
        scope: Scope,
        (prefix, act): (&'static str, String),
        wanted: impl Fn(&Table) -> bool + Send + 'static,
    ) -> Result<Found, Status> {
        self.ask(move |venue| {
            let met = met(venue, prefix, &act);
            let tables = venue.tables().iter().filter(|table| scope.holds(&table.pairing));
            let stands = |table: &Table| {
                let by_another = table.stopped.as_ref().filter(|stopped| prefix == acts::STOP && stopped.stands && stopped.act != act)?;
                Some(format!("stands already, by the act {}: one resume lets it go on", by_another.act))
            };
            let game = |table: &Table| {
                let id = table.game.id;
                if wanted(table) || met.contains(&id) { Some(Ok(id)) } else { stands(table).map(|why| Err((id.0, why))) }
            };
            let games = tables.filter_map(|table| Some(((*table.pairing).clone(), game(table)?)));
            // A round that is named is started as a whole.
            let whole = prefix == acts::START && scope.round > 0;
            let boards = venue.tournaments().values().flat_map(|tournament| &tournament.rounds).filter(|_| whole);
            let empty = boards.flat_map(|(_, boards)| boards.values()).filter(|(place, game)| game.is_none() && scope.holds(place));
            games.chain(empty.map(|(place, _)| ((**place).clone(), Err((0, "no game is open".to_string()))))).collect()
        })
        .await
    }

    /// The games whose clocks an act has stopped, that one where it is named; and those of them in which something happened since.
    async fn stopped(&self, scope: Scope, key: String, after: String) -> Result<Found, Status> {
        let found = self
            .ask(move |venue| {
                let met = met(venue, acts::RESUME, &key);
                let tables = venue.tables().iter().filter(|table| scope.holds(&table.pairing) && !table.game.is_finished());
                let named = |table: &Table| table.stopped.as_ref().is_some_and(|stopped| stopped.act == after);
                if !after.is_empty() && met.is_empty() && !tables.clone().any(named) {
                    return Found::new();
                }
                let game = |table: &Table| {
                    let id = table.game.id;
                    let Some(stopped) = &table.stopped else { return met.contains(&id).then_some(Ok(id)) };
                    Some(match stopped {
                        _ if met.contains(&id) => Ok(id),
                        stopped if !after.is_empty() && stopped.act != after => {
                            Err((id.0, format!("it was stopped by another act: {}", stopped.act)))
                        }
                        stopped if !stopped.stands => Err((id.0, "something was ruled or happened here since: rule resume".to_string())),
                        _ => Ok(id),
                    })
                };
                tables.filter_map(|table| Some(((*table.pairing).clone(), game(table)?))).collect::<Found>()
            })
            .await?;
        if found.is_empty() {
            Err(Status::not_found("no act has stopped any clocks here; what stands for another reason goes on by `zeitnot rule GAME resume`"))
        } else {
            Ok(found)
        }
    }
}

/// Boards, with the game that is ruled on, or the game that is not and why.
type Found = Vec<(Pairing, Result<GameId, (u64, String)>)>;
