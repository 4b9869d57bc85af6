//! Seeds, what is made of them, and the loop over both.

use std::panic::RefUnwindSafe;
use std::path::{Path, PathBuf};

use bolero::Driver;
use bolero::generator::ValueGenerator;

use crate::numbers::{EDGES, replaced};

/// Inputs of each target in one run of the tests.
const INPUTS: usize = 400;
/// Most changes that are made to one seed.
const MOST_CHANGES: usize = 8;
/// Longest input, in bytes.
const LONGEST: usize = 64 << 10;

/// A target: what its inputs are made from.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    name: &'static str,
    seeds: Vec<Vec<u8>>,
    /// What is put in between.
    words: &'static [&'static str],
    /// After so many bytes each seed is a message of the protocol, whose numbers are driven to their edges.
    message_after: Option<usize>,
    inputs: usize,
}

/// Where the corpora are.
fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name)
}

/// Every file with that ending under a directory of the project, in order.
pub(crate) fn files(dir: &Path, ending: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: PathBuf| {
        if path.is_dir() {
            return files(&path, ending);
        }
        if path.extension().is_some_and(|found| found == ending) { vec![std::fs::read(path).unwrap()] } else { Vec::new() }
    };
    paths.into_iter().flat_map(read).collect()
}

impl Target {
    /// Its seeds are the lines of `corpus/NAME.txt`; a tab in it is a line's end in the seed.
    pub(crate) fn of_lines(name: &'static str) -> Target {
        let text = std::fs::read_to_string(corpus(&format!("{name}.txt"))).unwrap();
        Target::of(name, text.lines().map(|line| line.replace('\t', "\n").into_bytes()).collect())
    }

    /// Its seeds are the files of `corpus/NAME/`.
    pub(crate) fn of_files(name: &'static str, ending: &str) -> Target {
        Target::of(name, files(&corpus(name), ending))
    }

    /// Its seeds are these.
    pub(crate) fn of(name: &'static str, seeds: Vec<Vec<u8>>) -> Target {
        assert!(!seeds.is_empty(), "{name} has no seeds");
        Target { name, seeds, words: &[], message_after: None, inputs: INPUTS }
    }

    pub(crate) fn and_seeds(mut self, more: impl IntoIterator<Item = Vec<u8>>) -> Target {
        self.seeds.extend(more);
        self
    }

    pub(crate) fn with_words(self, words: &'static [&'static str]) -> Target {
        Target { words, ..self }
    }

    /// Its seeds are messages of the protocol, after so many bytes.
    pub(crate) fn of_messages(self, after: usize) -> Target {
        Target { message_after: Some(after), ..self }
    }

    /// For a target whose inputs take long: so many in one run of the tests.
    pub(crate) fn with_inputs(self, inputs: usize) -> Target {
        Target { inputs, ..self }
    }

    /// Wants the property of every seed, and of what is made of the seeds. `BOLERO_RANDOM_SEED` repeats an input that failed.
    pub(crate) fn holds(self, property: impl Fn(&[u8]) + RefUnwindSafe) {
        for seed in &self.seeds {
            property(seed);
        }
        let (name, inputs) = (self.name, self.inputs);
        bolero::check!(name = name).with_iterations(inputs).with_generator(self).for_each(|input: &Vec<u8>| property(input));
    }

    /// The same for text; what is no UTF-8 any more is made some.
    pub(crate) fn holds_for_text(self, property: impl Fn(&str) + RefUnwindSafe) {
        self.holds(|bytes| property(&String::from_utf8_lossy(bytes)));
    }
}

impl ValueGenerator for Target {
    type Output = Vec<u8>;

    fn generate<D: Driver>(&self, driver: &mut D) -> Option<Vec<u8>> {
        let mut bytes = pick(&self.seeds, driver)?.clone();
        if let Some((front, message)) = self.message_after.and_then(|after| bytes.split_at_checked(after)) {
            let mut message = message.to_vec();
            for _ in 0..(0..4).generate(driver)? {
                message = replaced(&message, (0..30).generate(driver)?, *pick(&EDGES, driver)?);
            }
            bytes = [front, &message].concat();
            if (0..3_u8).generate(driver)? > 0 {
                return Some(bytes);
            }
        }
        for _ in 0..(0..=MOST_CHANGES).generate(driver)? {
            let place = range(bytes.len(), driver)?;
            match (0..10_u8).generate(driver)? {
                0 => drop(bytes.drain(place)),
                1 => bytes.splice(place, [any_byte(driver)?]).for_each(drop),
                2 => bytes.insert(place.start, any_byte(driver)?),
                3 => {
                    let other = pick(&self.seeds, driver)?;
                    bytes.splice(place, other[range(other.len(), driver)?].iter().copied()).for_each(drop);
                }
                4 => bytes.truncate(place.start),
                5 => {
                    let again = bytes[place.clone()].repeat((1..40).generate(driver)?);
                    bytes.splice(place, again).for_each(drop);
                }
                6 => bytes[place].iter_mut().for_each(|byte| *byte = byte.wrapping_add(1)),
                7 => bytes[place].iter_mut().for_each(|byte| *byte ^= 0x20),
                _ if self.words.is_empty() => bytes.splice(place.start..place.start, [any_byte(driver)?]).for_each(drop),
                8 => bytes.splice(place, pick(self.words, driver)?.bytes()).for_each(drop),
                _ => bytes.splice(place.start..place.start, pick(self.words, driver)?.bytes()).for_each(drop),
            }
            bytes.truncate(LONGEST);
        }
        Some(bytes)
    }
}

pub(crate) fn pick<'a, T, D: Driver>(from: &'a [T], driver: &mut D) -> Option<&'a T> {
    from.get((0..from.len().max(1)).generate(driver)?)
}

/// A short stretch, at times a long one.
fn range<D: Driver>(length: usize, driver: &mut D) -> Option<std::ops::Range<usize>> {
    let start = (0..=length).generate(driver)?;
    let most = if (0..4_u8).generate(driver)? == 0 { length } else { 8 };
    let end = start + (0..=most.min(length - start)).generate(driver)?;
    Some(start..end)
}

fn any_byte<D: Driver>(driver: &mut D) -> Option<u8> {
    (0..=255_u8).generate(driver)
}

/// An error has to say something, and repeats only so much of what it was given.
pub(crate) fn says_what_is_wrong(error: &impl ToString) {
    const LONGEST: usize = 1_500;
    let said = error.to_string();
    assert!(said.len() >= 5, "'{said}' says nothing");
    assert!(said.len() <= LONGEST, "{} bytes of an error: {}…", said.len(), said.chars().take(200).collect::<String>());
}

#[test]
fn inputs_are_made_of_the_seeds_and_a_property_can_fail() {
    let target = || Target::of("engine", vec![b"abc".to_vec(), b"0123456789".to_vec()]).with_words(&["word"]);
    let seen = std::sync::Mutex::new(std::collections::BTreeSet::new());
    target().holds(|input| {
        seen.lock().unwrap().insert(input.to_vec());
    });
    let seen = seen.into_inner().unwrap();
    assert!(seen.len() > INPUTS / 2, "{}", seen.len());
    assert!(seen.iter().any(|input| input.windows(4).any(|part| part == b"word")));
    let fails = std::panic::catch_unwind(|| target().holds(|input| assert!(!input.ends_with(b"789"))));
    assert!(fails.is_err());
}
