//! The mirror: a file with every commit of the store, one [frame](super::frame) each, synced
//! one by one.
//!
//! The file is kept longer than its frames by a stretch of zeros, so that a sync writes data
//! and nothing else. Of frames not yet synced there is one at most, so a bad frame with a good
//! one behind it is not a torn tail but damage, and never skipped.

use std::{
    fs::File,
    io::{self, BufReader, Read},
    ops::ControlFlow,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    Alarm, Chain, Entry, Error, Place,
    dir::{parent, patiently, still_whole, sync_dir, try_lock},
    filesystem, frame, next,
    record::{Commit, Record},
};
use crate::game::Seq;

/// How many zeros are put behind a frame that passes the last ones.
const STRETCH: usize = 1024 * 1024;
/// How much is read at once.
const CHUNK: usize = 256 * 1024;

/// What is shown each record, with the first entry of its commit, and says whether to go on.
type EachRecord<'a> = dyn FnMut(Seq, Record<'_>) -> Result<ControlFlow<()>, Error> + 'a;

/// The mirror, open for appending.
#[derive(Debug)]
pub(super) struct Mirror {
    file: File,
    path: PathBuf,
    /// Where the next frame goes.
    end: u64,
    /// The file's length; from `end` on all is zero.
    length: u64,
    head: Seq,
    tip: Chain,
    /// The frame being written, kept for its memory.
    buffer: Vec<u8>,
}

