//! The arbiters and the office: they pair, open, start, stop and put right; what is not answered is sent again under its key.

use std::collections::BTreeMap;
use std::sync::Arc;

use prost::Message;
use shakmaty::{ByColor, Color};

use super::board::Board;
use super::check::Check;
use super::device::Device;
use super::env::{Env, Event, HOUR, Post};
use crate::board::Start;
use crate::clock::{Adjustment, Millis};
use crate::game::{DeviceId, Fact, FlagsBy, Game, GameId, Penalty, Phase, Regulations, Ruling, Score, StopReason};
use crate::laws::Edition;
use crate::venue::{Command, Input, Key, Origin, Pairing, Player, Role, TournamentId, Venue};
use crate::wire::v1::{self, console_request, outcome};

/// How often they look around, in milliseconds.
pub(super) const EVERY: u64 = 2_000;
/// How long an answer may take before a request is sent again.
const RESEND: u64 = 4_000;
/// How long a clock may stand that runs by the record before somebody sees to it.
const STUCK: u64 = 10_000;
/// How many rulings on a game may be refused before it is ended by one.
const PATIENCE: u32 = 5;
/// The one tournament.
const TOURNAMENT: TournamentId = TournamentId(1);
/// Controls that are played.
const CONTROLS: [&str; 12] =
    ["60", "180+2", "300+3", "300", "600", "900+10", "10/300:120", "20/600+5:300+5", "120d3", "180b2", "40/5400+30:1800+30", "*120"];

/// Requests on their way, and the devices that are at no board.
#[derive(Debug, Default)]
pub(super) struct Arbiters {
    asked: BTreeMap<String, (Post, u64)>,
    cupboard: Vec<usize>,
    number: u64,
}

impl Arbiters {
    /// Whether nothing waits for an answer.
    pub(super) fn is_done(&self) -> bool {
        self.asked.is_empty()
    }

    fn send(&mut self, board: &mut Board, key: String, post: Post, env: &mut Env) {
        board.asked = Some(key.clone());
        if self.asked.contains_key(&key) {
            return;
        }
        let console = env.console();
        env.carry(console, &Event::ToDaemon(post.clone()));
        self.asked.insert(key, (post, env.now));
    }

    fn office(&mut self, board: &mut Board, key: String, input: Input, env: &mut Env) {
        env.note(|| format!("the office asks {key}"));
        let origin = Origin::new(Role::Office, "office".to_string());
        let command = Command { origin, key: Some(Key(key.clone())), seen: None, input };
        self.send(board, key, Post::Office { command: Box::new(command) }, env);
    }

    fn console(&mut self, board: &mut Board, kind: impl FnOnce(String) -> console_request::Kind, env: &mut Env) {
        self.number += 1;
        let key = format!("request-{}", self.number);
        let request = v1::ConsoleRequest { arbiter: "arbiter".to_string(), kind: Some(kind(key.clone())) };
        self.send(board, key, Post::Console { bytes: request.encode_to_vec() }, env);
    }

    fn rule(&mut self, board: &mut Board, ruling: &Ruling, env: &mut Env) {
        env.note(|| format!("the arbiter rules {ruling} on game {}", board.game));
        env.counts.rulings += 1;
        let (game, ruling) = (board.game, Some(v1::Ruling::from(ruling)));
        self.console(board, |key| console_request::Kind::Ruling(v1::RulingRequest { key, game, seen_version: 0, ruling, private_key: None }), env);
    }

    /// A fact that is typed in, at a board that the daemon times.
    pub(super) fn notes(&mut self, board: &mut Board, fact: &Fact, env: &mut Env) {
        env.note(|| format!("noted of game {}: {fact:?}", board.game));
        let (game, fact) = (board.game, Some(v1::Fact::from(fact)));
        self.console(board, |key| console_request::Kind::Note(v1::NoteRequest { key, game, fact }), env);
    }

