//! Builds an index from blocks. Every number is checked before use, and records are added by the
//! same code as changes. `blocks` reads blocks and vectors on another thread.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread;

use loci_model::{Error, Result};

use super::blocks::{self, Block};
use super::bytes::{ByteReader, damaged};
use super::dictionary::{load_texts, number_or_none};
use super::frame::{self, SnapshotBlockKind};
use crate::changes::bulk::no_thread;
use crate::columns::groups::GroupKey;
use crate::columns::metadata_sets::MetadataSets;
use crate::columns::records::RecordRow;
use crate::columns::{NONE, PassageRow};
use crate::memory_index::MemoryIndex;
use crate::primitives::compact_text::CompactText;

/// An index under construction.
#[derive(Default)]
struct LoadingIndex {
    index: MemoryIndex,
    groups: u32,
    names: u32,
    paths: u32,
    /// The number of vectors assigned to passages so far, by space.
    vectors: Vec<u32>,
    records: u64,
    passages: u64,
}

/// The data that the records of one block refer to.
struct Parts<'a> {
    metadata: Vec<u32>,
    /// The number of vectors not assigned yet, by space.
    vectors: Vec<u32>,
    terms: &'a [[u8; 4]],
}

/// A parsed passage with its terms and its space.
struct Passage<'a> {
    row: PassageRow,
    terms: &'a [[u8; 4]],
    vector: Option<(u16, u32)>,
}

impl MemoryIndex {
    /// Returns the sequence at which a snapshot was saved, from its head alone. Errors as for
    /// [`MemoryIndex::load`].
    pub fn saved_sequence(from: &mut dyn Read) -> Result<u64> {
        frame::read_head(from)
    }

    /// Loads a snapshot written by [`MemoryIndex::save`], with its sequence. `Invalid` for a
    /// damaged or truncated snapshot, `Conflict` for one of another version. The index must then be
    /// rebuilt.
    pub fn load(from: &mut dyn Read) -> Result<Self> {
        let sequence = frame::read_head(from)?;
        let (ready, blocks) = sync_channel(blocks::READY_MAX);
        let (give_back, used) = channel();
        let (read, built) = thread::scope(|scope| {
            let builder = thread::Builder::new().spawn_scoped(scope, move || build(&blocks, &give_back));
            let builder = builder.map_err(no_thread)?;
            let read = blocks::read(from, &ready, &used);
            // Signals the end to the builder.
            drop(ready);
            let built = builder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Ok::<_, Error>((read, built))
        })?;
        // A read error explains a build error, and is reported first.
        let vectors = read?;
        let mut index = built?;
        if !matches!(from.read(&mut [0]), Ok(0)) {
            return Err(damaged("more follows its end"));
        }
        index.vectors = vectors;
        index.end_bulk()?;
        index.sequence = sequence;
        Ok(index)
    }
}

/// Builds an index without vectors from the received blocks.
fn build(blocks: &Receiver<Block>, used: &Sender<Vec<u8>>) -> Result<MemoryIndex> {
    let mut loading = LoadingIndex::default();
    loading.index.begin_bulk();
    for block in blocks {
        let mut rest = block.rest();
        match block.kind {
            SnapshotBlockKind::Records => loading.block(&mut rest, &block.vectors)?,
            SnapshotBlockKind::End => {
                loading.end(&mut rest)?;
                return Ok(loading.index);
            }
        }
        rest.end()?;
        blocks::give_back(block, used);
    }
    Err(damaged("it is cut off"))
}

impl LoadingIndex {
    fn block(&mut self, block: &mut ByteReader<'_>, vectors: &[u32]) -> Result<()> {
        self.words(block)?;
        self.group_keys(block)?;
        self.name_texts(block)?;
        self.files(block)?;
        let metadata = hold_sets(block, &mut self.index.metadata)?;
        self.vectors.resize(vectors.len().max(self.vectors.len()), 0);
        let count = block.count(4)?;
        let (terms, _) = block.bytes(count * 4)?.as_chunks();
        let mut parts = Parts { metadata, vectors: vectors.to_vec(), terms };
        for _ in 0..block.count(1)? {
            self.record(block, &mut parts)?;
        }
        let used = parts.terms.is_empty() && parts.vectors.iter().all(|left| *left == 0);
        for set in parts.metadata {
            self.index.metadata.release(set);
        }
        if used { Ok(()) } else { Err(damaged("more terms or vectors than passages")) }
    }

    fn words(&mut self, block: &mut ByteReader<'_>) -> Result<()> {
        let index = &mut self.index;
        load_texts(block, &mut index.vocabulary)?;
        index.postings.resize_with(index.vocabulary.len() as usize, Default::default);
        let words = &mut index.words;
        for texts in [
            &mut words.namespaces,
            &mut words.strategies,
            &mut words.actors,
            &mut words.sessions,
            &mut words.branches,
            &mut words.runs,
        ] {
            load_texts(block, texts)?;
        }
        Ok(())
    }

