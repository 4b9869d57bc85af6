//! What somebody with the machine could write into a log, its chain made to fit: who decides again or checks in order finds it.

use std::process::Command;

use shakmaty::Color;
use zeitnot::audit::{Difference, ReportWrong, in_turn};
use zeitnot::format::jsonl::Line;
use zeitnot::game::{Consequence, DeviceId, Score, Termination};
use zeitnot::log::{Chain, Options, SledLog};
use zeitnot::venue::{Admin, DeviceEntry, DeviceStamp, Origin, Venue, Version};

use super::*;

/// Why the audit does not accept an input without a credential.
pub(crate) const NOBODY_ASKED: &str = "no credential was shown, and this venue asks for one";

fn of(name: &str) -> Vec<Entry> {
    entries(&*KEPT.iter().find(|kept| kept.name == name).unwrap().log().reader())
}

fn differences(log: &[Entry]) -> Vec<Difference> {
    let mut audit = Audit::default();
    log.iter().cloned().for_each(|entry| audit.entry(entry));
    audit.finish().differences
}

/// Writes one more entry, numbered as it has to be.
fn append(log: &mut Vec<Entry>, subject: Subject, payload: Payload, origin: Option<Origin>, cause: Option<Seq>) -> Seq {
    let version = Version(1 + log.iter().filter(|entry| entry.subject == subject).count() as u64);
    let (seq, recorded_at) = (Seq(log.len() as u64 + 1), log.last().unwrap().recorded_at);
    log.push(Entry { seq, subject, version, recorded_at, origin, cause, key: None, payload });
    seq
}

fn game_over() -> Payload {
    let over = Consequence::GameOver {
        score: Score::WhiteWins,
        termination: Termination::Arbiter,
        article: zeitnot::laws::Laws::of(zeitnot::laws::Edition::Y2023, zeitnot::laws::Play::Standard, zeitnot::laws::Supervision::Full).result,
    };
    Payload::Game(game::Entry::Consequence(over))
}

/// The origin of a device's next report.
fn next_report(log: &[Entry]) -> Origin {
    let mut last =
        log.iter().rev().filter_map(|entry| entry.origin.clone()).find(|origin| origin.role == Role::Clock && origin.stamp.is_some()).unwrap();
    last.stamp.as_mut().unwrap().report += 1;
    last
}

#[test]
fn nothing_of_a_game_follows_from_what_is_about_none() {
    // In the last log the clock's credential has ended.
    for name in ["v2", "v3"] {
        let whole = of(name);
        let known = differences(&whole).len();
        let report = next_report(&whole);
        let device = report.stamp.unwrap().device;
        let inputs = [
            (Subject::Venue, Payload::Admin(Admin::Alarm { text: "look".into() }), Origin::daemon()),
            (Subject::Device(device), Payload::Device(DeviceEntry::Battery { percent: 40 }), report),
            (Subject::Device(device), Payload::Device(DeviceEntry::Drifts { ppm: 500 }), Origin::daemon()),
        ];
        for (subject, payload, origin) in inputs {
            let mut log = whole.clone();
            let input = append(&mut log, subject, payload, Some(origin), None);
            assert_eq!(differences(&log).len(), known, "{name}: {}", log.last().unwrap());
            append(&mut log, Subject::Game(GameId(1)), game_over(), None, Some(input));
            let found = differences(&log);
            assert_eq!((found.len(), found.last().map(|one| one.seq)), (known + 1, Some(input)), "{name}: {found:#?}");
        }
    }
}