    /// An answer has come.
    pub(super) fn hears(&mut self, key: &str, bytes: &[u8], boards: &mut [Board], env: &mut Env, check: &mut Check) {
        let Ok(v1::Outcome { kind: Some(kind), .. }) = v1::Outcome::decode(bytes) else { return };
        let waited = self.asked.remove(key);
        match &kind {
            outcome::Kind::Taken(taken) => check.answered(key, taken.seq),
            outcome::Kind::Refused(refused) if waited.is_some() => {
                env.counts.refused += 1;
                env.note(|| format!("request {key} is refused: {}", refused.text));
            }
            outcome::Kind::Refused(_) => {}
        }
        if waited.is_none() {
            return;
        }
        for board in boards.iter_mut().filter(|board| board.asked.as_deref() == Some(key)) {
            board.asked = None;
            board.refused = if matches!(kind, outcome::Kind::Taken(_)) { 0 } else { board.refused + 1 };
        }
    }

    /// They look around: what was not answered is sent again, and each board gets what it needs.
    pub(super) fn rounds(&mut self, boards: &mut [Board], devices: &[Device], venue: Option<&Venue>, env: &mut Env) {
        let console = env.console();
        for (post, sent) in self.asked.values_mut() {
            if env.now >= *sent + RESEND {
                *sent = env.now;
                env.carry(console, &Event::ToDaemon(post.clone()));
            }
        }
        let Some(venue) = venue.filter(|_| env.is_open()) else { return };
        let at_a_board = |index: usize| boards.iter().any(|board| board.device == Some(index));
        self.cupboard = (0..devices.len()).filter(|index| !at_a_board(*index) && is_free(&devices[*index], venue)).collect();
        for board in boards.iter_mut().filter(|board| board.asked.is_none()) {
            if env.now >= board.rests_until {
                self.sees_to(board, devices, venue, env);
            }
        }
    }

    fn sees_to(&mut self, board: &mut Board, devices: &[Device], venue: &Venue, env: &mut Env) {
        let Some(tournament) = venue.tournaments().get(&TOURNAMENT) else {
            let Ok(control) = "5400+30".parse() else { return };
            let regulations = Regulations { default_time: Some(Millis::minutes(30)), ..Regulations::of(control) };
            let create = Input::CreateTournament { name: "simulated".to_string(), regulations, starts_on: None };
            return self.office(board, "tournament".to_string(), create, env);
        };
        let place = (board.round, board.number as u32 + 1);
        let seat = tournament.rounds.get(&place.0).and_then(|boards| boards.get(&place.1));
        let Some((_, Some(id))) = seat else {
            return self.opens(board, devices, venue, seat.is_some(), env);
        };
        let Some(table) = venue.table(*id) else { return };
        if board.game != id.0 {
            board.game = id.0;
            board.set_up(table.game.line.position().cloned());
            env.counts.games += 1;
        }
        self.referees(board, &table.game, devices, env);
    }

    /// The next thing towards a game: the round, the pairing, the game.
    fn opens(&mut self, board: &mut Board, devices: &[Device], venue: &Venue, paired: bool, env: &mut Env) {
        let device = board.device.map(|index| DeviceId(index as u64 + 1));
        if device.is_some_and(|device| !venue.devices().contains_key(&device)) {
            return self.fetch(board, devices);
        }
        if board.round == 0 {
            board.round = 1;
        }
        let (round, number) = (board.round, board.number as u32 + 1);
        let exists = venue.tournaments().get(&TOURNAMENT).is_some_and(|t| t.rounds.contains_key(&round));
        if !exists {
            return self.office(board, format!("round-{round}"), Input::OpenRound { tournament: TOURNAMENT, round }, env);
        }
        if !paired {
            let player = |side: &str| Player { name: format!("{side}, {round}.{number}"), fide_id: 0 };
            let players = ByColor { white: player("White"), black: player("Black") };
            let pairing = Pairing { tournament: TOURNAMENT, round, board: number, players, start: start(env), regulations: regulations(env) };
            return self.office(board, format!("pairing-{round}-{number}"), Input::Pair { pairing }, env);
        }
        if board.device.is_some_and(|index| devices[index].dead) || board.refused > 0 {
            board.refused = 0;
            self.fetch(board, devices);
        }
        let device = board.device.map(|index| DeviceId(index as u64 + 1));
        self.number += 1;
        let open =
            Input::OpenGame { tournament: TOURNAMENT, round, board: number, device, black_device: None, absent: ByColor::default(), clocks: None };
        self.office(board, format!("game-{round}-{number}-{}", self.number), open, env);
    }

