//! How access ends and how much of it there is: revocation, expiry, codes, limits. Time is that of the test.

use std::time::Duration;

use tokio::time::Instant;
use tonic::Code;
use zeitnot::service::roles::Who;
use zeitnot::service::{Door, MAX_CALLS, MAX_PUBLIC_CALLS};
use zeitnot::wire::v1::{self, console_request};

use crate::venue::{MORNING, Venue, pass};

fn watching() -> v1::ConsoleRequest {
    v1::ConsoleRequest { kind: Some(console_request::Kind::Follow(v1::FollowHall::default())), ..Default::default() }
}

/// Reads a stream to its end.
async fn end<T>(stream: &mut tonic::Streaming<T>) -> tonic::Status {
    loop {
        match stream.message().await {
            Ok(Some(_)) => {}
            Ok(None) => return tonic::Status::ok("ended"),
            Err(status) => return status,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_revoked_credential_ends_its_streams_at_once() {
    let venue = Venue::open().await;
    let (id, token) = venue.enrol(venue.grant(Who::Auditor), "Bo", None).await;
    let line = venue.line(Some(&token));
    let mut console = v1::consoles_client::ConsolesClient::new(line.clone()).watch(watching()).await.unwrap().into_inner();
    let mut feed = v1::feeds_client::FeedsClient::new(line.clone()).follow(v1::FollowRequest::default()).await.unwrap().into_inner();
    let (clock_id, clock) = venue.enrol(venue.grant(Who::Clock), "clock 7", None).await;
    let (reports, stream) = tokio::sync::mpsc::channel(8);
    let introduction = v1::Introduction { model: "Model".to_string(), ..Default::default() };
    let hello = v1::Hello { introduction: Some(introduction), boot: 1 };
    reports.send(v1::ClockReport { device: 7, kind: Some(v1::clock_report::Kind::Hello(hello)) }).await.unwrap();
    let mut clocks = v1::clocks_client::ClocksClient::new(venue.line(Some(&clock)));
    let mut orders = clocks.attach(tokio_stream::wrappers::ReceiverStream::new(stream)).await.unwrap().into_inner();
    orders.message().await.unwrap().unwrap();

    let mut chief = venue.access(Some(Who::Chief));
    for credential in [id, clock_id] {
        chief.revoke(v1::RevokeRequest { credential, reason: "left the hall".to_string() }).await.unwrap();
    }
    for ended in [end(&mut console).await, end(&mut feed).await, end(&mut orders).await] {
        assert_eq!(ended.code(), Code::Unauthenticated, "{ended}");
        assert!(ended.message().contains("revoked"), "{ended}");
    }
    let again = v1::office_client::OfficeClient::new(line).digest(v1::DigestRequest {}).await.unwrap_err();
    assert_eq!(again.code(), Code::Unauthenticated);
    // The clock's device is noted as gone.
    let hall = venue.office(Who::Chief).hall(v1::HallRequest::default()).await.unwrap().into_inner();
    assert!(hall.devices.iter().all(|device| !device.online), "{:?}", hall.devices);
    let twice = chief.revoke(v1::RevokeRequest { credential: id, reason: String::new() }).await.unwrap_err();
    assert_eq!(twice.code(), Code::AlreadyExists);
    let last = chief.revoke(v1::RevokeRequest { credential: 1, reason: String::new() }).await.unwrap_err();
    assert!(last.message().contains("last one"), "{last}");
}

#[tokio::test(start_paused = true)]
async fn a_credential_ends_when_its_time_is_over() {
    let venue = Venue::open().await;
    let (_, token) = venue.enrol(venue.grant(Who::Auditor), "Bo", Some(MORNING + 3_600_000)).await;
    let line = venue.line(Some(&token));
    let mut feed = v1::feeds_client::FeedsClient::new(line.clone()).follow(v1::FollowRequest::default()).await.unwrap().into_inner();
    let began = Instant::now();
    let ended = end(&mut feed).await;
    assert_eq!(ended.code(), Code::Unauthenticated, "{ended}");
    assert!(ended.message().contains("expired") && began.elapsed() <= Duration::from_secs(3_600), "{ended} after {:?}", began.elapsed());
    let again = v1::office_client::OfficeClient::new(line).digest(v1::DigestRequest {}).await.unwrap_err();
    assert!(again.message().contains("expired"), "{again}");
    let past = v1::InviteRequest {
        grant: Some(v1::Grant { kind: Some(venue.grant(Who::Feed)) }),
        name: "Feed".to_string(),
        expires_ms: Some(MORNING),
        ..Default::default()
    };
    assert_eq!(venue.access(Some(Who::Chief)).invite(past).await.unwrap_err().code(), Code::InvalidArgument);
}

#[tokio::test(start_paused = true)]
async fn a_code_is_good_once_and_for_its_time() {
    let venue = Venue::open().await;
    let mut chief = venue.access(Some(Who::Chief));
    let mut nobody = venue.access(None);
    let mut invite = async |valid_ms| {
        let grant = Some(v1::Grant { kind: Some(venue.grant(Who::Feed)) });
        chief.invite(v1::InviteRequest { grant, name: "Feed".to_string(), valid_ms, ..Default::default() }).await
    };
    let code = invite(0).await.unwrap().into_inner().code;
    let typed = code.to_lowercase().replace('-', " ");
    nobody.enrol(v1::EnrolRequest { code: typed }).await.unwrap();
    assert_eq!(nobody.enrol(v1::EnrolRequest { code }).await.unwrap_err().code(), Code::NotFound, "used");
    let code = invite(60_000).await.unwrap().into_inner().code;
    pass(60_001).await;
    assert_eq!(nobody.enrol(v1::EnrolRequest { code }).await.unwrap_err().code(), Code::NotFound, "too old");
    assert_eq!(invite(8 * 24 * 3_600_000).await.unwrap_err().code(), Code::InvalidArgument, "too long");
    let (id, revoked) = {
        let invited = invite(0).await.unwrap().into_inner();
        (invited.credential, invited.code)
    };
    venue.access(Some(Who::Chief)).revoke(v1::RevokeRequest { credential: id, reason: String::new() }).await.unwrap();
    assert_eq!(nobody.enrol(v1::EnrolRequest { code: revoked }).await.unwrap_err().code(), Code::NotFound, "revoked");
}

#[tokio::test(start_paused = true)]
async fn who_guesses_codes_waits() {
    let venue = Venue::open().await;
    let began = Instant::now();
    let mut nobody = venue.access(None);
    for n in 0..100 {
        let guess = v1::EnrolRequest { code: format!("0000-0000-0{n:03}") };
        assert_eq!(nobody.enrol(guess).await.unwrap_err().code(), Code::NotFound);
    }
    assert!(began.elapsed() >= Duration::from_secs(39), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn one_credential_has_so_many_calls_and_no_more() {
    let venue = Venue::open().await;
    let mut streams = Vec::new();
    for n in 0..MAX_CALLS {
        streams.push(venue.feeds(Some(Who::Feed)).follow(v1::FollowRequest::default()).await.unwrap_or_else(|e| panic!("stream {n}: {e}")));
    }
    let one_more = venue.feeds(Some(Who::Feed)).follow(v1::FollowRequest::default()).await.unwrap_err();
    assert_eq!(one_more.code(), Code::ResourceExhausted, "{one_more}");
    // Others are not held up, and room that is given back can be used.
    venue.feeds(Some(Who::Auditor)).follow(v1::FollowRequest::default()).await.unwrap();
    drop(streams.pop());
    pass(1_000).await;
    venue.feeds(Some(Who::Feed)).follow(v1::FollowRequest::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_reports_is_slowed_to_its_rate() {
    let venue = Venue::open().await;
    let battery = |n: u32| {
        let report = v1::Report { boot: 1, number: n, kind: Some(v1::report::Kind::Battery(n % 100)), ..Default::default() };
        v1::ClockReport { device: 0, kind: Some(v1::clock_report::Kind::Report(report)) }
    };
    let introduction = v1::Introduction { model: "Model".to_string(), ..Default::default() };
    let hello = v1::Hello { introduction: Some(introduction), boot: 1 };
    let hello = v1::ClockReport { device: 7, kind: Some(v1::clock_report::Kind::Hello(hello)) };
    let reports = tokio_stream::iter(std::iter::once(hello).chain((1..=2_000).map(battery)));
    let began = Instant::now();
    let mut orders = venue.clocks(Who::Clock).attach(reports).await.unwrap().into_inner();
    let mut acked = 0;
    while let Ok(Some(order)) = orders.message().await {
        acked = acked.max(order.acked_report);
    }
    assert_eq!(acked, 2_000, "nothing is lost");
    // 400 at once, then 200 a second.
    assert!(began.elapsed() >= Duration::from_secs(7), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn codes_that_nobody_waits_for_hold_nobody_up() {
    let venue = Venue::open().await;
    let mut nobody = venue.access(None);
    for n in 0..1_000 {
        let guess = v1::EnrolRequest { code: format!("0000-0000-{n:04}") };
        // Asked, and gone before the answer: where the first ones are not slowed down, with it.
        let _ = tokio::time::timeout(Duration::from_millis(1), nobody.enrol(guess)).await;
    }
    let began = Instant::now();
    venue.enrol(venue.grant(Who::Feed), "Feed", None).await;
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn all_who_show_no_credential_have_so_many_calls_together() {
    let venue = Venue::behind(Door { public: vec!["feeds".to_string()], ..Door::default() }).await;
    let lines: Vec<_> = (0..4).map(|_| venue.line(None)).collect();
    let mut streams = Vec::new();
    for n in 0..MAX_PUBLIC_CALLS {
        let mut feed = v1::feeds_client::FeedsClient::new(lines[n % lines.len()].clone());
        streams.push(feed.follow(v1::FollowRequest::default()).await.unwrap_or_else(|e| panic!("stream {n}: {e}")));
    }
    let one_more = venue.feeds(None).follow(v1::FollowRequest::default()).await.unwrap_err();
    assert_eq!(one_more.code(), Code::ResourceExhausted, "{one_more}");
    // Nobody else is held up by them: who has a credential, who asks for something else, who comes with a code.
    venue.feeds(Some(Who::Feed)).follow(v1::FollowRequest::default()).await.unwrap();
    let results = v1::ResultsRequest { tournament: 1, round: 1 };
    v1::office_client::OfficeClient::new(venue.line(None)).results(results).await.unwrap();
    venue.enrol(venue.grant(Who::Feed), "Feed", None).await;
    drop(streams.pop());
    pass(1_000).await;
    venue.feeds(None).follow(v1::FollowRequest::default()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_player_calls_as_fast_as_a_person() {
    let venue = Venue::open().await;
    let mut took = [Who::Arbiter, Who::Player].into_iter().map(async |who| {
        let (mut access, began) = (venue.access(Some(who)), Instant::now());
        for _ in 0..150 {
            access.who_am_i(v1::WhoAmIRequest {}).await.unwrap();
        }
        began.elapsed()
    });
    let (arbiter, player) = (took.next().unwrap().await, took.next().unwrap().await);
    // 50 at once, then 5 a second.
    assert!(arbiter < Duration::from_secs(1) && player >= Duration::from_secs(19), "{arbiter:?} {player:?}");
}

#[tokio::test(start_paused = true)]
async fn who_was_invited_by_a_credential_is_told_when_it_ends() {
    let venue = Venue::open().await;
    let mut chief = venue.access(Some(Who::Chief));
    let (bad, token) = venue.enrol(venue.grant(Who::Chief), "Bad", None).await;
    let mut invites = v1::access_client::AccessClient::new(venue.line(Some(&token)));
    let mut invited = Vec::new();
    for name in ["Friend", "Gone"] {
        let grant = Some(v1::Grant { kind: Some(venue.grant(Who::Arbiter)) });
        invited
            .push(invites.invite(v1::InviteRequest { grant, name: name.to_string(), ..Default::default() }).await.unwrap().into_inner().credential);
    }
    chief.revoke(v1::RevokeRequest { credential: invited[1], reason: String::new() }).await.unwrap();
    let listed = chief.list(v1::ListRequest {}).await.unwrap().into_inner().credentials;
    let by = |id: u64| listed.iter().find(|credential| credential.credential == id).unwrap().invited_by;
    assert_eq!((by(1), by(bad), by(invited[0])), (0, 1, bad));
    let revoked = chief.revoke(v1::RevokeRequest { credential: bad, reason: String::new() }).await.unwrap().into_inner();
    let left: Vec<_> = revoked.invited.iter().map(|credential| (credential.credential, credential.name.as_str())).collect();
    assert_eq!(left, [(invited[0], "Friend")]);
}
