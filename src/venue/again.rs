//! The input that an entry records, so that it can be asked again who may have sent it, and what follows from it.

use super::entry::{Admin, DeviceEntry, Entry, Payload, Role, Subject};
use super::{Input, Invitation, Noticed, Report, Venue};
use crate::game::{self, Fact, GameId};

/// The input that an entry records, in the venue as it was before; `None`: no input is recorded like that.
pub(crate) fn as_input(venue: &Venue, entry: &Entry) -> Option<Input> {
    let origin = entry.origin.as_ref()?;
    let reported = |game, report| {
        let taken = |device: &super::Device| origin.stamp.map_or(0, |stamp| device.last_of(stamp.boot));
        let device = origin.stamp.and_then(|stamp| venue.devices().get(&stamp.device));
        Input::Report { previous: device.map_or(0, taken), game, report }
    };
    let about = |game, input| Input::Game { game, input };
    Some(match (&entry.payload, entry.subject) {
        (Payload::Game(game::Entry::Fact(fact)), Subject::Game(game)) if origin.role == Role::Clock => {
            let fact = if let Fact::Belated { fact } = fact { fact } else { fact };
            reported(Some(game), Report::Fact(fact.clone()))
        }
        (Payload::Game(game::Entry::Fact(fact)), Subject::Game(game)) => about(game, game::Input::Fact(fact.clone())),
        (Payload::Game(game::Entry::Ruling(ruling)) | Payload::Admin(Admin::Proposed { ruling }), Subject::Game(game)) => {
            about(game, game::Input::Ruling(ruling.clone()))
        }
        (Payload::Admin(admin), _) => administered(venue, admin)?,
        (Payload::Device(said), Subject::Device(device)) => {
            let noticed = |noticed| Input::Noticed { device, noticed };
            match said {
                DeviceEntry::Introduced(introduction) => Input::Hello { device, introduction: introduction.clone() },
                DeviceEntry::Battery { percent } => reported(None::<GameId>, Report::Battery { percent: *percent }),
                DeviceEntry::Restarted => reported(None, Report::Fact(Fact::Restart)),
                DeviceEntry::Lost => noticed(Noticed::Lost),
                DeviceEntry::Back => noticed(Noticed::Back),
                DeviceEntry::Leapt { by } => noticed(Noticed::Leapt { by: *by }),
                DeviceEntry::Drifts { ppm } => noticed(Noticed::Drifts { ppm: *ppm }),
            }
        }
        _ => return None,
    })
}

fn administered(venue: &Venue, admin: &Admin) -> Option<Input> {
    Some(match admin.clone() {
        Admin::Started { build } => Input::Started { build },
        Admin::TournamentCreated { name, regulations, starts_on, .. } => {
            Input::CreateTournament { name, regulations: (*regulations).clone(), starts_on }
        }
        Admin::RoundOpened { tournament, round } => Input::OpenRound { tournament, round },
        Admin::Paired { pairing } => Input::Pair { pairing },
        Admin::GameOpened { tournament, round, board, device, black_device, absent, clocks, .. } => {
            Input::OpenGame { tournament, round, board, device, black_device, absent, clocks }
        }
        Admin::DeviceAssigned { device, game, side } => Input::AssignDevice { device, game, side },
        Admin::Alarm { text } => Input::Alarm { text },
        Admin::EnvelopeKey { key } => Input::SetEnvelopeKey { key },
        Admin::SecondNeeded { rulings } => Input::NeedSecond { rulings },
        // Only about a game.
        Admin::Proposed { .. } => return None,
        Admin::Invited { grant, name, code, until, expires, .. } => Input::Invite { invitation: Invitation { grant, name, code, until, expires } },
        Admin::Enrolled { credential, secret } => Input::Enrol { code: venue.credential(credential)?.code.0, secret },
        Admin::Revoked { credential, reason } => Input::Revoke { credential, reason },
        Admin::Signed { head } => Input::Sign { head },
    })
}
