//! Vectors of turns and questions, cached in a file between runs of a benchmark: embedding a
//! development set takes minutes, fitting on it seconds. Keys are digests of model and text. The
//! cache contains no text.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use loci_embed::MiniLm;

/// The size of a key in the file, in bytes.
const KEY_BYTES: usize = 16;
/// Texts between two writes of the file.
const BATCH: usize = 64;

/// The model with its cached results.
pub(crate) struct Vectors {
    model: MiniLm,
    file: PathBuf,
    held: HashMap<u128, Vec<f32>>,
}

/// The kind of a text for the embedding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// A turn: all its windows are embedded.
    Turn = 1,
    /// A question: its two ends are embedded.
    Question = 2,
}

impl Vectors {
    /// Reads the file, if it exists. An incomplete last row is computed again.
    pub(crate) fn open(file: &Path) -> Result<Self> {
        let model = MiniLm::new();
        let row = KEY_BYTES + model.dimensions() * 4;
        let mut held = HashMap::new();
        if file.exists() {
            let bytes = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
            for row in bytes.chunks_exact(row) {
                let (key, values) = row.split_at(KEY_BYTES);
                let values =
                    values.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
                held.insert(u128::from_le_bytes(key.try_into()?), values);
            }
            let whole = bytes.len() / row * row;
            if whole < bytes.len() {
                std::fs::OpenOptions::new().write(true).open(file)?.set_len(whole as u64)?;
            }
        }
        Ok(Self { model, file: file.to_owned(), held })
    }

    /// Returns the model's name.
    pub(crate) fn model_id(&self) -> &'static str {
        self.model.model_id()
    }

    /// Embeds texts that are not cached, on all cores, and caches the vectors.
    pub(crate) fn learn(&mut self, side: Side, texts: &[&str]) -> Result<()> {
        let mut seen = std::collections::HashSet::new();
        let new: Vec<(u128, &str)> = texts
            .iter()
            .map(|text| (self.key(side, text), *text))
            .filter(|(key, _)| !self.held.contains_key(key) && seen.insert(*key))
            .collect();
        if new.is_empty() {
            return Ok(());
        }
        if let Some(folder) = self.file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&self.file)?;
        for (done, batch) in new.chunks(BATCH).enumerate() {
            let mut bytes = Vec::new();
            for (key, vector) in self.embed(side, batch) {
                bytes.extend(key.to_le_bytes());
                bytes.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
                self.held.insert(key, vector);
            }
            file.write_all(&bytes)?;
            if done % 20 == 19 {
                eprintln!("embedded {} of {}", (done + 1) * BATCH, new.len());
            }
        }
        Ok(())
    }

    /// Returns the vector of a text, and embeds it now if it is not cached.
    pub(crate) fn of(&mut self, side: Side, text: &str) -> Result<Vec<f32>> {
        self.learn(side, &[text])?;
        self.held.get(&self.key(side, text)).cloned().context("a text without a vector")
    }

    fn embed(&self, side: Side, texts: &[(u128, &str)]) -> Vec<(u128, Vec<f32>)> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let model = &self.model;
        let one = move |text: &str| match side {
            Side::Turn => model.embed(&[text]).pop().unwrap_or_default(),
            Side::Question => model.embed_question(text).vector,
        };
        std::thread::scope(|scope| {
            let shares: Vec<_> = texts
                .chunks(texts.len().div_ceil(threads).max(1))
                .map(|share| {
                    scope.spawn(move || share.iter().map(|(key, text)| (*key, one(text))).collect::<Vec<_>>())
                })
                .collect();
            shares.into_iter().flat_map(|share| share.join().unwrap_or_default()).collect()
        })
    }

    /// Returns the FNV-1a digest of model, side and text.
    fn key(&self, side: Side, text: &str) -> u128 {
        let bytes = self.model.model_id().bytes().chain([0, side as u8]).chain(text.bytes());
        bytes.fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |digest, byte| {
            (digest ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_embedded_is_read_back_and_a_torn_row_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kept").join("vectors");
        let mut vectors = Vectors::open(&file).unwrap();
        let turn = vectors.of(Side::Turn, "red barn").unwrap();
        let question = vectors.of(Side::Question, "red barn").unwrap();
        let bytes = std::fs::read(&file).unwrap();
        assert_eq!(bytes.len(), 2 * (KEY_BYTES + 4 * turn.len()));
        std::fs::write(&file, bytes.get(..bytes.len() - 1).unwrap()).unwrap();
        let mut again = Vectors::open(&file).unwrap();
        assert_eq!(again.held.len(), 1);
        assert_eq!(again.of(Side::Turn, "red barn").unwrap(), turn);
        assert_eq!(again.of(Side::Question, "red barn").unwrap(), question);
        assert_eq!(Vectors::open(&file).unwrap().held.len(), 2);
    }
}
