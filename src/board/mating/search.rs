//! One search that finds a helpmate or goes through every position that can be reached.
//!
//! It is best first, over full keys, with several queues that take turns: each orders the positions found
//! by another idea of what brings mate nearer. When all are empty, every position has been seen.

use shakmaty::{CastlingMode, Chess, Color, Position, uci::UciMove};

use super::guide::{Guide, QUEUES};
use super::key::{Key, Sum};
use super::lemma::cannot_mate;

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
    /// Whether it was looked into already.
    done: Vec<bool>,
    table: Vec<u32>,
    queues: [Buckets; QUEUES],
    turn: usize,
    sum: Sum,
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

impl Search {
    /// A search from a position that is neither mate nor otherwise plain.
    pub(super) fn new(position: &Chess, winner: Color) -> Search {
        let guide = Guide::new(winner);
        let mut search = Search {
            winner,
            mode: position.castles().mode(),
            guide,
            keys: Vec::new(),
            parents: Vec::new(),
            done: Vec::new(),
            table: vec![FREE; 1 << 10],
            queues: Default::default(),
            turn: 0,
            sum: Sum::default(),
        };
        search.enter(Key::of(position), FREE);
        search.queue(0, position);
        search
    }

    /// Goes on until `limit` nodes have been made in all.
    pub(super) fn run(&mut self, nodes: &mut u64, limit: u64) -> Found {
        while *nodes < limit {
            let Some(index) = self.next() else {
                return Found::Closed { positions: self.keys.len() as u32, digest: self.sum.bytes() };
            };
            let Some(position) = self.keys[index as usize].position(self.mode) else { return Found::Spent };
            for m in position.legal_moves() {
                *nodes += 1;
                let mut child = position.clone();
                child.play_unchecked(m);
                if self.enter(Key::of(&child), index).is_none() {
                    continue;
                }
                let new = self.keys.len() as u32 - 1;
                if child.turn() != self.winner && child.is_checkmate() {
                    return Found::Mate(self.line(new));
                }
                if !cannot_mate(child.board(), self.winner) {
                    self.queue(new, &child);
                }
            }
            if self.keys.len() >= (FREE >> 1) as usize {
                break;
            }
        }
        Found::Spent
    }

    /// The next position to look into, from each queue in turn.
    fn next(&mut self) -> Option<u32> {
        for _ in 0..QUEUES {
            let queue = &mut self.queues[self.turn];
            self.turn = (self.turn + 1) % QUEUES;
            while let Some(index) = queue.pop() {
                if !std::mem::replace(&mut self.done[index as usize], true) {
                    return Some(index);
                }
            }
        }
        None
    }

    fn queue(&mut self, index: u32, position: &Chess) {
        let priorities = self.guide.priorities(position);
        for (queue, priority) in self.queues.iter_mut().zip(priorities) {
            queue.push(priority, index);
        }
    }

    /// Enters a position; `None` if it was there.
    fn enter(&mut self, key: Key, parent: u32) -> Option<()> {
        let mask = self.table.len() - 1;
        let mut place = key.place() & mask;
        while self.table[place] != FREE {
            if self.keys[self.table[place] as usize] == key {
                return None;
            }
            place = (place + 1) & mask;
        }
        self.table[place] = self.keys.len() as u32;
        self.keys.push(key);
        self.parents.push(parent);
        self.done.push(false);
        self.sum.add(key);
        if self.keys.len() * 2 > self.table.len() {
            self.grow();
        }
        Some(())
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
