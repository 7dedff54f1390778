//! The parts of a memory that filters by grant, namespace and strategy can name: a namespace, a
//! subtree of namespaces, a strategy, an actor, a session. Each part knows its groups. A large part
//! also stores its passages and sums, so that a filter on it copies a set instead of scanning.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::columns::NONE;
use crate::columns::groups::{GroupKey, Lengths};
use crate::filters::holders::Holders;
use crate::primitives::interner::Interner;

/// The minimum number of passages that make a part large.
const GREAT_MIN: u32 = 4_096;

/// The maximum length of a path that is processed, in bytes: several times the limit of a
/// namespace.
const PATH_BYTES_MAX: usize = 8_192;

/// The kind of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FilterPartKind {
    /// A single namespace.
    Namespace = 0,
    /// The records of a strategy, or the records without one.
    Strategy = 1,
    /// The records of an actor, or the records without one.
    Actor = 2,
    /// The records of a session, or the records without one.
    Session = 3,
    /// The records in a namespace and in all namespaces below it.
    Beneath = 4,
}

/// The kinds for which each group belongs to exactly one part.
pub(crate) const OWN: [FilterPartKind; 4] =
    [FilterPartKind::Namespace, FilterPartKind::Strategy, FilterPartKind::Actor, FilterPartKind::Session];

/// The key of a part: its kind and its number.
pub(crate) type PartKey = (FilterPartKind, u32);

/// The passages and sums of a large part. Removed passages stay until a compaction.
#[derive(Debug, Default)]
pub(crate) struct LargePart {
    pub(crate) groups: Holders,
    pub(crate) passages: Holders,
    /// The sums over the active turns of the part.
    pub(crate) lengths: Lengths,
}

#[derive(Debug)]
struct Part {
    /// The number of current passages of the part.
    live: u32,
    /// The newest group that belongs to the part directly.
    first: u32,
    great: Option<Box<LargePart>>,
}

#[derive(Debug)]
struct Node {
    path: Arc<str>,
    /// The number of the parent namespace node. [`NONE`] if the parent is the root, which has no
    /// node.
    above: u32,
    /// The number of the namespace that has exactly the path of this node.
    namespace: u32,
}

/// All parts of the memory.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// Parts by [`FilterPartKind`], then by number. For strategies, actors and sessions, the first
    /// one is the part of records without one.
    parts: [Vec<Part>; 5],
    nodes: Vec<Node>,
    by_path: BTreeMap<Arc<str>, u32>,
    /// The node of each namespace; [`NONE`] for the root.
    node_of: Vec<u32>,
    /// For each group: the next older group in the same part, for each kind in [`OWN`].
    next: Vec<[u32; OWN.len()]>,
}

/// Returns the key of the part for a text's number, or for records without that text.
pub(crate) fn numbered(kind: FilterPartKind, word: u32) -> PartKey {
    match kind {
        FilterPartKind::Namespace | FilterPartKind::Beneath => (kind, word),
        FilterPartKind::Strategy | FilterPartKind::Actor | FilterPartKind::Session => {
            (kind, word.wrapping_add(1))
        }
    }
}

fn own_places(key: &GroupKey) -> [PartKey; OWN.len()] {
    let words = [key.namespace, key.strategy, key.actor, key.session];
    std::array::from_fn(|at| numbered(OWN[at], words[at]))
}

impl Parts {
    /// Adds a group, which must be the newest one.
    pub(crate) fn add_group(&mut self, group: u32, key: &GroupKey, namespaces: &Interner) {
        self.add_namespace(key.namespace, namespaces);
        let mut next = [NONE; OWN.len()];
        for (next, place) in next.iter_mut().zip(own_places(key)) {
            let part = self.part_mut(place);
            *next = std::mem::replace(&mut part.first, group);
        }
        self.next.push(next);
        self.each_part(key, |part, _| {
            if let Some(great) = &mut part.great {
                great.groups.push(group);
            }
        });
    }

    /// Adds a passage, the newest one, to a group. Returns the parts that became large.
    pub(crate) fn join(&mut self, key: &GroupKey, passage: u32) -> Vec<PartKey> {
        let mut grown = Vec::new();
        self.each_part(key, |part, place| {
            part.live += 1;
            match &mut part.great {
                Some(great) => great.passages.push(passage),
                None if part.live >= GREAT_MIN => grown.push(place),
                None => {}
            }
        });
        grown
    }

    /// Removes a passage of a group.
    pub(crate) fn leave(&mut self, key: &GroupKey) {
        self.each_part(key, |part, _| part.live = part.live.saturating_sub(1));
    }

