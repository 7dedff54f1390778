//! Every strategy, from events to records.

use std::collections::BTreeMap;

use loci_engine::memories::NewMemory;
use loci_model::Timestamp;
use loci_model::event::Role::{Assistant, Tool, User};
use loci_model::memory::index_key::NamespaceKey;
use loci_model::memory::strategy::StrategyBase::{Episodic, Semantic, Summary, UserPreference};
use loci_model::record::metadata::{MetadataExtraction, MetadataSchemaEntry, MetadataType, MetadataValue};
use loci_model::record::{RecordKind, RecordOrigin};

use crate::fixture::{World, data, said, strategy, template};

#[test]
fn all_strategies_of_one_talk() {
    let world = World::with(&[Semantic, UserPreference, Summary, Episodic]);
    world.say("s1", User, "I like sushi with tuna");
    world.say("s1", Assistant, "Tuna sushi is served at the harbour.");
    world.say("s1", Tool, "call book: table for two");
    let outcome = world.work();
    assert_eq!((outcome.complete, outcome.pending, outcome.failed), (true, 0, 0));
    let records = world.active();
    let of = |kind| records.iter().filter(move |record| record.kind == kind).collect::<Vec<_>>();
    let facts = of(RecordKind::Fact);
    assert_eq!(facts.len(), 2);
    let first = facts.iter().find(|record| record.provenance.role == Some(User)).unwrap();
    assert_eq!(first.text, "I like sushi with tuna");
    assert!(first.provenance.verbatim && first.origin == RecordOrigin::Extracted);
    assert_eq!(first.provenance.session.as_ref().unwrap().as_str(), "s1");
    assert_eq!(
        first.namespace.as_str(),
        format!("/strategies/{}/actors/alice/", first.strategy.as_ref().unwrap())
    );
    assert_eq!(of(RecordKind::Preference).len(), 1);
    let summaries = of(RecordKind::Summary);
    let mut subtypes: Vec<_> = summaries.iter().map(|record| record.subtype.as_deref().unwrap()).collect();
    subtypes.sort_unstable();
    assert_eq!(subtypes, ["part", "session"]);
    assert!(summaries.iter().all(|record| record.text.contains("sushi")), "{:?}", summaries[0].text);
    let episode = of(RecordKind::Episode)[0];
    assert!(episode.text.contains("table for two"), "{}", episode.text);
    assert_eq!(world.missing_vectors(), 0);
}

#[test]
fn a_session_that_grows_continues_its_summary_and_its_episode() {
    let world = World::with(&[Summary, Episodic]);
    world.say("s1", User, "My server in Oslo is down");
    world.work();
    world.say("s1", Assistant, "I restarted the server in Oslo, it works now.");
    world.say("s1", User, "Thanks, now book a flight to Rome please");
    world.work();
    let records = world.active();
    let episodes: Vec<_> = records.iter().filter(|one| one.kind == RecordKind::Episode).collect();
    assert_eq!((episodes.len(), episodes[0].version), (1, 2));
    assert!(episodes[0].text.contains("restarted") && episodes[0].text.contains("Rome"));
    let whole: Vec<_> = records.iter().filter(|one| one.subtype.as_deref() == Some("session")).collect();
    assert_eq!((whole.len(), whole[0].version), (1, 2));
    assert!(whole[0].text.contains("Oslo is down") && whole[0].text.contains("Rome"), "{}", whole[0].text);
    let history = world.drive(world.engine.record_history(&world.caller, &world.memory.id, &whole[0].id));
    assert_eq!(history.unwrap().len(), 2);
    assert_eq!(world.missing_vectors(), 0);
}