/// Nor does anything of the venue from what is about a game, nor anything from what never was.
#[test]
fn nothing_of_the_venue_follows_from_a_fact_of_a_game() {
    let whole = of("v2");
    let of_a_game = |entry: &Entry| matches!(entry.payload, Payload::Game(game::Entry::Fact(Fact::Offer { .. })));
    let at = whole.iter().position(of_a_game).unwrap();
    let subject = whole[at].subject;
    let free = Payload::Admin(Admin::SecondNeeded { rulings: BTreeSet::new() });
    for (payload, cause) in [(free, at as u64 + 1), (game_over(), 9_999)] {
        let mut log: Vec<Entry> = whole.iter().take_while(|entry| entry.input() <= whole[at].seq).cloned().collect();
        assert!(differences(&log).is_empty());
        append(&mut log, subject, payload, None, Some(Seq(cause)));
        assert_eq!(differences(&log).len(), 1, "{}", log.last().unwrap());
    }
}

/// What an office enters is decided again too.
#[test]
fn what_the_venue_would_refuse_is_found() {
    let whole = of("v2");
    let last = |is: &dyn Fn(&Entry) -> bool| whole.iter().rev().find(|entry| is(entry)).unwrap().clone();
    let again = [
        last(&|entry| matches!(entry.payload, Payload::Admin(Admin::TournamentCreated { .. }))),
        last(&|entry| matches!(entry.payload, Payload::Admin(Admin::Paired { .. }))),
        last(&|entry| matches!(entry.payload, Payload::Admin(Admin::GameOpened { .. }))),
    ];
    for entry in again {
        let mut log = whole.clone();
        append(&mut log, entry.subject, entry.payload, entry.origin, None);
        let found = differences(&log);
        assert!(found.len() == 1 && found[0].today[0].starts_with("refused: "), "{found:#?}");
    }
}

#[test]
fn who_shows_no_credential_is_found_where_the_venue_asks() {
    let whole = of("v4");
    let known = differences(&whole).len();
    let mut asked = whole.clone();
    let mut stripped = 0;
    for origin in asked.iter_mut().filter_map(|entry| entry.origin.as_mut()).filter(|origin| origin.role != Role::Daemon) {
        stripped += usize::from(origin.credential.take().is_some());
    }
    let found = differences(&asked);
    assert!(stripped > 20 && found.len() == known + stripped, "{stripped}, {found:#?}");
    assert!(found.iter().all(|one| one.today == [NOBODY_ASKED]), "{found:#?}");
    // The daemon shows none, and says only what it can know.
    let mut log = whole.clone();
    let resigns = Payload::Game(game::Entry::Fact(Fact::Resignation { by: Color::White }));
    append(&mut log, Subject::Game(GameId(2)), resigns, Some(Origin::daemon()), None);
    assert_eq!(differences(&log).last().unwrap().today, ["who is said to have said it cannot"]);
}

/// What is wrong with the reports of a log.
fn wrong(log: &[Entry]) -> Vec<(Seq, ReportWrong)> {
    let mut venue = Venue::default();
    let mut wrong = Vec::new();
    for entry in log {
        wrong.extend(in_turn(&venue, entry).err().map(|why| (entry.seq, why)));
        venue.evolve(entry);
    }
    wrong
}

fn stamp(entry: &mut Entry) -> &mut DeviceStamp {
    entry.origin.as_mut().unwrap().stamp.as_mut().unwrap()
}

