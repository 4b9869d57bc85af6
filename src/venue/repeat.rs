//! Whether an input that comes again is the one that was taken, or another one under the same name.

use super::entry::{Admin, DeviceEntry, Entry, Payload};
use super::{Command, Input, Report};
use crate::board::MoveText;
use crate::clock::{Millis, Wrap};
use crate::envelope::Note;
use crate::game::{self, Fact, Moved};
use shakmaty::Color;

/// Whether the entry holds what the command says. What was brought into one spelling on the way in (a move by its
/// squares, a bare clock's press) is the same input in any spelling that could have become it.
///
/// `wrap` is that of the device whose report it is, whose counter may have started again.
pub fn same(entry: &Entry, command: &Command, wrap: Option<Wrap>) -> bool {
    is_of_the_same_report(entry, command, wrap) && says_the_same(entry, command)
}

/// A report that comes again is of the same game and was stamped at the same instant: one that is not is another one, of a device that has
/// begun to number anew, say.
fn is_of_the_same_report(entry: &Entry, command: &Command, wrap: Option<Wrap>) -> bool {
    let Input::Report { game, report, .. } = &command.input else { return true };
    let stamps = entry.origin.as_ref().and_then(|origin| origin.stamp).zip(command.origin.stamp);
    let is_of_a_game = !matches!(report, Report::Battery { .. } | Report::Fact(Fact::Restart));
    stamps.is_none_or(|(then, now)| reads(then.at, now.at, wrap))
        && (!is_of_a_game || game.is_none_or(|game| entry.subject == super::Subject::Game(game)))
}

/// Whether a stamp in the log, which is unwrapped, is what the device's counter read.
fn reads(stamp: Millis, counter: Millis, wrap: Option<Wrap>) -> bool {
    let off = stamp.distance(counter).0;
    // Cut to whole milliseconds on both sides of the turn.
    wrap.map_or(off == 0, |Wrap(range)| (u128::from(off) * 1_000 + 1_500) % u128::from(range.max(1)) <= 3_000)
}

fn says_the_same(entry: &Entry, command: &Command) -> bool {
    match (&entry.payload, &command.input) {
        (Payload::Game(game::Entry::Fact(taken)), Input::Report { report: Report::Fact(fact), .. }) => same_fact(taken, fact),
        (Payload::Game(game::Entry::Fact(taken)), Input::Game { input: game::Input::Fact(fact), game }) => {
            entry.subject == super::Subject::Game(*game) && same_fact(taken, fact)
        }
        (Payload::Game(game::Entry::Ruling(taken)), Input::Game { input: game::Input::Ruling(ruling), game }) => {
            entry.subject == super::Subject::Game(*game) && taken == ruling
        }
        (Payload::Game(game::Entry::Fact(taken)), Input::Report { report: Report::Seal { by, note }, .. }) => same_note(entry, taken, *by, note),
        (Payload::Game(game::Entry::Fact(taken)), Input::Seal { by, note, game }) => {
            entry.subject == super::Subject::Game(*game) && same_note(entry, taken, *by, note)
        }
        (Payload::Game(game::Entry::Ruling(game::Ruling::Open { .. })), Input::Open { game, .. }) => entry.subject == super::Subject::Game(*game),
        (Payload::Device(DeviceEntry::Battery { percent }), Input::Report { report: Report::Battery { percent: again }, .. }) => percent == again,
        (Payload::Device(DeviceEntry::Restarted), Input::Report { report: Report::Fact(Fact::Restart), .. }) => true,
        (Payload::Admin(Admin::Proposed { ruling: taken }), Input::Game { input: game::Input::Ruling(ruling), game }) => {
            entry.subject == super::Subject::Game(*game) && taken == ruling
        }
        (Payload::Admin(admin), input) => same_admin(admin, input),
        _ => false,
    }
}

/// Whether a note is the one that was sealed, which only its commitment tells.
fn same_note(entry: &Entry, taken: &Fact, by: Color, note: &Note) -> bool {
    match (taken, entry.subject) {
        (Fact::SealedMove { by: who, ply, sealed }, super::Subject::Game(game)) => *who == by && note.commitment(game.0, *ply) == sealed.commitment,
        _ => false,
    }
}

