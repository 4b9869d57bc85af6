//! The table of roles against the protocol and against the daemon, both ways.

use std::collections::BTreeSet;

use prost::Message;
use zeitnot::service::Door;
use zeitnot::service::roles::{self, DECLARABLE, May, ROUTES, Who};
use zeitnot::wire::v1;

use crate::venue::{Venue, denied};

/// Every call of the protocol.
fn calls() -> BTreeSet<String> {
    let protocol = prost_types::FileDescriptorSet::decode(v1::DESCRIPTORS).unwrap();
    let files = protocol.file.iter().filter(|file| file.package() == "zeitnot.v1");
    let services = files.flat_map(|file| file.service.iter());
    services.flat_map(|service| service.method.iter().map(move |method| format!("/zeitnot.v1.{}/{}", service.name(), method.name()))).collect()
}

#[test]
fn the_table_names_every_call_and_no_other() {
    let named: BTreeSet<String> = ROUTES.iter().map(|route| route.path.to_string()).filter(|path| path.starts_with("/zeitnot.")).collect();
    assert_eq!(calls(), named);
    assert!(calls().len() >= 25, "{:?}", calls());
}

#[test]
fn the_page_is_made_from_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/roles.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, roles::page()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), roles::page(), "docs/roles.md: made anew with UPDATE_DOCS=1");
}

/// Every path that is asked for: those of the table, one below each that stands for many, and what is nowhere.
fn paths() -> Vec<String> {
    let mut paths: Vec<String> = ROUTES.iter().map(|route| route.path.to_string()).filter(|path| !path.ends_with('/')).collect();
    paths.extend(
        ["/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"]
            .map(String::from),
    );
    paths
}

#[tokio::test]
async fn every_call_in_every_role_is_admitted_as_the_table_says() {
    let venue = Venue::open().await;
    let mut tried = 0;
    for path in paths() {
        let route = roles::route_of(&path).unwrap();
        for who in Who::ALL {
            let answer = venue.call(&path, Some(&venue.tokens[&who])).await;
            assert_eq!(denied(&answer), !route.admits(Some(who), &[]), "{path} by {}", who.word());
            tried += 1;
        }
        // Nobody, and those who only say that they are somebody.
        let (good, other) = (&venue.tokens[&Who::Chief], &venue.tokens[&Who::Feed]);
        let secret = good.rsplit_once('.').unwrap().1;
        let stolen = format!("zeitnot.7.{secret}");
        let flipped = good.replace(&good[good.len() - 1..], if good.ends_with('0') { "1" } else { "0" });
        let feed_as_chief = format!("zeitnot.1.{}", other.rsplit_once('.').unwrap().1);
        for token in
            [None, Some(""), Some("zeitnot"), Some("zeitnot.0."), Some(stolen.as_str()), Some(&flipped), Some(&feed_as_chief), Some(&good[1..])]
        {
            let answer = venue.call(&path, token).await;
            assert_eq!(denied(&answer), !matches!(route.may, May::Everyone), "{path} by nobody, {token:?}");
            tried += 1;
        }
    }
    assert_eq!(tried, paths().len() * (Who::ALL.len() + 8));
}

#[tokio::test]
async fn what_is_nowhere_is_told_to_nobody() {
    let venue = Venue::open().await;
    for path in
        ["/zeitnot.v1.Office/", "/zeitnot.v1.Office/Nothing", "/zeitnot.v1.Nothing/Hall", "/zeitnot.v1.Office/Hall/", "/grpc.health.v1.Health"]
    {
        let answer = venue.call(path, None).await;
        assert!(denied(&answer) || answer.status() == 404, "{path}");
        assert!(!denied(&venue.call(path, Some(&venue.tokens[&Who::Chief])).await), "{path}");
    }
}

#[tokio::test]
async fn what_was_declared_public_is_and_nothing_else() {
    for declared in DECLARABLE {
        let venue = Venue::behind(Door { public: vec![declared.to_string()], ..Door::default() }).await;
        for path in paths() {
            let route = roles::route_of(&path).unwrap();
            let open = matches!(route.may, May::Everyone) || matches!(route.may, May::Public(word, _) if word == declared);
            assert_eq!(denied(&venue.call(&path, None).await), !open, "{path} with public {declared}");
        }
    }
}

#[tokio::test]
async fn an_open_venue_asks_nobody_and_gives_out_nothing() {
    let venue = Venue::behind(Door { insecure: true, ..Door::default() }).await;
    for path in paths() {
        assert!(!denied(&venue.call(&path, None).await), "{path}");
    }
    let clock = v1::grant::Kind::Clock(v1::GrantClock { device: 9 });
    let invite = v1::InviteRequest { grant: Some(v1::Grant { kind: Some(clock) }), name: "clock".to_string(), ..Default::default() };
    let refused = venue.access(None).invite(invite).await.unwrap_err();
    assert!(refused.message().contains("venue init"), "{refused}");
}

#[tokio::test]
async fn a_browser_hears_it_in_its_own_form() {
    use axum::body::Body;
    use tower::ServiceExt;
    let venue = Venue::open().await;
    let request = axum::http::Request::post("http://venue/zeitnot.v1.Office/Hall").header("content-type", "application/grpc-web+proto");
    let answer = venue.daemon.router.clone().oneshot(request.body(Body::from(vec![0; 5])).unwrap()).await.unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers().get("content-type").unwrap(), "application/grpc-web+proto");
    let header = answer.headers().get("grpc-status").map(|value| value.to_str().unwrap().to_string());
    let body = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
    assert!(header.as_deref() == Some("16") || String::from_utf8_lossy(&body).contains("grpc-status:16"), "{header:?} {body:?}");
}
