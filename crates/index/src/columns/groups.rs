//! Groups: records with the same namespace, strategy, actor and session. Filters by grant,
//! namespace and strategy select whole groups, and sums of lengths are stored for each group.

use std::collections::HashMap;

use crate::columns::NONE;
use crate::filters::parts::{LargePart, PartKey, Parts};
use crate::primitives::compact_list::push_sparing;
use crate::primitives::interner::Interner;
use crate::primitives::mask::Mask;

/// The key of a group. Each member is the number of a text, or [`NONE`] if records of the group
/// have none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct GroupKey {
    /// The number of the namespace. Every group has one.
    pub(crate) namespace: u32,
    /// The number of the strategy.
    pub(crate) strategy: u32,
    /// The number of the actor.
    pub(crate) actor: u32,
    /// The number of the session.
    pub(crate) session: u32,
}

/// Sums over active turns of conversations, for mean lengths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lengths {
    /// The number of turns.
    pub turns: u64,
    /// The number of sessions that contain such a turn.
    pub sessions: u64,
    /// The number of terms in the turns. Sessions have the same number.
    pub terms: u64,
    /// The number of terms in the pairs of the turns: each turn with the one before it.
    pub pairs: u64,
    /// The number of terms in the windows of the turns: two turns before, the turn, and one after.
    pub windows: u64,
}

impl Lengths {
    /// Adds other sums to these.
    pub(crate) fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        self.sessions += other.sessions;
        self.terms += other.terms;
        self.pairs += other.pairs;
        self.windows += other.windows;
    }

    /// Subtracts sums that were added before.
    pub(crate) fn subtract(&mut self, other: &Self) {
        self.turns = self.turns.saturating_sub(other.turns);
        self.sessions = self.sessions.saturating_sub(other.sessions);
        self.terms = self.terms.saturating_sub(other.terms);
        self.pairs = self.pairs.saturating_sub(other.pairs);
        self.windows = self.windows.saturating_sub(other.windows);
    }
}

/// A group of records, with its passages.
#[derive(Debug)]
pub(crate) struct Group {
    /// The key of the group.
    pub(crate) key: GroupKey,
    /// The passages of the group. Removed ones stay until a compaction.
    pub(crate) members: Vec<u32>,
    /// The number of current passages in the group.
    pub(crate) live: usize,
    /// The sums over the active turns of the group.
    pub(crate) lengths: Lengths,
}

/// The passages of several selected groups.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) groups: Mask,
    /// The passages of the groups, including removed ones.
    pub(crate) passages: Mask,
    /// The sums over the active turns of the groups. `None` if a scan must compute them.
    pub(crate) lengths: Option<Lengths>,
}

/// All groups, and their total sums.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Group>,
    by_key: HashMap<GroupKey, u32>,
    /// The parts of the memory that filters can name.
    pub(crate) parts: Parts,
    /// The sums over all active turns of the memory.
    pub(crate) total: Lengths,
}

impl Groups {
    /// Returns the number of the group with this key, and adds the group if it is new. `namespaces`
    /// are the texts of the namespace numbers.
    pub(crate) fn intern(&mut self, key: GroupKey, namespaces: &Interner) -> u32 {
        if let Some(number) = self.by_key.get(&key) {
            return *number;
        }
        let number = self.groups.len() as u32;
        self.groups.push(Group { key, members: Vec::new(), live: 0, lengths: Lengths::default() });
        self.by_key.insert(key, number);
        self.parts.add_group(number, &key, namespaces);
        number
    }

    /// Returns all groups by number.
    pub(crate) fn all(&self) -> &[Group] {
        &self.groups
    }

    /// Returns the group with a number.
    pub(crate) fn get(&self, group: u32) -> Option<&Group> {
        self.groups.get(group as usize)
    }

