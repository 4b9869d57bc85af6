//! A venue that asks everybody who he is: credentials of every role, given out, used, expired and revoked.

use shakmaty::Color::{Black, White};
use zeitnot::board::Start;
use zeitnot::clock::{Adjustment, Estimate, Millis};
use zeitnot::envelope::PrivateKey;
use zeitnot::game::{DeviceId, Fact, GameId, Input as About, Moved, Regulations, Ruling, Score};
use zeitnot::log::{Log, MemoryLog};
use zeitnot::signature::SigningKey;
use zeitnot::venue::{
    CredentialId, DeviceStamp, Grant, Input, Introduction, Invitation, Noticed, Origin, Report, Role, SecretHash, Sector, TournamentId, WallTime,
};
use zeroize::Zeroizing;

use super::day::Day;
use super::day2::control;
use super::day3::note;

const CHIEF: u64 = 1;
const CLOCK: u64 = 2;
const ARBITER: u64 = 3;
const PLAYER: u64 = 7;

/// Plays the day, which is a log of its own.
pub(crate) fn played() -> MemoryLog {
    let mut day = Day::default();
    day.enrols(None, Grant::ChiefArbiter, "Chief", None);
    day.daemon(Input::Started { build: "0.4.0".into() });
    day.shows(Role::Office, "Chief", CHIEF, Input::CreateTournament { name: "Spring Open".into(), regulations: control("300"), starts_on: None });
    day.shows(Role::Office, "Chief", CHIEF, Input::OpenRound { tournament: TournamentId(1), round: 1 });
    day.shows(Role::Office, "Chief", CHIEF, Input::SetEnvelopeKey { key: PrivateKey::new(Zeroizing::new([53; 32])).public() });
    day.enrols(Some(CHIEF), Grant::Clock(DeviceId(7)), "clock 7", None);
    day.enrols(Some(CHIEF), Grant::Arbiter(Some(Sector { tournament: Some(TournamentId(1)), first: 1, last: 20 })), "Arbiter", None);
    day.enrols(Some(CHIEF), Grant::Arbiter(None), "Deputy", None);
    let evening = day.watch().plus(Millis::minutes(600));
    day.enrols(Some(CHIEF), Grant::Feed, "broadcast", Some(evening));
    day.enrols(Some(CHIEF), Grant::Auditor, "auditor", None);

    let introduction = Introduction { model: "Testuhr".into(), firmware: "2.0".into(), senses_board: true, wrap: None, scale: 1_000 };
    day.shows(Role::Clock, "", CLOCK, Input::Hello { device: DeviceId(7), introduction });
    day.seated(1, None, Start::standard(), Some(DeviceId(7)), None, None);
    day.enrols(Some(CHIEF), Grant::Player(GameId(1), White), "White in game 1", None);
    day.shows(Role::Arbiter, "Arbiter", ARBITER, Input::Game { game: GameId(1), input: About::Ruling(Ruling::Start) });
    let order = day.writer.venue().table(GameId(1)).unwrap().game.last_order;
    day.clock_says(1, 1_000, Fact::Confirmation { order });
    day.clock_says(2, 3_000, Fact::Move { by: White, made: "e2e4".parse().unwrap() });
    day.clock_says(3, 3_500, Fact::Press { by: White, moved: Moved::AsReported, shown: None, lag: None });
    day.shows(Role::Player, "", PLAYER, Input::Seal { game: GameId(1), by: White, note: note("d2-d4") });
    let notices = |noticed| Input::Noticed { device: DeviceId(7), noticed };
    day.daemon(notices(Noticed::Lost));
    day.clock_says(4, 9_000, Fact::Press { by: Black, moved: Moved::Move("d7d5".parse().unwrap()), shown: None, lag: None });
    day.daemon(notices(Noticed::Back));
    day.daemon(notices(Noticed::Drifts { ppm: -412 }));
    day.daemon(notices(Noticed::Leapt { by: Adjustment(-30_000) }));
    day.shows(Role::Arbiter, "Arbiter", ARBITER, Input::Game { game: GameId(1), input: About::Ruling(Ruling::Resume) });
    let order = day.writer.venue().table(GameId(1)).unwrap().game.last_order;
    day.clock_says(5, 20_000, Fact::Confirmation { order });
    // A stamp that lies far ahead of what the device's time can be: it is not believed, and the move stands.
    day.clock_comes(6, 95_000, Some((24_000, 12)), Fact::Press { by: White, moved: Moved::Move("d2d4".parse().unwrap()), shown: None, lag: None });
    day.plays_from_afar();
    day.shows(Role::Office, "Chief", CHIEF, Input::NeedSecond { rulings: ["result".to_string(), "annul".to_string()].into() });
    let result = || Ruling::DeclareResult { score: Score::Draw, reason: "agreed afterwards".into() };
    for (name, credential) in [("Arbiter", ARBITER), ("Arbiter", ARBITER), ("Deputy", 4)] {
        day.shows(Role::Arbiter, name, credential, Input::Game { game: GameId(2), input: About::Ruling(result()) });
    }
    day.shows(Role::Office, "Chief", CHIEF, Input::Revoke { credential: CredentialId(CLOCK), reason: "the clock was taken away".into() });
    let signed = SigningKey::new(&[61; 32]).unwrap().sign(day.log.head().0, day.log.tip().0);
    day.daemon(Input::Sign { head: signed });
    day.log
}

