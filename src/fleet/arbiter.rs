//! The fleet's arbiter: one console for all boards. A ruling that has not been answered is sent again under its key.

use std::collections::BTreeMap;

use backon::BackoffBuilder;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use super::{Error, office};
use crate::client::{Reach, reason};
use crate::game::Ruling;
use crate::wire::v1::{self, console_request, console_update, consoles_client::ConsolesClient, outcome};

/// Name recorded with the fleet's rulings.
const NAME: &str = "fleet arbiter";

type Waiting = (v1::ConsoleRequest, oneshot::Sender<outcome::Kind>);

/// Where boards send their rulings.
#[derive(Debug)]
pub(super) struct Arbiter {
    rulings: mpsc::Sender<(u64, v1::Ruling, oneshot::Sender<outcome::Kind>)>,
}

impl Arbiter {
    /// Starts the console's task.
    pub(super) fn start(reach: Reach, tournament: u64) -> Arbiter {
        let (rulings, asked) = mpsc::channel(256);
        tokio::spawn(console(reach, tournament, asked));
        Arbiter { rulings }
    }

    /// Rules on a game and waits until it is durable.
    pub(super) async fn rule(&self, game: u64, ruling: &Ruling) -> Result<(), Error> {
        let refused = |why: String| Error::Refused { what: format!("the ruling '{ruling}' on game {game}"), why };
        let (reply, answer) = oneshot::channel();
        let gone = |_| refused("the daemon stayed away".to_string());
        self.rulings.send((game, ruling.into(), reply)).await.map_err(|_| refused("the daemon stayed away".to_string()))?;
        match answer.await.map_err(gone)? {
            outcome::Kind::Taken(_) => Ok(()),
            outcome::Kind::Refused(r) => Err(refused(format!("{}: {}", r.code, r.text))),
        }
    }
}

async fn console(reach: Reach, tournament: u64, mut asked: mpsc::Receiver<(u64, v1::Ruling, oneshot::Sender<outcome::Kind>)>) {
    let mut waiting: BTreeMap<String, Waiting> = BTreeMap::new();
    let mut pauses = office::patience().build();
    let mut number = 0_u64;
    loop {
        let Ok((to, mut from)) = attach(&reach).await else {
            let Some(pause) = pauses.next() else { return };
            tokio::time::sleep(pause).await;
            continue;
        };
        pauses = office::patience().build();
        for (request, _) in waiting.values() {
            if to.send(request.clone()).await.is_err() {
                break;
            }
        }
        loop {
            tokio::select! {
                biased;
                update = from.message() => match update {
                    Ok(Some(update)) => {
                        if let Some(console_update::Kind::Outcome(v1::Outcome { key, kind: Some(kind) })) = update.kind
                            && let Some((_, reply)) = waiting.remove(&key)
                        {
                            // A board that does not wait any more has given up.
                            let _ = reply.send(kind);
                        }
                    }
                    Ok(None) | Err(_) => break,
                },
                next = asked.recv() => {
                    let Some((game, ruling, reply)) = next else { return };
                    number += 1;
                    let key = format!("fleet-{tournament}-ruling-{number}");
                    let ruling = v1::RulingRequest { key: key.clone(), game, seen_version: 0, ruling: Some(ruling), private_key: None };
                    let request = v1::ConsoleRequest { arbiter: NAME.to_string(), kind: Some(console_request::Kind::Ruling(ruling)) };
                    waiting.insert(key, (request.clone(), reply));
                    if to.send(request).await.is_err() {
                        break;
                    }
                }
            }
        }
    }
}

async fn attach(reach: &Reach) -> Result<(mpsc::Sender<v1::ConsoleRequest>, Streaming<v1::ConsoleUpdate>), String> {
    let channel = reach.connect().await.map_err(|e| reason(&e))?;
    let (to, stream) = mpsc::channel(256);
    let answer = ConsolesClient::new(channel).attach(ReceiverStream::new(stream)).await.map_err(|e| e.to_string())?;
    Ok((to, answer.into_inner()))
}
