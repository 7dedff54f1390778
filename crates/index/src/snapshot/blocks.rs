//! Reads blocks, verifies their checksums, and loads their vectors. `load` processes the rest of
//! each block concurrently, one block behind.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, SyncSender};

use loci_model::Result;

use super::bytes::{ByteReader, damaged};
use super::frame::{self, SnapshotBlockKind};
use crate::vectors::{RowsIn, Vectors};

/// The maximum number of blocks in the queue, each of about a megabyte.
pub(super) const READY_MAX: usize = 4;
/// The maximum number of dimensions, far more than any model has. It limits the allocation for a
/// space before its first vector.
const DIMENSIONS_MAX: usize = 1 << 16;

/// A block with a valid checksum.
pub(super) struct Block {
    pub(super) kind: SnapshotBlockKind,
    payload: Vec<u8>,
    /// The start of the unread part.
    start: usize,
    /// The number of vectors in it, by space.
    pub(super) vectors: Vec<u32>,
}

impl Block {
    /// Returns everything except the vectors.
    pub(super) fn rest(&self) -> ByteReader<'_> {
        ByteReader::new(self.payload.get(self.start..).unwrap_or_default())
    }

    /// Returns its memory for reuse.
    pub(super) fn into_payload(self) -> Vec<u8> {
        self.payload
    }
}

/// Reads all blocks and passes them on. Returns the vectors of all. Stops early if the receiver is
/// gone. `used` returns the memory of processed blocks.
pub(super) fn read(
    from: &mut dyn Read,
    ready: &SyncSender<Block>,
    used: &Receiver<Vec<u8>>,
) -> Result<Vectors> {
    let mut vectors = Vectors::default();
    for ordinal in 0.. {
        let mut payload = used.try_recv().unwrap_or_default();
        let kind = frame::read_block(from, ordinal, &mut payload)?;
        let mut rest = ByteReader::new(&payload);
        let counts = match kind {
            SnapshotBlockKind::Records => take_vectors(&mut rest, &mut vectors)?,
            SnapshotBlockKind::End => Vec::new(),
        };
        let start = payload.len() - rest.left();
        let is_taken = ready.send(Block { kind, payload, start, vectors: counts }).is_ok();
        if kind == SnapshotBlockKind::End || !is_taken {
            break;
        }
    }
    Ok(vectors)
}

/// Returns memory to [`read`], which may have ended.
pub(super) fn give_back(block: Block, used: &Sender<Vec<u8>>) {
    // If the receiver is gone, the memory is freed.
    drop(used.send(block.into_payload()));
}

/// Loads new spaces, and the vectors of all spaces. Returns their number by space.
fn take_vectors(block: &mut ByteReader<'_>, vectors: &mut Vectors) -> Result<Vec<u32>> {
    for _ in 0..block.count(8)? {
        let (model, dimensions) = (block.text()?, block.u32()? as usize);
        if dimensions > DIMENSIONS_MAX {
            return Err(damaged("vectors of too many dimensions"));
        }
        let expected = vectors.spaces().len();
        if vectors.open(model, dimensions).map(usize::from) != Some(expected) {
            return Err(damaged("a model is there twice"));
        }
    }
    vectors.load(|dimensions| RowsIn::read(block, dimensions))
}
