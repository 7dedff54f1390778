//! The frame of a snapshot: a head, blocks, an end; each with its length and checksum. It does not
//! interpret the contents of blocks.

use std::io::Read;

use loci_model::{Error, Result};

use super::bytes::{ByteReader, ByteWriter, damaged};
use crate::vectors::sketch;

/// The version of the contents of blocks, incremented with every change.
pub(crate) const FORMAT: u32 = 2;

const MAGIC: [u8; 8] = *b"locisnap";
/// The maximum size of a block in bytes. Writers close a block long before this.
const BLOCK_BYTES_MAX: u64 = 1 << 30;
const HEAD_BYTES: usize = 36;
/// The number of lanes of a checksum, whose multiplications run in parallel.
const LANES: usize = 4;

/// The kind of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SnapshotBlockKind {
    /// Records.
    Records,
    /// The end.
    End,
}

const KINDS: &[SnapshotBlockKind] = &[SnapshotBlockKind::Records, SnapshotBlockKind::End];

/// Appends the head of a snapshot at `sequence`.
pub(crate) fn write_head(sequence: u64, out: &mut Vec<u8>) {
    let mut head = ByteWriter::default();
    head.bytes(&MAGIC).u32(FORMAT).u32(loci_text::ANALYSER_VERSION).u32(sketch::VERSION).u64(sequence);
    let sum = checksum(&head.0, 0);
    head.u64(sum);
    out.append(&mut head.0);
}

/// Reads the head and returns its sequence. Returns an error for a snapshot of another version.
pub(crate) fn read_head(from: &mut dyn Read) -> Result<u64> {
    let mut bytes = [0u8; HEAD_BYTES];
    from.read_exact(&mut bytes).map_err(unreadable)?;
    let mut head = ByteReader::new(&bytes);
    if head.array()? != MAGIC {
        return Err(damaged("it is no snapshot"));
    }
    let versions = [head.u32()?, head.u32()?, head.u32()?];
    let sequence = head.u64()?;
    if bytes.first_chunk::<28>().map(|stated| checksum(stated, 0)) != Some(head.u64()?) {
        return Err(damaged("the head's checksum is wrong"));
    }
    if versions != [FORMAT, loci_text::ANALYSER_VERSION, sketch::VERSION] {
        return Err(Error::conflict("the index snapshot was written by another version"));
    }
    Ok(sequence)
}

/// Completes a block in `out`, whose payload starts at `start` after the space reserved for the
/// frame.
pub(crate) fn seal(kind: SnapshotBlockKind, ordinal: u64, payload: &[u8], out: &mut Vec<u8>) {
    let place = KINDS.iter().position(|other| *other == kind).unwrap_or_default() as u64;
    out.extend_from_slice(&place.to_le_bytes());
    out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
    out.extend_from_slice(payload);
    out.extend_from_slice(&checksum(payload, seed(ordinal, place)).to_le_bytes());
}

/// Reads the next block into `payload`.
pub(crate) fn read_block(
    from: &mut dyn Read,
    ordinal: u64,
    payload: &mut Vec<u8>,
) -> Result<SnapshotBlockKind> {
    let mut number = || {
        let mut bytes = [0u8; 8];
        from.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes)).map_err(unreadable)
    };
    let (place, length) = (number()?, number()?);
    let kind = usize::try_from(place).ok().and_then(|place| KINDS.get(place)).copied();
    let kind = kind.ok_or_else(|| damaged("a block is of no known kind"))?;
    if length > BLOCK_BYTES_MAX {
        return Err(damaged("a block is too great"));
    }
    payload.clear();
    // The buffer grows with the available data, regardless of the stated length.
    let got = from.take(length + 8).read_to_end(payload).map_err(unreadable)?;
    let Some((_, sum)) = payload.split_last_chunk::<8>().filter(|_| got as u64 == length + 8) else {
        return Err(damaged("it is cut off"));
    };
    let sum = u64::from_le_bytes(*sum);
    payload.truncate(got - 8);
    if checksum(payload, seed(ordinal, place)) != sum {
        return Err(damaged("a checksum is wrong"));
    }
    Ok(kind)
}

fn unreadable(error: std::io::Error) -> Error {
    damaged("it cannot be read to its end").caused_by(error)
}

/// Returns a seed that is different for every block of a snapshot, so that swapped blocks are
/// detected.
fn seed(ordinal: u64, place: u64) -> u64 {
    (ordinal << 8 | place).wrapping_add(1)
}

/// Returns the checksum: four lanes of words, multiplied and rotated. Each step is invertible, so
/// that a change within one lane is always detected.
pub(crate) fn checksum(bytes: &[u8], seed: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let step = |lane: u64, word: u64| (lane ^ word).wrapping_mul(ODD).rotate_left(29);
    let mut lanes: [u64; LANES] = std::array::from_fn(|at| step(seed, at as u64));
    let (rows, rest) = bytes.as_chunks::<{ 8 * LANES }>();
    for row in rows {
        for (lane, word) in lanes.iter_mut().zip(row.as_chunks().0) {
            *lane = step(*lane, u64::from_le_bytes(*word));
        }
    }
    let mut sum = step(seed, bytes.len() as u64);
    for byte in rest {
        sum = step(sum, u64::from(*byte));
    }
    for lane in lanes {
        sum = step(sum, lane ^ lane >> 31);
    }
    sum ^ sum >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_shows_in_the_checksum() {
        let bytes: Vec<u8> = (0..200u8).collect();
        let whole = checksum(&bytes, 1);
        for at in 0..bytes.len() * 8 {
            let mut other = bytes.clone();
            other[at / 8] ^= 1 << (at % 8);
            assert_ne!(checksum(&other, 1), whole, "bit {at}");
        }
        assert!((0..bytes.len()).all(|end| checksum(&bytes[..end], 1) != whole));
        assert_ne!(checksum(&bytes, 2), whole);
        assert_ne!(checksum(&[0; 32], 1), checksum(&[0; 64], 1));
    }

    #[test]
    fn blocks_come_back_in_their_order_only() {
        let mut out = Vec::new();
        write_head(77, &mut out);
        seal(SnapshotBlockKind::Records, 0, b"abc", &mut out);
        seal(SnapshotBlockKind::End, 1, b"", &mut out);
        let mut from = out.as_slice();
        let mut payload = Vec::new();
        assert_eq!(read_head(&mut from).unwrap(), 77);
        let second = from;
        assert_eq!(read_block(&mut from, 0, &mut payload).unwrap(), SnapshotBlockKind::Records);
        assert_eq!(payload, b"abc");
        assert_eq!(read_block(&mut from, 1, &mut payload).unwrap(), SnapshotBlockKind::End);
        assert!(read_block(&mut { second }, 1, &mut payload).is_err());
        assert!(read_block(&mut { from }, 2, &mut payload).is_err());
    }

    #[test]
    fn a_length_from_nowhere_sets_nothing_aside() {
        let mut out = Vec::new();
        out.extend_from_slice(&0u64.to_le_bytes());
        out.extend_from_slice(&(BLOCK_BYTES_MAX - 1).to_le_bytes());
        out.extend_from_slice(b"short");
        let mut payload = Vec::new();
        assert!(read_block(&mut out.as_slice(), 0, &mut payload).is_err());
        assert!(payload.capacity() < 1 << 20);
    }
}
