//! Own and foreign: devices, games, boards.

use prost::Message;
use tokio_stream::iter;
use tonic::Code;
use zeitnot::game::Seq;
use zeitnot::service::Door;
use zeitnot::service::roles::Who;
use zeitnot::signature::SigningKey;
use zeitnot::venue::{Payload, Role};
use zeitnot::wire::v1::{self, clock_report, console_request, console_update, outcome};

use crate::venue::{DEVICE, Venue};

fn hello(device: u64) -> v1::ClockReport {
    let introduction = v1::Introduction { model: "Model".to_string(), ..Default::default() };
    v1::ClockReport { device, kind: Some(clock_report::Kind::Hello(v1::Hello { introduction: Some(introduction), boot: 1 })) }
}

fn restart(device: u64) -> v1::ClockReport {
    let fact = v1::Fact { kind: Some(v1::fact::Kind::Restart(v1::Restart {})) };
    let report = v1::Report { boot: 1, number: 1, kind: Some(v1::report::Kind::Fact(fact)), ..Default::default() };
    v1::ClockReport { device, kind: Some(clock_report::Kind::Report(report)) }
}

#[tokio::test]
async fn a_clock_speaks_for_its_own_device() {
    let venue = Venue::open().await;
    for (device, admitted) in [(DEVICE, true), (DEVICE + 1, false), (99, false), (0, false)] {
        let mut orders = venue.clocks(Who::Clock).attach(iter([hello(device)])).await.unwrap().into_inner();
        let first = orders.message().await;
        assert_eq!(first.is_ok(), admitted, "attach as device {device}: {first:?}");
        let orders = venue.clocks(Who::Clock).orders(hello(device)).await;
        assert_eq!(orders.is_ok(), admitted, "orders for device {device}");
        let sent = venue.clocks(Who::Clock).send(restart(device)).await;
        assert_eq!(sent.is_ok(), admitted, "send as device {device}: {sent:?}");
        let code = sent.map_or_else(|status| status.code(), |_| Code::Ok);
        assert!(admitted || code == Code::PermissionDenied || (device == 0 && code == Code::InvalidArgument), "device {device}: {code:?}");
    }
}

#[tokio::test]
async fn a_report_of_another_device_on_an_own_stream_is_refused() {
    let venue = Venue::open().await;
    let mut orders = venue.clocks(Who::Clock).attach(iter([hello(DEVICE), restart(DEVICE + 1)])).await.unwrap().into_inner();
    let mut refused = false;
    while let Ok(Some(order)) = orders.message().await {
        refused |= matches!(order.kind, Some(v1::clock_order::Kind::Refused(_)));
    }
    assert!(refused);
}

#[tokio::test]
async fn a_player_plays_and_seals_for_his_own_side_of_his_own_game() {
    let venue = Venue::open().await;
    let [own, foreign] = venue.games;
    for (key, game, color, admitted) in [
        ("a", own, v1::Color::White, true),
        ("b", own, v1::Color::Black, false),
        ("c", foreign, v1::Color::White, false),
        ("d", 99, v1::Color::White, false),
    ] {
        let note = v1::Note { text: "e4".to_string(), nonce: (0..32).collect() };
        let seal = v1::Seal { by: color.into(), note: Some(note) };
        let sealed = venue.clocks(Who::Player).seal(v1::SealRequest { key: key.to_string(), game, seal: Some(seal) }).await;
        let mut codes = vec![code(&sealed)];
        let facts = [
            v1::fact::Kind::Offer(color.into()),
            v1::fact::Kind::Press(v1::Press { by: color.into(), ..v1::Press::default() }),
            v1::fact::Kind::Resignation(color.into()),
        ];
        for (n, kind) in facts.into_iter().enumerate() {
            let asked = v1::PlayRequest { key: format!("{key}{n}"), game, fact: Some(v1::Fact { kind: Some(kind) }) };
            codes.push(code(&venue.clocks(Who::Player).play(asked).await));
        }
        // What he does too early is noted, and so is all of this.
        let expected = if admitted { [Code::Ok; 4] } else { [Code::PermissionDenied; 4] };
        assert_eq!(codes, expected, "{key}: {sealed:?}");
        // What only others can know, in his mouth.
        for kind in [v1::fact::Kind::Flag(color.into()), v1::fact::Kind::Arrival(color.into()), v1::fact::Kind::Pause(0)] {
            let asked = v1::PlayRequest { key: format!("{key}x"), game, fact: Some(v1::Fact { kind: Some(kind) }) };
            assert_eq!(venue.clocks(Who::Player).play(asked).await.unwrap_err().code(), Code::PermissionDenied);
        }
    }
}