    /// Changes the sums of the large parts of a group.
    pub(crate) fn measure(&mut self, key: &GroupKey, change: impl Fn(&mut Lengths)) {
        self.each_part(key, |part, _| {
            if let Some(great) = &mut part.great {
                change(&mut great.lengths);
            }
        });
    }

    /// Makes a part large.
    pub(crate) fn set_great(&mut self, place: PartKey, great: LargePart) {
        self.part_mut(place).great = Some(Box::new(great));
    }

    /// Returns the contents of a large part.
    pub(crate) fn great(&self, place: PartKey) -> Option<&LargePart> {
        self.part(place)?.great.as_deref()
    }

    /// Returns the number of passages of a part.
    pub(crate) fn live(&self, place: PartKey) -> u32 {
        self.part(place).map_or(0, |part| part.live)
    }

    /// Returns all groups of a part, in no particular order.
    pub(crate) fn groups_of(&self, (kind, number): PartKey) -> Vec<u32> {
        let mut groups = Vec::new();
        if kind == FilterPartKind::Beneath {
            let Some(node) = self.nodes.get(number as usize) else { return groups };
            let beneath = self.by_path.range(Arc::clone(&node.path)..);
            for (_, node) in beneath.take_while(|(path, _)| path.starts_with(&*node.path)) {
                let namespace = self.nodes.get(*node as usize).map_or(NONE, |node| node.namespace);
                self.add_thread((FilterPartKind::Namespace, namespace), &mut groups);
            }
        } else {
            self.add_thread((kind, number), &mut groups);
        }
        groups
    }

    /// True if a group with this key belongs to a part.
    pub(crate) fn is_in(&self, key: &GroupKey, (kind, number): PartKey) -> bool {
        match kind {
            FilterPartKind::Namespace
            | FilterPartKind::Strategy
            | FilterPartKind::Actor
            | FilterPartKind::Session => own_places(key).get(kind as usize) == Some(&(kind, number)),
            FilterPartKind::Beneath => self.above(key.namespace).any(|node| node == number),
        }
    }

    /// Returns the subtree under a node in normal form, if it exists. `None` for the root.
    pub(crate) fn beneath(&self, path: &str) -> Option<PartKey> {
        self.by_path.get(path).map(|node| (FilterPartKind::Beneath, *node))
    }

    /// Renumbers the passages of large parts. Parts that are no longer large are converted back.
    pub(crate) fn rename(&mut self, renamed: &[u32]) {
        for part in self.parts.iter_mut().flatten() {
            if part.live < GREAT_MIN / 2 {
                part.great = None;
            } else if let Some(great) = &mut part.great {
                great.passages.rename(renamed);
            }
        }
    }