fn same_fact(taken: &Fact, again: &Fact) -> bool {
    match (taken, again) {
        (Fact::Belated { fact }, again) => same_fact(fact, again),
        (Fact::Move { by, made }, Fact::Move { by: who, made: what }) => by == who && same_move(made, what),
        (Fact::Press { by, moved, shown, lag }, Fact::Press { by: who, moved: what, shown: time, lag: way }) => {
            let same = match (moved, what) {
                (Moved::Move(a), Moved::Move(b)) => same_move(&MoveText::Uci(*a), &MoveText::Uci(*b)),
                (Moved::AsReported, Moved::Move(_)) | (Moved::Unknown, Moved::AsReported) => true,
                (a, b) => a == b,
            };
            by == who && shown == time && lag == way && same
        }
        (Fact::Scoresheet { from, moves }, Fact::Scoresheet { from: ply, moves: again }) => {
            from == ply && moves.len() == again.len() && moves.iter().zip(again).all(|(a, b)| same_move(a, b))
        }
        (a, b) => a == b,
    }
}

/// The same move, as far as can be told without the position: castling has two spellings in UCI, and algebraic notation names the square of arrival.
fn same_move(taken: &MoveText, again: &MoveText) -> bool {
    use shakmaty::san::San;
    match (taken, again) {
        (MoveText::Uci(a), MoveText::Uci(b)) if a == b => true,
        (MoveText::Uci(a), MoveText::Uci(b)) => {
            let castling = |m: &shakmaty::uci::UciMove| m.from().zip(m.to()).filter(|(from, to)| from.rank() == to.rank());
            let side = |(from, to): (shakmaty::Square, shakmaty::Square)| (from, from < to);
            castling(a)
                .zip(castling(b))
                .is_some_and(|(a, b)| a.0.rank() != shakmaty::Rank::Fourth && side(a) == side(b) && a.0.file() == shakmaty::File::E)
        }
        (MoveText::Uci(a), MoveText::San(San::Normal { to, .. })) => a.to() == Some(*to),
        (MoveText::Uci(a), MoveText::San(San::Castle(side))) => a.from().zip(a.to()).is_some_and(|(from, to)| {
            let back = matches!(from.rank(), shakmaty::Rank::First | shakmaty::Rank::Eighth);
            back && from.rank() == to.rank() && (from < to) == side.is_king_side()
        }),
        (a, b) => a == b,
    }
}

fn same_admin(admin: &Admin, input: &Input) -> bool {
    match (admin, input) {
        (Admin::TournamentCreated { name, regulations, starts_on, .. }, Input::CreateTournament { name: again, regulations: r, starts_on: s }) => {
            name == again && **regulations == *r && starts_on == s
        }
        (Admin::RoundOpened { tournament, round }, Input::OpenRound { tournament: t, round: r }) => tournament == t && round == r,
        (Admin::SecondNeeded { rulings }, Input::NeedSecond { rulings: again }) => rulings == again,
        (Admin::EnvelopeKey { key }, Input::SetEnvelopeKey { key: again }) => key == again,
        // Its code is drawn anew each time, and shown only once.
        (Admin::Invited { .. }, Input::Invite { .. }) => false,
        (Admin::Revoked { credential, reason }, Input::Revoke { credential: c, reason: r }) => credential == c && reason == r,
        // Asked again under the same key: it was signed then.
        (Admin::Signed { .. }, Input::Sign { .. }) => true,
        (Admin::Paired { pairing }, Input::Pair { pairing: again }) => pairing == again,
        (
            Admin::GameOpened { tournament, round, board, device, black_device, absent, clocks, .. },
            Input::OpenGame { tournament: t, round: r, board: b, device: d, black_device: o, absent: a, clocks: c },
        ) => (tournament, round, board, device, black_device, absent, clocks) == (t, r, b, d, o, a, c),
        (Admin::DeviceAssigned { device, game, side }, Input::AssignDevice { device: d, game: g, side: s }) => (device, game, side) == (d, g, s),
        _ => false,
    }
}