impl Mirror {
    /// Opens the mirror, made if need be, and cuts a torn tail off. Waits for its lock for
    /// `wait`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] for a bad frame that is not the last; [`Error::Filesystem`],
    /// [`Error::Locked`], [`Error::Io`].
    pub(super) fn open(path: &Path, wait: Duration) -> Result<Mirror, Error> {
        filesystem::check(parent(path))?;
        let failed = |what| move |e| Error::io(what, path, e);
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path).map_err(failed("open the mirror"))?;
        patiently(wait, || try_lock(&file, path))?;
        let mut mirror = Mirror { file, path: path.to_owned(), end: 0, length: 0, head: Seq(0), tip: Chain::GENESIS, buffer: Vec::new() };
        let (mut head, mut tip) = (mirror.head, mirror.tip);
        mirror.end = mirror.walk(&mut |_, record| {
            (head, tip) = (record.last(), record.tip());
            Ok(ControlFlow::Continue(()))
        })?;
        (mirror.head, mirror.tip) = (head, tip);
        if mirror.end == 0 && mirror.is_foreign().map_err(failed("read the mirror"))? {
            return Err(Error::NotAMirror { path: path.to_owned() });
        }
        mirror.length = mirror.end;
        mirror.file.set_len(mirror.end).and_then(|()| mirror.file.sync_all()).map_err(failed("cut the mirror"))?;
        sync_dir(parent(path))?;
        Ok(mirror)
    }

    /// Reads a mirror as it is, without a lock and without changing it; to be appended to it has to be opened.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], [`Error::Io`].
    pub(super) fn look(path: &Path) -> Result<Mirror, Error> {
        let file = File::open(path).map_err(|e| Error::io("open the mirror", path, e))?;
        Ok(Mirror { file, path: path.to_owned(), end: 0, length: 0, head: Seq(0), tip: Chain::GENESIS, buffer: Vec::new() })
    }

    /// Whether a file without a frame is something else: a first frame that was cut short begins as one, or is zeros.
    fn is_foreign(&self) -> io::Result<bool> {
        let mut begin = [0; frame::MAGIC.len()];
        let read = self.file.read_at(&mut begin, 0)?;
        Ok(begin[..read] != frame::MAGIC[..read] && begin[..read].iter().any(|byte| *byte != 0))
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The last entry in it.
    pub(super) fn head(&self) -> Seq {
        self.head
    }

    /// The chain at its head.
    pub(super) fn tip(&self) -> Chain {
        self.tip
    }

    /// Appends a commit and returns when it is durable. After an error nothing more may be
    /// appended: what the file holds then is not known.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(super) fn append(&mut self, commit: &Commit) -> io::Result<()> {
        still_whole(&self.file, self.length)?;
        frame::encode(self.end, &commit.records, &mut self.buffer);
        let end = self.end + self.buffer.len() as u64;
        if end > self.length {
            self.buffer.resize(self.buffer.len() + STRETCH, 0);
            self.length = end + STRETCH as u64;
        }
        self.file.write_all_at(&self.buffer, self.end)?;
        let watch = crate::time::Stopwatch::start();
        self.file.sync_data()?;
        metrics::histogram!("zeitnot_fsync_seconds", "file" => "mirror").record(watch.elapsed());
        self.end = end;
        (self.head, self.tip) = (commit.head, commit.tip);
        Ok(())
    }

    /// The alarm for an append that failed.
    pub(super) fn failed(&self, why: io::Error) -> Alarm {
        Alarm::MirrorFailed { path: self.path.clone(), last: self.head, why: why.to_string() }
    }

    /// Makes every later write fail, as when the stick is pulled out.
    #[cfg(test)]
    pub(super) fn unplug(&mut self) {
        self.file = File::open(&self.path).unwrap();
    }

    /// Shows every entry to `each`, from the first, until it breaks.
    ///
    /// # Errors
    ///
    /// Those of `each`; [`Error::Damaged`], [`Error::Io`].
    pub(super) fn entries(&self, each: &mut dyn FnMut(Entry<'_>) -> Result<ControlFlow<()>, Error>) -> Result<(), Error> {
        self.walk(&mut |_, record| {
            for entry in record.entries() {
                if each(entry?)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
        .map(drop)
    }

    /// Shows every entry to `each`, with the first one of its commit.
    ///
    /// # Errors
    ///
    /// Those of `each`; [`Error::Damaged`], [`Error::Io`].
    pub(super) fn commits(&self, each: &mut dyn FnMut(Seq, Entry<'_>) -> Result<(), Error>) -> Result<(), Error> {
        self.walk(&mut |first, record| {
            record.entries().try_for_each(|entry| each(first, entry?))?;
            Ok(ControlFlow::Continue(()))
        })
        .map(drop)
    }

    /// Shows every record to `each`, with the first entry of its commit, until it breaks, and returns where the frames end.
    fn walk(&self, each: &mut EachRecord<'_>) -> Result<u64, Error> {
        let failed = |e| Error::io("read the mirror", &self.path, e);
        let length = self.file.metadata().map_err(failed)?.len();
        let mut frames = Frames::new(&self.file, 0, length);
        let mut expected = Seq(1);
        while let Some(offset) = frames.next().map_err(failed)? {
            let first = expected;
            let records = frame::Records { rest: &frames.payload, expected };
            for record in records {
                let record = record.map_err(|e| self.damaged(offset, expected, e.to_string()))?;
                expected = next(record.last());
                if each(first, record)?.is_break() {
                    return Ok(frames.offset);
                }
            }
        }
        if let Some(good) = self.find(frames.offset + 1, length).map_err(failed)? {
            let what = format!(
                "a bad frame with a good one behind it at byte {good}; if the store is right, move the \
                 mirror away and start again"
            );
            return Err(self.damaged(frames.offset, expected, what));
        }
        Ok(frames.offset)
    }

    /// Damage at a frame.
    fn damaged(&self, offset: u64, seq: Seq, what: String) -> Error {
        Error::Damaged { at: Place::Mirror { path: self.path.clone(), offset, seq }, what }
    }

    /// The first good frame from `from` on.
    fn find(&self, from: u64, length: u64) -> io::Result<Option<u64>> {
        // A magic may lie across two chunks.
        const OVERLAP: usize = frame::MAGIC.len() - 1;
        let zeros = vec![0; CHUNK];
        let mut chunk = vec![0; CHUNK];
        let mut at = from;
        loop {
            let n = self.file.read_at(&mut chunk, at)?;
            if n <= OVERLAP {
                return Ok(None);
            }
            // Behind the last frame there is little else.
            if chunk[..n] != zeros[..n] {
                let windows = chunk[..n].windows(frame::MAGIC.len());
                let found = (at..).zip(windows).filter(|(_, w)| *w == frame::MAGIC);
                for (offset, _) in found {
                    if Frames::new(&self.file, offset, length).next()?.is_some() {
                        return Ok(Some(offset));
                    }
                }
            }
            at += (n - OVERLAP) as u64;
        }
    }
}

/// Reads a file from a place on, whatever others do with its cursor.
#[derive(Debug)]
struct At<'a>(&'a File, u64);

impl Read for At<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read_at(into, self.1)?;
        self.1 += n as u64;
        Ok(n)
    }
}

/// Goes from frame to frame.
#[derive(Debug)]
struct Frames<'a> {
    reader: BufReader<At<'a>>,
    /// Behind the last good frame.
    offset: u64,
    length: u64,
    /// Of the last good frame.
    payload: Vec<u8>,
}

impl<'a> Frames<'a> {
    fn new(file: &'a File, offset: u64, length: u64) -> Frames<'a> {
        Frames { reader: BufReader::with_capacity(CHUNK, At(file, offset)), offset, length, payload: Vec::new() }
    }

    /// The offset of the next frame, its payload read; `None` if there is no good frame.
    fn next(&mut self) -> io::Result<Option<u64>> {
        let offset = self.offset;
        let room = (self.length - offset).checked_sub(frame::HEADER as u64);
        let Some(room) = room else {
            return Ok(None);
        };
        let mut header = [0; frame::HEADER];
        self.reader.read_exact(&mut header)?;
        let header = match frame::Header::read(&header) {
            Some(header) if header.length as u64 <= room => header,
            _ => return Ok(None),
        };
        self.payload.resize(header.length, 0);
        self.reader.read_exact(&mut self.payload)?;
        if !header.fits(offset, &self.payload) {
            return Ok(None);
        }
        self.offset += (frame::HEADER + header.length) as u64;
        Ok(Some(offset))
    }
}
