//! Writes an index to blocks, a few thousand records at a time.

use std::collections::HashMap;
use std::io::Write;

use loci_model::{Error, Result};

use super::bytes::ByteWriter;
use super::dictionary::Dictionary;
use super::frame::{self, SnapshotBlockKind};
use crate::columns::NONE;
use crate::columns::metadata_sets::MetadataSets;
use crate::columns::records::RowNumbers;
use crate::memory_index::MemoryIndex;
use crate::primitives::compact_text::CompactText;
use crate::vectors::RowsOut;

/// The size of records at which a block is closed, in bytes; the next constant is the maximum
/// number of examined records.
const BLOCK_BYTES: usize = 1 << 20;
const BLOCK_RECORDS: u32 = 4_096;

impl Default for SnapshotSaver {
    fn default() -> Self {
        Self::new()
    }
}

/// Writes a snapshot of one index block by block. The index may change between blocks: each record
/// is written in its state at the time of its block. Changes after the first block are later than
/// [`SnapshotSaver::sequence`], so applying all later changes after loading gives a complete index.
#[derive(Debug)]
pub struct SnapshotSaver {
    step: u32,
    sequence: Option<u64>,
    ended: bool,
    next_record: u32,
    ordinal: u64,
    records: u64,
    passages: u64,
    terms: Dictionary,
    words: [Dictionary; 6],
    groups: Dictionary,
    names: Dictionary,
    paths: Dictionary,
    spaces: Dictionary,
}

/// The contents of a block, by part.
#[derive(Debug, Default)]
struct Block {
    metadata: Sets,
    vectors: Vec<RowsOut>,
    terms: ByteWriter,
    term_count: u32,
    heads: ByteWriter,
    records: u32,
}

/// The metadata sets of a block.
#[derive(Debug, Default)]
struct Sets {
    numbers: HashMap<u32, u32>,
    out: ByteWriter,
}

impl Block {
    fn bytes(&self) -> usize {
        let vectors: usize = self.vectors.iter().map(RowsOut::bytes).sum();
        self.heads.0.len() + self.terms.0.len() + vectors
    }
}

impl SnapshotSaver {
    /// Starts a snapshot in blocks that each take a millisecond or two.
    pub fn new() -> Self {
        Self::stepping(BLOCK_RECORDS)
    }

    /// Starts a snapshot in blocks of at most `records` records.
    pub fn stepping(records: u32) -> Self {
        Self {
            step: records.max(1),
            sequence: None,
            ended: false,
            next_record: 0,
            ordinal: 0,
            records: 0,
            passages: 0,
            terms: Dictionary::default(),
            words: Default::default(),
            groups: Dictionary::default(),
            names: Dictionary::default(),
            paths: Dictionary::default(),
            spaces: Dictionary::default(),
        }
    }

    /// Returns the sequence of the snapshot; 0 before its first block.
    pub fn sequence(&self) -> u64 {
        self.sequence.unwrap_or(0)
    }

    /// Appends the next block to `out`. Returns false if the snapshot is complete and nothing was
    /// appended. Every call needs the same index, changed or not.
    pub fn next(&mut self, index: &MemoryIndex, out: &mut Vec<u8>) -> bool {
        if self.ended {
            return false;
        }
        if self.sequence.is_none() {
            self.sequence = Some(index.sequence());
            frame::write_head(index.sequence(), out);
        }
        let mut block = Block::default();
        while block.bytes() < BLOCK_BYTES && block.records < self.step {
            if self.next_record >= index.records.limit() {
                break;
            }
            self.record(index, self.next_record, &mut block);
            self.next_record += 1;
        }
        if block.records > 0 {
            let payload = self.payload(block);
            frame::seal(SnapshotBlockKind::Records, self.ordinal, &payload.0, out);
        } else {
            let payload = self.end(index);
            frame::seal(SnapshotBlockKind::End, self.ordinal, &payload.0, out);
            self.ended = true;
        }
        self.ordinal += 1;
        true
    }

    fn record(&mut self, index: &MemoryIndex, record: u32, block: &mut Block) {
        let Some(row) = index.records.held(record) else { return };
        let [.., branches, runs] = &mut self.words;
        let run = row.run().and_then(|run| index.words.runs.find(run)).unwrap_or(NONE);
        let numbers = RowNumbers {
            branch: branches.text(row.branch, &index.words.branches),
            run: runs.text(run, &index.words.runs),
            group: self.group(index, row.group),
            path: self.path(index, row.path),
            metadata: set_number(&index.metadata, row.metadata, &mut block.metadata),
        };
        row.save(&numbers, &mut block.heads);
        block.heads.u32(row.passages.len() as u32);
        for passage in row.passages {
            self.passage(index, passage, block);
        }
        block.records += 1;
        self.records += 1;
    }

