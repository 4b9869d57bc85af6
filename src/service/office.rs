//! The office: unary calls that record, and calls that ask.

use jiff::tz::TimeZone;
use shakmaty::ByColor;
use tonic::{Request, Response, Status};

use super::access::Caller;
use super::{Hall, status};
use crate::board::mating::Budget;
use crate::format::{pgn, report::Reporter};
use crate::game::{self, DeviceId, Fact, Game, GameId, Input as About, Phase, Seq};
use crate::laws::Edition;
use crate::venue::{Command, Input, Key, Role, Table, TournamentId, Venue};
use crate::wire::{self, v1};
use crate::writer;
use v1::office_server::Office;

/// Most positions that one question has looked at for each side.
const MAX_NODES: u64 = 50_000_000;

type Answer<T> = Result<Response<T>, Status>;

impl Hall {
    async fn record(&self, caller: &Caller, by: String, key: String, input: Input) -> Answer<v1::Recorded> {
        let origin = caller.origin(Role::Office, by);
        let key = if key.is_empty() { None } else { Some(Key(key)) };
        match self.submit(Command { origin, key, seen: None, input }).await? {
            Ok(taken) => Ok(Response::new(v1::Recorded { seq: taken.seq.0, version: taken.version.0, id: taken.made })),
            Err(refusal) => Err(status::status(&refusal)),
        }
    }
}

fn read<T>(read: Result<T, wire::Error>) -> Result<T, Status> {
    read.map_err(|e| status::malformed(&e))
}

fn device(serial: u64) -> Option<DeviceId> {
    (serial > 0).then_some(DeviceId(serial))
}

fn missing(field: &'static str) -> Status {
    status::malformed(&wire::Error::new(field, "is missing"))
}

fn no_game(game: u64) -> Status {
    Status::not_found(format!("there is no game {game}"))
}

