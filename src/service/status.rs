//! Errors as the wire has them: one mapping for unary calls and for answers on streams.

use tonic::{Code, Status};

use crate::game;
use crate::venue::Refusal;
use crate::wire::{self, v1};

/// Metadata of `aborted`: the version now.
pub(super) const VERSION_NOW: &str = "zeitnot-version-now";
/// Metadata of a stream's end: the position up to which it was sent.
pub(super) const POSITION: &str = "zeitnot-position";

/// The status code of a refusal. `Ok`: a refusal of a ruling, which is a normal answer.
pub(super) fn code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::Game(game::Refusal::Contradicts { .. }) => Code::Ok,
        Refusal::Game(game::Refusal::Unreadable { .. }) | Refusal::Unreadable { .. } => Code::InvalidArgument,
        Refusal::NoSuch { .. } | Refusal::NotAssigned { .. } => Code::NotFound,
        Refusal::Stale { .. } => Code::Aborted,
        Refusal::Conflict { .. } | Refusal::Exists { .. } => Code::AlreadyExists,
        Refusal::Gap { .. } => Code::OutOfRange,
        Refusal::OldBoot { .. } | Refusal::DeviceElsewhere { .. } | Refusal::NoEnvelopeKey | Refusal::EnvelopeCloses(_) => Code::FailedPrecondition,
        Refusal::NotAllowed { .. } | Refusal::NotYours { .. } => Code::PermissionDenied,
        Refusal::CredentialOver { .. } => Code::Unauthenticated,
        Refusal::NoSuchCode => Code::NotFound,
    }
}

/// A refusal as the status of a unary call.
pub(super) fn status(refusal: &Refusal) -> Status {
    let code = match code(refusal) {
        Code::Ok => Code::FailedPrecondition,
        code => code,
    };
    let mut status = Status::new(code, refusal.to_string());
    if let Refusal::Stale { now, .. } = refusal
        && let Ok(now) = now.0.to_string().parse()
    {
        status.metadata_mut().insert(VERSION_NOW, now);
    }
    status
}

/// A refusal as an answer.
pub(super) fn refused(refusal: &Refusal) -> v1::Refused {
    v1::Refused {
        code: refusal.code().to_string(),
        article: refusal.article().map_or(String::new(), |article| article.to_string()),
        text: refusal.to_string(),
        version_now: if let Refusal::Stale { now, .. } = refusal { now.0 } else { 0 },
        status: code(refusal).into(),
    }
}

/// A message that cannot be read.
pub(super) fn malformed(e: &wire::Error) -> Status {
    Status::invalid_argument(e.to_string())
}

/// The end of a stream: why, and up to which position everything was sent.
pub(super) fn ended(code: Code, why: &str, position: u64) -> Status {
    let mut status = Status::new(code, format!("{why}; sent up to position {position}"));
    if let Ok(position) = position.to_string().parse() {
        status.metadata_mut().insert(POSITION, position);
    }
    status
}
