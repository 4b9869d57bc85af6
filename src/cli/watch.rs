//! `zeitnot watch`: the hall as it is, followed in the terminal, or as lines of text or JSON.

mod view;

use std::io::{IsTerminal, Write};
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tonic::{Code, Streaming};

use self::view::{Heard, View};
use super::output::{say, written};
use super::remote::{MAX_ANSWER, Remote};
use super::{Stop, exit, json, runtime};
use crate::time::HallClock;
use crate::wire::{self, v1};
use v1::console_request::Kind as Ask;
use v1::console_update::Kind as Said;
use v1::consoles_client::ConsolesClient;

/// How often a terminal is drawn anew.
const FRAME: Duration = Duration::from_millis(250);
/// Longest pause between two tries to reach a daemon that is gone.
const MAX_PAUSE: u64 = 15;

/// Options of `watch`.
#[derive(Debug, Args)]
pub(super) struct Watch {
    /// Only this tournament.
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
    tournament: u64,
    /// Only this round.
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
    round: u32,
    #[command(flatten)]
    remote: Remote,
}

impl Watch {
    pub(super) fn run(self) -> Result<(), Stop> {
        runtime()?.block_on(async {
            let mut screen =
                Screen { live: !self.remote.json && std::io::stdout().is_terminal(), json: self.remote.json, view: View::default(), position: None };
            let clock = HallClock::start();
            let mut pause = 1;
            loop {
                let lost = match self.follow(&mut screen, &clock, &mut pause).await {
                    Ok(why) => why,
                    Err(stop) if stop.code == exit::UNAVAILABLE => stop.why,
                    Err(stop) => return Err(stop),
                };
                // Whoever reads only stdout sees the gap by the positions.
                let _ = writeln!(std::io::stderr(), "{lost}; trying again in {pause} s");
                tokio::time::sleep(Duration::from_secs(pause)).await;
                pause = (2 * pause).min(MAX_PAUSE);
            }
        })
    }

    /// One connection, from its snapshot to its end: why it ended.
    async fn follow(&self, screen: &mut Screen, clock: &HallClock, pause: &mut u64) -> Result<String, Stop> {
        let follow = v1::FollowHall { tournament: self.tournament, round: self.round, ..v1::FollowHall::default() };
        let follow = v1::ConsoleRequest { arbiter: String::new(), kind: Some(Ask::Follow(follow)) };
        let mut consoles = ConsolesClient::new(self.remote.line().await?).max_decoding_message_size(MAX_ANSWER);
        let mut updates: Streaming<v1::ConsoleUpdate> = consoles.watch(follow.clone()).await?.into_inner();
        let mut frames = tokio::time::interval(FRAME);
        frames.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = frames.tick() => screen.draw(clock)?,
                update = updates.message() => match update {
                    Ok(Some(update)) => {
                        *pause = 1;
                        if screen.take(update, clock)? == Heard::LookAgain {
                            updates = consoles.watch(follow.clone()).await?.into_inner();
                        }
                    }
                    Ok(None) => return Ok("the daemon has closed the stream".to_string()),
                    Err(status) if matches!(status.code(), Code::Unauthenticated | Code::PermissionDenied) => return Err(status.into()),
                    Err(status) => return Ok(format!("the daemon is gone: {}", status.message())),
                },
            }
        }
    }
}

/// Where the updates go.
struct Screen {
    /// A terminal, drawn anew again and again; otherwise a line an entry.
    live: bool,
    json: bool,
    view: View,
    /// Up to where everything was seen.
    position: Option<u64>,
}

impl Screen {
    fn take(&mut self, update: v1::ConsoleUpdate, clock: &HallClock) -> Result<Heard, Stop> {
        if !self.live {
            self.line(&update)?;
        }
        match &update.kind {
            Some(Said::Snapshot(snapshot)) => self.position = Some(snapshot.position),
            Some(Said::Entry(entry)) => self.position = Some(entry.seq),
            Some(Said::Position(position)) => self.position = Some(*position),
            _ => {}
        }
        Ok(self.view.hear(update, clock.hall()))
    }

    fn line(&self, update: &v1::ConsoleUpdate) -> Result<(), Stop> {
        match &update.kind {
            Some(Said::Entry(message)) => {
                let entry = wire::entry(message.clone()).map_err(|e| Stop::new(exit::UNAVAILABLE, format!("entry {}: {e}", message.seq)))?;
                if self.json { say(json!({ "entry": json::entry(&entry) })) } else { say(entry) }
            }
            Some(Said::Snapshot(snapshot)) if self.json => {
                let games: Vec<_> = snapshot.games.iter().map(json::game).collect();
                let devices: Vec<_> = snapshot.devices.iter().map(json::device).collect();
                say(json!({ "snapshot": { "position": snapshot.position, "games": games, "devices": devices } }))
            }
            Some(Said::Snapshot(snapshot)) => match self.position {
                Some(seen) if seen < snapshot.position => say(format!("# entries {} to {} were not seen", seen + 1, snapshot.position)),
                Some(_) => Ok(()),
                None => say(format!("# {} games, from entry {} on", snapshot.games.len(), snapshot.position + 1)),
            },
            Some(Said::Health(health)) if self.json => say(json!({ "device": json::device(health) })),
            Some(Said::Refused(refused)) => Err(Stop::new(exit::REFUSED, &refused.text)),
            _ => Ok(()),
        }
    }

    fn draw(&self, clock: &HallClock) -> Result<(), Stop> {
        if !self.live {
            return Ok(());
        }
        let out = std::io::stdout();
        let size = rustix::termios::tcgetwinsize(&out).map_or((24, 100), |size| (usize::from(size.ws_row), usize::from(size.ws_col)));
        let mut frame = String::from("\x1b[H");
        for line in self.view.lines(clock.hall(), size.0.saturating_sub(1)) {
            frame.extend(line.chars().take(size.1));
            frame.push_str("\x1b[K\n");
        }
        frame.push_str("\x1b[J");
        let mut out = out.lock();
        written(out.write_all(frame.as_bytes()).and_then(|()| out.flush()))
    }
}
