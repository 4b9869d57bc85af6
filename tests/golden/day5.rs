//! Two boards at which each player has a device of his own.

use shakmaty::{ByColor, Color, Color::*};
use zeitnot::board::Start;
use zeitnot::clock::{Estimate, Millis};
use zeitnot::game::{DeviceId, Fact, FlagsBy, GameId, Moved, OrderNo, Regulations, Ruling};
use zeitnot::laws::Play;
use zeitnot::log::MemoryLog;
use zeitnot::venue::{DeviceStamp, Input, Introduction, Origin, Report, Role, TournamentId};

use super::day::Day;
use super::day2::control;

/// What each device's timeline shows when the daemon starts, by its serial number.
const BEGAN: [u64; 6] = [40_000, 900_000, 0, 5_000, 70_000, 300];
/// How far that may be off.
const ERROR: Millis = Millis(9);

/// Plays the day, which is a log of its own.
pub(crate) fn played() -> MemoryLog {
    let mut day = Two { day: Day::default(), last: [0; 6] };
    day.day.daemon(Input::Started { build: "0.5.0".into() });
    let flags = Regulations { flags: Some(FlagsBy::Arbiter), play: Play::Standard, ..control("60") };
    day.day.office(Input::CreateTournament { name: "Two Clocks Open".into(), regulations: flags, starts_on: None });
    day.day.office(Input::OpenRound { tournament: TournamentId(1), round: 1 });
    for serial in 1..=6 {
        let introduction = Introduction { model: "Testuhr".into(), firmware: "3.0".into(), senses_board: false, wrap: None, scale: 1_000 };
        day.day.put(Origin::new(Role::Clock, String::new()), None, Input::Hello { device: DeviceId(serial), introduction });
    }
    day.swapped_and_resigned();
    day.both_flags();
    day.day.log
}

struct Two {
    day: Day,
    /// Number of the last report of each device.
    last: [u32; 6],
}

impl Two {
    /// Game 1: a clock of one side is swapped in the middle, and a flag comes to light after the resignation.
    fn swapped_and_resigned(&mut self) {
        self.day.seated(1, None, Start::standard(), Some(DeviceId(1)), None, None);
        self.day.office(Input::AssignDevice { device: DeviceId(2), game: Some(GameId(1)), side: Some(Black) });
        self.day.rule(1, Ruling::Start);
        self.confirms(1, 1, White, 0);
        self.press(1, White, 0);
        self.confirms(1, 2, Black, 700);
        self.press(2, Black, 0);
        self.confirms(1, 1, White, 0);
        self.day.rule(1, Ruling::ReplaceOwnClock { color: Black, device: DeviceId(3) });
        self.confirms(1, 1, White, 0);
        self.day.rule(1, Ruling::Resume);
        self.confirms(1, 1, White, 0);
        self.tells(3, 0, Fact::Offer { by: Black });
        self.day.hall += 70_000;
        self.tells(3, 0, Fact::Resignation { by: Black });
        self.tells(1, 9_000, Fact::Flag { color: White });
        self.confirms(1, 1, White, 0);
    }

    /// Game 2: both flags are down when the arbiter looks, and which fell first cannot be established.
    fn both_flags(&mut self) {
        let input = Input::OpenGame {
            tournament: self.day.paired(2, None, Start::standard()),
            round: 1,
            board: 2,
            device: Some(DeviceId(4)),
            black_device: Some(DeviceId(5)),
            absent: ByColor::default(),
            clocks: Some(ByColor { white: Millis(900), black: Millis(5) }),
        };
        self.day.office(input);
        self.day.rule(2, Ruling::Start);
        self.confirms(2, 4, White, 0);
        self.day.hall += 655;
        // White's time is used up five milliseconds before his press, and Black's five after his clock has started.
        self.press(4, White, 0);
        self.confirms(2, 5, Black, 249);
        self.tells(5, 493, Fact::Flag { color: Black });
        self.day.rule(2, Ruling::CallFlag { color: White });
    }

    /// A device tells what happened so long ago.
    fn tells(&mut self, device: usize, ago: u64, fact: Fact) {
        let (hall, began) = (self.day.hall + 250, BEGAN[device - 1]);
        self.last[device - 1] += 1;
        let report = self.last[device - 1];
        let arrived = Estimate { at: Millis(hall + began), uncertainty: ERROR, hall: Some(Millis(hall)) };
        let stamp = DeviceStamp { device: DeviceId(device as u64), boot: 1, report, at: Millis(hall + began - ago), arrived: Some(arrived) };
        let origin = Origin { stamp: Some(stamp), ..Origin::new(Role::Clock, String::new()) };
        let game = self.day.writer.venue().devices()[&DeviceId(device as u64)].game;
        self.day.put(origin, None, Input::Report { previous: report - 1, game, report: Report::Fact(fact) });
    }

    fn press(&mut self, device: usize, by: Color, ago: u64) {
        self.tells(device, ago, Fact::Press { by, moved: Moved::Unknown, shown: None, lag: None });
    }

    /// A side's device carries its oldest order out.
    fn confirms(&mut self, game: u64, device: usize, side: Color, ago: u64) {
        let orders = &self.day.writer.venue().table(GameId(game)).unwrap().game.orders;
        let order: OrderNo = orders.iter().find(|told| told.to == Some(side)).unwrap().number;
        self.tells(device, ago, Fact::Confirmation { order });
    }
}
