//! The index of a worktree (versions 2 to 4): the tracked files, and the ids of unchanged files. A
//! file with the times and sizes of its entry need not be read.

use std::sync::{Arc, Mutex, PoisonError};

use loci_model::facts::code::{EntryKind, ObjectId};
use loci_model::ports::code::CodeResult;

use crate::confined_files::{self, Dir, Stamp};
use crate::fault;
use crate::limits::{INDEX_BYTES_MAX, PATH_BYTES_MAX, PATHS_BYTES_MAX};

/// The entry of a tracked file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    pub(crate) path: String,
    pub(crate) kind: EntryKind,
    pub(crate) id: ObjectId,
    /// True if the id in the entry is that of the file when it had the times and size of the entry.
    is_settled: bool,
    /// True if a sparse checkout excludes the file from disk. The file still counts as a part of
    /// the worktree.
    pub(crate) is_skipped: bool,
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    bytes: u32,
}

impl IndexEntry {
    /// True for a part of the worktree that need not exist as a file: an excluded file, and a
    /// submodule that was not fetched.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.is_skipped || self.kind == EntryKind::Submodule
    }
}

/// All entries, by path.
#[derive(Debug, Default)]
pub(crate) struct Index {
    pub(crate) entries: Vec<IndexEntry>,
    written: Option<Stamp>,
}

/// The last parsed index.
#[derive(Default)]
pub(crate) struct KnownIndex {
    known: Mutex<Option<(Stamp, Arc<Index>)>>,
}

impl KnownIndex {
    /// Returns the index in the private directory of a worktree; empty if there is none that can be
    /// parsed. Then nothing is tracked, and ids are computed by reading the files.
    pub(crate) fn read(&self, private: &Dir, id_bytes: usize) -> CodeResult<Arc<Index>> {
        let Some((file, stamp)) = private.file(b"index")? else { return Ok(Arc::default()) };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((read, index)) = known.as_ref()
            && *read == stamp
        {
            return Ok(Arc::clone(index));
        }
        let content = confined_files::read_all(file, &stamp, INDEX_BYTES_MAX)?;
        let mut entries = parse(&content, id_bytes, PATHS_BYTES_MAX)?.unwrap_or_default();
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let index = Arc::new(Index { entries, written: Some(stamp) });
        *known = Some((stamp, Arc::clone(&index)));
        Ok(index)
    }
}

impl Index {
    pub(crate) fn get(&self, path: &str) -> Option<&IndexEntry> {
        let place = self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path)).ok()?;
        self.entries.get(place)
    }

    /// True if a path under this directory is tracked.
    pub(crate) fn has_below(&self, directory: &str) -> bool {
        let prefix = format!("{directory}/");
        let place = self.entries.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        self.entries.get(place).is_some_and(|entry| entry.path.starts_with(&prefix))
    }

    /// Returns the id of a file that has not changed since the index was written.
    pub(crate) fn unchanged(&self, path: &str, kind: EntryKind, stamp: &Stamp) -> Option<ObjectId> {
        let entry = self.get(path)?;
        let written = self.written?;
        let low = |wide: i64| u32::try_from(wide & 0xffff_ffff).unwrap_or(0);
        let time = |(seconds, nanoseconds): (i64, i64)| (low(seconds), low(nanoseconds));
        let same = entry.is_settled
            && entry.kind == kind
            && entry.modified == time(stamp.modified)
            && entry.changed == time(stamp.changed)
            && u64::from(entry.inode) == stamp.inode & 0xffff_ffff
            && u64::from(entry.bytes) == stamp.bytes & 0xffff_ffff;
        // A file written at the same time as the index may have been written again at that time.
        (same && stamp.modified < written.modified && stamp.changed < written.modified).then_some(entry.id)
    }
}