    /// Adds a passage to a group. It must have the highest number so far.
    pub(crate) fn join(&mut self, group: u32, passage: u32) {
        let Some(group) = self.groups.get_mut(group as usize) else { return };
        push_sparing(&mut group.members, passage);
        group.live += 1;
        for place in self.parts.join(&group.key, passage) {
            let Selection { groups, passages, lengths } = self.walk(place, &[], passage as usize + 1);
            let (groups, passages) = (groups.iter().collect(), passages.iter().collect());
            self.parts.set_great(place, LargePart { groups, passages, lengths: lengths.unwrap_or_default() });
        }
    }

    /// Removes a passage from a group.
    pub(crate) fn leave(&mut self, group: u32) {
        if let Some(group) = self.groups.get_mut(group as usize) {
            group.live = group.live.saturating_sub(1);
            self.parts.leave(&group.key);
        }
    }

    /// Returns the passages below `limit` of the groups that belong to all of the parts.
    pub(crate) fn in_all(&self, places: &[PartKey], limit: usize) -> Selection {
        let parts = &self.parts;
        let Some(least) = places.iter().copied().min_by_key(|place| parts.live(*place)) else {
            let (groups, passages) = (Mask::all(self.groups.len()), Mask::all(limit));
            return Selection { groups, passages, lengths: Some(self.total) };
        };
        let Some(great) = parts.great(least) else { return self.walk(least, places, limit) };
        let (groups, passages) = (great.groups.mask(self.groups.len()), great.passages.mask(limit));
        let mut all = Selection { groups, passages, lengths: Some(great.lengths) };
        for place in places.iter().filter(|place| **place != least) {
            all.lengths = None;
            if let Some(great) = parts.great(*place) {
                great.groups.narrow(&mut all.groups);
                great.passages.narrow(&mut all.passages);
            } else {
                let others = self.walk(*place, &[], limit);
                all.groups.keep(others.groups.words());
                all.passages.keep(others.passages.words());
            }
        }
        all
    }

    /// Computes that intersection group by group: the groups of `first` that belong to all of
    /// `places`.
    fn walk(&self, first: PartKey, places: &[PartKey], limit: usize) -> Selection {
        let (mut groups, mut passages) = (Mask::none(self.groups.len()), Mask::none(limit));
        let mut lengths = Lengths::default();
        for number in self.parts.groups_of(first) {
            let Some(group) = self.groups.get(number as usize) else { continue };
            if places.iter().all(|place| self.parts.is_in(&group.key, *place)) {
                groups.add_each([number]);
                passages.add_each(group.members.iter().copied());
                lengths.add(&group.lengths);
            }
        }
        Selection { groups, passages, lengths: Some(lengths) }
    }

    /// Adds to the sums of a group.
    pub(crate) fn add(&mut self, group: u32, lengths: &Lengths) {
        self.total.add(lengths);
        if let Some(group) = self.groups.get_mut(group as usize) {
            group.lengths.add(lengths);
            self.parts.measure(&group.key, |sums| sums.add(lengths));
        }
    }

    /// Subtracts from the sums of a group.
    pub(crate) fn subtract(&mut self, group: u32, lengths: &Lengths) {
        self.total.subtract(lengths);
        if let Some(group) = self.groups.get_mut(group as usize) {
            group.lengths.subtract(lengths);
            self.parts.measure(&group.key, |sums| sums.subtract(lengths));
        }
    }

    /// Removes the passages that a compaction removed from the groups, and renumbers the others.
    pub(crate) fn compact(&mut self, renamed: &[u32]) {
        self.parts.rename(renamed);
        for group in &mut self.groups {
            group.members.retain_mut(|passage| {
                *passage = renamed.get(*passage as usize).copied().unwrap_or(NONE);
                *passage != NONE
            });
        }
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let members: usize = self.groups.iter().map(|group| group.members.capacity() * 4).sum();
        self.groups.capacity() * size_of::<Group>()
            + self.by_key.capacity() * 25
            + members
            + self.parts.bytes()
    }
}
