//! Lists and counts of records in a scope, now and as of a time.

use std::collections::BTreeMap;

use loci_model::ports::store::RecordPage;
use loci_model::principal::bounds::Bounds;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::provenance::Provenance;
use loci_model::record::scope::{AccessClause, RecordScope, StrategyChoice};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{
    ActorId, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, StrategyId, Timestamp,
};

use super::states::set;
use crate::{Bench, same};
use loci_testkit_ports::samples::{self, time};

/// Returns the last digits of the records on a page.
fn numbers(
    bench: &Bench,
    scope: &RecordScope,
    after: Option<(Timestamp, u32)>,
    limit: usize,
) -> Result<Vec<u32>> {
    let after = after.map(|(created, number)| Ok((created, samples::record_id(number)?))).transpose()?;
    let page = RecordPage { scope: scope.clone(), after, limit };
    let found = bench.records(move |records| records.list(&page))?;
    let hex = |record: &Record| {
        let text = record.id.as_str();
        text.get(text.len().saturating_sub(4)..)
            .and_then(|end| u32::from_str_radix(end, 16).ok())
            .unwrap_or(0)
    };
    Ok(found.iter().map(hex).collect())
}

fn filter(namespace: &str, mode: NamespaceMatch) -> Result<NamespaceFilter> {
    Ok(NamespaceFilter::new(&Namespace::parse(namespace)?, mode))
}

/// Creates records 1–4 in `/facts/ann/`, 5–6 in `/facts/`, 7 in `/factsheet/`, 8 without strategy,
/// 9 a candidate, 10 expired.
fn fill(bench: &Bench, memory: &MemoryId) -> Result<()> {
    for number in 1..=10 {
        let namespace = match number {
            1..=4 => "/facts/ann",
            7 => "/factsheet/",
            _ => "facts",
        };
        let actor = if number % 2 == 0 { "ann" } else { "bob" };
        let record = Record {
            namespace: Namespace::parse(namespace)?,
            strategy: if number == 8 { None } else { Some(StrategyId::parse("facts")?) },
            kind: if number == 3 { RecordKind::Rule } else { RecordKind::Fact },
            state: if number == 9 { RecordState::Candidate } else { RecordState::Active },
            expires_at: (number == 10).then(|| time(50)),
            metadata: BTreeMap::from([("n".to_owned(), MetadataValue::Number(f64::from(number)))]),
            provenance: Provenance { actor: Some(ActorId::parse(actor)?), ..Provenance::default() },
            // Records 5 and 6 have the same time.
            created_at: time(i64::from(if number == 6 { 5 } else { number })),
            ..samples::record(memory, number, "text")?
        };
        bench.put(&record)?;
    }
    Ok(())
}

