//! Maps numbers of the index to those of a snapshot: assigned in order of first use, each defined
//! in the block that uses it first. Numbers of the index must keep their meaning while a snapshot
//! is written.

use loci_model::Result;

use super::bytes::{ByteReader, ByteWriter, damaged};
use crate::columns::NONE;
use crate::primitives::interner::Interner;

/// The numbers of one kind assigned so far.
#[derive(Debug, Default)]
pub(crate) struct Dictionary {
    /// The assigned numbers, by number of the index.
    numbers: Vec<u32>,
    next: u32,
    /// The number of definitions that are not in a block yet.
    fresh: u32,
    out: ByteWriter,
}

impl Dictionary {
    /// Returns the snapshot's number for a number of the index, if assigned; [`NONE`] maps to
    /// itself.
    pub(crate) fn find(&self, number: u32) -> Option<u32> {
        if number == NONE {
            return Some(NONE);
        }
        self.numbers.get(number as usize).copied().filter(|new| *new != NONE)
    }

    /// Assigns a number. The caller writes its definition to the returned writer.
    pub(crate) fn define(&mut self, number: u32) -> (u32, &mut ByteWriter) {
        let at = number as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, NONE);
        }
        if let Some(slot) = self.numbers.get_mut(at) {
            *slot = self.next;
        }
        self.next += 1;
        self.fresh += 1;
        (self.next - 1, &mut self.out)
    }

    /// Returns the snapshot's number of a text.
    pub(crate) fn text(&mut self, number: u32, words: &Interner) -> u32 {
        self.find(number).unwrap_or_else(|| {
            let (new, out) = self.define(number);
            out.text(words.text(number));
            new
        })
    }

    /// Returns the number of assigned numbers.
    pub(crate) fn len(&self) -> u32 {
        self.next
    }

    /// Moves the new definitions into a block.
    pub(crate) fn flush(&mut self, out: &mut ByteWriter) {
        out.u32(std::mem::take(&mut self.fresh)).bytes(&self.out.0);
        self.out.0.clear();
    }
}

/// Loads new texts. Each must get the next number.
pub(crate) fn load_texts(from: &mut ByteReader<'_>, words: &mut Interner) -> Result<()> {
    for _ in 0..from.count(4)? {
        let expected = words.len();
        if words.intern(from.text()?) != expected {
            return Err(damaged("a word is there twice"));
        }
    }
    Ok(())
}

/// Checks a number, which must be less than `count`, or [`NONE`].
pub(crate) fn number_or_none(number: u32, count: u32) -> Result<u32> {
    if number < count || number == NONE { Ok(number) } else { Err(damaged("a number names nothing")) }
}