#[test]
fn reports_that_are_not_taken_once_and_in_order_are_found() {
    for kept in &KEPT {
        let whole = entries(&*kept.log().reader());
        assert_eq!(wrong(&whole), [], "{}", kept.name);
        let stamped = |entry: &Entry| entry.origin.as_ref().and_then(|origin| origin.stamp).filter(|stamp| stamp.device != DeviceId(0));
        // The last report of a device that had said something of this boot before.
        let before = |at: usize| {
            let stamp = stamped(&whole[at])?;
            whole[..at].iter().rev().filter_map(stamped).find(|one| (one.device, one.boot) == (stamp.device, stamp.boot))
        };
        let about_a_game = |entry: &Entry| matches!(entry.subject, Subject::Game(_));
        let at = (0..whole.len()).rev().find(|at| about_a_game(&whole[*at]) && before(*at).is_some()).unwrap();
        let (earlier, now) = (before(at).unwrap(), stamped(&whole[at]).unwrap());
        type Change<'a> = (&'static str, &'a dyn Fn(&mut Entry), fn(&ReportWrong) -> bool);
        let changes: [Change<'_>; 6] = [
            ("again", &|entry| stamp(entry).report = earlier.report, |why| matches!(why, ReportWrong::Again { .. })),
            ("back", &|entry| stamp(entry).boot = now.boot - 1, |why| matches!(why, ReportWrong::OldBoot { .. })),
            ("another device", &|entry| stamp(entry).device = DeviceId(4_711), |why| matches!(why, ReportWrong::Elsewhere { .. })),
            ("no stamp", &|entry| entry.origin.as_mut().unwrap().stamp = None, |why| *why == ReportWrong::Unstamped),
            ("an arbiter's", &|entry| entry.origin.as_mut().unwrap().role = Role::Arbiter, |why| matches!(why, ReportWrong::NotReported { .. })),
            (
                "the daemon's",
                &|entry| {
                    let origin = Origin { stamp: Some(DeviceStamp::of_the_daemon(now.at)), ..Origin::daemon() };
                    entry.origin = Some(origin);
                },
                |why| matches!(why, ReportWrong::TimedByAnother { .. }),
            ),
        ];
        for (what, change, is) in changes {
            let mut log = whole[..=at].to_vec();
            change(&mut log[at]);
            let found = wrong(&log);
            assert!(found.len() == 1 && found[0].0 == whole[at].seq && is(&found[0].1), "{}, {what}: {found:?}", kept.name);
            assert!(!differences(&log).is_empty(), "{}, {what}", kept.name);
        }
        // Of a game at whose board it is not.
        let mut log = whole[..=at].to_vec();
        let elsewhere = (1..).map(GameId).map(Subject::Game).find(|game| *game != whole[at].subject).unwrap();
        log[at].subject = elsewhere;
        assert!(matches!(wrong(&log)[..], [(_, ReportWrong::Elsewhere { .. })]), "{}", kept.name);
    }
}

/// A log whose chain fits, as `verify`, `audit` and `log import` see it.
#[test]
fn every_check_of_a_log_finds_a_report_that_was_taken_twice() {
    let mut log = of("v2");
    let mut again = log.iter().rev().find(|entry| matches!(entry.payload, Payload::Device(DeviceEntry::Battery { .. }))).unwrap().clone();
    again.seq = Seq(log.len() as u64 + 1);
    again.version = Version(1 + log.iter().filter(|entry| entry.subject == again.subject).count() as u64);
    let place = again.seq.0;
    log.push(again);
    let dir = tempfile::tempdir().unwrap();
    let [data, copy, export] = ["data", "copy", "export.jsonl"].map(|name| dir.path().join(name));
    let mut store = SledLog::open(&data, &Options::default()).unwrap();
    let (mut chain, mut text) = (Chain::GENESIS, String::new());
    for entry in &log {
        let body = prost::Message::encode_to_vec(&wire::encode_entry(entry));
        store.append(entry.seq, std::slice::from_ref(&body)).unwrap();
        chain = chain.next(&body);
        text += &(jsonl::write(entry, &Line { seq: entry.seq.0, body, chain: chain.0 }) + "\n");
    }
    drop(store);
    std::fs::write(&export, text).unwrap();
    let cases = [(vec!["verify", "--data"], &data, 74), (vec!["audit", "--data"], &data, 1), (vec!["log", "import", "--data"], &copy, 2)];
    for (args, dir, code) in cases {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeitnot"));
        let import = (args[0] == "log").then_some(&export);
        let output = command.args(&args).arg(dir).args(import).output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        assert!(output.status.code() == Some(code) && said.contains("was taken"), "{args:?}, {place}: {:?} {said}", output.status);
    }
}