fn code<T>(answer: &Result<tonic::Response<T>, tonic::Status>) -> Code {
    answer.as_ref().map_or_else(tonic::Status::code, |_| Code::Ok)
}

fn ruling(game: u64, key: &str, kind: v1::ruling::Kind) -> v1::ConsoleRequest {
    let ruling = v1::RulingRequest { key: key.to_string(), game, ruling: Some(v1::Ruling { kind: Some(kind) }), ..Default::default() };
    v1::ConsoleRequest { arbiter: "somebody else".to_string(), kind: Some(console_request::Kind::Ruling(ruling)) }
}

#[tokio::test]
async fn an_arbiter_rules_in_the_own_sector_and_by_the_own_name() {
    use v1::ruling::Kind;
    let venue = Venue::open().await;
    let [own, foreign] = venue.games;
    let start = || Kind::Start(v1::Start {});
    let annul = || Kind::Annul(v1::Annul { reason: "x".to_string() });
    let allowed = venue.consoles(Who::Arbiter).send(ruling(own, "1", start())).await.unwrap().into_inner();
    let Some(console_update::Kind::Outcome(v1::Outcome { kind: Some(outcome::Kind::Taken(taken)), .. })) = allowed.kind else {
        panic!("{allowed:?}")
    };
    for (key, game, kind) in [("2", foreign, start()), ("3", own, annul())] {
        let refused = venue.consoles(Who::Arbiter).send(ruling(game, key, kind)).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied, "{key}: {refused}");
        // On a stream it is an answer.
        let kind = if key == "2" { start() } else { annul() };
        let mut updates = venue.consoles(Who::Arbiter).attach(iter([ruling(game, key, kind)])).await.unwrap().into_inner();
        let said = updates.message().await.unwrap().unwrap();
        let Some(console_update::Kind::Outcome(v1::Outcome { kind: Some(outcome::Kind::Refused(refused)), .. })) = said.kind else {
            panic!("{said:?}")
        };
        assert_eq!(refused.code, "not-yours");
    }
    let sheet =
        |game, key: &str| v1::EnterMovesRequest { key: key.to_string(), game, from_ply: 0, moves: vec!["e4".to_string()], by: "x".to_string() };
    assert_eq!(venue.office(Who::Arbiter).enter_moves(sheet(foreign, "4")).await.unwrap_err().code(), Code::PermissionDenied);
    for (who, game) in [(Who::Arbiter, own), (Who::Chief, foreign)] {
        // Nothing has been played there yet, which is another reason.
        assert_eq!(venue.office(who).enter_moves(sheet(game, "5")).await.unwrap_err().code(), Code::InvalidArgument);
    }
    venue.consoles(Who::Chief).send(ruling(foreign, "6", annul())).await.unwrap();
    // What the chief arbiter did to a result, only the chief arbiter takes back.
    let undo = || Kind::Undo(v1::Undo { reason: "x".to_string() });
    venue.consoles(Who::Chief).send(ruling(own, "7", annul())).await.unwrap();
    let refused = venue.consoles(Who::Arbiter).send(ruling(own, "8", undo())).await.unwrap_err();
    assert!(refused.code() == Code::PermissionDenied && refused.message().contains("chief arbiter"), "{refused}");
    venue.consoles(Who::Chief).send(ruling(own, "9", undo())).await.unwrap();

    // What is recorded names the credential, whatever the sender calls himself.
    let entry = zeitnot::writer::read(zeitnot::game::Seq(taken.seq), &read(&venue, taken.seq)).unwrap();
    let origin = entry.origin.unwrap();
    assert_eq!((origin.role, origin.name.as_str()), (Role::Arbiter, "arbiter"));
    assert!(origin.credential.is_some() && matches!(entry.payload, Payload::Game(_)));
}

