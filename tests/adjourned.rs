//! An adjourned game over kill -9 and restart after every step: nothing of it is lost, nothing happens twice, and it is played on as one game.
#![expect(clippy::unwrap_used, reason = "a test that fails says where")]

#[path = "common/hall.rs"]
mod hall;

use hall::*;
use tonic::Streaming;
use v1::clock_order::Kind as Say;
use v1::fact::Kind as Fact;
use v1::ruling::Kind as Ruling;
use zeitnot::envelope::PrivateKey;
use zeitnot::wire::v1;

/// Rooks, and ten half-moves without pawn move and capture before it.
const ROOKS: &str = "r5k1/5ppp/1p6/8/8/1P1R4/5PPP/6K1 w - - 10 31";
/// The clock at the board, where there is one.
const DEVICE: u64 = 7;

/// What is asked of the daemon, so that it can be asked again.
#[derive(Clone)]
enum Asked {
    Console(v1::ConsoleRequest),
    Tablet(v1::SealRequest),
    Report(v1::Report),
}

/// One game on its way.
struct Walk {
    hall: Hall,
    game: u64,
    private: PrivateKey,
    device: u64,
    /// Keys and nonces that were used.
    asked: u32,
    /// Reports that the device has made.
    reports: u32,
    kills: u32,
    /// How often a game stood after a start because the daemon itself had kept its time.
    stood: u32,
}

impl Walk {
    /// A game that has begun, White on move.
    async fn begins(edition: u32, fen: &str, device: u64) -> Walk {
        let hall = Hall::open().await;
        let private = hall.key().await;
        let tournament = hall.tournament(laws(edition)).await;
        if device > 0 {
            hall.clocks().orders(hello(device)).await.unwrap();
        }
        let game = hall.seat(tournament, 1, fen, device).await;
        let mut walk = Walk { hall, game, private, device, asked: 0, reports: 0, kills: 0, stood: 0 };
        walk.goes(Ruling::Start(v1::Start {})).await;
        if device > 0 {
            walk.confirms(1_000).await;
        }
        walk
    }

    fn key(&mut self) -> String {
        self.asked += 1;
        format!("key {}", self.asked)
    }

    async fn ask(&self, asked: Asked) -> u64 {
        match asked {
            Asked::Console(request) => self.hall.ask(request).await.unwrap().seq,
            Asked::Tablet(request) => self.hall.clocks().seal(request).await.unwrap().into_inner().seq,
            Asked::Report(report) => {
                let number = report.number;
                let said = self.hall.clocks().send(from_device(self.device, v1::clock_report::Kind::Report(report))).await.unwrap().into_inner();
                assert_eq!(said.acked_report, number);
                u64::from(number)
            }
        }
    }

    /// Something is ruled, and nobody is killed.
    async fn goes(&mut self, kind: Ruling) {
        let request = ruling(&self.key(), self.game, kind);
        self.ask(Asked::Console(request)).await;
    }

    /// A move is made and the clock pressed, and nobody is killed.
    async fn plays(&mut self, by: i32, uci: &str) {
        let request = note(&self.key(), self.game, press(by, uci));
        self.ask(Asked::Console(request)).await;
    }

    async fn rules(&mut self, kind: Ruling) {
        let request = ruling(&self.key(), self.game, kind);
        self.step(Asked::Console(request)).await;
    }

    async fn notes(&mut self, kind: Fact) {
        let request = note(&self.key(), self.game, kind);
        self.step(Asked::Console(request)).await;
    }

    /// The device reports something that happened at that time of its own.
    async fn reports(&mut self, at_ms: u64, kind: v1::report::Kind) {
        self.reports += 1;
        self.step(Asked::Report(report(1, self.reports, at_ms, kind))).await;
    }

    async fn happens(&mut self, at_ms: u64, kind: Fact) {
        self.reports(at_ms, v1::report::Kind::Fact(v1::Fact { kind: Some(kind) })).await;
    }

    /// The device carries out all its orders.
    async fn confirms(&mut self, at_ms: u64) {
        while let Some(order) = self.hall.state(self.game).await.orders.first().copied() {
            self.happens(at_ms, Fact::Confirmation(order.order)).await;
        }
    }

    async fn seals_at_tablet(&mut self, by: i32, text: &str) {
        let key = self.key();
        self.step(Asked::Tablet(seal_at_tablet(&key, self.game, seal(by, text, self.asked as u8)))).await;
    }