#[test]
fn data_and_what_is_kept_only_for_extraction() {
    let world = World::with(&[Semantic, UserPreference]);
    world.ingest(
        "s1",
        vec![data(r#"{"pet":{"name":"Pixel","animal":"dog"}}"#), said(User, "Pixel barks at night")],
    );
    world.work();
    assert_eq!(world.texts(), ["Pixel barks at night", "pet.name: Pixel\npet.animal: dog"]);
    let found = world.active().into_iter().find(|record| record.text.contains("pet")).unwrap();
    assert_eq!(found.indexed(), "Pixel\ndog");
}

#[test]
fn overlapping_sends_are_extracted_once() {
    let world = World::with(&[Semantic]);
    let token = |range: &str| format!("{}-alice-run1-{range}", world.memory.id);
    let turns = ["the first thing said", "the second thing said", "the third thing said"];
    let payload = |count: usize| turns.iter().take(count).map(|text| said(User, text)).collect::<Vec<_>>();
    world.create_with(world.event("s1", payload(2)), Some(&token("0-1")));
    world.create_with(world.event("s1", payload(3)), Some(&token("0-2")));
    world.work();
    let records = world.active();
    assert_eq!(records.len(), 3);
    assert!(records.iter().all(|record| record.provenance.sources.len() == 1));
}

#[test]
fn values_of_the_schema_keep_records_apart() {
    let entry = MetadataSchemaEntry {
        key: "team".into(),
        kind: Some(MetadataType::String),
        extraction: Some(MetadataExtraction::StrictlyConsistent),
        llm: None,
    };
    let semantic = loci_engine::memories::NewStrategy { schema: Some(vec![entry]), ..strategy(Semantic) };
    let world = World::of(NewMemory { strategies: vec![semantic], ..NewMemory::default() });
    for team in ["red", "blue", "red"] {
        let mut event = world.event("s1", vec![said(User, "the build is slow today")]);
        event.metadata =
            BTreeMap::from([("team".to_owned(), team.to_owned()), ("other".to_owned(), "x".to_owned())]);
        world.create(event);
    }
    world.work();
    let mut found: Vec<_> = world
        .active()
        .into_iter()
        .map(|record| (record.metadata.clone(), record.provenance.sources.len()))
        .collect();
    found.sort_by_key(|(_, sources)| *sources);
    let team = |name: &str| BTreeMap::from([("team".to_owned(), MetadataValue::String(name.to_owned()))]);
    assert_eq!(found, [(team("blue"), 1), (team("red"), 2)]);
}

#[test]
fn a_value_and_its_absence_differ() {
    let entry = MetadataSchemaEntry {
        key: "team".into(),
        kind: Some(MetadataType::String),
        extraction: Some(MetadataExtraction::StrictlyConsistent),
        llm: None,
    };
    for again in ["the build is slow today", "The build is slow, today!"] {
        let schema = Some(vec![entry.clone()]);
        let semantic = loci_engine::memories::NewStrategy { schema, ..strategy(Semantic) };
        let world = World::of(NewMemory { strategies: vec![semantic], ..NewMemory::default() });
        let mut event = world.event("s1", vec![said(User, "the build is slow today")]);
        event.metadata = BTreeMap::from([("team".to_owned(), "red".to_owned())]);
        world.create(event);
        world.work();
        world.say("s1", User, again);
        world.work();
        assert_eq!(world.active().len(), 2, "{again}");
    }
}

#[test]
fn namespaces_follow_the_template() {
    let semantic = loci_engine::memories::NewStrategy {
        template: Some(template("/teams/{team}/{sessionId}/")),
        ..strategy(Semantic)
    };
    let key = NamespaceKey { key: "team".into(), validation: None };
    let world = World::of(NewMemory {
        strategies: vec![semantic],
        namespace_keys: vec![key],
        ..NewMemory::default()
    });
    for team in ["a", "b"] {
        let mut event = world.event("s1", vec![said(User, "we ship on friday")]);
        event.namespace_variables = BTreeMap::from([("team".to_owned(), team.to_owned())]);
        world.create(event);
    }
    world.work();
    let mut namespaces: Vec<_> = world.active().iter().map(|record| record.namespace.to_string()).collect();
    namespaces.sort();
    assert_eq!(namespaces, ["/teams/a/s1/", "/teams/b/s1/"]);
}

#[test]
fn the_time_is_that_of_the_event_and_expiry_counts_from_the_write() {
    let semantic = loci_engine::memories::NewStrategy { record_expiry_days: Some(31), ..strategy(Semantic) };
    let world = World::of(NewMemory { strategies: vec![semantic], ..NewMemory::default() });
    let long_ago = Timestamp::clamped(1_000_000_000_000);
    let mut event = world.event("s1", vec![said(User, "an old story of mine")]);
    event.time = Some(long_ago);
    world.create(event);
    world.work();
    let record = &world.active()[0];
    assert_eq!((record.timestamp, record.valid_from), (long_ago, long_ago));
    assert_eq!(record.expires_at, Some(record.created_at.plus_days(31)));
}

#[test]
fn what_is_sent_again_is_told_once() {
    let world = World::with(&[Summary, Episodic]);
    let first = [said(User, "My server in Oslo is down since noon"), said(Assistant, "I restarted it.")];
    world.create(world.event("s1", first.to_vec()));
    world.work();
    let mut more = first.to_vec();
    more.push(said(User, "Thanks, now book a flight to Rome please"));
    world.create(world.event("s1", more));
    assert!(world.work().complete);
    for record in world.active() {
        let (what, times) = if record.kind == RecordKind::Episode { ("turn_id", 2) } else { ("Oslo", 1) };
        assert!(record.text.matches(what).count() <= times, "{}", record.text);
    }
    let told = |word: &str| world.active().iter().filter(|record| record.text.contains(word)).count();
    // A part, the session's summary, and its episode.
    assert_eq!((told("Oslo"), told("Rome")), (3, 3));
}
