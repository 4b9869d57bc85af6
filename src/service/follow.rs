//! The one path to readers: read the log from a cursor, send, wait until its head has moved on.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::watch;
use tonic::Status;

use super::{Hall, Head, status};
use crate::disclosure;
use crate::game::{GameId, Seq};
use crate::log::{Reader, Stored};
use crate::venue::{Admin, Entry, Payload, Role, Subject, TournamentId, Venue};
use crate::wire::{self, v1};
use crate::writer;

/// Entries read at a time.
const BATCH: usize = 256;
/// How often a reader is told the position while nothing happens.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);

/// Which entries a reader wants.
#[derive(Debug, Clone, Default)]
pub(crate) struct Filter {
    pub(super) tournament: Option<TournamentId>,
    pub(super) round: Option<u32>,
    pub(super) boards: Vec<u32>,
    pub(super) game: Option<GameId>,
    pub(super) games: BTreeSet<GameId>,
}

impl Filter {
    fn is_open(&self) -> bool {
        self.tournament.is_none() && self.round.is_none() && self.boards.is_empty() && self.game.is_none()
    }

    /// Learns which games of the venue it lets pass.
    pub(super) fn learn(mut self, venue: &Venue) -> Filter {
        let wanted = |table: &&crate::venue::Table| {
            let place = &table.pairing;
            self.place(table.game.id, place.tournament, place.round, place.board)
        };
        let games = venue.tables().iter().filter(wanted).map(|table| table.game.id).collect();
        self.games = games;
        self
    }

    pub(super) fn place(&self, game: GameId, tournament: TournamentId, round: u32, board: u32) -> bool {
        self.tournament.is_none_or(|t| t == tournament)
            && self.round.is_none_or(|r| r == round)
            && (self.boards.is_empty() || self.boards.contains(&board))
            && self.game.is_none_or(|g| g == game)
    }

    fn passes(&mut self, entry: &Entry) -> bool {
        if let Payload::Admin(Admin::GameOpened { game, tournament, round, board, .. }) = &entry.payload {
            let wanted = self.place(*game, *tournament, *round, *board);
            if wanted {
                self.games.insert(*game);
            }
            return wanted;
        }
        let of_round = |round: u32| self.game.is_none() && self.round.is_none_or(|r| r == round);
        match &entry.payload {
            Payload::Admin(Admin::RoundOpened { round, .. }) if !of_round(*round) => return false,
            Payload::Admin(Admin::Paired { pairing }) if !of_round(pairing.round) => return false,
            _ => {}
        }
        match entry.subject {
            _ if self.is_open() => true,
            Subject::Game(game) => self.games.contains(&game),
            Subject::Tournament(tournament) => self.game.is_none() && self.tournament.is_none_or(|t| t == tournament),
            Subject::Venue | Subject::Device(_) => false,
        }
    }
}

/// The entries after a cursor that a role may see and a filter lets pass, at most [`BATCH`] looked at, and the position after them.
pub(crate) fn page(reader: &dyn Reader, role: Role, filter: &mut Filter, cursor: Seq, head: Seq) -> Result<(Vec<v1::Entry>, Seq), writer::Error> {
    let room = usize::try_from(head.0.saturating_sub(cursor.0)).unwrap_or(BATCH).min(BATCH);
    let stored = reader.read(cursor, room)?;
    let mut entries = Vec::with_capacity(stored.len());
    let mut position = cursor;
    for Stored { seq, body, chain } in stored {
        position = seq;
        let entry = writer::read(seq, &body)?;
        if filter.passes(&entry) && disclosure::shown(role, &entry) {
            let message = wire::encode_entry(&disclosure::redacted(role, entry));
            entries.push(v1::Entry { chain: chain.0.to_vec(), ..message });
        }
    }
    Ok((entries, position))
}

/// A reader's place in the log.
pub(super) struct Follower {
    hall: Hall,
    head: watch::Receiver<Head>,
    role: Role,
    filter: Filter,
    cursor: Seq,
}

/// What a follower finds.
pub(super) enum Found {
    /// Entries that it may see and wants, and the position after them.
    Entries(Vec<v1::Entry>, Seq),
    /// Nothing more is there yet.
    End,
}

impl Follower {
    pub(super) fn new(hall: &Hall, role: Role, filter: Filter, after: Seq) -> Follower {
        Follower { head: hall.head.clone(), hall: hall.clone(), role, filter, cursor: after }
    }

    pub(super) fn cursor(&self) -> Seq {
        self.cursor
    }

    /// How far it is behind.
    pub(super) fn lag(&self) -> u64 {
        self.head.borrow().seq.0.saturating_sub(self.cursor.0)
    }

    /// What stands after the cursor, as far as it is durable.
    pub(super) fn read(&mut self) -> Result<Found, Status> {
        let head = self.head.borrow_and_update().seq;
        if self.cursor >= head {
            return Ok(Found::End);
        }
        let internal = |e: &dyn std::fmt::Display| status::ended(tonic::Code::DataLoss, &e.to_string(), self.cursor.0);
        let (entries, position) = page(&*self.hall.reader, self.role, &mut self.filter, self.cursor, head).map_err(|e| internal(&e))?;
        if position == self.cursor {
            return Ok(Found::End);
        }
        self.cursor = position;
        Ok(Found::Entries(entries, position))
    }

    /// Waits until there is more to read.
    pub(super) async fn more(&mut self) {
        // The writer gone: the daemon is stopping, which the caller hears of elsewhere.
        if self.head.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
