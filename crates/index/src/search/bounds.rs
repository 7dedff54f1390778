//! The passages that a caller may see if a grant restricts its groups further
//! (`loci_model::bounds`). Numbers for such a caller are counted from these passages by a scan.

use std::collections::BTreeSet;

use loci_model::principal::bounds::Bounds;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::RecordScope;

use crate::columns::NONE;
use crate::columns::groups::Lengths;
use crate::memory_index::MemoryIndex;
use crate::primitives::mask::Mask;
use crate::search::scope::{GroupSet, Groups};

impl MemoryIndex {
    /// Returns the groups of which the caller may see at least some passages, with these passages.
    pub(crate) fn bound_groups(&self, scope: &RecordScope) -> GroupSet {
        let mut groups = Mask::none(self.groups.all().len());
        let mut passages = Mask::none(self.columns.len());
        for clause in &scope.view {
            let mut part = match self.in_any([self.parts_of(clause)].into_iter(), &GroupSet::All) {
                GroupSet::All => {
                    groups.add(Mask::all(self.groups.all().len()).words());
                    Mask::all(self.columns.len())
                }
                GroupSet::These(part) => {
                    groups.add(part.words());
                    part.passages
                }
            };
            self.keep_bounds(&mut part, &clause.bounds);
            passages.add(part.words());
        }
        GroupSet::These(Groups { groups: groups.into_bits(), passages, lengths: None, is_bound: true })
    }

    /// Keeps the passages within the bounds.
    fn keep_bounds(&self, mask: &mut Mask, bounds: &Bounds) {
        for (key, allowed) in &bounds.metadata {
            let mut any = Mask::none(mask.words().len() * 64);
            for text in allowed {
                let mut of_text = mask.clone();
                let right = Some(MetadataValue::String(text.clone()));
                let filter = MetadataFilter { key: key.clone(), operator: FilterOperator::EqualsTo, right };
                self.metadata.narrow(&mut of_text, &filter);
                any.add(of_text.words());
            }
            *mask = any;
        }
        if bounds.since.is_some() {
            let row = |passage: u32| self.records.row(self.columns.row(passage).record);
            let is_young = |passage: &u32| self.live.has(*passage) && bounds.admits_time(row(*passage).time);
            let young: Vec<u32> = mask.iter().filter(is_young).collect();
            mask.keep_each(&young);
        }
    }

    /// Returns sums over the active turns among these passages.
    pub(crate) fn lengths_of(&self, passages: &Mask) -> Lengths {
        let mut sum = Lengths::default();
        let mut sessions: BTreeSet<u32> = BTreeSet::new();
        for passage in passages.iter().filter(|passage| self.active.has(*passage)) {
            sum.add(&Lengths {
                turns: 1,
                sessions: 0,
                terms: u64::from(self.columns.sum([passage].into_iter())),
                pairs: u64::from(self.columns.sum(self.columns.pair(passage))),
                windows: u64::from(self.columns.sum(self.columns.window(passage))),
            });
            sessions.extend(self.columns.chain.get(passage as usize));
        }
        sum.sessions = sessions.len() as u64;
        sum
    }

    /// Returns the paths of active records among these passages.
    pub(crate) fn paths_of(&self, passages: &Mask) -> BTreeSet<u32> {
        let active = passages.iter().filter(|passage| self.active.has(*passage));
        active
            .map(|passage| self.records.row(self.columns.row(passage).record).path)
            .filter(|path| *path != NONE)
            .collect()
    }

    /// Returns the known names, sorted, that active turns of conversation among these passages
    /// start with.
    pub(crate) fn names_of(&self, passages: &Mask) -> Vec<String> {
        let mut carried = BTreeSet::new();
        for passage in passages.iter().filter(|passage| self.active.has(*passage)) {
            let row = self.columns.row(passage);
            if row.name != NONE && self.records.row(row.record).is_linked() {
                carried.insert(row.name);
            }
        }
        let known = carried.into_iter().filter(|name| self.names.is_known(*name));
        let mut names: Vec<String> = known.map(|name| self.names.text(name).to_owned()).collect();
        names.sort_unstable();
        names
    }
}