pub(crate) fn lists(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    fill(bench, &memory)?;
    let whole = RecordScope::whole(memory.clone(), time(100));
    let check = |name: &str, scope: RecordScope, expect: Vec<u32>| -> Result<()> {
        same(name, numbers(bench, &scope, None, 99)?, expect.clone());
        let count = bench.records(move |records| records.count(&scope))?;
        same(&format!("{name}, counted"), count, u64::try_from(expect.len()).unwrap_or(0));
        Ok(())
    };
    check("all, newest first, ties by id", whole.clone(), vec![8, 7, 5, 6, 4, 3, 2, 1])?;
    same("a page", numbers(bench, &whole, Some((time(7), 7)), 2)?, vec![5, 6]);
    same("between ties", numbers(bench, &whole, Some((time(5), 5)), 2)?, vec![6, 4]);
    let exact = filter("/facts/", NamespaceMatch::Exact)?;
    let subtree = filter("/facts", NamespaceMatch::Subtree)?;
    check("a node", RecordScope { namespaces: vec![exact.clone()], ..whole.clone() }, vec![8, 5, 6])?;
    check(
        "a subtree",
        RecordScope { namespaces: vec![subtree.clone()], ..whole.clone() },
        vec![8, 5, 6, 4, 3, 2, 1],
    )?;
    let of_none = Some(StrategyChoice::None);
    check("of no strategy", RecordScope { strategy: of_none, ..whole.clone() }, vec![8])?;
    let of_one = Some(StrategyChoice::Of(StrategyId::parse("facts")?));
    check(
        "of one, at a node",
        RecordScope { strategy: of_one, namespaces: vec![exact], ..whole.clone() },
        vec![5, 6],
    )?;
    check("of a kind", RecordScope { kinds: vec![RecordKind::Rule], ..whole.clone() }, vec![3])?;
    let held = vec![RecordState::Candidate];
    check("in a state", RecordScope { states: held, ..whole.clone() }, vec![9])?;
    let before = RecordScope { now: time(49), ..whole.clone() };
    check("before it expired", before, vec![10, 8, 7, 5, 6, 4, 3, 2, 1])?;
    let few = MetadataFilter {
        key: "n".into(),
        operator: FilterOperator::LessThan,
        right: Some(MetadataValue::Number(3.0)),
    };
    let filtered = RecordScope { metadata: vec![few], ..whole.clone() };
    check("by metadata", filtered.clone(), vec![2, 1])?;
    same("by metadata, before paging", numbers(bench, &filtered, None, 1)?, vec![2]);
    let clause = AccessClause { actor: Some(ActorId::parse("ann")?), ..AccessClause::default() };
    check(
        "what a grant on an actor sees",
        RecordScope { view: vec![clause.clone()], ..whole.clone() },
        vec![8, 6, 4, 2],
    )?;
    let narrow = AccessClause { namespace: Some(filter("/facts/ann/", NamespaceMatch::Subtree)?), ..clause };
    let sheet = AccessClause {
        namespace: Some(filter("/factsheet", NamespaceMatch::Subtree)?),
        ..AccessClause::default()
    };
    check("a union of grants", RecordScope { view: vec![narrow, sheet], ..whole.clone() }, vec![7, 4, 2])?;
    check("no grant", RecordScope { view: vec![], ..whole.clone() }, vec![])?;
    of_bound_grants(bench, &whole)
}

/// The whole scope has records 1 to 10, with a number as metadata; some get a text here.
fn of_bound_grants(bench: &Bench, whole: &RecordScope) -> Result<()> {
    for (number, text) in [(1, "red"), (2, "blue"), (4, "red"), (5, "green")] {
        let old = bench.get(&whole.memory, &samples::record_id(number)?)?;
        let edit = old.map(|old| Record {
            version: 2,
            metadata: [("team".to_owned(), MetadataValue::String(text.into()))].into(),
            timestamp: time(i64::from(number)),
            updated_at: time(60),
            ..old
        });
        bench.change(move |records| edit.as_ref().map_or(Ok(0), |edit| records.put_version(edit)))?;
    }
    let bounds = |texts: &[&str], since: Option<i64>| AccessClause {
        bounds: Bounds {
            metadata: (!texts.is_empty())
                .then(|| ("team".to_owned(), texts.iter().map(|text| (*text).to_owned()).collect()))
                .into_iter()
                .collect(),
            since: since.map(time),
        },
        ..AccessClause::default()
    };
    let check = |name: &str, view: Vec<AccessClause>, expect: Vec<u32>| -> Result<()> {
        let scope = RecordScope { view, now: time(70), ..whole.clone() };
        let mut found = numbers(bench, &scope, None, 20)?;
        found.sort_unstable();
        same(name, found.clone(), expect);
        let counted = scope.clone();
        same(
            &format!("{name}, counted"),
            bench.records(move |records| records.count(&counted))?,
            found.len() as u64,
        );
        let mut paged = numbers(bench, &scope, None, 1)?;
        paged.retain(|number| found.contains(number));
        same(&format!("{name}, on a page of one"), paged.len(), found.len().min(1));
        Ok(())
    };
    check("a value", vec![bounds(&["red"], None)], vec![1, 4])?;
    check("one of some values", vec![bounds(&["red", "blue"], None)], vec![1, 2, 4])?;
    check("a value, and not too old", vec![bounds(&["red", "green"], Some(4))], vec![4, 5])?;
    check("a value that nothing has", vec![bounds(&["pink"], None)], vec![])?;
    check("either of two grants", vec![bounds(&["green"], None), bounds(&["red"], Some(2))], vec![4, 5])?;
    let of_ann = AccessClause { actor: Some(ActorId::parse("ann")?), ..bounds(&["red", "green"], None) };
    check("of an actor", vec![of_ann], vec![4])?;
    Ok(())
}