    /// A device out of the cupboard, in place of a dead one.
    fn fetch(&mut self, board: &mut Board, devices: &[Device]) {
        if board.device.is_some_and(|index| devices[index].dead) {
            board.device = self.cupboard.pop().or(board.device);
        }
    }

    /// Another device at the board in the middle of the game.
    fn replaces(&mut self, board: &mut Board, env: &mut Env) {
        if let Some(index) = self.cupboard.pop() {
            board.device = Some(index);
            env.counts.swaps += 1;
            self.rule(board, &Ruling::ReplaceClock { device: Some(DeviceId(index as u64 + 1)) }, env);
        }
    }

    /// What the game needs from an arbiter.
    fn referees(&mut self, board: &mut Board, game: &Game, devices: &[Device], env: &mut Env) {
        let dead = board.device.is_some_and(|index| devices[index].dead);
        if board.refused > PATIENCE && !game.is_finished() {
            board.refused = 0;
            return self.rule(board, &Ruling::DeclareResult { score: Score::Draw, reason: "it cannot be put right".to_string() }, env);
        }
        if dead && !game.is_finished() {
            return self.replaces(board, env);
        }
        match game.phase {
            Phase::Scheduled | Phase::Ready if game.orders.is_empty() => self.rule(board, &Ruling::Start, env),
            Phase::Running => self.walks_by(board, game, devices, env),
            Phase::Stopped(reason) if game.orders.is_empty() => self.puts_right(board, game, reason, env),
            Phase::Over | Phase::Annulled => self.after_the_end(board, game, dead, env),
            Phase::Scheduled | Phase::Ready | Phase::Stopped(_) | Phase::Adjourned => {}
        }
    }

    /// A clock runs: now and then something is ruled all the same.
    fn walks_by(&mut self, board: &mut Board, game: &Game, devices: &[Device], env: &mut Env) {
        board.put_right = false;
        let device = board.device.map(|index| &devices[index]);
        let stands = device.is_some_and(|device| device.running().is_none() && device.is_heard()) || board.position.is_none();
        board.stuck_since = board.stuck_since.filter(|_| stands).or(stands.then_some(env.now));
        if board.stuck_since.is_some_and(|since| env.now >= since + STUCK) && game.orders.is_empty() {
            board.stuck_since = None;
            return self.rule(board, &Ruling::Stop { reason: "the clock stands, or the board is not as the record says".to_string() }, env);
        }
        if board.device.is_some_and(|index| env.is_cut(index)) && env.chance.happens(0.05) {
            return self.does_not_wait(board, env);
        }
        let plenty = game.clock.reading(None).into_iter().all(|left| left > Millis::minutes(5));
        if !env.chance.happens(env.weather.rulings * EVERY as f64 / HOUR as f64) {
            return;
        }
        let color = if env.chance.happens(0.5) { Color::White } else { Color::Black };
        let reason = "in passing".to_string();
        let ruling = match env.chance.between(0, 7) {
            0 if plenty => Ruling::AddTime { color, by: Adjustment(env.chance.between(0, 240_000) as i64 - 120_000), reason },
            1 if plenty => Ruling::Penalise { color, penalty: Penalty::OpponentTime(Millis::seconds(60)), reason },
            2 => Ruling::Penalise { color, penalty: Penalty::Warning, reason },
            // What is taken back may have added time, and taking that off a clock that runs must leave some.
            3 if plenty => Ruling::Undo { reason },
            4 if device.is_some() => return self.replaces(board, env),
            _ => Ruling::Stop { reason },
        };
        self.rule(board, &ruling, env);
    }