    /// Returns the approximate memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let parts = self.parts.iter().map(|parts| parts.capacity() * size_of::<Part>()).sum::<usize>();
        let great = self.parts.iter().flatten().filter_map(|part| part.great.as_deref());
        let nodes: usize = self.nodes.iter().map(|node| size_of::<Node>() + node.path.len() + 48).sum();
        parts
            + great
                .map(|great| size_of::<LargePart>() + great.groups.bytes() + great.passages.bytes())
                .sum::<usize>()
            + nodes
            + self.node_of.capacity() * 4
            + self.next.capacity() * 16
    }

    fn add_thread(&self, place: PartKey, groups: &mut Vec<u32>) {
        let mut group = self.part(place).map_or(NONE, |part| part.first);
        while let Some(next) = self.next.get(group as usize) {
            groups.push(group);
            group = next.get(place.0 as usize).copied().unwrap_or(NONE);
        }
    }

    /// Returns the nodes of a namespace from its own up to the top.
    fn above(&self, namespace: u32) -> impl Iterator<Item = u32> + '_ {
        let known = |node: u32| (node != NONE).then_some(node);
        let first = self.node_of.get(namespace as usize).copied().and_then(known);
        std::iter::successors(first, move |node| known(self.nodes.get(*node as usize)?.above))
    }

    fn each_part(&mut self, key: &GroupKey, mut each: impl FnMut(&mut Part, PartKey)) {
        for place in own_places(key) {
            each(self.part_mut(place), place);
        }
        let mut node = self.node_of.get(key.namespace as usize).copied().unwrap_or(NONE);
        while node != NONE {
            each(self.part_mut((FilterPartKind::Beneath, node)), (FilterPartKind::Beneath, node));
            node = self.nodes.get(node as usize).map_or(NONE, |node| node.above);
        }
    }

    fn part(&self, (kind, number): PartKey) -> Option<&Part> {
        self.parts.get(kind as usize)?.get(number as usize)
    }

    fn part_mut(&mut self, (kind, number): PartKey) -> &mut Part {
        let parts = &mut self.parts[kind as usize];
        let at = number as usize;
        if parts.len() <= at {
            parts.resize_with(at + 1, || Part { live: 0, first: NONE, great: None });
        }
        &mut parts[at]
    }

    fn add_namespace(&mut self, namespace: u32, namespaces: &Interner) {
        while self.node_of.len() <= namespace as usize {
            let number = self.node_of.len() as u32;
            let node = self.node(&namespaces.shared(number));
            if let Some(node) = self.nodes.get_mut(node as usize) {
                node.namespace = number;
            }
            self.node_of.push(node);
        }
    }

    /// Returns the node of a path in normal form, and adds it with its parents. [`NONE`] for the
    /// root, and for paths that no namespace can have.
    fn node(&mut self, path: &Arc<str>) -> u32 {
        let mut node = NONE;
        if path.len() > PATH_BYTES_MAX {
            return node;
        }
        for (end, _) in path.match_indices('/').skip(1) {
            let Some(prefix) = path.get(..=end) else { continue };
            let above = node;
            node = self.by_path.get(prefix).copied().unwrap_or(self.nodes.len() as u32);
            if node as usize == self.nodes.len() {
                let prefix: Arc<str> =
                    if prefix.len() == path.len() { Arc::clone(path) } else { prefix.into() };
                self.nodes.push(Node { path: Arc::clone(&prefix), above, namespace: NONE });
                self.by_path.insert(prefix, node);
            }
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(namespaces: &mut Interner, namespace: &str, strategy: u32) -> GroupKey {
        GroupKey { namespace: namespaces.intern(namespace), strategy, actor: NONE, session: 3 }
    }

    #[test]
    fn groups_are_found_from_each_of_their_parts() {
        let (mut parts, mut namespaces) = (Parts::default(), Interner::default());
        let keys: Vec<GroupKey> =
            [("/a/b/", 0), ("/a/", NONE), ("/ab/", 0), ("/", 1), ("/a/b/c/", 1), ("/a/b/", 1)]
                .iter()
                .map(|(namespace, strategy)| key(&mut namespaces, namespace, *strategy))
                .collect();
        for (group, key) in keys.iter().enumerate() {
            parts.add_group(group as u32, key, &namespaces);
        }
        let check = |place: PartKey, expect: &[u32]| {
            let mut groups = parts.groups_of(place);
            groups.sort_unstable();
            assert_eq!(groups, expect, "{place:?}");
            for (group, key) in keys.iter().enumerate() {
                assert_eq!(parts.is_in(key, place), expect.contains(&(group as u32)), "{place:?} {key:?}");
            }
        };
        check(parts.beneath("/a/").unwrap(), &[0, 1, 4, 5]);
        check(parts.beneath("/a/b/").unwrap(), &[0, 4, 5]);
        check(parts.beneath("/ab/").unwrap(), &[2]);
        assert_eq!((parts.beneath("/"), parts.beneath("/c/")), (None, None));
        check(numbered(FilterPartKind::Namespace, namespaces.find("/a/b/").unwrap()), &[0, 5]);
        check(numbered(FilterPartKind::Namespace, namespaces.find("/").unwrap()), &[3]);
        check(numbered(FilterPartKind::Strategy, 1), &[3, 4, 5]);
        check(numbered(FilterPartKind::Strategy, NONE), &[1]);
        check(numbered(FilterPartKind::Actor, NONE), &[0, 1, 2, 3, 4, 5]);
        check(numbered(FilterPartKind::Session, 3), &[0, 1, 2, 3, 4, 5]);
        check(numbered(FilterPartKind::Session, 9), &[]);
    }

    #[test]
    fn a_part_grows_great_and_small_again() {
        let (mut parts, mut namespaces) = (Parts::default(), Interner::default());
        let key = key(&mut namespaces, "/a/", 0);
        parts.add_group(0, &key, &namespaces);
        let mut grown = Vec::new();
        (0..GREAT_MIN).for_each(|passage| grown.extend(parts.join(&key, passage)));
        assert_eq!(grown.len(), 5);
        let place = (FilterPartKind::Beneath, 0);
        parts.set_great(
            place,
            LargePart {
                groups: [0].into_iter().collect(),
                passages: [7, 8].into_iter().collect(),
                lengths: Lengths::default(),
            },
        );
        parts.join(&key, 9);
        let passages = |parts: &Parts| {
            parts.great(place).map(|great| great.passages.mask(99).iter().collect::<Vec<_>>())
        };
        assert_eq!(passages(&parts), Some(vec![7, 8, 9]));
        parts.rename(&[NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0, NONE, 1]);
        assert_eq!(passages(&parts), Some(vec![0, 1]));
        (0..GREAT_MIN).for_each(|_| parts.leave(&key));
        parts.rename(&[0, 1]);
        assert_eq!((passages(&parts), parts.live(place)), (None, 1));
    }
}
