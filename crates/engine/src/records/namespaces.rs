//! Converts the namespaces of a request and the view of its caller to the scope of a read.
//!
//! The caller of this module adds strategy, metadata, kinds, states and time. `access` alone
//! decides on visibility.

use std::collections::HashSet;

use loci_model::memory::Memory;
use loci_model::memory::settings::NamespaceReading;
use loci_model::record::scope::RecordScope;
use loci_model::warning::{Notices, Warning};
use loci_model::{Error, NamespaceFilter, NamespaceMatch, Result, Timestamp, limits};

use super::NamespaceAsk;
use crate::access::{View, another_users};
use crate::hooks::Products;

/// Returns the scope that selects active records in any of the namespaces `asks` (empty means
/// everywhere) and within the caller's `view`. A namespace outside the view, or of another user
/// only, is denied. A namespace that is wider than the view is narrowed with a warning.
pub fn scope(
    memory: &Memory,
    view: &View,
    asks: &[NamespaceAsk],
    now: Timestamp,
) -> Result<(RecordScope, Notices)> {
    let mut scope = RecordScope::whole(memory.id.clone(), now);
    scope.view = view.clauses().to_vec();
    let mut notices = Notices::default();
    check_length(asks.len())?;
    let mut known: HashSet<NamespaceFilter> = HashSet::new();
    for ask in asks {
        let asked = filter(memory, ask);
        let (parts, kept_back) = view.narrow(&asked).ok_or_else(outside)?;
        if view.within(memory).is_of_another(&asked) {
            return Err(another_users());
        }
        if kept_back {
            notices.warn(Warning::ScopeNarrowed);
        }
        scope.namespaces.extend(parts.into_iter().filter(|part| known.insert(part.clone())));
    }
    Ok((scope, notices))
}

/// Checks the number of namespaces in a request, because each one is a condition of every list that
/// answers it.
///
/// # Errors
/// `Invalid` on `namespaces`.
pub fn check_length(count: usize) -> Result<()> {
    if count <= limits::NAMESPACES_MAX {
        return Ok(());
    }
    let rule = format!(
        "a request must name at most {} namespaces and paths together: ask in several, or name what is above",
        limits::NAMESPACES_MAX
    );
    Err(Error::invalid("namespaces", rule))
}

/// Returns the filter that selects a requested namespace in this memory.
fn filter(memory: &Memory, ask: &NamespaceAsk) -> NamespaceFilter {
    match ask {
        NamespaceAsk::Path(namespace) => NamespaceFilter::new(namespace, NamespaceMatch::Subtree),
        NamespaceAsk::Node(namespace) => {
            let mode = match memory.settings.namespace_match {
                NamespaceReading::Exact => NamespaceMatch::Exact,
                NamespaceReading::SegmentPrefix => NamespaceMatch::Subtree,
            };
            NamespaceFilter::new(namespace, mode)
        }
    }
}

/// Adds the alternative names of the requested namespaces, if a product defines such names for
/// this memory. Names outside the caller's view are not added.
pub(crate) fn add_other_names(
    scope: &mut RecordScope,
    memory: &Memory,
    view: &View,
    asks: &[NamespaceAsk],
    products: &Products,
) {
    let mut known: HashSet<NamespaceFilter> = scope.namespaces.iter().cloned().collect();
    for ask in asks {
        let (NamespaceAsk::Path(namespace) | NamespaceAsk::Node(namespace)) = ask;
        let Some(other) = products.other_name(memory, namespace) else { continue };
        let other = NamespaceFilter::new(&other, filter(memory, ask).mode());
        let parts = view.narrow(&other).map(|(parts, _)| parts).unwrap_or_default();
        scope.namespaces.extend(parts.into_iter().filter(|part| known.insert(part.clone())));
    }
}

