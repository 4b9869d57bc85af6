//! Replay from the log on disk against shakmaty playing the same moves; the start with a million entries; memory for each open game.
#![expect(clippy::unwrap_used, reason = "what does not go as told here is a failed measurement")]

mod measure;

use std::sync::Arc;

use measure::{folder, median, resident};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::uci::UciMove;
use shakmaty::{ByColor, CastlingMode, Chess, Position};
use zeitnot::board::Start;
use zeitnot::clock::Millis;
use zeitnot::game::{DeviceId, Fact, GameId, Input as About, Moved, OrderNo, Regulations, Ruling, Seq};
use zeitnot::log::{Log, MirrorAt, Options, SledLog};
use zeitnot::time::Stopwatch;
use zeitnot::venue::{At, Command, DeviceStamp, Input, Introduction, Key, Origin, Pairing, Player, Report, Role, TournamentId, WallTime};
use zeitnot::writer::{Writer, replay};

const ENTRIES: u64 = 1_000_000;
const ROUNDS: usize = 5;

/// A game of random legal moves, as long as real ones are.
fn moves(random: &mut ChaCha8Rng) -> Vec<UciMove> {
    let (mut position, mut made) = (Chess::default(), Vec::new());
    let length = random.random_range(40..120);
    while made.len() < length {
        let legal = position.legal_moves();
        let Some(m) = legal.choose(random) else { break };
        if position.is_insufficient_material() {
            break;
        }
        made.push(m.to_uci(CastlingMode::Standard));
        position.play_unchecked(*m);
    }
    made
}

struct Hall {
    writer: Writer,
    log: SledLog,
    device: u64,
    report: u32,
}

impl Hall {
    fn put(&mut self, origin: Origin, key: Option<Key>, input: Input) {
        let reader = self.log.reader();
        let at = At { wall: WallTime(0), hall: Millis(0) };
        let command = Command { origin, key, seen: None, input };
        self.writer.decide(&*reader, command, at).unwrap().unwrap();
        if !self.writer.has_room() {
            self.commit();
        }
    }

    fn commit(&mut self) {
        self.writer.commit(&mut self.log).unwrap();
    }

    fn office(&mut self, input: Input) {
        self.put(Origin::new(Role::Office, "bench".into()), None, input);
    }

    fn say(&mut self, fact: Fact, at: u64) {
        self.report += 1;
        let stamp = DeviceStamp { device: DeviceId(self.device), boot: 1, report: self.report, at: Millis(at), arrived: None };
        let origin = Origin { stamp: Some(stamp), ..Origin::new(Role::Clock, String::new()) };
        self.put(origin, None, Input::Report { previous: self.report - 1, game: Some(GameId(self.device)), report: Report::Fact(fact) });
    }

    fn open(&mut self, board: u32) -> GameId {
        (self.device, self.report) = (u64::from(board), 0);
        let introduction = Introduction { model: "bench".into(), firmware: "1".into(), senses_board: true, wrap: None, scale: 1_000 };
        let origin = Origin::new(Role::Clock, String::new());
        self.put(origin, None, Input::Hello { device: DeviceId(self.device), introduction });
        let player = |name: &str| Player { name: format!("{name} {board}"), fide_id: 0 };
        let players = ByColor { white: player("White"), black: player("Black") };
        let (tournament, round, board) = (TournamentId(1), board.div_ceil(9_999), (board - 1) % 9_999 + 1);
        if board == 1 {
            self.office(Input::OpenRound { tournament, round });
        }
        let pairing = Pairing { tournament, round, board, players, start: Arc::new(Start::standard()), regulations: None };
        self.office(Input::Pair { pairing });
        let device = Some(DeviceId(self.device));
        self.office(Input::OpenGame { tournament, round, board, device, black_device: None, absent: ByColor::default(), clocks: None });
        GameId(self.writer.venue().tables().len() as u64)
    }
}

fn hall(folder: &std::path::Path) -> Hall {
    let log = SledLog::open(folder, &Options { mirror: MirrorAt::Nowhere, ..Options::default() }).unwrap();
    let mut hall = Hall { writer: Writer::default(), log, device: 0, report: 0 };
    let regulations = Regulations::of("360000+30".parse().unwrap());
    hall.office(Input::CreateTournament { name: "Bench".into(), regulations, starts_on: None });
    hall
}

/// Memory that an open game takes, with its device.
fn memory() -> u64 {
    let folder = folder();
    let mut hall = hall(folder.path());
    hall.open(1);
    hall.commit();
    const GAMES: u32 = 20_000;
    let before = resident();
    for board in 2..=GAMES {
        hall.open(board);
    }
    hall.commit();
    let memory = (resident() - before) / u64::from(GAMES);
    assert_eq!(Seq(hall.log.head().0), hall.writer.venue().head());
    memory
}

fn main() {
    let memory = memory();
    let folder = folder();
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut games = Vec::new();
    {
        let mut hall = hall(folder.path());
        while hall.writer.venue().head().0 < ENTRIES {
            let game = hall.open(games.len() as u32 + 1);
            let arbiter = Origin::new(Role::Arbiter, "bench".into());
            hall.put(arbiter, Some(Key(format!("start {}", game.0))), Input::Game { game, input: About::Ruling(Ruling::Start) });
            hall.say(Fact::Confirmation { order: OrderNo(1) }, 0);
            let made = moves(&mut random);
            let mut at = 0;
            for (ply, uci) in made.iter().enumerate() {
                at += random.random_range(1_000..60_000);
                let by = shakmaty::Color::from_white(ply % 2 == 0);
                hall.say(Fact::Press { by, moved: Moved::Move(*uci), shown: None, lag: None }, at);
            }
            games.push(made);
        }
        hall.commit();
    }
    let moves: usize = games.iter().map(Vec::len).sum();
    let texts: Vec<Vec<String>> = games.iter().map(|game| game.iter().map(ToString::to_string).collect()).collect();
    let (mut opens, mut replays, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut entries = 0;
    for _ in 0..ROUNDS {
        let watch = Stopwatch::start();
        let log = SledLog::open(folder.path(), &Options { mirror: MirrorAt::Nowhere, ..Options::default() }).unwrap();
        let opened = watch.elapsed().as_secs_f64();
        let venue = replay(&*log.reader(), None, &mut |_| {}).unwrap();
        let started = watch.elapsed().as_secs_f64();
        entries = venue.head().0;
        opens.push(started);
        let rate = moves as f64 / (started - opened);
        let watch = Stopwatch::start();
        for game in &texts {
            let mut position = Chess::default();
            for text in game {
                let m = text.parse::<UciMove>().unwrap().to_move(&position).unwrap();
                position.play_unchecked(m);
            }
            std::hint::black_box(&position);
        }
        let shakmaty = moves as f64 / watch.elapsed().as_secs_f64();
        replays.push(rate);
        bare.push(shakmaty);
        ratios.push(rate / shakmaty);
    }
    println!("| what | measured |");
    println!("| --- | --- |");
    println!("| log | {entries} entries, {} games, {moves} moves |", games.len());
    println!("| replay from the log on disk | {:.2} M moves/s |", median(replays) / 1e6);
    println!("| shakmaty, the same moves from UCI text | {:.2} M moves/s |", median(bare) / 1e6);
    println!("| ratio | {:.3} |", median(ratios));
    println!("| start: open and replay {entries} entries | {:.2} s |", median(opens));

    println!("| memory for each open game with its device, the log's cache included | {memory} bytes |");
}
