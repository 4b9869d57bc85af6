//! Tournaments, rounds, pairings and the opening of games.

use std::sync::Arc;

use jiff::civil::Date;
use shakmaty::{ByColor, Color};

use super::devices::can_have_two;
use super::entry::{Admin, MAX_NAME, MAX_NUMBER, Origin, Pairing, Payload, Subject, TournamentId, Version};
use super::{Batch, MAX_GAMES, Refusal, Table, Tournament, Venue};
use crate::clock::{MAX_TIME, Reading};
use crate::game::{self, DeviceId, Fact, Game, GameId, Phase, Regulations};

impl Batch<'_> {
    pub(super) fn create_tournament(&mut self, name: String, regulations: Regulations, starts_on: Option<Date>) -> Result<(), Refusal> {
        named("name", &name)?;
        if self.venue.tournaments.values().any(|t| t.name == name) {
            return Err(Refusal::Exists { what: "tournament", name });
        }
        default_time_is_stated(&regulations)?;
        let tournament = TournamentId(self.venue.tournaments.len() as u64 + 1);
        let created = Admin::TournamentCreated { tournament, name, regulations: Arc::new(regulations), starts_on };
        self.put(Subject::Tournament(tournament), Payload::Admin(created));
        Ok(())
    }

    pub(super) fn open_round(&mut self, tournament: TournamentId, round: u32) -> Result<(), Refusal> {
        let rounds = &self.tournament(tournament)?.rounds;
        numbered("round", round)?;
        if rounds.contains_key(&round) {
            return Err(Refusal::Exists { what: "round", name: round.to_string() });
        }
        self.put(Subject::Tournament(tournament), Payload::Admin(Admin::RoundOpened { tournament, round }));
        Ok(())
    }

    pub(super) fn pair(&mut self, pairing: Pairing) -> Result<(), Refusal> {
        let tournament = self.tournament(pairing.tournament)?;
        let boards = tournament.rounds.get(&pairing.round).ok_or_else(|| no_such("round", pairing.round))?;
        numbered("board", pairing.board)?;
        for color in Color::ALL {
            let field = color.fold_wb("white", "black");
            named(field, &pairing.players.get(color).name)?;
        }
        if let Some(own) = &pairing.regulations {
            default_time_is_stated(own)?;
        }
        if boards.contains_key(&pairing.board) {
            return Err(Refusal::Exists { what: "pairing at board", name: pairing.board.to_string() });
        }
        self.put(Subject::Tournament(pairing.tournament), Payload::Admin(Admin::Paired { pairing }));
        Ok(())
    }

    pub(super) fn open_game(
        &mut self,
        (tournament, round, board): (TournamentId, u32, u32),
        (device, black_device): (Option<DeviceId>, Option<DeviceId>),
        absent: ByColor<bool>,
        clocks: Option<Reading>,
    ) -> Result<(), Refusal> {
        let boards = self.tournament(tournament)?.rounds.get(&round).ok_or_else(|| no_such("round", round))?;
        let (pairing, earlier) = boards.get(&board).ok_or_else(|| no_such("pairing at board", board))?;
        let annulled = |game: &GameId| self.venue.table(*game).is_some_and(|table| table.game.phase == Phase::Annulled);
        if let Some(game) = earlier.filter(|game| !annulled(game)) {
            return Err(Refusal::Exists { what: "game", name: game.0.to_string() });
        }
        if self.venue.tables.len() >= MAX_GAMES {
            return Err(Refusal::Unreadable { field: "game", why: format!("a venue holds {MAX_GAMES} games") });
        }
        if clocks.is_some_and(|times| times.white > MAX_TIME || times.black > MAX_TIME) {
            return Err(Refusal::Unreadable { field: "clocks", why: format!("more than {MAX_TIME}") });
        }
        for device in device.into_iter().chain(black_device) {
            self.device_is_free(device)?;
        }
        let game = GameId(self.venue.tables.len() as u64 + 1);
        let regulations = pairing.regulations.clone().unwrap_or_else(|| self.venue.tournaments[&tournament].regulations.clone());
        if black_device.is_some() {
            if device.is_none() || device == black_device {
                let why = "where Black has a device of his own White has one too, and another".to_string();
                return Err(Refusal::Unreadable { field: "black_device", why });
            }
            can_have_two(&regulations)?;
        }
        let (start, replaces) = (pairing.start.clone(), *earlier);
        let opened = Admin::GameOpened { game, tournament, round, board, regulations, start, device, absent, clocks, replaces, black_device };
        self.put(Subject::Game(game), Payload::Admin(opened));
        let coming: Vec<DeviceId> = device.into_iter().chain(black_device).collect();
        self.let_go(&coming);
        Ok(())
    }

    /// The daemon starts: games that it times itself stand as last known until an arbiter starts them again (6.10.1).
    pub(super) fn started(&mut self, build: String) {
        self.put(Subject::Venue, Payload::Admin(Admin::Started { build }));
        let timed_here = |table: &&Table| table.game.phase == Phase::Running && table.game.device.is_none();
        for table in self.venue.tables.iter().filter(timed_here) {
            if let Ok(entries) = game::decide(&table.game, game::Input::Fact(Fact::Restart), None, self.at.wall) {
                self.origin = Origin::daemon();
                self.game(table.game.id, entries);
            }
        }
    }

    fn tournament(&self, id: TournamentId) -> Result<&Tournament, Refusal> {
        self.venue.tournaments.get(&id).ok_or_else(|| Refusal::NoSuch { what: "tournament", name: id.0.to_string() })
    }
}

