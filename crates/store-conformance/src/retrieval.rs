//! Search through the port: writes are found at once, filters apply, and the index equals its
//! rebuild.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::event::{Event, PayloadItem, Role};
use loci_model::ports::search::{CandidateRequest, CandidateSet, LexicalView, NeighbourRequest};
use loci_model::ports::store::PassageVector;
use loci_model::principal::bounds::Bounds;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::scope::{AccessClause, RecordScope};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{ActorId, MemoryId, Namespace, RecordId, Result, StrategyId};

use super::records::states::set;
use super::{Bench, same};
use loci_testkit_ports::samples::{self, time};
use loci_testkit_ports::{HashEmbedder, block_on};

/// The conversation of Anna and Bob.
const TALK: &[(&str, &str)] = &[
    ("ann", "Anna: I moved to Oslo last spring."),
    ("ann", "Anna: My sister keeps bees behind the house."),
    ("ann", "Bob: How many bees does a hive hold?"),
    ("ann", "Anna: Thousands, and they found the Oslo winter hard."),
    ("bob", "Bob: I repaired the bicycle on Tuesday."),
];

fn fill(bench: &Bench, memory: &MemoryId) -> Result<()> {
    for (number, (actor, text)) in (1..).zip(TALK) {
        let event = Event {
            payload: vec![PayloadItem::Conversational { role: Role::User, text: (*text).to_owned() }],
            ..samples::event(memory, actor, "s1", i64::from(number))?
        };
        bench.put(&samples::turn(&event, number)?)?;
    }
    Ok(())
}

fn ask(bench: &Bench, scope: RecordScope, question: &str, with_vector: bool) -> Result<CandidateSet> {
    let embedder = HashEmbedder::default();
    let request = CandidateRequest {
        scope,
        terms: loci_text::terms(question),
        vector: with_vector.then(|| (embedder.vector(question), "hash-64".to_owned())),
        earlier: None,
        lists: None,
    };
    block_on(bench.store.search().candidates(request))
}

/// Returns the candidates whose own turn contains the term, by the last digits of their ids.
fn holding(set: &CandidateSet) -> Vec<u32> {
    let number = |id: &RecordId| {
        let text = id.as_str();
        text.get(text.len().saturating_sub(4)..)
            .and_then(|end| u32::from_str_radix(end, 16).ok())
            .unwrap_or(0)
    };
    let has = |tf: &[u32]| tf.iter().any(|count| *count > 0);
    set.candidates
        .iter()
        .filter(|found| has(found.views.tf(LexicalView::Turn)))
        .map(|found| number(&found.record))
        .collect()
}

pub(super) fn finds_filters_follows(bench: &Bench) -> Result<()> {
    let memory = bench.memory("talk")?;
    let whole = RecordScope::whole(memory.clone(), time(100));
    same("nothing yet", holding(&ask(bench, whole.clone(), "bees", false)?), vec![]);
    fill(bench, &memory)?;
    same("found at once", holding(&ask(bench, whole.clone(), "bees", false)?), vec![2, 3]);
    let set_of_oslo = ask(bench, whole.clone(), "Oslo", false)?;
    same("by another word", holding(&set_of_oslo), vec![1, 4]);
    same("all in scope", set_of_oslo.passages_in_scope, 5);
    same("none has a vector", set_of_oslo.passages_without_vector, 5);
    same("the sequence it stands at", set_of_oslo.sequence, 5);
    let names = block_on(bench.store.search().known_names(&whole))?;
    same("known names", names, vec!["Anna".to_owned(), "Bob".into()]);
    let clause = AccessClause { actor: Some(ActorId::parse("bob")?), ..AccessClause::default() };
    let of_bob = RecordScope { view: vec![clause], ..whole.clone() };
    same("not what a grant keeps back", holding(&ask(bench, of_bob.clone(), "bees", false)?), vec![]);
    same("what it gives", holding(&ask(bench, of_bob, "bicycle", false)?), vec![5]);

    of_bound_grants(bench, &whole)?;

    set(bench, &memory, &samples::record_id(3)?, RecordState::Erased, time(50))?;
    same("deleted, and out at once", holding(&ask(bench, whole.clone(), "bees", false)?), vec![2]);
    let edit = bench.get(&memory, &samples::record_id(2)?)?;
    let edit = edit.map(|old| Record {
        version: old.version + 1,
        text: "Anna: My sister keeps goats.".into(),
        updated_at: time(60),
        ..old
    });
    bench.change(move |records| edit.as_ref().map_or(Ok(0), |edit| records.put_version(edit)))?;
    same("edited, and found by its new words", holding(&ask(bench, whole.clone(), "goats", false)?), vec![2]);
    same("not by the old", holding(&ask(bench, whole.clone(), "bees", false)?), vec![]);
    dense_and_neighbours(bench, &memory, &whole)
}