#[tokio::test]
async fn an_arbiter_notes_seals_opens_and_acts_in_the_own_sector() {
    let venue = Venue::open().await;
    let [own, foreign] = venue.games;
    let mut arbiter = venue.consoles(Who::Arbiter);
    let mut send = async |kind| arbiter.send(v1::ConsoleRequest { arbiter: "x".to_string(), kind: Some(kind) }).await;
    let note = |game, key: &str| {
        let fact = v1::Fact { kind: Some(v1::fact::Kind::Offer(v1::Color::White.into())) };
        console_request::Kind::Note(v1::NoteRequest { key: key.to_string(), game, fact: Some(fact) })
    };
    let seal = |game, key: &str| {
        let note = v1::Note { text: "e4".to_string(), nonce: (0..32).collect() };
        let seal = Some(v1::Seal { by: v1::Color::White.into(), note: Some(note) });
        console_request::Kind::Seal(v1::SealNote { key: key.to_string(), game, seal })
    };
    let open = |game, key: &str| {
        let ruling = Some(v1::Ruling { kind: Some(v1::ruling::Kind::Open(v1::Open::default())) });
        let private_key = Some(v1::PrivateKey { bytes: vec![5; 32] });
        console_request::Kind::Ruling(v1::RulingRequest { key: key.to_string(), game, ruling, private_key, ..Default::default() })
    };
    for (n, kind) in [note(foreign, "f1"), seal(foreign, "f2"), open(foreign, "f3")].into_iter().enumerate() {
        let refused = send(kind).await.unwrap_err();
        assert!(refused.code() == Code::PermissionDenied && refused.message().contains("sector"), "{n}: {refused}");
    }
    // At his own board both are noted, and he is told what the game says to the third.
    for kind in [note(own, "o1"), seal(own, "o2")] {
        let answer = send(kind).await.unwrap().into_inner();
        assert!(matches!(answer.kind, Some(console_update::Kind::Outcome(v1::Outcome { kind: Some(outcome::Kind::Taken(_)), .. }))), "{answer:?}");
    }
    let answer = send(open(own, "o3")).await;
    let said = answer.map_or_else(|status| status.message().to_string(), |answer| format!("{:?}", answer.into_inner()));
    assert!(said.contains("envelope") && !said.contains("sector") && !said.contains("Taken"), "{said}");
    let act = v1::HallAct { key: "morning".to_string(), act: Some(v1::hall_act::Act::Start(v1::HallStart {})), ..Default::default() };
    let acted = arbiter.act(act).await.unwrap().into_inner();
    assert_eq!(acted.done.iter().map(|done| done.game).collect::<Vec<_>>(), [own]);
    assert!(acted.left.len() == 1 && acted.left[0].game == foreign && acted.left[0].why.contains("sector"), "{acted:?}");
}