impl Day {
    /// Game 2: the daemon keeps the time, and White plays from afar.
    fn plays_from_afar(&mut self) {
        let regulations = Regulations { compensation: Some(Millis::seconds(1)), ..control("60+2") };
        self.seated(2, Some(regulations), Start::standard(), None, None, None);
        self.enrols(Some(CHIEF), Grant::Player(GameId(2), White), "White in game 2", None);
        let player = self.writer.venue().credentials().count() as u64;
        let about = |input| Input::Game { game: GameId(2), input };
        self.shows(Role::Arbiter, "Deputy", 4, about(About::Ruling(Ruling::Start)));
        let press = |made: &str, lag| Fact::Press { by: White, moved: Moved::Move(made.parse().unwrap()), shown: None, lag: Some(Millis(lag)) };
        self.shows(Role::Player, "", player, about(About::Fact(press("e2e4", 90))));
        self.shows(Role::Player, "", player, about(About::Fact(Fact::Offer { by: White })));
    }

    /// Sends with a credential.
    fn shows(&mut self, role: Role, name: &str, credential: u64, input: Input) {
        self.put(Origin { credential: Some(CredentialId(credential)), ..Origin::new(role, name.into()) }, None, input);
    }

    /// Somebody is invited and comes; the first one where the log is.
    fn enrols(&mut self, by: Option<u64>, grant: Grant, name: &str, expires: Option<WallTime>) {
        let hash = |what: &str| SecretHash(*blake3::hash(format!("{what} of {name}").as_bytes()).as_bytes());
        let invitation = Invitation { grant, name: name.into(), code: hash("code"), until: self.watch().plus(Millis::minutes(15)), expires };
        match by {
            Some(chief) => self.shows(Role::Office, "Chief", chief, Input::Invite { invitation }),
            None => self.daemon(Input::Invite { invitation }),
        }
        self.daemon(Input::Enrol { code: hash("code"), secret: hash("secret") });
    }

    fn clock_says(&mut self, report: u32, at: u64, fact: Fact) {
        self.clock_comes(report, at, (report > 1).then_some((at + 40, 7)), fact);
    }

    /// A report that came when the device's time was so much, give or take.
    fn clock_comes(&mut self, report: u32, at: u64, came: Option<(u64, u64)>, fact: Fact) {
        let arrived = came.map(|(at, uncertainty)| Estimate { at: Millis(at), uncertainty: Millis(uncertainty), hall: None });
        let stamp = DeviceStamp { device: DeviceId(7), boot: 1, report, at: Millis(at), arrived };
        let origin = Origin { stamp: Some(stamp), credential: Some(CredentialId(CLOCK)), ..Origin::new(Role::Clock, String::new()) };
        self.put(origin, None, Input::Report { previous: report - 1, game: Some(GameId(1)), report: Report::Fact(fact) });
    }
}
