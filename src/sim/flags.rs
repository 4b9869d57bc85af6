//! Nobody is flagged by the network: a flag falls where the device's own clock had run out when it wrote the report that brings it.

use shakmaty::Color;

use super::device::Written;
use crate::clock::Millis;
use crate::game::{self, Consequence, DISPLAY_TOLERANCE};
use crate::venue::{DeviceStamp, Entry, Payload, Subject, Venue};

/// Whose flag an entry says to be down, and since when.
fn fall(entry: &Entry) -> Option<(Color, Millis)> {
    match &entry.payload {
        Payload::Game(game::Entry::Consequence(Consequence::FlagFallen { color, at, .. } | Consequence::FlagDown { color, at })) => {
            Some((*color, *at))
        }
        _ => None,
    }
}

/// Whether an entry is the fall of a flag.
pub(super) fn is_fall(entry: &Entry) -> bool {
    fall(entry).is_some()
}

/// What is wrong with a flag's fall: on the clock of the device that keeps the time it had not fallen.
pub(super) fn fell(entry: &Entry, stamp: Option<&DeviceStamp>, written: Option<&Written>, venue: &Venue) -> Option<String> {
    let (color, at) = fall(entry)?;
    let Subject::Game(game) = entry.subject else { return None };
    let game = &venue.table(game)?.game;
    // Known before: it is called now.
    if game.device.is_none() || game.down.get(color).is_some() {
        return None;
    }
    let side = game::side(color);
    let Some((stamp, written)) = stamp.zip(written) else {
        return Some(format!("the flag of {side} falls at {at}, and the device has not reported anything"));
    };
    let left = *written.left.get(color);
    (left > DISPLAY_TOLERANCE || at > stamp.at).then(|| format!("the flag of {side} falls at {at}, when its device shows {left} at {}", stamp.at))
}
