//! Blocks as they come in: read, proven by their checksums, and their vectors taken in. What else they say is for
//! `load`, which works at the block before meanwhile.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, SyncSender};

use loci_model::Result;

use super::bytes::{Reading, damaged};
use super::frame::{self, Kind};
use crate::vectors::{RowsIn, Vectors};

/// Blocks that may lie ready, each of about a megabyte.
pub(super) const READY_MAX: usize = 4;
/// Far more than any model has; what is made for a space before its first vector is as long.
const DIMENSIONS_MAX: usize = 1 << 16;

/// A block whose checksum is right.
pub(super) struct Block {
    pub(super) kind: Kind,
    payload: Vec<u8>,
    /// Where the part begins that is not yet read.
    start: usize,
    /// Vectors it brought, by space.
    pub(super) vectors: Vec<u32>,
}

impl Block {
    /// All but the vectors.
    pub(super) fn rest(&self) -> Reading<'_> {
        Reading::new(self.payload.get(self.start..).unwrap_or_default())
    }

    /// The memory it took.
    pub(super) fn into_payload(self) -> Vec<u8> {
        self.payload
    }
}

/// Reads all blocks and passes them on; the vectors of all. Stops early where nobody takes them any more. `used` brings
/// back the memory of blocks.
pub(super) fn read(
    from: &mut dyn Read,
    ready: &SyncSender<Block>,
    used: &Receiver<Vec<u8>>,
) -> Result<Vectors> {
    let mut vectors = Vectors::default();
    for ordinal in 0.. {
        let mut payload = used.try_recv().unwrap_or_default();
        let kind = frame::read_block(from, ordinal, &mut payload)?;
        let mut rest = Reading::new(&payload);
        let counts = match kind {
            Kind::Records => take_vectors(&mut rest, &mut vectors)?,
            Kind::End => Vec::new(),
        };
        let start = payload.len() - rest.left();
        let is_taken = ready.send(Block { kind, payload, start, vectors: counts }).is_ok();
        if kind == Kind::End || !is_taken {
            break;
        }
    }
    Ok(vectors)
}

/// Gives memory back to [`read`], which may have ended.
pub(super) fn give_back(block: Block, used: &Sender<Vec<u8>>) {
    // Nobody to take it: it is freed.
    drop(used.send(block.into_payload()));
}

/// Takes in new spaces, and the vectors of all spaces; how many of each.
fn take_vectors(block: &mut Reading<'_>, vectors: &mut Vectors) -> Result<Vec<u32>> {
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
