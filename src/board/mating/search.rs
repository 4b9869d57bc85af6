//! One search that finds a helpmate or goes through every position that can be reached.
//!
//! It is best first, over full keys, with several queues that take turns: each orders the positions found
//! by another idea of what brings mate nearer. When all are empty, every position has been seen. What the pieces' reach proves
//! after a capture or a pawn move need not be looked into.

use shakmaty::{CastlingMode, Chess, Color, Position, uci::UciMove};

use super::guide::{Guide, QUEUES};
use super::key::{Key, Sum};
use super::lemma::cannot_mate;
use super::reach::Reach;

/// How a search ended.
#[derive(Debug)]
pub(super) enum Found {
    /// A line to mate.
    Mate(Vec<UciMove>),
    /// Every position was seen, none is a mate.
    Closed { positions: u32, digest: [u8; 32] },
    /// The budget is spent.
    Spent,
}

/// Every position found, its parent, and the queues of those not yet looked into.
pub(super) struct Search {
    winner: Color,
    mode: CastlingMode,
    guide: Guide,
    keys: Vec<Key>,
    parents: Vec<u32>,
    states: Vec<State>,
    /// Whether captures and pawn moves are looked at for a proof by reach.
    locking: bool,
    /// How many positions belong to the set.
    members: u32,
    /// Whether something could not be looked into, so that nothing can be closed.
    broken: bool,
    table: Vec<u32>,
    queues: [Buckets; QUEUES],
    turn: usize,
    sum: Sum,
}

/// What is known of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Found, not yet looked into.
    Found,
    /// Looked into.
    Done,
    /// No member of the set: proved dead after each capture or pawn move that led to it.
    Proved,
}

/// A queue by priority, the latest first among equals.
#[derive(Default)]
struct Buckets {
    stacks: Vec<Vec<u32>>,
    least: usize,
}

impl Buckets {
    fn push(&mut self, priority: usize, index: u32) {
        if self.stacks.len() <= priority {
            self.stacks.resize_with(priority + 1, Vec::new);
        }
        self.stacks[priority].push(index);
        self.least = self.least.min(priority);
    }

    fn pop(&mut self) -> Option<u32> {
        while self.least < self.stacks.len() {
            if let Some(index) = self.stacks[self.least].pop() {
                return Some(index);
            }
            self.least += 1;
        }
        None
    }
}

const FREE: u32 = u32::MAX;
/// Most positions that are kept.
const MOST: usize = 1 << 28;
/// What a proof by reach costs, in nodes.
pub(super) const REACH_NODES: u64 = 50;

impl Search {
    /// A search from a position that is neither mate nor otherwise plain.
    pub(super) fn new(position: &Chess, winner: Color, locking: bool) -> Search {
        let guide = Guide::new(winner);
        let mut search = Search {
            winner,
            mode: position.castles().mode(),
            guide,
            keys: Vec::new(),
            parents: Vec::new(),
            states: Vec::new(),
            locking,
            members: 0,
            broken: false,
            table: vec![FREE; 1 << 10],
            queues: Default::default(),
            turn: 0,
            sum: Sum::default(),
        };
        let root = search.enter(Key::of(position), FREE, State::Found);
        search.join(root, position);
        search
    }

    /// Goes on until `limit` nodes have been made in all.
    pub(super) fn run(&mut self, nodes: &mut u64, limit: u64) -> Found {
        while *nodes < limit && !self.broken {
            let Some(index) = self.next() else {
                return Found::Closed { positions: self.members, digest: self.sum.bytes() };
            };
            let Some(position) = self.keys[index as usize].position(self.mode) else {
                self.broken = true;
                break;
            };
            for m in position.legal_moves() {
                *nodes += 1;
                let mut child = position.clone();
                child.play_unchecked(m);
                let key = Key::of(&child);
                match self.find(key) {
                    Some(known) if self.states[known as usize] != State::Proved || m.is_zeroing() => {}
                    Some(known) => {
                        self.states[known as usize] = State::Found;
                        self.join(known, &child);
                    }
                    None if self.locking && m.is_zeroing() && self.is_proved(&child, nodes) => {
                        self.enter(key, index, State::Proved);
                    }
                    None => {
                        let new = self.enter(key, index, State::Found);
                        if child.turn() != self.winner && child.is_checkmate() {
                            return Found::Mate(self.line(new));
                        }
                        self.join(new, &child);
                    }
                }
            }
            self.broken |= self.keys.len() >= MOST;
        }
        Found::Spent
    }

    /// The next position to look into, from each queue in turn.
    fn next(&mut self) -> Option<u32> {
        for _ in 0..QUEUES {
            let queue = &mut self.queues[self.turn];
            self.turn = (self.turn + 1) % QUEUES;
            while let Some(index) = queue.pop() {
                if std::mem::replace(&mut self.states[index as usize], State::Done) == State::Found {
                    return Some(index);
                }
            }
        }
        None
    }

    fn is_proved(&self, position: &Chess, nodes: &mut u64) -> bool {
        *nodes += REACH_NODES;
        Reach::of(position).is_some_and(|reach| reach.excludes_mate(self.winner))
    }

    /// Takes a position into the set, and to be looked into if there is anything left to mate with.
    fn join(&mut self, index: u32, position: &Chess) {
        self.members += 1;
        self.sum.add(self.keys[index as usize]);
        if cannot_mate(position.board(), self.winner) {
            self.states[index as usize] = State::Done;
            return;
        }
        for (queue, priority) in self.queues.iter_mut().zip(self.guide.priorities(position)) {
            queue.push(priority, index);
        }
    }

    fn find(&self, key: Key) -> Option<u32> {
        let mask = self.table.len() - 1;
        let mut place = key.place() & mask;
        while self.table[place] != FREE {
            if self.keys[self.table[place] as usize] == key {
                return Some(self.table[place]);
            }
            place = (place + 1) & mask;
        }
        None
    }

    /// Enters a position that is not there yet.
    fn enter(&mut self, key: Key, parent: u32, state: State) -> u32 {
        let mask = self.table.len() - 1;
        let mut place = key.place() & mask;
        while self.table[place] != FREE {
            place = (place + 1) & mask;
        }
        let index = self.keys.len() as u32;
        self.table[place] = index;
        self.keys.push(key);
        self.parents.push(parent);
        self.states.push(state);
        if self.keys.len() * 2 > self.table.len() {
            self.grow();
        }
        index
    }

    fn grow(&mut self) {
        let mask = self.table.len() * 4 - 1;
        let mut table = vec![FREE; mask + 1];
        for (index, key) in self.keys.iter().enumerate() {
            let mut place = key.place() & mask;
            while table[place] != FREE {
                place = (place + 1) & mask;
            }
            table[place] = index as u32;
        }
        self.table = table;
    }

    /// The moves from the start to a position.
    fn line(&self, end: u32) -> Vec<UciMove> {
        let mut line = Vec::new();
        let mut index = end;
        while self.parents[index as usize] != FREE {
            let parent = self.parents[index as usize];
            let Some(position) = self.keys[parent as usize].position(self.mode) else { break };
            let made = position.legal_moves().into_iter().find(|m| {
                let mut child = position.clone();
                child.play_unchecked(*m);
                Key::of(&child) == self.keys[index as usize]
            });
            line.extend(made.map(|m| m.to_uci(self.mode)));
            index = parent;
        }
        line.reverse();
        line
    }
}