#[tonic::async_trait]
impl Office for Hall {
    async fn create_tournament(&self, request: Request<v1::CreateTournamentRequest>) -> Answer<v1::Recorded> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let mut regulations = asked.regulations.ok_or_else(|| missing("regulations"))?;
        let starts_on = read(wire::date("starts_on", &asked.starts_on))?;
        if let (0, Some(day)) = (regulations.edition, starts_on) {
            regulations.edition = Edition::at(day).year();
        }
        let regulations = read(regulations.try_into())?;
        self.record(&caller, asked.by, asked.key, Input::CreateTournament { name: asked.name, regulations, starts_on }).await
    }

    async fn open_round(&self, request: Request<v1::OpenRoundRequest>) -> Answer<v1::Recorded> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        self.record(&caller, asked.by, asked.key, Input::OpenRound { tournament: TournamentId(asked.tournament), round: asked.round }).await
    }

    async fn pair(&self, request: Request<v1::PairRequest>) -> Answer<v1::Recorded> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let mut pairing = asked.pairing.ok_or_else(|| missing("pairing"))?;
        if let Some(own) = pairing.regulations.as_mut().filter(|own| own.edition == 0) {
            // The edition is that of the competition, also for a game with a control of its own.
            let tournament = TournamentId(pairing.tournament);
            own.edition = Hall::ask(self, move |venue| venue.tournaments().get(&tournament).map_or(0, |t| t.regulations.edition.year())).await?;
        }
        let pairing = read(wire::pairing(pairing))?;
        self.record(&caller, asked.by, asked.key, Input::Pair { pairing }).await
    }

    async fn open_game(&self, request: Request<v1::OpenGameRequest>) -> Answer<v1::Recorded> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let input = Input::OpenGame {
            tournament: TournamentId(asked.tournament),
            round: asked.round,
            board: asked.board,
            device: device(asked.device),
            black_device: device(asked.black_device),
            absent: ByColor { white: asked.absent_white, black: asked.absent_black },
            clocks: read(asked.clocks.map(wire::times).transpose())?,
        };
        self.record(&caller, asked.by, asked.key, input).await
    }

    async fn assign_device(&self, request: Request<v1::AssignDeviceRequest>) -> Answer<v1::Recorded> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let game = (asked.game > 0).then_some(GameId(asked.game));
        let side = read(wire::color_or_none("side", asked.side))?;
        self.record(&caller, asked.by, asked.key, Input::AssignDevice { device: DeviceId(asked.device), game, side }).await
    }

    async fn set_envelope_key(&self, request: Request<v1::SetEnvelopeKeyRequest>) -> Answer<v1::Recorded> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let key = read(wire::public_key(&asked.public_key))?;
        self.record(&caller, asked.by, asked.key, Input::SetEnvelopeKey { key }).await
    }

    async fn need_second(&self, request: Request<v1::NeedSecondRequest>) -> Answer<v1::Recorded> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        self.record(&caller, asked.by, asked.key, Input::NeedSecond { rulings: asked.rulings.into_iter().collect() }).await
    }

    async fn sign(&self, request: Request<v1::SignRequest>) -> Answer<v1::SignAnswer> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let key = if asked.key.is_empty() { None } else { Some(Key(asked.key)) };
        let (seq, head) = Hall::sign(self, caller.origin(Role::Office, asked.by), key).await?.map_err(|refusal| status::status(&refusal))?;
        Ok(Response::new(v1::SignAnswer { signed: Some(wire::encode_signed(&head)), seq: seq.0 }))
    }

    async fn enter_moves(&self, request: Request<v1::EnterMovesRequest>) -> Answer<v1::Recorded> {
        let caller = Caller::of(&request)?;
        let asked = request.into_inner();
        let sheet = v1::Scoresheet { from_ply: asked.from_ply, moves: asked.moves };
        let fact: Fact = read(wire::fact(v1::Fact { kind: Some(v1::fact::Kind::Scoresheet(sheet)) }))?;
        self.record(&caller, asked.by, asked.key, Input::Game { game: GameId(asked.game), input: About::Fact(fact) }).await
    }

    async fn hall(&self, request: Request<v1::HallRequest>) -> Answer<v1::HallAnswer> {
        let asked = request.into_inner();
        let hall = self.clone();
        let found = Hall::ask(self, move |venue| {
            let passes = |table: &&Table| {
                let wanted = |asked: u64, is: u64| asked == 0 || asked == is;
                let place = &table.pairing;
                wanted(asked.tournament, place.tournament.0) && wanted(asked.round.into(), place.round.into()) && wanted(asked.game, table.game.id.0)
            };
            let tournaments = venue.tournaments().iter().map(|(id, t)| wire::encode_tournament(*id, &t.name, &t.regulations, t.starts_on));
            let answer = v1::HallAnswer {
                position: venue.head().0,
                tournaments: tournaments.collect(),
                games: Vec::new(),
                devices: hall.devices.health(venue, hall.clock.since_start()),
                envelope_key: venue.envelope_key().map_or_else(Vec::new, |key| key.0.to_vec()),
            };
            (answer, venue.tables().iter().filter(passes).cloned().collect())
        });
        let (answer, tables) = found.await?;
        let answer = v1::HallAnswer { games: self.states(tables).await?, ..answer };
        if asked.game > 0 && answer.games.is_empty() { Err(no_game(asked.game)) } else { Ok(Response::new(answer)) }
    }

    async fn results(&self, request: Request<v1::ResultsRequest>) -> Answer<v1::ResultsAnswer> {
        let asked = request.into_inner();
        let results = Hall::ask(self, move |venue| results(venue, TournamentId(asked.tournament), asked.round)).await?;
        let results = results.ok_or_else(|| Status::not_found(format!("there is no round {} of tournament {}", asked.round, asked.tournament)))?;
        Ok(Response::new(v1::ResultsAnswer { results }))
    }

    async fn pgn(&self, request: Request<v1::PgnRequest>) -> Answer<v1::PgnAnswer> {
        let asked = request.into_inner();
        let games: Vec<(Game, pgn::Tags)> = Hall::ask(self, move |venue| {
            let wanted = |table: &&Table| {
                let place = &table.pairing;
                match asked.game {
                    0 => place.tournament.0 == asked.tournament && (asked.round == 0 || place.round == asked.round),
                    game => table.game.id.0 == game,
                }
            };
            venue.tables().iter().filter(wanted).map(|table| (table.game.clone(), tags(venue, table))).collect()
        })
        .await?;
        let none = || match asked.game {
            0 => Status::not_found(format!("there is no game in round {} of tournament {} (0: any)", asked.round, asked.tournament)),
            game => no_game(game),
        };
        if games.is_empty() {
            return Err(none());
        }
        let write = |(game, tags): &(Game, pgn::Tags)| pgn::write(game, tags);
        let pgn = self.write_out(move || games.iter().map(write).collect::<Vec<_>>().join("\n")).await?;
        Ok(Response::new(v1::PgnAnswer { pgn }))
    }

    async fn replay(&self, request: Request<v1::ReplayRequest>) -> Answer<v1::GameState> {
        let asked = request.into_inner();
        let head = self.head().seq;
        if asked.until > head.0 {
            return Err(Status::out_of_range(format!("until: the log ends at {}", head.0)));
        }
        let (reader, until) = (self.reader.clone(), if asked.until == 0 { head } else { Seq(asked.until) });
        let replayed = self.think(move || writer::replay(&*reader, Some(until), &mut |_| {})).await?;
        let venue = replayed.map_err(|e| Status::data_loss(e.to_string()))?;
        let table = venue.table(GameId(asked.game)).ok_or_else(|| no_game(asked.game))?;
        Ok(Response::new(wire::game_state(table, None)))
    }

    async fn report(&self, request: Request<v1::ReportRequest>) -> Answer<v1::ReportAnswer> {
        let asked = request.into_inner();
        let format = v1::ReportFormat::try_from(asked.format).map_err(|_| Status::invalid_argument("format: text, HTML or JSON"))?;
        let game = GameId(asked.game);
        if !Hall::ask(self, move |venue| venue.table(game).is_some()).await? {
            return Err(no_game(asked.game));
        }
        let (reader, until) = (self.reader.clone(), self.head().seq);
        let gathered = self.think(move || {
            let mut reporter = Reporter::new(game);
            writer::each_entry(&*reader, Seq(0), Some(until), &mut |entry| reporter.entry(entry)).map(|()| reporter.finish())
        });
        let report = gathered.await?.map_err(|e| Status::data_loss(e.to_string()))?.ok_or_else(|| no_game(asked.game))?;
        let zone = TimeZone::system();
        let report = match format {
            v1::ReportFormat::Unspecified => report.text(&zone),
            v1::ReportFormat::Html => report.html(&zone),
            v1::ReportFormat::Json => report.json().to_string(),
        };
        Ok(Response::new(v1::ReportAnswer { report }))
    }

    async fn ask(&self, request: Request<v1::AskRequest>) -> Answer<v1::AskAnswer> {
        let asked = request.into_inner();
        let budget = Budget { nodes: if asked.nodes == 0 { Budget::DEFAULT.nodes } else { asked.nodes.min(MAX_NODES) } };
        let game = match asked.position.ok_or_else(|| missing("position"))? {
            v1::ask_request::Position::Game(game) => {
                let id = GameId(game);
                let found = Hall::ask(self, move |venue| venue.table(id).map(|table| table.game.clone())).await?;
                found.ok_or_else(|| no_game(game))?
            }
            v1::ask_request::Position::Fen(fen) => {
                let (start, moves, regulations) = read(wire::question(&fen, &asked.moves, asked.edition))?;
                game::led_to(start, regulations, &moves).map_err(|e| status::malformed(&wire::Error::new("moves", e.to_string())))?
            }
        };
        let answered = self.think(move || game::ask(&game, budget)).await?;
        answered.map(|answered| Response::new(wire::answer(&answered))).map_err(|e| Status::failed_precondition(e.to_string()))
    }

    async fn digest(&self, _: Request<v1::DigestRequest>) -> Answer<v1::DigestAnswer> {
        let hall = self.clone();
        let found = Hall::ask(self, move |venue| (venue.head().0, hall.head().chain.to_string(), venue.digesting()));
        let (position, head, digesting) = found.await?;
        let digest = self.write_out(digesting).await?.to_string();
        Ok(Response::new(v1::DigestAnswer { position, digest, head }))
    }
}