/// Records 1–6, of which the odd ones have a subtype; 5 is a candidate, 3 is in another namespace.
pub(crate) fn of_subtype(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    for number in 1..=6 {
        let record = Record {
            namespace: Namespace::parse(if number == 3 { "/elsewhere" } else { "/facts" })?,
            subtype: Some(if number % 2 == 1 { "lack" } else { "other" }.to_owned()),
            state: if number == 5 { RecordState::Candidate } else { RecordState::Active },
            ..samples::record(&memory, number, "text")?
        };
        bench.put(&record)?;
    }
    bench.put(&samples::record(&memory, 7, "of none")?)?;
    let check = |name: &str, scope: &RecordScope, after: Option<(Timestamp, RecordId)>, expect: &[u32]| {
        let page = RecordPage { scope: scope.clone(), after, limit: 9 };
        let found = bench.records(move |records| records.of_subtype(&page, "lack"))?;
        let expect = expect.iter().map(|number| samples::record_id(*number)).collect::<Result<Vec<_>>>()?;
        same(name, found.into_iter().map(|record| record.id).collect::<Vec<_>>(), expect);
        Ok::<(), loci_model::Error>(())
    };
    let whole = RecordScope::whole(memory, time(100));
    check("newest first", &whole, None, &[3, 1])?;
    let created_at = bench.records({
        let (memory, id) = (whole.memory.clone(), samples::record_id(3)?);
        move |records| Ok(records.get(&memory, &id)?.map(|record| record.created_at))
    })?;
    check(
        "behind one",
        &whole,
        Some((created_at.unwrap_or(Timestamp::EPOCH), samples::record_id(3)?)),
        &[1],
    )?;
    check("in a state", &RecordScope { states: vec![RecordState::Candidate], ..whole.clone() }, None, &[5])?;
    let here = vec![filter("/facts", NamespaceMatch::Subtree)?];
    check("in a place", &RecordScope { namespaces: here, ..whole.clone() }, None, &[1])?;
    check("with no grant", &RecordScope { view: vec![], ..whole }, None, &[])
}