#[tokio::test]
async fn the_end_of_a_game_is_taken_back_by_who_ruled_it_or_the_chief() {
    use v1::ruling::Kind;
    let venue = Venue::open().await;
    let own = venue.games[0];
    let result = |score: &str| Kind::DeclareResult(v1::Result { score: score.to_string(), reason: String::new() });
    let undo = || Kind::Undo(v1::Undo::default());
    let (_, token) = venue.enrol(venue.grant(Who::Arbiter), "Other", None).await;
    let mut other = v1::consoles_client::ConsolesClient::new(venue.line(Some(&token)));
    let (mut arbiter, mut chief) = (venue.consoles(Who::Arbiter), venue.consoles(Who::Chief));
    chief.send(ruling(own, "1", Kind::Start(v1::Start {}))).await.unwrap();
    chief.send(ruling(own, "2", result("1-0"))).await.unwrap();
    let refused = arbiter.send(ruling(own, "3", undo())).await.unwrap_err();
    assert!(refused.code() == Code::PermissionDenied && refused.message().contains("who ruled it"), "{refused}");
    chief.send(ruling(own, "4", undo())).await.unwrap();
    // His own he takes back, and nobody else in the sector does.
    arbiter.send(ruling(own, "5", result("0-1"))).await.unwrap();
    assert_eq!(other.send(ruling(own, "6", undo())).await.unwrap_err().code(), Code::PermissionDenied);
    arbiter.send(ruling(own, "7", undo())).await.unwrap();
    // By a penalty it ends as well.
    let loss = Kind::Penalise(v1::Penalise { color: v1::Color::White.into(), kind: "loss".to_string(), ..Default::default() });
    other.send(ruling(own, "8", loss)).await.unwrap();
    assert_eq!(arbiter.send(ruling(own, "9", undo())).await.unwrap_err().code(), Code::PermissionDenied);
    other.send(ruling(own, "10", undo())).await.unwrap();
    // What ends no game is taken back by anybody of the sector.
    let add = Kind::AddTime(v1::AddTime { color: v1::Color::White.into(), by_ms: 60_000, reason: String::new() });
    chief.send(ruling(own, "11", add)).await.unwrap();
    arbiter.send(ruling(own, "12", undo())).await.unwrap();
}

#[tokio::test]
async fn a_proposal_falls_with_its_credential_and_two_take_back_what_two_ruled() {
    use v1::ruling::Kind;
    let venue = Venue::open().await;
    let own = venue.games[0];
    let result = |reason: &str| Kind::DeclareResult(v1::Result { score: "1-0".to_string(), reason: reason.to_string() });
    let undo = || Kind::Undo(v1::Undo::default());
    let rulings = vec!["result".to_string()];
    venue.office(Who::Chief).need_second(v1::NeedSecondRequest { rulings, ..Default::default() }).await.unwrap();
    let (id, token) = venue.enrol(venue.grant(Who::Arbiter), "Anna", None).await;
    let mut anna = v1::consoles_client::ConsolesClient::new(venue.line(Some(&token)));
    let (_, token) = venue.enrol(venue.grant(Who::Arbiter), "Bert", None).await;
    let mut bert = v1::consoles_client::ConsolesClient::new(venue.line(Some(&token)));
    let waits = |answer: tonic::Response<v1::ConsoleUpdate>| match answer.into_inner().kind {
        Some(console_update::Kind::Outcome(v1::Outcome { kind: Some(outcome::Kind::Taken(taken)), .. })) => taken.waits,
        other => panic!("{other:?}"),
    };
    bert.send(ruling(own, "1", Kind::Start(v1::Start {}))).await.unwrap();
    assert!(waits(anna.send(ruling(own, "2", result("he resigned"))).await.unwrap()));
    venue.access(Some(Who::Chief)).revoke(v1::RevokeRequest { credential: id, reason: String::new() }).await.unwrap();
    assert!(waits(bert.send(ruling(own, "3", result("he said so"))).await.unwrap()), "nobody else has ruled it who may");
    let mut arbiter = venue.consoles(Who::Arbiter);
    assert!(!waits(arbiter.send(ruling(own, "4", result("I saw it"))).await.unwrap()));
    // Both who have ruled the end take it back together.
    assert!(waits(bert.send(ruling(own, "5", undo())).await.unwrap()));
    assert!(!waits(arbiter.send(ruling(own, "6", undo())).await.unwrap()));
}