/// The tags of a game's PGN that the game itself does not know.
pub(crate) fn tags(venue: &Venue, table: &Table) -> pgn::Tags {
    let place = &table.pairing;
    let event = venue.tournaments().get(&place.tournament).map_or("?", |t| t.name.as_str());
    let day = table.opened_at.to_string().get(..10).unwrap_or("????-??-??").replace('-', ".");
    let mut tags: Vec<(String, String)> = [
        ("Event", event.to_string()),
        ("Date", day),
        ("Round", format!("{}.{}", place.round, place.board)),
        ("White", place.players.white.name.clone()),
        ("Black", place.players.black.name.clone()),
        ("Board", place.board.to_string()),
        ("GameId", table.game.id.0.to_string()),
    ]
    .map(|(name, value)| (name.to_string(), value))
    .into();
    for (name, id) in [("WhiteFideId", place.players.white.fide_id), ("BlackFideId", place.players.black.fide_id)] {
        if id > 0 {
            tags.push((name.to_string(), id.to_string()));
        }
    }
    pgn::Tags(tags)
}

fn results(venue: &Venue, tournament: TournamentId, round: u32) -> Option<Vec<v1::BoardResult>> {
    let boards = venue.tournaments().get(&tournament)?.rounds.get(&round)?;
    let result = |(board, (pairing, game)): (&u32, &(std::sync::Arc<crate::venue::Pairing>, Option<GameId>))| {
        let outcome =
            game.and_then(|game| venue.table(game)).filter(|table| table.game.phase != Phase::Annulled).and_then(|table| table.game.outcome.as_ref());
        v1::BoardResult {
            board: *board,
            white: pairing.players.white.name.clone(),
            black: pairing.players.black.name.clone(),
            score: outcome.map_or(String::new(), |o| o.score.to_string()),
            termination: outcome.map_or(String::new(), |o| o.termination.to_string()),
            game: game.map_or(0, |game| game.0),
        }
    };
    Some(boards.iter().map(result).collect())
}
