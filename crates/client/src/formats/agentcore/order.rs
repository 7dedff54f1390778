//! Events of a session in the order in which they can be stored: by their ids, but none before the event that its branch starts from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What of an event decides where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    /// Its id; the order of ids is that of events.
    pub(super) id: String,
    /// Its branch, and the event that starts from; `None` on the main line.
    pub(super) branch: Option<(String, Option<String>)>,
}

impl Placed {
    /// An event by what is said of its branch.
    pub(super) fn of(id: &str, branch: Option<(&str, Option<&str>)>) -> Self {
        let branch = branch.filter(|(name, _)| *name != MAIN);
        let owned = branch.map(|(name, root)| (name.to_owned(), root.map(str::to_owned)));
        Self { id: id.to_owned(), branch: owned }
    }
}

/// The main line's name.
pub(super) const MAIN: &str = "main";

/// Orders events. A branch whose start is gone starts from the event before its first one, and is told in `moved`; where there is none, its events
/// are of the main line.
pub(super) fn ordered(mut events: Vec<Placed>, moved: &mut BTreeSet<String>) -> Vec<Placed> {
    events.sort_by(|a, b| a.id.cmp(&b.id));
    events.dedup_by(|a, b| a.id == b.id);
    give_roots(&mut events, moved);
    let mut done: BTreeSet<String> = BTreeSet::new();
    let mut ordered = Vec::with_capacity(events.len());
    let mut waiting: VecDeque<Placed> = events.into();
    loop {
        let before = waiting.len();
        for _ in 0..before {
            let Some(event) = waiting.pop_front() else { break };
            let root = event.branch.as_ref().and_then(|(_, root)| root.clone());
            if root.is_none_or(|root| done.contains(&root)) {
                done.insert(event.id.clone());
                ordered.push(event);
            } else {
                waiting.push_back(event);
            }
        }
        // Branches that start from one another in a ring are of no server; nothing is lost of them here.
        if waiting.len() == before {
            ordered.extend(waiting);
            return ordered;
        }
    }
}

/// Every branch starts from an event that is there.
fn give_roots(events: &mut [Placed], moved: &mut BTreeSet<String>) {
    let ids: BTreeSet<String> = events.iter().map(|event| event.id.clone()).collect();
    let mut roots: BTreeMap<String, Option<String>> = BTreeMap::new();
    for event in events.iter() {
        if let Some((name, root)) = &event.branch {
            let there = root.clone().filter(|root| ids.contains(root));
            let known = roots.entry(name.clone()).or_default();
            *known = known.take().or(there);
        }
    }
    for event in events.iter_mut() {
        let Some((name, root)) = &mut event.branch else { continue };
        let known = roots.entry(name.clone()).or_default();
        if known.is_none() {
            moved.insert(name.clone());
            *known = ids.range(..event.id.clone()).next_back().cloned();
        }
        *root = known.clone();
        if root.is_none() {
            event.branch = None;
        }
    }
}
