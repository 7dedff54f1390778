//! A pack: a sequence of objects, whole or as deltas on others in the same pack. Nothing is
//! inflated before its size is known and permitted.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, OnceLock};

use loci_model::facts::code::ObjectId;
use loci_model::ports::code::CodeResult;

use super::delta;
use super::format::{HashFormat, ObjectKind};
use super::inflate::Inflater;
use super::pack_index::PackIndex;
use super::{Bases, Header, ObjectContent};
use crate::confined_files::Dir;
use crate::fault;
use crate::limits::{CHAIN_MAX, OBJECT_BYTES_MAX, WORK_BYTES_MAX};

/// An open pack.
pub(crate) struct Pack {
    /// The number of the pack, which is a part of keys in the cache of base objects.
    number: u64,
    index: PackIndex,
    place: PackPlace,
    file: OnceLock<File>,
    format: HashFormat,
}

/// The location of a pack, which is opened on use: a clone may have many packs, and a process few
/// open files.
pub(crate) struct PackPlace {
    pub(crate) dir: Arc<Dir>,
    pub(crate) name: Vec<u8>,
}

enum Form {
    Whole(ObjectKind),
    /// A delta, with the offset of its base.
    Difference(u64),
}

struct Entry {
    form: Form,
    /// The size of the inflated stream in bytes: that of the object, or of the delta.
    bytes: u64,
    /// The offset of the stream.
    stream_at: u64,
}

/// The maximum size of an entry's header in bytes: a size, and an id or a distance.
const HEAD_BYTES: usize = 64;
/// The number of bytes of a delta that contain its two sizes.
const SIZES_BYTES: usize = 24;

impl Pack {
    pub(crate) fn new(number: u64, index: PackIndex, place: PackPlace, format: HashFormat) -> Self {
        Self { number, index, place, file: OnceLock::new(), format }
    }

    pub(crate) fn index(&self) -> &PackIndex {
        &self.index
    }

    /// Returns the type and size of the object at `at`, without inflating it.
    pub(crate) fn header(&self, at: u64) -> CodeResult<Header> {
        let mut entry = self.entry(at)?;
        let bytes = match entry.form {
            Form::Whole(_) => entry.bytes,
            Form::Difference(_) => {
                let mut head = Vec::new();
                Inflater::new(self.file()?, entry.stream_at).fill(&mut head, SIZES_BYTES)?;
                delta::sizes(&head).ok_or_else(|| fault::damaged("a difference between objects"))?.1
            }
        };
        for _ in 0..=CHAIN_MAX {
            match entry.form {
                Form::Whole(kind) => return Ok(Header { kind, bytes }),
                Form::Difference(base) => entry = self.entry(base)?,
            }
        }
        Err(fault::damaged("a chain of differences without end"))
    }

    /// Reads the object at `at`.
    pub(crate) fn read(&self, at: u64, bases: &Bases) -> CodeResult<ObjectContent> {
        let mut differences = Vec::new();
        let mut work = 0_u64;
        let mut next = at;
        let mut content = loop {
            if let Some(base) = bases.get(&(self.number, next)) {
                break base;
            }
            let entry = self.entry(next)?;
            work = work.saturating_add(entry.bytes);
            if entry.bytes > OBJECT_BYTES_MAX || work > WORK_BYTES_MAX {
                return Err(fault::too_large("an object, or what it is built from,"));
            }
            match entry.form {
                Form::Whole(kind) => {
                    let bytes = self.inflate(&entry)?;
                    break ObjectContent { kind, bytes: bytes.into() };
                }
                Form::Difference(base) => {
                    differences.push((next, entry));
                    next = base;
                }
            }
            if differences.len() > CHAIN_MAX {
                return Err(fault::damaged("a chain of differences without end"));
            }
        };
        while let Some((place, entry)) = differences.pop() {
            let difference = self.inflate(&entry)?;
            let (_, bytes, _) =
                delta::sizes(&difference).ok_or_else(|| fault::damaged("a difference between objects"))?;
            work = work.saturating_add(bytes);
            if bytes > OBJECT_BYTES_MAX || work > WORK_BYTES_MAX {
                return Err(fault::too_large("an object, or what it is built from,"));
            }
            bases.put((self.number, next), content.clone(), content.bytes.len());
            content = ObjectContent {
                kind: content.kind,
                bytes: delta::apply(&content.bytes, &difference)?.into(),
            };
            next = place;
        }
        Ok(content)
    }

    fn file(&self) -> CodeResult<&File> {
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let (file, _) =
            self.place.dir.file(&self.place.name)?.ok_or_else(|| fault::damaged("a pack is gone"))?;
        Ok(self.file.get_or_init(|| file))
    }

    fn inflate(&self, entry: &Entry) -> CodeResult<Vec<u8>> {
        let bytes = usize::try_from(entry.bytes).map_err(|_| fault::too_large("an object"))?;
        let mut content = Vec::with_capacity((bytes + 1).min(1 << 20));
        Inflater::new(self.file()?, entry.stream_at).finish(&mut content, bytes)?;
        Ok(content)
    }

    fn entry(&self, at: u64) -> CodeResult<Entry> {
        let broken = || fault::damaged("an entry of a pack");
        let mut head = [0_u8; HEAD_BYTES];
        let got = self.file()?.read_at(&mut head, at).map_err(|error| fault::io(&error, "a pack"))?;
        let head = head.get(..got).unwrap_or_default();
        let first = *head.first().ok_or_else(broken)?;
        let mut bytes = u64::from(first & 0x0f);
        let (mut place, mut shift, mut more) = (1, 4, first & 0x80 != 0);
        while more {
            let byte = *head.get(place).ok_or_else(broken)?;
            if shift > 56 {
                return Err(broken());
            }
            bytes |= u64::from(byte & 0x7f) << shift;
            (place, shift, more) = (place + 1, shift + 7, byte & 0x80 != 0);
        }
        let rest = head.get(place..).unwrap_or_default();
        let (form, taken) = match (first >> 4) & 7 {
            1 => (Form::Whole(ObjectKind::Commit), 0),
            2 => (Form::Whole(ObjectKind::Tree), 0),
            3 => (Form::Whole(ObjectKind::Blob), 0),
            4 => (Form::Whole(ObjectKind::Tag), 0),
            6 => {
                let (distance, taken) = distance(rest).ok_or_else(broken)?;
                let base = at.checked_sub(distance).filter(|base| *base < at).ok_or_else(broken)?;
                (Form::Difference(base), taken)
            }
            7 => {
                let taken = self.format.id_bytes();
                let id = rest.get(..taken).and_then(ObjectId::from_bytes).ok_or_else(broken)?;
                let base = self.index.find(&id)?.ok_or_else(|| fault::missing(&id))?;
                (Form::Difference(base), taken)
            }
            _ => return Err(broken()),
        };
        Ok(Entry { form, bytes, stream_at: at + (place + taken) as u64 })
    }
}

/// Returns the distance to a base: big-endian, seven bits per byte, each further byte counting from
/// one.
fn distance(rest: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for (place, byte) in rest.iter().enumerate().take(9) {
        value = (value << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, place + 1));
        }
        value += 1;
    }
    None
}

/// The key of a cached base object: pack and offset.
pub(crate) type BaseKey = (u64, u64);

/// A pack shared between readers.
pub(crate) type SharedPack = Arc<Pack>;