    /// Gives the nonce.
    async fn seals_at_console(&mut self, by: i32, text: &str) -> Vec<u8> {
        let (key, number) = (self.key(), self.asked as u8);
        self.step(Asked::Console(seal_at_console(&key, self.game, seal(by, text, number)))).await;
        nonce(number)
    }

    async fn opens_with_the_key(&mut self) {
        let request = open_with(&self.key(), self.game, &self.private);
        self.step(Asked::Console(request)).await;
    }

    /// It must be refused with that word, which is no step.
    async fn is_refused(&mut self, kind: Ruling, code: &str) {
        let request = ruling(&self.key(), self.game, kind);
        let refusal = self.hall.ask(request).await.unwrap_err();
        assert_eq!(refusal.code(), code, "{refusal:?}");
    }

    async fn state(&self) -> v1::GameState {
        self.hall.state(self.game).await
    }

    async fn is(&self, phase: &str, stage: &str) -> v1::GameState {
        let state = self.state().await;
        let now = state.adjournment.as_ref().map_or("", |adjournment| &adjournment.stage);
        assert_eq!((state.phase.as_str(), now), (phase, stage), "{state:?}");
        state
    }

    /// Asks, and kills the daemon; all is as it was when it starts again, and what is asked again was answered already.
    async fn step(&mut self, asked: Asked) {
        let seq = self.ask(asked.clone()).await;
        let (before, told) = (self.state().await, self.hall.digest().await);
        self.hall.kill();
        self.kills += 1;
        let replayed = ends(&["replay", "--data", &self.hall.data(), "--game", &self.game.to_string(), "--json"], 0);
        let replayed: serde_json::Value = serde_json::from_str(replayed.lines().last().unwrap()).unwrap();
        assert_eq!((&replayed["digest"], &replayed["head"]), (&told.digest.clone().into(), &told.head.clone().into()));
        assert_eq!((&replayed["entries"], &replayed["game"]["digest"]), (&told.position.into(), &before.digest.clone().into()));

        self.hall.start().await;
        let (stands, running) = (self.device == 0 && before.running != 0, before.running);
        self.is_as_before(before, stands).await;
        let told = self.hall.digest().await;
        assert_eq!(self.ask(asked).await, seq, "the first outcome, for ever");
        assert_eq!(self.hall.digest().await, told, "a repeat changes nothing");
        if stands {
            self.stood += 1;
            self.goes(Ruling::Resume(v1::Resume {})).await;
            assert_eq!(self.state().await.running, running, "the clock that ran");
        }
    }

    async fn is_as_before(&self, mut before: v1::GameState, stands: bool) {
        let mut after = self.state().await;
        if stands {
            // What nobody measured is charged to nobody.
            let phase = if before.phase == "running" { "stopped".to_string() } else { before.phase };
            let (version, digest, stop_reason) = (after.version, after.digest.clone(), v1::StopReason::TimekeeperRestart.into());
            before = v1::GameState { phase, stop_reason, running: 0, running_since_ms: 0, version, digest, ..before };
        }
        (before.running_for_ms, after.running_for_ms) = (0, 0);
        assert_eq!(after, before);
        if self.device > 0 {
            let mut orders = self.hall.clocks().orders(hello(self.device)).await.unwrap().into_inner();
            let (assignment, told) = soon("what it is told", heard(&mut orders, after.orders.len())).await;
            assert_eq!((assignment.game, assignment.phase, told), (self.game, after.phase, after.orders), "the device is told again");
            let position = self.hall.digest().await.position;
            drop(orders);
            soon("that it has gone", async { while self.hall.digest().await.position == position {} }).await;
        }
    }

    /// The envelope is complete and in custody, and both have gone.
    async fn is_taken_away(&mut self) {
        self.is("sealing", "sealed").await;
        self.is_refused(Ruling::TakeCustody(v1::TakeCustody {}), "envelope-incomplete").await;
        self.rules(place("Library, first floor")).await;
        self.rules(item(v1::envelope_item::Item::ResumesMs(hence(3_600_000)))).await;
        self.rules(Ruling::TakeCustody(v1::TakeCustody {})).await;
        let adjournment = self.is("adjourned", "adjourned").await.adjournment.unwrap();
        assert!(adjournment.absent_white && adjournment.absent_black && !adjournment.envelope.unwrap().ciphertext.is_empty());
        self.is_refused(Ruling::Resume(v1::Resume {}), "too-early").await;
    }