    fn passage(&mut self, index: &MemoryIndex, passage: u32, block: &mut Block) {
        let row = index.columns.row(passage);
        let name = self.names.find(row.name).unwrap_or_else(|| {
            let (new, out) = self.names.define(row.name);
            out.text(index.names.text(row.name));
            new
        });
        let held = row.vector.and_then(|(space, at)| Some((space, index.vectors.by_number(space)?, at)));
        let space = held.map_or(NONE, |(number, space, at)| {
            let new = self.spaces.find(u32::from(number)).unwrap_or_else(|| {
                let (new, out) = self.spaces.define(u32::from(number));
                out.text(&space.model).u32(space.dimensions as u32);
                new
            });
            if block.vectors.len() <= new as usize {
                block.vectors.resize_with(new as usize + 1, RowsOut::default);
            }
            if let Some(rows) = block.vectors.get_mut(new as usize) {
                space.save_row(at, rows);
            }
            new
        });
        row.save(name, space, &mut block.heads);
        for term in index.columns.all_terms(passage) {
            let term = self.terms.text(*term, &index.vocabulary);
            block.terms.u32(term);
            block.term_count += 1;
        }
        self.passages += 1;
    }

    fn group(&mut self, index: &MemoryIndex, group: u32) -> u32 {
        if let Some(known) = self.groups.find(group) {
            return known;
        }
        let Some(key) = index.groups.get(group).map(|group| group.key) else { return NONE };
        let [namespaces, strategies, actors, sessions, ..] = &mut self.words;
        let (new, out) = self.groups.define(group);
        out.u32(namespaces.text(key.namespace, &index.words.namespaces));
        out.u32(strategies.text(key.strategy, &index.words.strategies));
        out.u32(actors.text(key.actor, &index.words.actors));
        out.u32(sessions.text(key.session, &index.words.sessions));
        new
    }

    fn path(&mut self, index: &MemoryIndex, path: u32) -> u32 {
        if let Some(known) = self.paths.find(path) {
            return known;
        }
        let Some(file) = index.paths.get(path) else { return NONE };
        let [namespaces, ..] = &mut self.words;
        let (new, out) = self.paths.define(path);
        out.u32(namespaces.text(file.namespace, &index.words.namespaces));
        out.text(&file.path).u32(file.terms.len() as u32);
        for term in &file.terms {
            out.u32(self.terms.text(*term, &index.vocabulary));
        }
        new
    }

    /// Returns the parts of a block in reading order: vectors, which are loaded separately, then
    /// words before their uses.
    fn payload(&mut self, mut block: Block) -> ByteWriter {
        let mut out = ByteWriter::default();
        self.spaces.flush(&mut out);
        block.vectors.resize_with(self.spaces.len() as usize, RowsOut::default);
        for rows in &block.vectors {
            rows.write(&mut out);
        }
        self.terms.flush(&mut out);
        for words in &mut self.words {
            words.flush(&mut out);
        }
        for definitions in [&mut self.groups, &mut self.names, &mut self.paths] {
            definitions.flush(&mut out);
        }
        out.u32(block.metadata.numbers.len() as u32).bytes(&block.metadata.out.0);
        out.u32(block.term_count).bytes(&block.terms.0);
        out.u32(block.records).bytes(&block.heads.0);
        out
    }

    /// Returns the end block, which marks a snapshot as complete and lists removed records.
    fn end(&self, index: &MemoryIndex) -> ByteWriter {
        let mut out = ByteWriter::default();
        out.u64(self.records).u64(self.passages).u32(self.terms.len());
        let mut erased: Vec<(&CompactText, u64)> =
            index.erased.iter().map(|(id, sequence)| (id, *sequence)).collect();
        erased.sort_unstable();
        out.u32(erased.len() as u32);
        for (id, sequence) in erased {
            id.save(&mut out);
            out.u64(sequence);
        }
        out
    }
}

/// A set is written in every block that uses it, because its number may be reused between blocks.
fn set_number(sets: &MetadataSets, number: u32, known: &mut Sets) -> u32 {
    let next = known.numbers.len() as u32;
    *known.numbers.entry(number).or_insert_with(|| {
        sets.save(number, &mut known.out);
        next
    })
}

impl MemoryIndex {
    /// Writes a snapshot for [`MemoryIndex::load`]. A [`SnapshotSaver`] does the same in steps.
    pub fn save(&self, to: &mut dyn Write) -> Result<()> {
        let mut saver = SnapshotSaver::new();
        let mut block = Vec::new();
        while saver.next(self, &mut block) {
            to.write_all(&block).map_err(|error| {
                Error::unavailable("the index snapshot cannot be written").caused_by(error)
            })?;
            block.clear();
        }
        Ok(())
    }
}
