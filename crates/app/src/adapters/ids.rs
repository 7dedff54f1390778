//! Randomness from the operating system, drawn in blocks, so that an id costs no system call.

use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use loci_model::ports::ids::IdSource;

/// The bytes that one system call draws.
const BLOCK: usize = 4096;
/// The bytes that one id uses.
const DRAW: usize = 16;

/// Random bytes of the operating system. No byte is used twice.
#[derive(Debug)]
pub struct RandomIds {
    block: Mutex<Block>,
}

struct Block {
    bytes: Box<[u8; BLOCK]>,
    used: usize,
}

impl std::fmt::Debug for Block {
    /// Prints none of the bytes, because unused ones are secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Block({} left)", BLOCK - self.used)
    }
}

impl RandomIds {
    /// Draws the first block, so that a machine without randomness fails at the start.
    pub fn new() -> Result<Self> {
        let mut bytes = Box::new([0; BLOCK]);
        getrandom::fill(bytes.as_mut_slice()).context("the operating system gives no random bytes")?;
        Ok(Self { block: Mutex::new(Block { bytes, used: 0 }) })
    }
}

impl IdSource for RandomIds {
    fn random(&self) -> [u8; 16] {
        let mut block = self.block.lock().unwrap_or_else(PoisonError::into_inner);
        if block.used + DRAW > BLOCK {
            // The source worked at the start. If it fails later, no id may repeat, so retry until
            // it works.
            while getrandom::fill(block.bytes.as_mut_slice()).is_err() {}
            block.used = 0;
        }
        let start = block.used;
        block.used += DRAW;
        let mut out = [0; DRAW];
        if let Some(bytes) = block.bytes.get_mut(start..start + DRAW) {
            out.copy_from_slice(bytes);
            bytes.fill(0);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_draw_repeats_across_blocks() {
        let ids = RandomIds::new().unwrap();
        let drawn: std::collections::BTreeSet<_> = (0..1_000).map(|_| ids.random()).collect();
        assert_eq!(drawn.len(), 1_000);
        assert!(!drawn.contains(&[0; 16]));
    }
}