    /// The hour of the resumption is put forward, and comes.
    async fn hour_comes(&mut self) {
        let at = hence(1_000);
        self.rules(resumes(at)).await;
        passed(at).await;
    }

    /// The log holds, the daemon gone for good.
    fn ends(mut self, envelopes: usize, kills: u32) {
        self.hall.kill();
        let data = self.hall.data();
        assert!(ends(&["verify", "--data", &data], 0).contains("mirror   the same"));
        assert!(ends(&["audit", "--data", &data], 0).contains("differences  0"));
        let opened = ends(&["envelope", "verify", "--data", &data], 0);
        assert!(opened.contains(&format!("{envelopes} opened, 0 not what was sealed")), "{opened}");
        let entries = self.hall.entries();
        let keys: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).filter(|key| !key.is_empty()).collect();
        let once: std::collections::BTreeSet<&str> = keys.iter().copied().collect();
        assert_eq!(once.len(), keys.len(), "every key once");
        assert_eq!(self.kills, kills, "every step");
        println!("{} kills, {} times a clock of the daemon's own stood, {} entries", self.kills, self.stood, entries.len());
    }
}

/// What a device hears first: its game, and that many orders.
async fn heard(orders: &mut Streaming<v1::ClockOrder>, wanted: usize) -> (v1::Assignment, Vec<v1::Order>) {
    let (mut assignment, mut told) = (None, Vec::new());
    while assignment.is_none() || told.len() < wanted {
        match orders.message().await.unwrap().unwrap().kind {
            Some(Say::Assignment(a)) => assignment = Some(a),
            Some(Say::Order(order)) => told.push(order),
            _ => {}
        }
    }
    (assignment.unwrap(), told)
}

/// Sides of the clock that nobody has to compare by eye.
fn left(state: &v1::GameState) -> [u64; 2] {
    let sides = state.sides.unwrap();
    [sides.white, sides.black].map(|side| side.unwrap().left_ms)
}

async fn asked_of(walk: &Walk) -> v1::AskAnswer {
    let position = Some(v1::ask_request::Position::Game(walk.game));
    walk.hall.office().ask(v1::AskRequest { position, nodes: 1_000, ..Default::default() }).await.unwrap().into_inner()
}

/// The daemon's own clock: an order, three moves written, an offer over night that is declined; played on to the third repetition.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_come_and_the_game_is_one_game() {
    let mut walk = Walk::begins(2018, ROOKS, 0).await;
    for (by, uci) in [(WHITE, "d3d2"), (BLACK, "a8b8"), (WHITE, "d2d1")] {
        walk.plays(by, uci).await;
    }
    walk.notes(Fact::Offer(BLACK)).await;
    walk.plays(BLACK, "b8a8").await;
    walk.rules(Ruling::OrderSeal(v1::OrderSeal {})).await;
    walk.is("sealing", "ordered").await;
    walk.seals_at_tablet(WHITE, "Rd7").await;
    walk.seals_at_console(WHITE, "Kf1").await;
    walk.seals_at_tablet(WHITE, "Rd2").await;
    walk.notes(Fact::Stop(WHITE)).await;
    let state = walk.state().await;
    assert_eq!((state.moves.len(), state.adjournment.as_ref().unwrap().number, state.running), (4, 33, 0));
    for compared in [
        v1::envelope_item::Item::Number(33),
        v1::envelope_item::Item::Sealer(WHITE),
        v1::envelope_item::Item::Offer(BLACK),
        v1::envelope_item::Item::Times(v1::Times { white_ms: left(&state)[0], black_ms: left(&state)[1] }),
    ] {
        walk.rules(item(compared)).await;
    }
    walk.is_taken_away().await;
    assert_eq!(walk.state().await.offer, BLACK, "as noted on the envelope");
    walk.notes(Fact::Rejection(WHITE)).await;
    walk.notes(Fact::Offer(WHITE)).await;
    assert_eq!(walk.state().await.offer, WHITE, "another one over night");
    walk.notes(Fact::Rejection(BLACK)).await;
    assert_eq!(walk.state().await.offer, 0);
    walk.hour_comes().await;
    walk.notes(Fact::Arrival(WHITE)).await;
    walk.notes(Fact::Arrival(BLACK)).await;
    walk.rules(Ruling::Resume(v1::Resume {})).await;
    assert_eq!(left(&walk.is("resuming", "resuming").await), left(&state));
    walk.opens_with_the_key().await;
    let resumed = walk.is("running", "resumed").await;
    assert_eq!((resumed.fen.as_str(), resumed.running), ("r5k1/5ppp/1p6/8/8/1P6/3R1PPP/6K1 b - - 15 33", BLACK));
    assert_eq!((resumed.completed_white, resumed.completed_black), (3, 2));
    assert_eq!(asked_of(&walk).await.stood, [1, 5], "as it stood before the adjournment");

    for (by, uci) in [(BLACK, "a8b8"), (WHITE, "d2d1"), (BLACK, "b8a8"), (WHITE, "d1d2")] {
        walk.notes(press(by, uci)).await;
    }
    let (state, asked) = (walk.state().await, asked_of(&walk).await);
    assert_eq!((asked.stood, asked.halfmoves), (vec![1, 5, 9], 19));
    assert_eq!(state.fen, "r5k1/5ppp/1p6/8/8/1P6/3R1PPP/6K1 b - - 19 35");
    assert_eq!((state.moves.len(), state.completed_white, state.completed_black), (9, 5, 4));
    let kind = Some(v1::claim::Kind::Threefold(String::new()));
    walk.notes(Fact::Claim(v1::Claim { by: BLACK, kind })).await;
    let state = walk.state().await;
    assert_eq!((state.score.as_str(), state.termination.as_str()), ("1/2-1/2", "threefold"));
    assert!(walk.stood > 5, "{}", walk.stood);
    walk.ends(1, 26);
}

