//! Every PGN file that is present: read, planned, played through the core, written and read again.
#![expect(clippy::unwrap_used, reason = "what cannot be read here is a failed test")]

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use shakmaty::uci::UciMove;
use shakmaty::{ByColor, Color};
use zeitnot::board::MoveText;
use zeitnot::board::mating::Budget;
use zeitnot::clock::{Millis, Reading, WallTime};
use zeitnot::fleet::plan::{End, Plan};
use zeitnot::format::pgn::{PgnGame, games, write};
use zeitnot::game::{Command, Consequence, DeviceId, Entry, Fact, Game, GameId, Input, Moved, Phase, Ruling, Seq, decide, named, who_can_mate};

/// A game being played on a virtual timeline, timed by a device or by the daemon.
struct Table {
    game: Game,
    device: bool,
    seq: u64,
}

impl Table {
    fn open(plan: &Plan, device: bool) -> Table {
        let regulations = Arc::new(plan.regulations.clone());
        let serial = device.then_some(DeviceId(7));
        let game = Game::open(GameId(1), regulations, plan.start.clone(), serial, ByColor::default(), None);
        Table { game, device, seq: 0 }
    }

    fn put(&mut self, input: Input, now: Option<Millis>) {
        let entries = decide(&self.game, input.clone(), now, WallTime::default()).unwrap_or_else(|refusal| panic!("{input:?} refused: {refusal}"));
        for entry in &entries {
            self.seq += 1;
            self.game.evolve(Seq(self.seq), entry);
            assert!(!matches!(entry, Entry::Consequence(Consequence::Incident { .. })), "{entry}");
        }
        // What the daemon works out beside the writer.
        if let (Some(question), Some(position)) = (self.game.question, self.game.line.position()) {
            let mating = who_can_mate(position, question.first, Budget::DEFAULT);
            let position = named(position);
            self.put(Input::Fact(Fact::Verdict { ply: question.plies, position, mating }), now);
        }
    }

    fn fact(&mut self, fact: Fact, now: Millis) {
        self.put(Input::Fact(fact), Some(now));
    }

    /// A ruling; a device confirms at `now` what it was told, except the stop after the end.
    fn ruling(&mut self, ruling: Ruling, now: Millis) {
        self.put(Input::Ruling(ruling), if self.device { None } else { Some(now) });
        while let Some(order) = self.game.orders.first().map(|told| told.number) {
            self.fact(Fact::Confirmation { order }, now);
        }
    }

    fn set(&mut self, times: Reading, now: Millis) {
        self.fact(Fact::Pause { by: None }, now);
        self.ruling(Ruling::SetClocks { times }, now);
        self.ruling(Ruling::Resume, now);
    }

    /// Plays the whole plan; the instant of its end.
    fn play(&mut self, plan: &Plan) -> Millis {
        let mut now = Millis::ZERO;
        self.ruling(Ruling::Start, now);
        for (i, ply) in plan.plies.iter().enumerate() {
            let by = self.game.running().expect("a clock runs");
            let last = i + 1 == plan.plies.len();
            now = now.plus(ply.think);
            let mut moved = Moved::Move(ply.uci);
            if last && plan.end == End::Agreement {
                self.fact(Fact::Move { by, made: MoveText::Uci(ply.uci) }, now);
                self.fact(Fact::Offer { by }, now);
                moved = Moved::AsReported;
            }
            self.fact(Fact::Press { by, moved, shown: None, lag: None }, now);
            if let Some(times) = ply.after {
                self.set(times, now);
            }
            assert_eq!(self.game.clock.reading(None), ply.clocks, "ply {}", i + 1);
            assert_eq!(self.game.is_finished(), last && plan.end == End::OnTheBoard, "ply {}", i + 1);
        }
        self.end(plan, now)
    }

    fn end(&mut self, plan: &Plan, mut now: Millis) -> Millis {
        let on_move = self.game.on_move;
        match plan.end {
            End::OnTheBoard | End::Unfinished => {}
            End::Flag => {
                now = self.game.clock.falls_at().expect("a clock runs");
                self.fact(Fact::Flag { color: on_move }, now);
            }
            End::Resignation { by } => self.fact(Fact::Resignation { by }, now),
            End::Agreement => self.fact(Fact::Acceptance { by: on_move }, now),
            End::Ruled(score) => self.ruling(Ruling::DeclareResult { score, reason: "PGN".into() }, now),
        }
        if plan.end != End::OnTheBoard && plan.end != End::Unfinished && self.device {
            let stop = self.game.orders.iter().find(|told| told.command == Command::Stop).map(|told| told.number);
            if let Some(order) = stop {
                self.fact(Fact::Confirmation { order }, now);
            }
        }
        if let Some(score) = plan.correction {
            self.put(Input::Ruling(Ruling::CorrectResult { score, reason: "PGN".into() }), None);
        }
        now
    }
}

fn agrees(game: &PgnGame, plan: &Plan) {
    for device in [false, true] {
        let mut table = Table::open(plan, device);
        let now = table.play(plan);
        let game = &table.game;
        assert_eq!(game.outcome.as_ref().map(|outcome| outcome.score), plan.result);
        assert_eq!(game.clock.reading(Some(now)), plan.final_clocks);
        assert_eq!(game.phase == Phase::Over, plan.end != End::Unfinished);
    }
    // What the file says of the clocks is what they show.
    let first = shakmaty::Position::turn(&game.start.position);
    for (i, (made, ply)) in game.moves.iter().zip(&plan.plies).enumerate() {
        let mover = if i % 2 == 0 { first } else { !first };
        let set_before_mate = game.moves.len() == 1 && plan.end == End::OnTheBoard;
        if let Some(clk) = made.clk.filter(|_| !set_before_mate) {
            assert!(clk.is(*ply.clocks.get(mover)), "ply {}: {} shown, {} planned", i + 1, clk, ply.clocks.get(mover));
        }
    }
}

