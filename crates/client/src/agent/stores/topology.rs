//! The rule about writable stores. An event has no namespace, so two stores that write to the
//! same conversation would store every message twice.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::agent::error::MemoryError;
use crate::agent::store::{MemoryStore, WritePlace};

/// Checks that each conversation (memory, actor and session) has at most one writable store. With
/// `expect_extraction`, each must have exactly one, and it must have an extraction configuration.
/// Stores that take no messages are ignored. Call it after `initialize` if one store names the
/// memory and another gives its id.
///
/// # Errors
/// An error that names every conversation that breaks the rule, with its stores.
pub fn assert_writable_topology(
    stores: &[Arc<dyn MemoryStore>],
    expect_extraction: bool,
) -> Result<(), MemoryError> {
    let mut writers: BTreeMap<WritePlace, Vec<&dyn MemoryStore>> = BTreeMap::new();
    for store in stores {
        let Some(place) = store.write_place() else { continue };
        let found = writers.entry(place).or_default();
        let can = store.capabilities();
        if can.writable && can.add_messages {
            found.push(store.as_ref());
        }
    }
    let mut broken = Vec::new();
    for (WritePlace { memory, actor, session }, found) in writers {
        let of = format!("memory '{memory}', actor '{actor}', session '{session}'");
        if found.len() > 1 {
            let names: Vec<&str> = found.iter().map(|store| store.name()).collect();
            let names = names.join(", ");
            broken.push(format!("at most one writable store is allowed for {of}; found: {names}"));
        } else if expect_extraction && found.iter().all(|store| store.extraction().is_none()) {
            broken.push(format!("no writable store with extraction for {of}"));
        }
    }
    if broken.is_empty() { Ok(()) } else { Err(MemoryError::Configuration(broken.join("; "))) }
}

/// Returns the index of the store that writes, of several stores of one conversation. It is the
/// store with the flag true. If there is none and `extraction` is true, it is the first store whose
/// flag is not false.
///
/// # Errors
/// If two stores have the flag true, or extraction is requested and all flags are false.
pub fn writer(flags: &[Option<bool>], extraction: bool) -> Result<Option<usize>, MemoryError> {
    let flagged: Vec<usize> =
        flags.iter().enumerate().filter(|(_, flag)| **flag == Some(true)).map(|(at, _)| at).collect();
    match flagged[..] {
        [one] => Ok(Some(one)),
        [] if !extraction => Ok(None),
        [] => match flags.iter().position(|flag| *flag != Some(false)) {
            Some(first) => Ok(Some(first)),
            None => Err(MemoryError::Configuration(
                "extraction needs a writable store, and all opted out with writable = false".to_owned(),
            )),
        },
        _ => Err(MemoryError::Configuration("at most one store may be writable".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::coordinator::ExtractionConfig;
    use crate::agent::tests::test_store::TestStore;

    #[test]
    fn one_writer_per_place() {
        let check = |stores: Vec<TestStore>, expects: bool, expect: Result<(), &str>| {
            let stores: Vec<Arc<dyn MemoryStore>> =
                stores.into_iter().map(|store| Arc::new(store) as Arc<dyn MemoryStore>).collect();
            let got = assert_writable_topology(&stores, expects).map_err(|error| error.to_string());
            assert_eq!(got, expect.map_err(str::to_owned));
        };
        let writer = |name: &str, session: &str| TestStore::taking(name).at(session);
        let reader = |name: &str| TestStore::reading(name).at("s");
        let extracting = |name: &str| writer(name, "s").extracting(ExtractionConfig::default());
        check(vec![reader("a"), reader("b")], false, Ok(()));
        check(
            vec![reader("a")],
            true,
            Err("no writable store with extraction for memory 'm', actor 'a', session 's'"),
        );
        check(vec![writer("a", "s"), reader("b"), writer("c", "other")], false, Ok(()));
        check(
            vec![writer("a", "s"), writer("b", "s")],
            false,
            Err("at most one writable store is allowed for memory 'm', actor 'a', session 's'; found: a, b"),
        );
        check(vec![extracting("a"), reader("b")], true, Ok(()));
        check(
            vec![writer("a", "s")],
            true,
            Err("no writable store with extraction for memory 'm', actor 'a', session 's'"),
        );
        check(vec![TestStore::taking("a"), TestStore::taking("b")], false, Ok(()));
        check(
            vec![extracting("a"), writer("b", "s")],
            true,
            Err("at most one writable store is allowed for memory 'm', actor 'a', session 's'; found: a, b"),
        );
        check(
            vec![writer("a", "t"), writer("b", "s"), writer("c", "t"), writer("d", "s")],
            false,
            Err(
                "at most one writable store is allowed for memory 'm', actor 'a', session 's'; found: b, d; \
                 at most one writable store is allowed for memory 'm', actor 'a', session 't'; found: a, c",
            ),
        );
    }

    #[test]
    fn who_writes() {
        let check = |flags: &[Option<bool>], extraction: bool, expect: Result<Option<usize>, &str>| {
            let got = writer(flags, extraction).map_err(|error| error.to_string());
            assert_eq!(got, expect.map_err(str::to_owned), "{flags:?}");
        };
        check(&[None, Some(true)], true, Ok(Some(1)));
        check(&[None, None], false, Ok(None));
        check(&[None, None], true, Ok(Some(0)));
        check(&[Some(false), None], true, Ok(Some(1)));
        check(&[Some(true), Some(true)], false, Err("at most one store may be writable"));
        check(
            &[Some(false), Some(false)],
            true,
            Err("extraction needs a writable store, and all opted out with writable = false"),
        );
        check(&[Some(false), Some(false)], false, Ok(None));
    }
}
