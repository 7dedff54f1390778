//! The index of a pack: sorted object ids, and their offsets in the pack. Small ones are held in
//! memory, large ones read by position.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fs::File;
use std::os::unix::fs::FileExt as _;

use loci_model::facts::code::ObjectId;
use loci_model::ports::code::CodeResult;

use super::format::HashFormat;
use crate::confined_files::{self, Stamp};
use crate::fault;
use crate::limits::PACK_INDEX_HELD_BYTES;

enum Bytes {
    Held(Vec<u8>),
    File(File),
}

/// The index of one pack.
pub(crate) struct PackIndex {
    bytes: Bytes,
    id_bytes: u64,
    count: u64,
    layout: Layout,
    fanout: Vec<u32>,
}

/// The positions of the parts of an index file, in bytes from its start.
#[derive(Debug, Clone, Copy)]
enum Layout {
    /// Version 1 of the format: offset and id of each object together.
    One,
    /// Version 2 of the format: ids, checksums, offsets, and offsets that need 8 bytes.
    Two { offsets: u64, long_offsets: u64, end: u64 },
}

const FANOUT_BYTES: u64 = 256 * 4;

impl PackIndex {
    /// Opens an index, and loads it to memory if it has at most `held_max` bytes.
    pub(crate) fn open(file: File, stamp: &Stamp, format: HashFormat, held_max: u64) -> CodeResult<Self> {
        let bytes = if stamp.bytes <= PACK_INDEX_HELD_BYTES.min(held_max) {
            Bytes::Held(confined_files::read_all(file, stamp, PACK_INDEX_HELD_BYTES)?)
        } else {
            Bytes::File(file)
        };
        let length = match &bytes {
            Bytes::Held(held) => held.len() as u64,
            Bytes::File(_) => stamp.bytes,
        };
        let id_bytes = format.id_bytes() as u64;
        let mut index = Self { bytes, id_bytes, count: 0, layout: Layout::One, fanout: Vec::new() };
        let head = index.at(0, 8)?;
        let two = head.get(..4) == Some(&b"\xfftOc"[..]);
        if two && head.get(4..) != Some(&[0, 0, 0, 2][..]) {
            return Err(fault::damaged("the version of an index of a pack"));
        }
        let table = index.at(if two { 8 } else { 0 }, FANOUT_BYTES)?.into_owned();
        index.fanout = table.chunks_exact(4).map(u32_of).collect();
        index.count = index.fanout.last().copied().unwrap_or(0).into();
        if !index.fanout.is_sorted() {
            return Err(fault::damaged("an index of a pack"));
        }
        let needed = if two {
            let offsets = 8 + FANOUT_BYTES + index.count * (id_bytes + 4);
            let long_offsets = offsets + index.count * 4;
            let end = length.saturating_sub(2 * id_bytes);
            index.layout = Layout::Two { offsets, long_offsets, end };
            long_offsets + 2 * id_bytes
        } else {
            FANOUT_BYTES + index.count * (id_bytes + 4) + 2 * id_bytes
        };
        if length < needed { Err(fault::damaged("an index of a pack is cut off")) } else { Ok(index) }
    }

    /// Returns the number of bytes that the index uses in memory. `None` if it is read from the
    /// open file.
    pub(crate) fn held_bytes(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Held(held) => Some(held.len() as u64),
            Bytes::File(_) => None,
        }
    }

    /// Returns the offset of an object in the pack.
    pub(crate) fn find(&self, id: &ObjectId) -> CodeResult<Option<u64>> {
        let wanted = id.as_bytes();
        let place = self.first_not_below(wanted)?;
        if place < self.count && self.id_at(place)?.as_ref() == wanted {
            return self.offset_at(place).map(Some);
        }
        Ok(None)
    }

    /// Adds the ids that start with these hex digits, up to `fits_max` in total.
    pub(crate) fn with_prefix(
        &self,
        digits: &str,
        fits: &mut Vec<ObjectId>,
        fits_max: usize,
    ) -> CodeResult<()> {
        let full = format!("{digits:0<width$}", width = usize::try_from(self.id_bytes * 2).unwrap_or(0));
        let Some(lowest) = ObjectId::parse(&full) else { return Ok(()) };
        let mut place = self.first_not_below(lowest.as_bytes())?;
        while place < self.count && fits.len() < fits_max {
            let Some(id) = ObjectId::from_bytes(&self.id_at(place)?) else { break };
            if !id.to_string().starts_with(digits) {
                break;
            }
            fits.push(id);
            place += 1;
        }
        Ok(())
    }

    /// Returns the first index whose id is not less than `wanted`.
    fn first_not_below(&self, wanted: &[u8]) -> CodeResult<u64> {
        let first = usize::from(wanted.first().copied().unwrap_or(0));
        let bound = |at: Option<usize>| at.and_then(|at| self.fanout.get(at)).copied().map_or(0, u64::from);
        let (mut low, mut high) = (bound(first.checked_sub(1)), bound(Some(first)));
        while low < high {
            let middle = low.midpoint(high);
            match self.id_at(middle)?.as_ref().cmp(wanted) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal | Ordering::Greater => high = middle,
            }
        }
        Ok(low)
    }

    fn id_at(&self, place: u64) -> CodeResult<Cow<'_, [u8]>> {
        match self.layout {
            Layout::One => self.at(FANOUT_BYTES + place * (self.id_bytes + 4) + 4, self.id_bytes),
            Layout::Two { .. } => self.at(8 + FANOUT_BYTES + place * self.id_bytes, self.id_bytes),
        }
    }

    fn offset_at(&self, place: u64) -> CodeResult<u64> {
        let (offsets, long_offsets, end) = match self.layout {
            Layout::One => {
                let at = FANOUT_BYTES + place * (self.id_bytes + 4);
                return Ok(u32_of(&self.at(at, 4)?).into());
            }
            Layout::Two { offsets, long_offsets, end } => (offsets, long_offsets, end),
        };
        let short = u32_of(&self.at(offsets + place * 4, 4)?);
        if short & 0x8000_0000 == 0 {
            return Ok(short.into());
        }
        let at = long_offsets + u64::from(short & 0x7fff_ffff) * 8;
        if at + 8 > end {
            return Err(fault::damaged("an index of a pack"));
        }
        let long = self.at(at, 8)?;
        Ok(long.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte)))
    }

    fn at(&self, from: u64, length: u64) -> CodeResult<Cow<'_, [u8]>> {
        let cut_off = || fault::damaged("an index of a pack is cut off");
        let (Ok(start), Ok(bytes)) = (usize::try_from(from), usize::try_from(length)) else {
            return Err(cut_off());
        };
        match &self.bytes {
            Bytes::Held(held) => {
                held.get(start..start.saturating_add(bytes)).map(Cow::Borrowed).ok_or_else(cut_off)
            }
            Bytes::File(file) => {
                let mut piece = vec![0; bytes];
                file.read_exact_at(&mut piece, from).map_err(|_| cut_off())?;
                Ok(Cow::Owned(piece))
            }
        }
    }
}

fn u32_of(four: &[u8]) -> u32 {
    four.iter().fold(0, |value, byte| (value << 8) | u32::from(*byte))
}
