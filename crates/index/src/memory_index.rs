//! The index of one memory: its data, and simple queries. Changes are in `apply`, searches in
//! `candidates` and `neighbours`.

use std::collections::{BTreeSet, HashMap};

use loci_model::Timestamp;
use loci_model::ports::search::IndexInfo;
use loci_model::record::scope::RecordScope;

use crate::columns::Columns;
use crate::columns::chains::Chains;
use crate::columns::groups::Groups;
use crate::columns::metadata_sets::MetadataSets;
use crate::columns::names::Names;
use crate::columns::paths::Paths;
use crate::columns::postings::Postings;
use crate::columns::records::Records;
use crate::filters::facets::Facets;
use crate::primitives::bits::Bits;
use crate::primitives::compact_text::CompactText;
use crate::primitives::interner::Interner;
use crate::search::scope::GroupSet;
use crate::vectors::Vectors;

/// The retrieval index of one memory. It is derived from the store and can be rebuilt at any time.
///
/// It does no input or output, has no clock and no locks: the owner shares it. The same records
/// give the same results, in whatever order they arrived.
#[derive(Debug, Default)]
pub struct MemoryIndex {
    pub(crate) sequence: u64,
    pub(crate) records: Records,
    pub(crate) columns: Columns,
    /// The numbers of the current passages.
    pub(crate) live: Bits,
    /// The numbers of the passages whose records are active.
    pub(crate) active: Bits,
    /// The number of passages that were removed since the last compaction.
    pub(crate) dead: usize,
    pub(crate) vocabulary: Interner,
    /// The postings of each term, by its number.
    pub(crate) postings: Vec<Postings>,
    /// True during a bulk change. The lists of passages by attribute are not updated meanwhile.
    pub(crate) bulk: bool,
    pub(crate) words: Words,
    pub(crate) groups: Groups,
    pub(crate) chains: Chains,
    pub(crate) names: Names,
    pub(crate) paths: Paths,
    pub(crate) metadata: MetadataSets,
    pub(crate) facets: Facets,
    pub(crate) vectors: Vectors,
    /// The records that expire, sorted by the time.
    pub(crate) expiring: BTreeSet<(Timestamp, u32)>,
    /// The removed records, with the sequence of their removal. It rejects older states that arrive
    /// later.
    pub(crate) erased: HashMap<CompactText, u64>,
}

/// The texts that groups and positions refer to by number.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// The namespaces, in normal form.
    pub(crate) namespaces: Interner,
    /// The ids of strategies.
    pub(crate) strategies: Interner,
    /// The ids of actors.
    pub(crate) actors: Interner,
    /// The ids of sessions.
    pub(crate) sessions: Interner,
    /// The names of branches.
    pub(crate) branches: Interner,
    /// The run ids that clients send with messages.
    pub(crate) runs: Interner,
}

impl MemoryIndex {
    /// Returns an empty index.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the sequence number last set by [`MemoryIndex::set_sequence`].
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Records that all changes up to `sequence` are applied, and that none of them will be applied
    /// again.
    pub fn set_sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
        self.erased.retain(|_, erased_at| *erased_at > sequence);
    }

    /// Returns the known speaker names, sorted, that active turns in the caller's part of the
    /// memory start with as `Name: `. Of the scope, only the grants count.
    pub fn known_names(&self, scope: &RecordScope) -> Vec<String> {
        let seen = self.seen_groups(scope);
        if let GroupSet::These(groups) = &seen
            && groups.is_bound
        {
            return self.names_of(&groups.passages);
        }
        self.names.known(|group| seen.admits(group))
    }

    /// Returns the number of current passages.
    pub fn passages(&self) -> u64 {
        self.live.count() as u64
    }

    /// Returns information about the contents of the index. It scans the whole index, so use it for
    /// people and checks, not in requests.
    pub fn info(&self) -> IndexInfo {
        let vectors: usize = self.vectors.spaces().iter().map(|space| space.holders.count()).sum();
        IndexInfo {
            passages: self.live.count() as u64,
            vectors: vectors as u64,
            sequence: self.sequence,
            bytes: self.bytes() as u64,
            digest: self.digest(),
        }
    }

    /// Returns the approximate memory use in bytes.
    pub fn bytes(&self) -> usize {
        let words = &self.words;
        let texts = [
            &words.namespaces,
            &words.strategies,
            &words.actors,
            &words.sessions,
            &words.branches,
            &words.runs,
            &self.vocabulary,
        ];
        texts.into_iter().map(Interner::bytes).sum::<usize>()
            + self.postings.iter().map(Postings::bytes_beside).sum::<usize>()
            + self.postings.capacity() * size_of::<Postings>()
            + self.records.bytes()
            + self.columns.bytes()
            + self.live.bytes()
            + self.active.bytes()
            + self.groups.bytes()
            + self.chains.bytes()
            + self.names.bytes()
            + self.paths.bytes()
            + self.metadata.bytes()
            + self.facets.bytes()
            + self.vectors.bytes()
            + self.expiring.len() * 24
            + self.erased.len() * 64
    }
}
