//! Who may call what: the one table, from which the documentation is made and by which every call is admitted.

use std::fmt::Write;

use crate::venue::Grant;

/// A role as the table names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// A clock device.
    Clock,
    /// A player.
    Player,
    /// An arbiter.
    Arbiter,
    /// A chief arbiter.
    Chief,
    /// A reader of what is public.
    Feed,
    /// A reader of everything.
    Auditor,
}

/// A call, and who may make it.
#[derive(Debug, Clone, Copy)]
pub struct Route {
    /// Its path; one that ends in `/` stands for all below it.
    pub path: &'static str,
    /// Who may call it.
    pub may: May,
    /// What is asked besides the role.
    pub only: &'static str,
}

/// Who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum May {
    /// Everyone, without a credential.
    Everyone,
    /// Whoever has a good credential.
    Anybody,
    /// These roles.
    These(&'static [Who]),
    /// These roles, and everyone where the venue has declared it public by this word.
    Public(&'static str, &'static [Who]),
}

use Who::{Arbiter, Auditor, Chief, Clock, Feed, Player};

/// Rulings and notes.
const RULING: &[Who] = &[Arbiter, Chief];
/// Reading everything.
const READING: &[Who] = &[Arbiter, Chief, Auditor];
/// Reading what is public.
const PUBLIC: &[Who] = &[Feed, Arbiter, Chief, Auditor];

const fn route(path: &'static str, may: May, only: &'static str) -> Route {
    Route { path, may, only }
}

const fn chief(path: &'static str) -> Route {
    route(path, May::These(&[Chief]), "")
}

/// Every call there is.
pub const ROUTES: &[Route] = &[
    route("/grpc.health.v1.Health/", May::Everyone, ""),
    route("/zeitnot.v1.Access/Enrol", May::Everyone, "who shows a code that is good"),
    route("/zeitnot.v1.Access/WhoAmI", May::Anybody, ""),
    route("/grpc.reflection.v1.ServerReflection/", May::Anybody, ""),
    chief("/zeitnot.v1.Access/Invite"),
    chief("/zeitnot.v1.Access/Revoke"),
    route("/zeitnot.v1.Access/List", May::These(&[Chief, Auditor]), ""),
    route("/zeitnot.v1.Clocks/Attach", May::These(&[Clock]), "its own device"),
    route("/zeitnot.v1.Clocks/Send", May::These(&[Clock]), "its own device"),
    route("/zeitnot.v1.Clocks/Orders", May::These(&[Clock]), "its own device"),
    route("/zeitnot.v1.Clocks/Seal", May::These(&[Player]), "the player's own side of his own game"),
    route("/zeitnot.v1.Clocks/Play", May::These(&[Player]), "the player's own side of his own game"),
    route(
        "/zeitnot.v1.Consoles/Attach",
        May::These(RULING),
        "an arbiter rules at the boards of his sector, corrects or annuls no result, and takes back no end of a game that another one ruled",
    ),
    route(
        "/zeitnot.v1.Consoles/Send",
        May::These(RULING),
        "an arbiter rules at the boards of his sector, corrects or annuls no result, and takes back no end of a game that another one ruled",
    ),
    route("/zeitnot.v1.Consoles/Act", May::These(RULING), "an arbiter at the boards of his sector; the others are left"),
    route("/zeitnot.v1.Consoles/Watch", May::These(READING), ""),
    route("/zeitnot.v1.Feeds/Follow", May::Public("feeds", PUBLIC), "an auditor gets every entry, all others those that are public"),
    route("/zeitnot.v1.Feeds/Copy", May::These(&[Chief, Auditor]), ""),
    chief("/zeitnot.v1.Office/CreateTournament"),
    chief("/zeitnot.v1.Office/OpenRound"),
    chief("/zeitnot.v1.Office/Pair"),
    chief("/zeitnot.v1.Office/OpenGame"),
    chief("/zeitnot.v1.Office/AssignDevice"),
    chief("/zeitnot.v1.Office/SetEnvelopeKey"),
    chief("/zeitnot.v1.Office/NeedSecond"),
    route("/zeitnot.v1.Office/EnterMoves", May::These(RULING), "an arbiter for the boards of his sector"),
    route("/zeitnot.v1.Office/Sign", May::These(&[Chief, Auditor]), ""),
    route("/zeitnot.v1.Office/Hall", May::These(READING), ""),
    route("/zeitnot.v1.Office/Results", May::Public("feeds", PUBLIC), ""),
    route("/zeitnot.v1.Office/Pgn", May::Public("feeds", PUBLIC), ""),
    route("/zeitnot.v1.Office/Replay", May::These(READING), ""),
    route("/zeitnot.v1.Office/Report", May::These(READING), ""),
    route("/zeitnot.v1.Office/Digest", May::These(READING), ""),
    route("/zeitnot.v1.Office/Ask", May::These(READING), ""),
    route("/metrics", May::Public("metrics", &[Chief, Auditor]), ""),
];