fn read(venue: &Venue, seq: u64) -> Vec<u8> {
    venue.reader.read(zeitnot::game::Seq(seq - 1), 1).unwrap().remove(0).body
}

#[tokio::test]
async fn an_auditor_reads_everything_and_a_feed_what_is_public() {
    let venue = Venue::open().await;
    let mut seen = Vec::new();
    for who in [Who::Auditor, Who::Feed, Who::Chief] {
        let mut updates = venue.feeds(Some(who)).follow(v1::FollowRequest::default()).await.unwrap().into_inner();
        let mut entries = Vec::new();
        while let Ok(Some(update)) = updates.message().await {
            match update.kind {
                Some(v1::feed_update::Kind::Entry(entry)) => entries.push(entry),
                Some(v1::feed_update::Kind::CaughtUp(_)) => break,
                None => {}
            }
        }
        seen.push(entries);
    }
    let head = venue.daemon.hall.head().seq.0;
    assert_eq!(seen[0].len() as u64, head, "the auditor");
    for public in &seen[1..] {
        let text = format!("{public:?}");
        assert!(!public.is_empty() && !text.contains("Invited") && !text.contains("Enrolled"), "{text}");
        assert!(public.iter().all(|entry| entry.origin.as_ref().is_none_or(|origin| origin.name.is_empty() && origin.credential == 0)));
    }
}

#[tokio::test]
async fn no_code_and_no_token_is_in_the_log() {
    let venue = Venue::open().await;
    let invite = v1::InviteRequest { grant: Some(v1::Grant { kind: Some(venue.grant(Who::Feed)) }), name: "Feed".to_string(), ..Default::default() };
    let code = venue.access(Some(Who::Chief)).invite(invite).await.unwrap().into_inner().code;
    let mut secrets: Vec<String> = venue.tokens.values().map(|token| token.rsplit_once('.').unwrap().1.to_string()).collect();
    secrets.extend([code.clone(), code.replace('-', "")]);
    let raw: Vec<Vec<u8>> = venue.tokens.values().map(|token| hex(token.rsplit_once('.').unwrap().1)).collect();
    for stored in venue.reader.read(zeitnot::game::Seq(0), 1_000).unwrap() {
        let entry = zeitnot::writer::read(stored.seq, &stored.body).unwrap();
        let text = format!("{entry} {entry:?}");
        assert!(secrets.iter().all(|secret| !text.contains(secret.as_str())), "{text}");
        let holds = |secret: &[u8]| stored.body.windows(secret.len()).any(|window| window == secret);
        assert!(raw.iter().map(Vec::as_slice).chain(secrets.iter().map(String::as_bytes)).all(|secret| !holds(secret)), "{text}");
    }
    let list = venue.access(Some(Who::Auditor)).list(v1::ListRequest {}).await.unwrap().into_inner();
    assert_eq!(list.credentials.len(), 7);
    assert!(secrets.iter().all(|secret| !format!("{list:?}").contains(secret.as_str())));
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

#[tokio::test]
async fn an_auditor_has_the_log_signed_and_records_nothing_else() {
    let signer = SigningKey::new(&[6; 32]);
    let venue = Venue::behind(Door { signer: signer.clone(), ..Door::default() }).await;
    let request = || v1::SignRequest { by: "somebody".to_string(), ..Default::default() };
    let mut auditor = venue.office(Who::Auditor);
    let answer = auditor.sign(request()).await.unwrap().into_inner();
    assert_eq!(answer.signed.unwrap().key, signer.unwrap().public().0);
    let stored = venue.reader.read(Seq(answer.seq - 1), 1).unwrap().remove(0);
    let entry = v1::Entry::decode(&*stored.body).unwrap();
    let origin = entry.origin.unwrap();
    assert_eq!((origin.role(), origin.name.as_str(), origin.credential > 0), (v1::Role::Office, "auditor", true));
    assert_eq!(venue.office(Who::Arbiter).sign(request()).await.unwrap_err().code(), Code::PermissionDenied);
}
