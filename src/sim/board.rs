//! Two players at a board: they think, move, press, and do what players do besides.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Color, Position, Square};

use super::check::Check;
use super::device::Device;
use super::env::{Env, Event};
use crate::clock::Millis;
use crate::game::{Claim, Fact, Moved};

/// A board, its players, and what the arbiters know of it.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) number: usize,
    /// The device that stands there; `None`: the daemon times this board.
    pub(super) device: Option<usize>,
    pub(super) round: u32,
    pub(super) game: u64,
    /// What the players have on the board; `None`: they wait for the arbiter to put it right.
    pub(super) position: Option<Chess>,
    epoch: u64,
    offered: Option<Color>,
    /// The request of this board that has not been answered.
    pub(super) asked: Option<String>,
    /// Refusals one after another.
    pub(super) refused: u32,
    /// Nothing is done at this board before.
    pub(super) rests_until: u64,
    /// Since when the record says that a clock runs which stands.
    pub(super) stuck_since: Option<u64>,
    /// Its clocks were set again since they stand.
    pub(super) put_right: bool,
}

impl Board {
    pub(super) fn new(number: usize, device: Option<usize>) -> Board {
        Board {
            number,
            device,
            round: 0,
            game: 0,
            position: None,
            epoch: 0,
            offered: None,
            asked: None,
            refused: 0,
            rests_until: 0,
            stuck_since: None,
            put_right: false,
        }
    }

    /// The arbiter has set the position up, and the game goes on from it.
    pub(super) fn set_up(&mut self, position: Option<Chess>) {
        self.position = position;
        self.offered = None;
    }

    /// The players look at their clock: whoever's runs thinks.
    pub(super) fn attend(&mut self, device: &Device, env: &mut Env) {
        self.epoch += 1;
        if let Some(color) = device.running().filter(|_| device.game == self.game && self.position.is_some()) {
            let think = think(device.left(color, env), env);
            env.after(think, Event::Act { board: self.number, epoch: self.epoch });
        }
    }

    /// The player on move at the daemon's clock thinks.
    pub(super) fn attend_screen(&mut self, left: Millis, env: &mut Env) {
        self.epoch += 1;
        let think = think(left, env);
        env.after(think, Event::Act { board: self.number, epoch: self.epoch });
    }

    /// Whether nothing has happened since that was intended.
    pub(super) fn is_current(&self, epoch: u64) -> bool {
        self.epoch == epoch
    }

    /// A player acts at the device.
    pub(super) fn acts(&mut self, device: &mut Device, env: &mut Env, check: &mut Check) {
        let Some(by) = device.running().filter(|_| !device.dead && env.is_open()) else { return };
        if device.settle(env, check) {
            return;
        }
        if self.offered == Some(!by) && env.chance.happens(0.3) {
            let accepts = env.chance.happens(0.25);
            self.offered = None;
            let fact = if accepts { Fact::Acceptance { by } } else { Fact::Rejection { by } };
            device.say(fact, env, check);
        }
        let mischief = env.weather.mischief / 1_000.0;
        if env.chance.happens(mischief) {
            return self.mischief(by, device, env, check);
        }
        if env.chance.happens(mischief) {
            self.offered = Some(by);
            device.say(Fact::Offer { by }, env, check);
        }
        self.moves(by, device, env, check);
    }

    /// What does not bring the game on.
    fn mischief(&mut self, by: Color, device: &mut Device, env: &mut Env, check: &mut Check) {
        match env.chance.between(0, 9) {
            0 => device.halt(Fact::Resignation { by }, env, check),
            n @ 1..=3 => {
                let claim = [Claim::Threefold { with: None }, Claim::Fifty { with: None }, Claim::IllegalMove][n as usize - 1];
                // He who claims stops the clocks (6.11.2).
                device.halt(Fact::Pause { by: Some(by) }, env, check);
                device.say(Fact::Claim { by, claim }, env, check);
            }
            4 => device.halt(Fact::Pause { by: Some(by) }, env, check),
            5 => {
                device.say(Fact::Touch { by, square: square(env) }, env, check);
                self.moves(by, device, env, check);
            }
            6 => {
                self.position = None;
                device.press(by, |shown| Fact::Press { by, moved: Moved::AsReported, shown: Some(shown), lag: None }, env, check);
            }
            7 => {
                let shown = shakmaty::ByColor::new_with(|color| device.left(color, env));
                device.say(Fact::Display { shown }, env, check);
                self.moves(by, device, env, check);
            }
            _ => {
                let uci = UciMove::Normal { from: square(env), to: square(env), promotion: None };
                self.position = None;
                device.press(by, |shown| Fact::Press { by, moved: Moved::Move(uci), shown: Some(shown), lag: None }, env, check);
            }
        }
    }

    fn moves(&mut self, by: Color, device: &mut Device, env: &mut Env, check: &mut Check) {
        let Some(uci) = self.legal(by, env) else { return };
        let moved = if env.chance.happens(0.3) {
            device.say(Fact::Move { by, made: crate::board::MoveText::Uci(uci) }, env, check);
            Moved::AsReported
        } else {
            Moved::Move(uci)
        };
        device.press(by, |shown| Fact::Press { by, moved, shown: Some(shown), lag: None }, env, check);
    }

    /// A legal move, made on the board.
    pub(super) fn legal(&mut self, by: Color, env: &mut Env) -> Option<UciMove> {
        let position = self.position.as_ref().filter(|position| position.turn() == by)?;
        let legal = position.legal_moves();
        if legal.is_empty() {
            return None;
        }
        let made = *env.chance.one_of(&legal);
        let uci = made.to_uci(position.castles().mode());
        self.position = position.clone().play(made).ok();
        Some(uci)
    }
}

/// How long a player thinks, of what is left to him; now and then for too long.
fn think(left: Millis, env: &mut Env) -> u64 {
    if env.chance.happens(0.002) {
        return left.0 + env.chance.between(0, 20_000);
    }
    let share = -(1.0 - env.chance.share()).ln();
    let usual = (left.0 / 40).clamp(400, 90_000) as f64 * share;
    120 + usual as u64
}

fn square(env: &mut Env) -> Square {
    Square::new(env.chance.between(0, 64) as u32)
}