/// An edition that has no default time of its own needs one before anything is played under it.
fn default_time_is_stated(regulations: &Regulations) -> Result<(), Refusal> {
    if regulations.default_time().is_none() {
        let why = format!(
            "the Laws of {} want the regulations to state how late a player may be, as --default-time 0:30:00 does",
            regulations.edition.year()
        );
        return Err(Refusal::Unreadable { field: "regulations.default_time_ms", why });
    }
    Ok(())
}

fn named(field: &'static str, name: &str) -> Result<(), Refusal> {
    let control = name.chars().any(char::is_control);
    if name.trim().is_empty() || name.len() > MAX_NAME || control {
        return Err(Refusal::Unreadable { field, why: format!("1 to {MAX_NAME} bytes of text without control characters") });
    }
    Ok(())
}

fn numbered(field: &'static str, n: u32) -> Result<(), Refusal> {
    if n == 0 || n > MAX_NUMBER { Err(Refusal::Unreadable { field, why: format!("1 to {MAX_NUMBER}") }) } else { Ok(()) }
}

fn no_such(what: &'static str, n: u32) -> Refusal {
    Refusal::NoSuch { what, name: n.to_string() }
}

impl Venue {
    pub(super) fn administered(&mut self, admin: &Admin, entry: &super::Entry) {
        match admin {
            Admin::Alarm { .. } | Admin::Proposed { .. } => {}
            Admin::SecondNeeded { rulings } => self.seconded.clone_from(rulings),
            Admin::Invited { .. } | Admin::Enrolled { .. } | Admin::Revoked { .. } => self.enrolled(admin, entry.origin.as_ref()),
            Admin::EnvelopeKey { key } => self.envelope_key = Some(*key),
            Admin::Signed { head } => self.signatures.signed(*head),
            Admin::Started { .. } => {
                for table in &mut self.tables {
                    if table.game.device.is_none() {
                        table.game.begin_timeline();
                    }
                    table.game.begin_hall_time();
                }
            }
            Admin::DeviceAssigned { device, game, .. } => self.devices.entry(*device).or_default().moves_to(*game),
            Admin::TournamentCreated { tournament, name, regulations, starts_on } => {
                let (name, regulations) = (name.clone(), regulations.clone());
                let new = Tournament { name, regulations, starts_on: *starts_on, rounds: Default::default(), version: Version(0) };
                self.tournaments.insert(*tournament, new);
            }
            Admin::RoundOpened { tournament, round } => {
                if let Some(tournament) = self.tournaments.get_mut(tournament) {
                    tournament.rounds.entry(*round).or_default();
                }
            }
            Admin::Paired { pairing } => {
                if let Some(tournament) = self.tournaments.get_mut(&pairing.tournament) {
                    tournament.rounds.entry(pairing.round).or_default().insert(pairing.board, (Arc::new(pairing.clone()), None));
                }
            }
            Admin::GameOpened { game, tournament, round, board, regulations, start, device, absent, clocks, replaces, black_device } => {
                let seat = self.tournaments.get_mut(tournament).and_then(|t| t.rounds.get_mut(round)).and_then(|boards| boards.get_mut(board));
                let Some((pairing, current)) = seat else { return };
                *current = Some(*game);
                let mut opened = Game::open(*game, regulations.clone(), start.clone(), *device, *absent, *clocks);
                opened.black_device = *black_device;
                self.tables.push(Table {
                    game: opened,
                    version: Version(1),
                    pairing: pairing.clone(),
                    opened_at: entry.recorded_at,
                    stopped: None,
                    replaces: *replaces,
                    proposed: None,
                    ruled: None,
                });
                self.moved_devices(*game, &[]);
            }
        }
    }
}