/// Turns with a value, and turns since a time: all others are not found, and not counted.
fn of_bound_grants(bench: &Bench, whole: &RecordScope) -> Result<()> {
    let team = |text: &str| [("team".to_owned(), MetadataValue::String(text.into()))].into();
    for (number, text) in [(1, "red"), (2, "red"), (3, "blue")] {
        let old = bench.get(&whole.memory, &samples::record_id(number)?)?;
        let edit = old.map(|old| Record { version: 2, metadata: team(text), updated_at: time(40), ..old });
        bench.change(move |records| edit.as_ref().map_or(Ok(0), |edit| records.put_version(edit)))?;
    }
    let bound = |texts: &[&str], since: Option<i64>| {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect::<BTreeSet<String>>();
        let metadata = if texts.is_empty() { BTreeMap::new() } else { [("team".to_owned(), texts)].into() };
        let bounds = Bounds { metadata, since: since.map(time) };
        RecordScope { view: vec![AccessClause { bounds, ..AccessClause::default() }], ..whole.clone() }
    };
    let check = |scope: RecordScope, question: &str, expect: Vec<u32>, count: u64| -> Result<()> {
        let found = ask(bench, scope.clone(), question, false)?;
        let mut held = holding(&found);
        held.sort_unstable();
        same(&format!("{question} by {:?}", scope.view), held, expect);
        same("turns in scope", found.passages_in_scope, count);
        same("turns counted", u64::from(found.statistics.turns), count);
        Ok(())
    };
    check(bound(&["red"], None), "bees", vec![2], 2)?;
    check(bound(&["blue"], None), "bees", vec![3], 1)?;
    check(bound(&["blue"], None), "Oslo", vec![], 1)?;
    check(bound(&["red", "blue"], None), "bees", vec![2, 3], 3)?;
    check(bound(&[], Some(3)), "Oslo bees", vec![3, 4], 3)?;
    check(bound(&["red"], Some(2)), "Oslo bees", vec![2], 1)?;
    let of_ann = AccessClause {
        actor: Some(ActorId::parse("ann")?),
        bounds: Bounds { metadata: BTreeMap::new(), since: Some(time(4)) },
        ..AccessClause::default()
    };
    check(RecordScope { view: vec![of_ann], ..whole.clone() }, "bicycle winter", vec![4], 1)?;
    let names = block_on(bench.store.search().known_names(&bound(&["red"], None)))?;
    same("names that others carry are not told", names, vec!["Anna".to_owned()]);
    Ok(())
}

fn dense_and_neighbours(bench: &Bench, memory: &MemoryId, whole: &RecordScope) -> Result<()> {
    let embedder = HashEmbedder::default();
    let text = "Bob: I repaired the bicycle on Tuesday.";
    let vector = PassageVector {
        record: samples::record_id(5)?,
        version: 1,
        part: 0,
        model: "hash-64".into(),
        vector: embedder.vector(text),
    };
    let place = memory.clone();
    bench.change(move |records| records.put_vectors(&place, std::slice::from_ref(&vector)))?;
    let found = ask(bench, whole.clone(), "repaired bicycle", true)?;
    let dense = found.candidates.iter().find(|found| found.dense.is_some()).and_then(|found| found.dense);
    same("found by its vector", dense.is_some_and(|cosine| cosine > 0.5), true);
    same("the others still lack one", found.passages_without_vector, 3);
    let (held, bare) = (samples::record_id(5)?, samples::record_id(4)?);
    let alike = |other| block_on(bench.store.search().alike(memory, (&held, 0), (other, 0)));
    same("a passage is like itself", alike(&held)?.is_some_and(|cosine| (cosine - 1.0).abs() < 0.01), true);
    same("one without a vector is like none", alike(&bare)?, None);
    let strategy = StrategyId::parse("facts")?;
    let request = NeighbourRequest {
        scope: whole.clone(),
        namespace: Namespace::parse("/facts/")?,
        strategy: Some(strategy),
        text: "I repaired the bicycle on Tuesday, Bob.".into(),
        vector: None,
        jaccard_min: 0.8,
        cosine_min: None,
        limit: 5,
    };
    let near = block_on(bench.store.search().neighbours(request))?;
    same(
        "a near-duplicate",
        near.iter().map(|near| near.record.clone()).collect::<Vec<_>>(),
        vec![samples::record_id(5)?],
    );
    let document = Record {
        kind: RecordKind::Document,
        path: Some("docs/hives.md".into()),
        ..samples::record(
            memory,
            9,
            &format!("# Wood\n\n{}\n# Wax\n\nCandles of beeswax.\n", "plank ".repeat(130)),
        )?
    };
    bench.put(&document)?;
    let found = ask(bench, whole.clone(), "candles", false)?;
    let parts: Vec<u32> = found
        .candidates
        .iter()
        .filter(|one| one.views.tf(LexicalView::Turn).iter().any(|count| *count > 0))
        .map(|one| one.part)
        .collect();
    same("a section of a document", parts.iter().all(|part| *part > 0) && parts.len() == 1, true);
    Ok(())
}

pub(super) fn equals_its_rebuild(bench: &Bench) -> Result<()> {
    let memory = bench.memory("talk")?;
    let whole = RecordScope::whole(memory.clone(), time(100));
    ask(bench, whole, "load the index first", false)?;
    fill(bench, &memory)?;
    let embedder = HashEmbedder::default();
    for (number, (_, text)) in (1..).zip(TALK).filter(|(number, _)| number % 2 == 0) {
        let vector = PassageVector {
            record: samples::record_id(number)?,
            version: 1,
            part: 0,
            model: "hash-64".into(),
            vector: embedder.vector(text),
        };
        let place = memory.clone();
        bench.change(move |records| records.put_vectors(&place, std::slice::from_ref(&vector)))?;
    }
    set(bench, &memory, &samples::record_id(1)?, RecordState::Superseded, time(50))?;
    set(bench, &memory, &samples::record_id(4)?, RecordState::Erased, time(50))?;
    let place = memory.clone();
    bench.change(move |records| records.erase_deleted(&place, time(60), 0, 9))?;
    let info = |rebuilt| block_on(bench.store.search().info(&memory, rebuilt));
    let (kept, fresh) = (info(false)?, info(true)?);
    same("passages", kept.passages, fresh.passages);
    same("vectors", kept.vectors, fresh.vectors);
    same("sequence", kept.sequence, fresh.sequence);
    same("digest", kept.digest, fresh.digest);
    Ok(())
}