    fn group_keys(&mut self, block: &mut ByteReader<'_>) -> Result<()> {
        let words = &self.index.words;
        for _ in 0..block.count(16)? {
            let key = GroupKey {
                namespace: number_or_none(block.u32()?, words.namespaces.len())?,
                strategy: number_or_none(block.u32()?, words.strategies.len())?,
                actor: number_or_none(block.u32()?, words.actors.len())?,
                session: number_or_none(block.u32()?, words.sessions.len())?,
            };
            if key.namespace == NONE
                || self.index.groups.intern(key, &self.index.words.namespaces) != self.groups
            {
                return Err(damaged("a group is there twice, or nowhere"));
            }
            self.groups += 1;
        }
        Ok(())
    }

    fn name_texts(&mut self, block: &mut ByteReader<'_>) -> Result<()> {
        for _ in 0..block.count(4)? {
            if self.index.names.intern(block.text()?) != self.names {
                return Err(damaged("a name is there twice"));
            }
            self.names += 1;
        }
        Ok(())
    }

    fn files(&mut self, block: &mut ByteReader<'_>) -> Result<()> {
        for _ in 0..block.count(12)? {
            let namespace = number_or_none(block.u32()?, self.index.words.namespaces.len())?;
            let path = block.text()?;
            let count = block.count(4)?;
            let vocabulary = self.index.vocabulary.len();
            let terms = block.bytes(count * 4)?.as_chunks().0;
            let terms: Vec<u32> = terms.iter().map(|term| u32::from_le_bytes(*term)).collect();
            let is_known = terms.iter().all(|term| *term < vocabulary);
            if !is_known || self.index.paths.intern(namespace, path, || terms) != self.paths {
                return Err(damaged("a path is there twice, or of unknown terms"));
            }
            self.paths += 1;
        }
        Ok(())
    }

    fn record(&mut self, block: &mut ByteReader<'_>, parts: &mut Parts<'_>) -> Result<()> {
        let words = &self.index.words;
        let mut row = RecordRow::load(block, &words.runs)?;
        number_or_none(row.group, self.groups)?;
        number_or_none(row.branch, words.branches.len())?;
        number_or_none(row.path, self.paths)?;
        let set = parts.metadata.get(row.metadata as usize).copied();
        row.metadata = set.ok_or_else(|| damaged("a record of unknown metadata"))?;
        if row.group == NONE {
            return Err(damaged("a record of no group"));
        }
        let count = block.count(1)?;
        let passages = (0..count).map(|_| self.passage(block, parts)).collect::<Result<Vec<_>>>()?;
        // The order within a session depends on it.
        if !passages.is_sorted_by(|left, right| left.row.part < right.row.part) {
            return Err(damaged("passages out of order"));
        }
        self.records += 1;
        self.passages += passages.len() as u64;
        self.index.metadata.hold_again(row.metadata);
        let (group, names) = (row.group, passages.iter().map(|passage| passage.row.name).collect::<Vec<_>>());
        self.index.put(row, &names, |index, record| {
            let enter = |passage: &Passage<'_>| {
                let row = PassageRow { record, vector: passage.vector, ..passage.row };
                let terms = passage.terms.iter().map(|term| u32::from_le_bytes(*term));
                index.enter_row(row, terms, group)
            };
            passages.iter().map(enter).collect()
        });
        Ok(())
    }

    fn passage<'a>(&mut self, block: &mut ByteReader<'_>, parts: &mut Parts<'a>) -> Result<Passage<'a>> {
        let (row, space) = PassageRow::load(block)?;
        number_or_none(row.name, self.names)?;
        let split = parts.terms.split_at_checked(row.terms as usize);
        let (terms, rest) = split.ok_or_else(|| damaged("fewer terms than passages say"))?;
        parts.terms = rest;
        let vocabulary = self.index.vocabulary.len();
        if terms.iter().any(|term| u32::from_le_bytes(*term) >= vocabulary) {
            return Err(damaged("a term is not known"));
        }
        let vector = if space == NONE { None } else { Some(self.vector(space, &mut parts.vectors)?) };
        Ok(Passage { row, terms, vector })
    }

    /// Returns the position of the next vector of a space that `blocks` loaded.
    fn vector(&mut self, space: u32, left: &mut [u32]) -> Result<(u16, u32)> {
        let at = space as usize;
        let (left, row) = left
            .get_mut(at)
            .zip(self.vectors.get_mut(at))
            .ok_or_else(|| damaged("a vector of an unknown model"))?;
        *left = left.checked_sub(1).ok_or_else(|| damaged("a missing vector"))?;
        let place = (u16::try_from(space).map_err(|_| damaged("too many models"))?, *row);
        *row = row.checked_add(1).ok_or_else(|| damaged("too many vectors"))?;
        Ok(place)
    }

    fn end(&mut self, block: &mut ByteReader<'_>) -> Result<()> {
        let counts = (block.u64()?, block.u64()?, block.u32()?);
        if counts != (self.records, self.passages, self.index.vocabulary.len()) {
            return Err(damaged("a block is missing"));
        }
        for _ in 0..block.count(9)? {
            let id = CompactText::load(block)?;
            self.index.erased.insert(id, block.u64()?);
        }
        block.end()
    }
}

/// Returns the numbers of the metadata sets of a block, each held while the block is processed.
fn hold_sets(block: &mut ByteReader<'_>, sets: &mut MetadataSets) -> Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for _ in 0..block.count(4)? {
        numbers.push(sets.hold(&MetadataSets::load(block)?));
    }
    Ok(numbers)
}
