//! Orders the events of a session so that they can be stored: by id, but each after the event that
//! its branch starts from.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The parts of an event that determine its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OrderedEvent {
    /// The id. The order of ids is that of the events.
    pub(super) id: String,
    /// The branch, and the event that it starts from; `None` on the main line.
    pub(super) branch: Option<(String, Option<String>)>,
}

impl OrderedEvent {
    /// Creates an event from its branch data.
    pub(super) fn of(id: &str, branch: Option<(&str, Option<&str>)>) -> Self {
        let branch = branch.filter(|(name, _)| *name != MAIN);
        let owned = branch.map(|(name, root)| (name.to_owned(), root.map(str::to_owned)));
        Self { id: id.to_owned(), branch: owned }
    }
}

/// The main line's name.
pub(super) const MAIN: &str = "main";

/// Orders events. A branch whose start is missing starts from the event before its first one, and
/// `moved` names it. If there is no such event, its events belong to the main line.
pub(super) fn ordered(mut events: Vec<OrderedEvent>, moved: &mut BTreeSet<String>) -> Vec<OrderedEvent> {
    events.sort_by(|a, b| a.id.cmp(&b.id));
    events.dedup_by(|a, b| a.id == b.id);
    give_roots(&mut events, moved);
    let mut done: BTreeSet<String> = BTreeSet::new();
    let mut ordered = Vec::with_capacity(events.len());
    let mut waiting: VecDeque<OrderedEvent> = events.into();
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
        // No server creates branches that start from one another in a cycle; here no event of them
        // is lost.
        if waiting.len() == before {
            ordered.extend(waiting);
            return ordered;
        }
    }
}

/// Makes every branch start from an existing event.
fn give_roots(events: &mut [OrderedEvent], moved: &mut BTreeSet<String>) {
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