fn written_and_read_again(plan: &Plan) {
    let mut table = Table::open(plan, false);
    table.play(plan);
    let pgn = write(&table.game, &plan.tags);
    let game = games(pgn.as_bytes()).unwrap().next().expect("a game").unwrap_or_else(|e| panic!("{e}\n{pgn}"));
    assert!(pgn.lines().skip_while(|line| !line.is_empty()).all(|line| line.chars().count() <= 80), "{pgn}");
    let moves = |uci: Vec<UciMove>| uci.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(moves(game.moves.iter().map(|made| made.uci).collect()), moves(plan.plies.iter().map(|ply| ply.uci).collect()));
    let mut mover: Color = shakmaty::Position::turn(&game.start.position);
    for (made, ply) in game.moves.iter().zip(&plan.plies) {
        let shown = made.clk.expect("a clock time after every move");
        // A ruling after the press sets other times than the press left.
        assert!(ply.after.is_some() || shown.is(*ply.clocks.get(mover)), "{pgn}");
        mover = !mover;
    }
    assert_eq!(game.tags.time_control().as_ref(), Some(&*plan.regulations.control));
    let four = plan.result.filter(|score| ["1-0", "0-1", "1/2-1/2"].contains(&score.word()));
    assert_eq!(game.result, four);
}

#[derive(Debug, Default)]
struct Counts {
    files: usize,
    games: usize,
    planned: usize,
    plies: usize,
    invented: usize,
    default_control: usize,
    count_after: usize,
    clock_rulings: usize,
    games_with_clock_rulings: usize,
    corrections: usize,
    ends: BTreeMap<&'static str, usize>,
    problems: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn take(&mut self, plan: &Plan) {
        self.planned += 1;
        self.plies += plan.plies.len();
        self.invented += usize::from(plan.invented);
        self.default_control += usize::from(plan.default_control);
        self.count_after += usize::from(plan.regulations.count_from == zeitnot::clock::CountFrom::After);
        self.clock_rulings += plan.rulings();
        self.games_with_clock_rulings += usize::from(plan.rulings() > 0);
        self.corrections += usize::from(plan.correction.is_some());
        let end = match plan.end {
            End::OnTheBoard => "on the board",
            End::Flag => "flag",
            End::Resignation { .. } => "resignation",
            End::Agreement => "agreement",
            End::Unfinished => "unfinished",
            End::Ruled(_) => "ruled",
        };
        *self.ends.entry(end).or_default() += 1;
    }

    fn add(&mut self, other: Counts) {
        self.files += other.files;
        self.games += other.games;
        self.planned += other.planned;
        self.plies += other.plies;
        self.invented += other.invented;
        self.default_control += other.default_control;
        self.count_after += other.count_after;
        self.clock_rulings += other.clock_rulings;
        self.games_with_clock_rulings += other.games_with_clock_rulings;
        self.corrections += other.corrections;
        other.ends.into_iter().for_each(|(end, n)| *self.ends.entry(end).or_default() += n);
        other.problems.into_iter().for_each(|(problem, n)| *self.problems.entry(problem).or_default() += n);
    }
}

fn play_file(path: &Path, counts: &mut Counts) {
    counts.files += 1;
    for game in games(&std::fs::read(path).unwrap()).unwrap() {
        counts.games += 1;
        let name = path.display().to_string();
        let planned = game.and_then(|game| Plan::of(&name, &game, 1).map(|plan| (game, plan)));
        match planned {
            Ok((game, plan)) => {
                println!("{name} game {}: {} rulings", plan.number, plan.rulings());
                counts.take(&plan);
                agrees(&game, &plan);
                written_and_read_again(&plan);
            }
            Err(problem) => {
                println!("{name} {problem}");
                *counts.problems.entry(problem.reason.word()).or_default() += 1;
            }
        }
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(dir).into_iter().flatten().map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ext| ext == "pgn") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn the_corpus_is_played_as_its_files_say() {
    let Some(corpus) = common::shared("corpus") else { return };
    let (counts, next) = (Mutex::new(Counts::default()), AtomicUsize::new(0));
    // The longest first, so that nobody waits for one at the end.
    let mut paths = files(&corpus);
    paths.sort_by_key(|path| std::cmp::Reverse(std::fs::metadata(path).unwrap().len()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                let mut own = Counts::default();
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    play_file(path, &mut own);
                }
                counts.lock().unwrap().add(own);
            });
        }
    });
    let counts = counts.into_inner().unwrap();
    println!("{counts:#?}");
    assert!(counts.planned > 2_000);
    // Everything that is chess and has legal moves is played.
    assert!(!counts.problems.contains_key("too-long") && !counts.problems.contains_key("unreadable"));
}

#[test]
fn the_demo_is_played_without_a_ruling() {
    let mut counts = Counts::default();
    play_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/fleet/demo.pgn"), &mut counts);
    assert!(counts.games >= 8 && counts.planned == counts.games, "{counts:#?}");
    assert_eq!((counts.clock_rulings, counts.corrections, counts.default_control), (0, 0, 0), "{counts:#?}");
    assert!(!counts.ends.contains_key("ruled"), "{counts:#?}");
}