/// The sealer is away: the envelope is opened by its text, the answer waits in one of its own, and his clock runs when the daemon dies.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_answer_waits_in_an_envelope_of_its_own() {
    let mut walk = Walk::begins(2005, ROOKS, 0).await;
    walk.seals_at_console(WHITE, "Td7").await;
    walk.rules(Ruling::OrderSeal(v1::OrderSeal {})).await;
    let nonce = walk.seals_at_console(WHITE, "Rd3-d7").await;
    walk.notes(Fact::Stop(WHITE)).await;
    walk.is_taken_away().await;
    walk.notes(Fact::Offer(BLACK)).await;
    walk.hour_comes().await;
    walk.notes(Fact::Arrival(BLACK)).await;
    walk.rules(Ruling::Resume(v1::Resume {})).await;
    assert_eq!(walk.is("resuming", "resuming").await.offer, BLACK, "it stands over night");
    let other = v1::Open { text: "Rd3-d8".to_string(), nonce: nonce.clone() };
    walk.is_refused(Ruling::Open(other), "not-what-was-sealed").await;
    walk.rules(Ruling::Open(v1::Open { text: "Rd3-d7".to_string(), nonce })).await;
    assert_eq!(walk.is("running", "resumed").await.running, BLACK);
    walk.seals_at_tablet(BLACK, "Kf8").await;
    walk.seals_at_console(BLACK, "h6").await;
    walk.notes(press(BLACK, "")).await;
    let state = walk.is("running", "resumed").await;
    assert_eq!((state.running, state.moves.len()), (WHITE, 1), "the clock of the one who is away");
    assert!(state.adjournment.unwrap().envelope.is_some_and(|envelope| envelope.reply && envelope.by == BLACK && envelope.ply == 1));
    walk.is_refused(Ruling::Open(v1::Open::default()), "sealer-absent").await;
    walk.notes(Fact::Arrival(WHITE)).await;
    walk.opens_with_the_key().await;
    let state = walk.state().await;
    assert_eq!((state.fen.as_str(), state.running), ("r5k1/3R1pp1/1p5p/8/8/1P6/5PPP/6K1 w - - 0 32", WHITE));
    assert_eq!((state.completed_white, state.completed_black), (1, 1));
    walk.notes(press(WHITE, "d7d6")).await;
    walk.notes(Fact::Resignation(BLACK)).await;
    assert_eq!(walk.state().await.score, "1-0");
    walk.ends(2, 19);
}