/// What a venue can declare public.
pub const DECLARABLE: [&str; 2] = ["feeds", "metrics"];

impl Who {
    /// Every role.
    pub const ALL: [Who; 6] = [Clock, Player, Arbiter, Chief, Feed, Auditor];

    /// The role of a credential.
    pub fn of(grant: Grant) -> Who {
        match grant {
            Grant::Clock(_) => Clock,
            Grant::Player(..) => Player,
            Grant::Arbiter(_) => Arbiter,
            Grant::ChiefArbiter => Chief,
            Grant::Feed => Feed,
            Grant::Auditor => Auditor,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Clock => "clock",
            Player => "player",
            Arbiter => "arbiter",
            Chief => "chief arbiter",
            Feed => "feed",
            Auditor => "auditor",
        }
    }
}

/// The row of the table that a path falls under.
pub fn route_of(path: &str) -> Option<&'static Route> {
    ROUTES.iter().find(|route| route.path == path || (route.path.ends_with('/') && path.starts_with(route.path)))
}

impl Route {
    /// Whose call it is, in words.
    pub fn whose(&self) -> String {
        match self.may {
            May::Everyone | May::Anybody => "anybody".to_string(),
            May::These(these) | May::Public(_, these) => these.iter().map(|who| who.word()).collect::<Vec<_>>().join(" or "),
        }
    }

    /// Whether a role may call it, `None` for a caller without a credential.
    pub fn admits(&self, who: Option<Who>, public: &[String]) -> bool {
        match (self.may, who) {
            (May::Everyone, _) | (May::Anybody, Some(_)) => true,
            (May::Public(word, _), _) if public.iter().any(|declared| declared == word) => true,
            (May::These(these) | May::Public(_, these), Some(who)) => these.contains(&who),
            (May::Anybody | May::These(_) | May::Public(..), None) => false,
        }
    }
}

/// The table as a page.
pub fn page() -> String {
    let mut page = String::from(
        "# Who may call what\n\nMade from the table in `src/service/roles.rs`, by which every call is admitted. Without a credential a caller gets the\nhealth, may exchange a code, and reads what the venue has declared public (`zeitnot serve --public`).\n\n| call |",
    );
    for who in Who::ALL {
        let _ = write!(page, " {} |", who.word());
    }
    page.push_str(" without a credential | besides |\n| --- |");
    page.push_str(&" --- |".repeat(Who::ALL.len() + 2));
    page.push('\n');
    for route in ROUTES {
        let _ = write!(page, "| `{}` |", route.path.trim_start_matches("/zeitnot.v1."));
        for who in Who::ALL {
            page.push_str(if route.admits(Some(who), &[]) { " yes |" } else { " |" });
        }
        match route.may {
            May::Everyone => page.push_str(" yes |"),
            May::Public(word, _) => _ = write!(page, " if `{word}` is public |"),
            May::Anybody | May::These(_) => page.push_str(" |"),
        }
        let _ = writeln!(page, " {} |", route.only);
    }
    page
}