/// Stores find one metadata key with an index; the result equals that of a scan of all records.
pub(crate) fn of_fingerprint(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let looks_like_it = r#"{"fingerprint":{"string":"one"}}"#;
    let texts = |text: &str| MetadataValue::String(text.to_owned());
    // Longer than an index entry, and incompressible.
    let long: String =
        (0_u64..700).map(|nth| format!("{:x}", nth.wrapping_mul(0x9e37_79b9_7f4a_7c15))).collect();
    let values = [
        (1, Some(texts("one"))),
        (2, Some(texts("two"))),
        (3, Some(texts("one"))),
        (4, None),
        (5, Some(texts("a \"quoted\" \\ one"))),
        (6, Some(MetadataValue::StringList(vec!["one".to_owned()]))),
        (7, Some(texts("é"))),
        (8, Some(texts("one"))),
        (9, Some(texts("a line\nend"))),
        (10, Some(texts(&long))),
    ];
    for (number, value) in values {
        let record = Record {
            kind: if number == 8 { RecordKind::Fact } else { RecordKind::Investigation },
            namespace: Namespace::parse(if number == 3 { "/elsewhere" } else { "/facts" })?,
            metadata: value.map(|value| ("fingerprint".to_owned(), value)).into_iter().collect(),
            ..samples::record(&memory, number, looks_like_it)?
        };
        bench.put(&record)?;
    }
    let scope = |text: &str| RecordScope {
        kinds: vec![RecordKind::Investigation],
        metadata: vec![MetadataFilter {
            key: "fingerprint".into(),
            operator: FilterOperator::EqualsTo,
            right: Some(texts(text)),
        }],
        ..RecordScope::whole(memory.clone(), time(100))
    };
    let check = |name: &str, scope: &RecordScope, expect: &[u32]| -> Result<()> {
        same(name, numbers(bench, scope, None, 99)?, expect.to_vec());
        let counted = scope.clone();
        let count = bench.records(move |records| records.count(&counted))?;
        same(&format!("{name}, counted"), count, u64::try_from(expect.len()).unwrap_or(0));
        Ok(())
    };
    let one = scope("one");
    check("of one alert", &one, &[3, 1])?;
    check("of any kind", &RecordScope { kinds: vec![], ..one.clone() }, &[8, 3, 1])?;
    let kinds = vec![RecordKind::Investigation, RecordKind::Fact];
    check("of facts, too", &RecordScope { kinds, ..one.clone() }, &[8, 3, 1])?;
    let node = vec![filter("/facts", NamespaceMatch::Exact)?];
    check("at a node", &RecordScope { namespaces: node, ..one.clone() }, &[1])?;
    check("as of then", &RecordScope { as_of: Some(time(2)), ..one.clone() }, &[1])?;
    for (text, number) in [("two", 2), ("a \"quoted\" \\ one", 5), ("é", 7), ("a line\nend", 9), (&long, 10)]
    {
        check(text, &scope(text), &[number])?;
    }
    check("of none", &scope("three"), &[])?;
    same("a page", numbers(bench, &one, None, 1)?, vec![3]);
    same("the page behind it", numbers(bench, &one, Some((time(3), 3)), 1)?, vec![1]);
    let moved = bench.get(&memory, &samples::record_id(1)?)?;
    let moved = moved.map(|old| Record {
        version: 2,
        metadata: [("fingerprint".to_owned(), texts("three"))].into(),
        updated_at: time(60),
        ..old
    });
    bench.change(move |records| moved.as_ref().map_or(Ok(0), |moved| records.put_version(moved)))?;
    check("after a change", &one, &[3])?;
    check("as it is now", &scope("three"), &[1])
}

pub(crate) fn as_of(bench: &Bench) -> Result<()> {
    let memory = bench.memory("notes")?;
    let one = samples::record(&memory, 1, "first words")?;
    bench.put(&one)?;
    bench.put(&samples::record(&memory, 2, "two")?)?;
    let edit = Record {
        version: 2,
        text: "second words".into(),
        updated_at: time(10),
        namespace: Namespace::parse("/moved/")?,
        ..one
    };
    bench.change(move |records| records.put_version(&edit))?;
    set(bench, &memory, &samples::record_id(2)?, RecordState::Invalid, time(20))?;
    let texts = |seconds: i64| {
        let scope =
            RecordScope { as_of: Some(time(seconds)), ..RecordScope::whole(memory.clone(), time(100)) };
        let page = RecordPage { scope, after: None, limit: 9 };
        bench.records(move |records| {
            Ok(records.list(&page)?.into_iter().map(|record| record.text).collect::<Vec<_>>().join(", "))
        })
    };
    for (seconds, expect) in [
        (0, ""),
        (1, "first words"),
        (5, "two, first words"),
        (15, "two, second words"),
        (25, "second words"),
    ] {
        same(&format!("at {seconds}"), texts(seconds)?, expect.to_owned());
    }
    let known = |number: u32, seconds: i64| {
        let (memory, id) = (memory.clone(), samples::record_id(number)?);
        let known = bench.records(move |records| records.known_at(&memory, &id, time(seconds)))?;
        Ok::<_, loci_model::Error>(known.map(|record| (record.text, record.state)))
    };
    same("not yet", known(1, 0)?, None);
    same("before the edit", known(1, 9)?, Some(("first words".into(), RecordState::Active)));
    same("after it", known(1, 10)?, Some(("second words".into(), RecordState::Active)));
    same("before its end", known(2, 19)?, Some(("two".into(), RecordState::Active)));
    same("after its end", known(2, 20)?, Some(("two".into(), RecordState::Invalid)));
    set(bench, &memory, &samples::record_id(2)?, RecordState::Erased, time(30))?;
    same("deleted", (known(2, 19)?, texts(15)?), (None, "second words".to_owned()));
    Ok(())
}