/// The envelope is lost, and who sealed declares his move.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_envelope_is_lost() {
    let mut walk = Walk::begins(2023, ROOKS, 0).await;
    walk.rules(Ruling::OrderSeal(v1::OrderSeal {})).await;
    walk.seals_at_tablet(WHITE, "Rd7").await;
    walk.notes(Fact::Stop(WHITE)).await;
    walk.is_taken_away().await;
    walk.rules(Ruling::LoseEnvelope(v1::LoseEnvelope::default())).await;
    walk.hour_comes().await;
    walk.notes(Fact::Arrival(BLACK)).await;
    walk.notes(Fact::Arrival(WHITE)).await;
    walk.rules(Ruling::Resume(v1::Resume {})).await;
    let state = walk.is("resuming", "resuming").await;
    assert!(state.adjournment.unwrap().envelope_lost);
    walk.is_refused(Ruling::Open(v1::Open::default()), "envelope-lost").await;
    walk.notes(Fact::Declaration(v1::Move { by: WHITE, r#move: "Rd5".to_string() })).await;
    let state = walk.is("running", "resumed").await;
    assert_eq!((state.fen.as_str(), state.running), ("r5k1/5ppp/1p6/3R4/8/1P6/5PPP/6K1 b - - 11 31", BLACK));
    walk.notes(press(BLACK, "a8d8")).await;
    walk.notes(press(WHITE, "d5d8")).await;
    assert_eq!(walk.state().await.termination, "checkmate");
    walk.ends(0, 14);
}

/// Who has to answer is not there, and the clock that runs against him is the daemon's own: it stands at each start until the arbiter resumes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_clock_of_the_absent_runs() {
    let mut walk = Walk::begins(2023, ROOKS, 0).await;
    walk.seals_at_tablet(WHITE, "Rd7").await;
    walk.notes(Fact::Stop(WHITE)).await;
    walk.is_taken_away().await;
    walk.hour_comes().await;
    walk.notes(Fact::Arrival(WHITE)).await;
    walk.rules(Ruling::Resume(v1::Resume {})).await;
    assert_eq!(walk.is("resuming", "resuming").await.running, BLACK);
    walk.is_refused(Ruling::Open(v1::Open::default()), "responder-absent").await;
    walk.notes(press(BLACK, "")).await;
    assert_eq!(walk.is("resuming", "resuming").await.running, 0, "he has come and stopped it");
    walk.notes(Fact::Arrival(BLACK)).await;
    walk.opens_with_the_key().await;
    assert_eq!(walk.is("running", "resumed").await.running, BLACK);
    walk.rules(Ruling::Undo(v1::Undo::default())).await;
    assert_eq!(walk.is("resuming", "resuming").await.moves.len(), 0);
    walk.opens_with_the_key().await;
    walk.notes(press(BLACK, "h7h6")).await;
    walk.notes(Fact::Offer(WHITE)).await;
    walk.notes(Fact::Acceptance(BLACK)).await;
    assert_eq!(walk.state().await.termination, "agreement");
    walk.ends(2, 16);
}

/// A clock at the board reports what is written and that it was stopped, and confirms its orders after every start of the daemon.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_at_the_board_keeps_the_time() {
    let sealed = |text: &str, number| v1::report::Kind::Seal(seal(WHITE, text, number));
    let mut walk = Walk::begins(2014, ROOKS, DEVICE).await;
    walk.happens(61_000, press(WHITE, "d3d2")).await;
    walk.happens(91_000, press(BLACK, "a8b8")).await;
    walk.rules(Ruling::OrderSeal(v1::OrderSeal {})).await;
    walk.reports(100_000, sealed("Kf1", 201)).await;
    walk.reports(110_000, sealed("Rd2-d1", 202)).await;
    walk.happens(121_000, Fact::Stop(WHITE)).await;
    walk.confirms(121_500).await;
    let state = walk.state().await;
    assert_eq!(left(&state), [5_310_000, 5_370_000]);
    walk.is_taken_away().await;
    walk.hour_comes().await;
    walk.notes(Fact::Arrival(WHITE)).await;
    walk.rules(Ruling::Resume(v1::Resume {})).await;
    assert!(walk.is("resuming", "resuming").await.orders.len() > 1, "set and start");
    walk.confirms(72_000_000).await;
    assert_eq!(walk.is("resuming", "resuming").await.running, BLACK);
    walk.notes(Fact::Arrival(BLACK)).await;
    walk.happens(72_600_000, press(BLACK, "")).await;
    walk.confirms(72_600_500).await;
    assert_eq!(left(&walk.is("resuming", "resuming").await), [5_310_000, 4_770_000]);
    walk.opens_with_the_key().await;
    walk.confirms(72_700_000).await;
    assert_eq!(walk.is("running", "resumed").await.running, BLACK);
    walk.happens(72_701_000, press(BLACK, "b8a8")).await;
    let state = walk.state().await;
    assert_eq!((left(&state), state.fen.as_str()), ([5_310_000, 4_769_000], "r5k1/5ppp/1p6/8/8/1P6/5PPP/3R2K1 w - - 14 33"));
    walk.ends(1, 22);
}