    /// A clock is cut off, and nobody wants to wait for it: what it still says is of a board at which it is not any more.
    fn does_not_wait(&mut self, board: &mut Board, env: &mut Env) {
        if env.chance.happens(0.5) {
            return self.replaces(board, env);
        }
        self.rule(board, &Ruling::DeclareResult { score: Score::Draw, reason: "they have agreed".to_string() }, env);
    }

    /// The clocks stand: whatever it is for is put right, and the game goes on.
    fn puts_right(&mut self, board: &mut Board, game: &Game, reason: StopReason, env: &mut Env) {
        if game.question.is_some() {
            return;
        }
        if game.claim.is_some_and(|claim| !claim.postponed) {
            let reason = "as claimed".to_string();
            return self.rule(board, &if env.chance.happens(0.5) { Ruling::Uphold { reason } } else { Ruling::Reject { reason } }, env);
        }
        if game.line.position().is_none() || game.line.turn() != game.on_move || game.empty_press.is_some() {
            let known = game.line.known().0 as u32;
            if board.refused == 0 && env.chance.happens(0.5) {
                return self.rule(board, &Ruling::RuleIllegal { color: None, two_hands: false }, env);
            }
            return self.rule(board, &Ruling::Restore { plies: known.min(game.line.plies().len() as u32) }, env);
        }
        let as_shown = matches!(reason, StopReason::Arbiter | StopReason::Pause | StopReason::Claim);
        let low = Color::ALL.into_iter().any(|color| game.clock.side(color).left < Millis::seconds(1));
        if (!as_shown || low) && !std::mem::replace(&mut board.put_right, true) {
            let times = ByColor::new_with(|color| game.clock.side(color).left.max(Millis::seconds(30)));
            return self.rule(board, &Ruling::SetClocks { times }, env);
        }
        board.set_up(game.line.position().cloned());
        // Who stands again at once is put right again.
        board.put_right = false;
        self.rule(board, &Ruling::Resume, env);
    }

    /// The game is over: the result may be put right, and then the next round comes.
    fn after_the_end(&mut self, board: &mut Board, game: &Game, dead: bool, env: &mut Env) {
        // Now and then nobody waits for a clock that is cut off: what it still says is of the game that is over.
        if !game.orders.is_empty() && !dead && !env.chance.happens(0.1) {
            return;
        }
        if env.chance.happens(0.05) && board.refused == 0 {
            let reason = "protest".to_string();
            let ruling = if env.chance.happens(0.5) { Ruling::CorrectResult { score: Score::WhiteWins, reason } } else { Ruling::Undo { reason } };
            return self.rule(board, &ruling, env);
        }
        env.counts.finished += 1;
        board.round += 1;
        board.refused = 0;
        board.rests_until = env.now + env.chance.between(5_000, 60_000);
    }
}

/// Whether a device can come to a board.
fn is_free(device: &Device, venue: &Venue) -> bool {
    let over = |game: GameId| venue.table(game).is_some_and(|table| table.game.is_finished());
    !device.dead && venue.devices().get(&DeviceId(device.id())).is_some_and(|known| known.game.is_none_or(over))
}

fn start(env: &mut Env) -> Arc<Start> {
    Arc::new(if env.chance.happens(0.1) { Start::drawn(env.chance.between(0, 1_000)) } else { Start::standard() })
}

/// What this game is played under.
fn regulations(env: &mut Env) -> Option<Arc<Regulations>> {
    let control = env.chance.one_of(&CONTROLS).parse().ok()?;
    let edition = *env.chance.one_of(&[Edition::Y2023, Edition::Y2023, Edition::Y2018, Edition::Y2014, Edition::Y2005]);
    let mut regulations = Regulations { edition, default_time: Some(Millis::minutes(30)), ..Regulations::of(control) };
    regulations.play = game_kind(&regulations);
    regulations.flags = env.chance.happens(0.8).then_some(FlagsBy::Auto);
    Some(Arc::new(regulations))
}

fn game_kind(regulations: &Regulations) -> crate::laws::Play {
    crate::laws::Play::of(&regulations.control, regulations.edition, false)
}
