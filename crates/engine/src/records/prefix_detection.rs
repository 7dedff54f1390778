//! Detects clients that expect `namespace` to be a text prefix, as it was in AgentCore earlier:
//! `/users/1` then also matched `/users/10/`. The result is only counted and logged; responses
//! never change.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};

use loci_model::ports::store::{ReadTx, RecordPage};
use loci_model::record::scope::RecordScope;
use loci_model::{MemoryId, Namespace, NamespaceFilter, NamespaceMatch, Result, Timestamp};

/// The maximum number of records that a check reads.
const LOOKED_AT: usize = 100;
/// The maximum number of nodes that a search checks, which limits the cost for a search with many
/// namespaces.
const NODES_OF_SEARCH: usize = 3;

/// The time between two checks of the same node, in milliseconds.
const AGAIN_MS: i64 = 3_600_000;
/// The maximum number of nodes whose last check is remembered. When there are more, all are
/// forgotten and checked again.
const NODES_MAX: usize = 10_000;

/// The time of the last check of each namespace node. It is not shared between processes.
#[derive(Debug, Default)]
pub(crate) struct LastChecks {
    last: Mutex<HashMap<(MemoryId, String), Timestamp>>,
}

impl LastChecks {
    /// Returns true if a node of `scope` that is matched exactly has had no recent check, and
    /// records the check.
    pub(crate) fn are_due(&self, scope: &RecordScope, now: Timestamp) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due = false;
        for node in exact_nodes(scope) {
            let node = (scope.memory.clone(), node.normal().to_owned());
            if last.get(&node).is_some_and(|at| now < at.plus_millis(AGAIN_MS)) {
                continue;
            }
            if last.len() >= NODES_MAX {
                last.clear();
            }
            last.insert(node, now);
            due = true;
        }
        due
    }
}

/// Returns the nodes of a scope that are matched exactly, without their subtrees, up to
/// [`NODES_OF_SEARCH`].
fn exact_nodes(scope: &RecordScope) -> impl Iterator<Item = &NamespaceFilter> {
    let exact = scope.namespaces.iter().filter(|filter| filter.mode() == NamespaceMatch::Exact);
    exact.take(NODES_OF_SEARCH)
}

/// Returns the number of sibling nodes (usually one per actor) that a text prefix of the exact
/// nodes in `scope` would have matched. It checks the newest records below the parent of each node,
/// so it underestimates large trees.
pub(crate) fn siblings_by_prefix(tx: &dyn ReadTx, scope: &RecordScope) -> Result<usize> {
    let mut most = 0;
    for node in exact_nodes(scope) {
        let (parent, _) = parent_and_name(node.normal());
        let place = Namespace::parse(parent)?;
        let around = RecordScope {
            namespaces: vec![NamespaceFilter::new(&place, NamespaceMatch::Subtree)],
            metadata: Vec::new(),
            ..scope.clone()
        };
        let records = tx.records().list(&RecordPage { scope: around, after: None, limit: LOOKED_AT })?;
        let places = records.iter().map(|record| record.namespace.normal());
        most = most.max(siblings(node.normal(), places));
    }
    Ok(most)
}

/// Returns the number of distinct names that start with the name of `node` and are at its level
/// of the tree. All namespaces are in normal form.
fn siblings(node: &str, places: impl Iterator<Item = String>) -> usize {
    let (parent, name) = parent_and_name(node);
    let names = places.filter_map(|place| {
        let sibling = place.strip_prefix(parent)?.split('/').next()?;
        sibling.starts_with(name).then(|| sibling.to_owned())
    });
    names.collect::<BTreeSet<_>>().len()
}

/// Splits `/users/1/` into `/users/` and `1`.
fn parent_and_name(node: &str) -> (&str, &str) {
    let without_end = node.trim_end_matches('/');
    let at = without_end.rfind('/').map_or(0, |slash| slash + 1);
    match at {
        0 => ("/", ""),
        _ => without_end.split_at(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_side_by_side() {
        let places = ["/users/1/", "/users/1/facts/", "/users/10/facts/", "/users/2/", "/teams/1/"];
        let check = |node: &str, expect| {
            let places = places.iter().map(|place| (*place).to_owned());
            assert_eq!(siblings(node, places), expect, "{node}");
        };
        check("/users/1/", 2);
        check("/users/10/", 1);
        check("/users/1/facts/", 1);
        check("/use/", 1);
        check("/x/", 0);
        check("/", 2);
    }

    #[test]
    fn a_node_is_looked_at_once_in_an_hour() {
        let memory = MemoryId::parse("mem-1234567890").unwrap();
        let at = |hours: i64| Timestamp::clamped(1_700_000_000_000 + hours * AGAIN_MS);
        let looks = LastChecks::default();
        let check = |node: &str, mode: NamespaceMatch, hours: i64, expect: bool| {
            let mut scope = RecordScope::whole(memory.clone(), at(hours));
            scope.namespaces = vec![NamespaceFilter::new(&Namespace::parse(node).unwrap(), mode)];
            assert_eq!(looks.are_due(&scope, at(hours)), expect, "{node} {hours}");
        };
        check("/users/1/", NamespaceMatch::Exact, 0, true);
        check("/users/1", NamespaceMatch::Exact, 0, false);
        check("/users/2/", NamespaceMatch::Exact, 0, true);
        check("/users/1/", NamespaceMatch::Exact, 1, true);
        check("/users/", NamespaceMatch::Subtree, 0, false);
    }

    #[test]
    fn the_first_nodes_of_a_search_are_looked_at() {
        let memory = MemoryId::parse("mem-1234567890").unwrap();
        let mut scope = RecordScope::whole(memory, Timestamp::EPOCH);
        let node = |at: usize| Namespace::parse(format!("/users/{at}/")).unwrap();
        scope.namespaces =
            (0..100).map(|at| NamespaceFilter::new(&node(at), NamespaceMatch::Exact)).collect();
        let looks = LastChecks::default();
        assert!(looks.are_due(&scope, Timestamp::EPOCH));
        assert_eq!(looks.last.lock().unwrap().len(), NODES_OF_SEARCH);
        assert_eq!(exact_nodes(&scope).count(), NODES_OF_SEARCH);
    }

    #[test]
    fn parents() {
        assert_eq!(parent_and_name("/users/1/"), ("/users/", "1"));
        assert_eq!(parent_and_name("/users/"), ("/", "users"));
        assert_eq!(parent_and_name("/"), ("/", ""));
    }
}