fn outside() -> Error {
    Error::denied("the caller's grants do not include that namespace")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::record_view;
    use loci_model::memory::settings::MemorySettings;
    use loci_model::principal::{Capability, Grant, Principal};
    use loci_model::{ErrorKind, MemoryId, Namespace};

    fn memory(reading: NamespaceReading) -> Memory {
        Memory {
            id: MemoryId::parse("notes-0123456789").unwrap(),
            name: "notes".into(),
            description: None,
            encryption_key_arn: None,
            execution_role_arn: None,
            event_expiry_days: 30,
            strategies: Vec::new(),
            indexed_keys: Vec::new(),
            namespace_keys: Vec::new(),
            stream: None,
            tags: Default::default(),
            settings: MemorySettings { namespace_match: reading, ..MemorySettings::default() },
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
            import: None,
        }
    }

    /// Returns the namespaces of the resulting scope, and true if it was narrowed; or the kind of
    /// the error.
    fn ask(
        reading: NamespaceReading,
        granted: &[Option<&str>],
        asks: &[NamespaceAsk],
    ) -> Result<(Vec<String>, bool), ErrorKind> {
        let memory = memory(reading);
        let grant = |namespace: &Option<&str>| Grant {
            namespace: namespace.map(|text| Namespace::parse(text).unwrap()),
            ..Grant::everything()
        };
        let caller = Principal { name: "t".into(), grants: granted.iter().map(grant).collect() };
        let view = record_view(&caller, &memory.id, Capability::Read).unwrap();
        let (scope, notices) = scope(&memory, &view, asks, Timestamp::EPOCH).map_err(|error| error.kind)?;
        let shown = |filter: &NamespaceFilter| match filter.mode() {
            NamespaceMatch::Exact => filter.normal().to_owned(),
            NamespaceMatch::Subtree => format!("{}*", filter.normal()),
        };
        Ok((scope.namespaces.iter().map(shown).collect(), !notices.warnings.is_empty()))
    }

    #[test]
    fn nodes_and_paths() {
        use NamespaceReading::{Exact, SegmentPrefix};
        let node = |text| NamespaceAsk::Node(Namespace::parse(text).unwrap());
        let path = |text| NamespaceAsk::Path(Namespace::parse(text).unwrap());
        let check = |reading, granted: &[Option<&str>], asks: &[NamespaceAsk], expect: &[&str], narrowed| {
            let expect = expect.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(ask(reading, granted, asks), Ok((expect, narrowed)), "{granted:?} {asks:?}");
        };
        check(Exact, &[None], &[], &[], false);
        check(Exact, &[None], &[node("a/b")], &["/a/b/"], false);
        check(SegmentPrefix, &[None], &[node("a/b")], &["/a/b/*"], false);
        check(Exact, &[None], &[path("/")], &["/*"], false);
        check(Exact, &[None], &[path("/a"), node("/b"), path("/a/")], &["/a/*", "/b/"], false);
        check(Exact, &[Some("/a")], &[path("/")], &["/a/*"], true);
        check(Exact, &[Some("/a"), Some("/b")], &[path("/")], &["/a/*", "/b/*"], true);
        check(Exact, &[Some("/a")], &[path("/a/c")], &["/a/c/*"], false);
        check(Exact, &[Some("/a")], &[node("/a")], &["/a/"], false);
        check(SegmentPrefix, &[Some("/a/b")], &[node("/a")], &["/a/b/*"], true);
    }

    #[test]
    fn a_request_names_so_many_namespaces() {
        let nodes = |count: usize| -> Vec<NamespaceAsk> {
            let node = |at| NamespaceAsk::Node(Namespace::parse(format!("/n{at}")).unwrap());
            (0..count).map(node).collect()
        };
        let check = |count: usize, expect: Result<usize, ErrorKind>| {
            let found = ask(NamespaceReading::Exact, &[None], &nodes(count));
            assert_eq!(found.map(|(namespaces, _)| namespaces.len()), expect, "{count}");
        };
        check(loci_model::limits::NAMESPACES_MAX, Ok(loci_model::limits::NAMESPACES_MAX));
        check(loci_model::limits::NAMESPACES_MAX + 1, Err(ErrorKind::Invalid));
    }

    #[test]
    fn outside_the_grant_is_denied() {
        use NamespaceReading::{Exact, SegmentPrefix};
        let denied = Err(ErrorKind::Denied);
        let place = |text| Namespace::parse(text).unwrap();
        for reading in [Exact, SegmentPrefix] {
            assert_eq!(ask(reading, &[Some("/a")], &[NamespaceAsk::Node(place("/b"))]), denied);
            assert_eq!(ask(reading, &[Some("/a")], &[NamespaceAsk::Path(place("/ab"))]), denied);
        }
        assert_eq!(ask(Exact, &[Some("/a/b")], &[NamespaceAsk::Node(place("/a"))]), denied);
        let both = [NamespaceAsk::Node(place("/a")), NamespaceAsk::Node(place("/b"))];
        assert_eq!(ask(Exact, &[Some("/a")], &both), denied);
    }
}