/// Returns the entries of an index; `None` for an unsupported format (split, or a later version).
/// Returns an error if all paths together are longer than `paths_max`: an entry of a few bytes may
/// represent a long path.
fn parse(content: &[u8], id_bytes: usize, paths_max: usize) -> CodeResult<Option<Vec<IndexEntry>>> {
    let mut paths_left = Some(paths_max);
    let entries = entries(content, id_bytes, &mut paths_left);
    match paths_left {
        Some(_) => Ok(entries),
        None => Err(fault::too_large("the list of all paths of an index")),
    }
}

/// Returns the result of [`parse`]; `paths_left` becomes `None` if the paths are too long.
fn entries(content: &[u8], id_bytes: usize, paths_left: &mut Option<usize>) -> Option<Vec<IndexEntry>> {
    let mut input = Input { rest: content };
    if input.take(4)? != b"DIRC" {
        return None;
    }
    let version = input.number(4)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let count = input.number(4)?;
    let mut entries = Vec::new();
    let mut path = Vec::new();
    for _ in 0..count {
        let entry = entry(&mut input, version, id_bytes, &mut path)?;
        *paths_left = paths_left.and_then(|left| left.checked_sub(path.len()));
        (*paths_left)?;
        entries.extend(entry);
    }
    while input.rest.len() > id_bytes {
        let name = input.take(4)?;
        let length = usize::try_from(input.number(4)?).ok()?;
        // Split and sparse indexes lack required entries.
        if name == b"link" {
            return None;
        }
        input.take(length)?;
    }
    Some(entries)
}

/// Parses an entry; `Some(None)` for a skipped one. `path` contains the path of the previous one.
fn entry(
    input: &mut Input<'_>,
    version: u32,
    id_bytes: usize,
    path: &mut Vec<u8>,
) -> Option<Option<IndexEntry>> {
    let before = input.rest.len();
    let changed = (input.number(4)?, input.number(4)?);
    let modified = (input.number(4)?, input.number(4)?);
    let (_device, inode, mode) = (input.number(4)?, input.number(4)?, input.number(4)?);
    let (_user, _group, bytes) = (input.number(4)?, input.number(4)?, input.number(4)?);
    let id = ObjectId::from_bytes(input.take(id_bytes)?)?;
    let flags = input.number(2)?;
    let more = if flags & 0x4000 != 0 { input.number(2)? } else { 0 };
    if version == 4 {
        let dropped = input.varying()?;
        path.truncate(path.len().checked_sub(dropped)?);
        let end = input.rest.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(input.take(end)?);
        input.take(1)?;
    } else {
        let end = input.rest.iter().position(|byte| *byte == 0)?;
        path.clear();
        path.extend_from_slice(input.take(end)?);
        // Entries end with one to eight NULs, at a multiple of eight bytes.
        let taken = before - input.rest.len();
        input.take(8 - taken % 8)?;
    }
    if path.len() >= PATH_BYTES_MAX {
        return None;
    }
    let kind = match mode >> 12 {
        0o10 => EntryKind::File,
        0o12 => EntryKind::Symlink,
        0o16 => EntryKind::Submodule,
        0o04 => EntryKind::Directory,
        _ => return Some(None),
    };
    let Ok(path) = std::str::from_utf8(path) else { return Some(None) };
    // Stages of a merge, and files marked for a later add, have no settled content.
    let is_settled = flags & 0x3000 == 0 && more & 0x2000 == 0;
    let is_skipped = more & 0x4000 != 0;
    let path = path.trim_end_matches('/').to_owned();
    Some(Some(IndexEntry { path, kind, id, is_settled, is_skipped, changed, modified, inode, bytes }))
}

struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(taken)
    }

    /// Reads a big-endian number.
    fn number(&mut self, bytes: usize) -> Option<u32> {
        Some(self.take(bytes)?.iter().fold(0, |value, byte| (value << 8) | u32::from(*byte)))
    }

    /// Reads a number in the encoding of pack distances.
    fn varying(&mut self) -> Option<usize> {
        let mut value = 0_usize;
        for _ in 0..5 {
            let byte = *self.take(1)?.first()?;
            value = (value << 7) | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Some(value);
            }
            value += 1;
        }
        None
    }
}
