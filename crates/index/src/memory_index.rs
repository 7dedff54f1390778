//! The index of one memory: what it holds, and the small questions about it. Changes are in `apply`, searches in
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

/// The retrieval index of one memory: derived from the store, rebuilt from it at will.
///
/// No IO, no clock, no locks: the owner shares it. The same records give the same answers, whatever the order in which
/// they came.
#[derive(Debug, Default)]
pub struct MemoryIndex {
    pub(crate) sequence: u64,
    pub(crate) records: Records,
    pub(crate) columns: Columns,
    /// Passages held.
    pub(crate) live: Bits,
    /// Passages of active records.
    pub(crate) active: Bits,
    /// Passages given up since the last compaction.
    pub(crate) dead: usize,
    pub(crate) vocabulary: Interner,
    /// By term.
    pub(crate) postings: Vec<Postings>,
    /// What lists passages by what they have is left aside for now (`bulk`).
    pub(crate) bulk: bool,
    pub(crate) words: Words,
    pub(crate) groups: Groups,
    pub(crate) chains: Chains,
    pub(crate) names: Names,
    pub(crate) paths: Paths,
    pub(crate) metadata: MetadataSets,
    pub(crate) facets: Facets,
    pub(crate) vectors: Vectors,
    /// Records that will expire, by time.
    pub(crate) expiring: BTreeSet<(Timestamp, u32)>,
    /// Records that are gone, and the change that took them.
    pub(crate) erased: HashMap<CompactText, u64>,
}

/// The texts that groups and places are made of.
#[derive(Debug, Default)]
pub(crate) struct Words {
    /// Namespaces in normal form.
    pub(crate) namespaces: Interner,
    /// Strategies.
    pub(crate) strategies: Interner,
    /// Actors.
    pub(crate) actors: Interner,
    /// Sessions.
    pub(crate) sessions: Interner,
    /// Branches.
    pub(crate) branches: Interner,
    /// Clients' runs.
    pub(crate) runs: Interner,
}

impl MemoryIndex {
    /// An index of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// The change of the memory this index stands at, as [`MemoryIndex::set_sequence`] said last.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Says that every change up to `sequence` is applied and none of them will be applied again.
    pub fn set_sequence(&mut self, sequence: u64) {
        self.sequence = sequence;
        self.erased.retain(|_, erased_at| *erased_at > sequence);
    }

    /// Names that active turns of talk in the caller's view carry as `Name: ` and that are known in the memory, sorted.
    /// Of the scope only the view counts.
    pub fn known_names(&self, scope: &RecordScope) -> Vec<String> {
        let seen = self.seen_groups(scope);
        if let GroupSet::These(groups) = &seen
            && groups.is_bound
        {
            return self.names_of(&groups.passages);
        }
        self.names.known(|group| seen.admits(group))
    }

    /// Passages held.
    pub fn passages(&self) -> u64 {
        self.live.count() as u64
    }

    /// What the index holds. Walks all of it: for people and for checks, not for every request.
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

    /// Bytes held, roughly.
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
