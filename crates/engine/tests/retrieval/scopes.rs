//! Permissions and scopes of requests.

use loci_engine::records::NamespaceAsk;
use loci_engine::retrieval::SearchRequest;
use loci_model::memory::settings::{MemorySettings, NamespaceReading};
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::StrategyChoice;
use loci_model::warning::Warning;
use loci_model::{ErrorKind, Namespace, StrategyId, limits};
use loci_testkit_ports::block_on;

use super::fixture::{World, reader_of, texts};

const FACTS: [(&str, &str); 4] = [
    ("/users/1/", "One has a red boat #boats"),
    ("/users/1/old/", "One had a blue boat #boats"),
    ("/users/10/", "Ten has a green boat #boats"),
    ("/users/2/", "Two has a boat house #houses"),
];

fn place(text: &str) -> Namespace {
    Namespace::parse(text).unwrap()
}

/// Returns the sorted first words of the texts found, or the kind of error.
fn ask(world: &World, caller: &Principal, request: SearchRequest) -> Result<String, ErrorKind> {
    let answer = block_on(world.engine.search(caller, request)).map_err(|error| error.kind)?;
    let mut found: Vec<String> = texts(&answer.hits)
        .into_iter()
        .map(|text| text.split(' ').filter(|word| !matches!(*word, "has" | "had" | "a" | "boat")).collect())
        .collect();
    found.sort();
    Ok(found.join(" "))
}

#[test]
fn nodes_paths_and_their_union() {
    let world = World::with(&FACTS);
    let check = |namespaces: Vec<NamespaceAsk>, expect: &str| {
        let mut request = world.request("the boat");
        request.namespaces = namespaces.clone();
        assert_eq!(ask(&world, &world.caller, request).as_deref(), Ok(expect), "{namespaces:?}");
    };
    let (node, path) = (|text| NamespaceAsk::Node(place(text)), |text| NamespaceAsk::Path(place(text)));
    check(vec![], "Oneblue Onered Tengreen Twohouse");
    check(vec![node("users/1")], "Onered");
    check(vec![path("users/1")], "Oneblue Onered");
    check(vec![path("/")], "Oneblue Onered Tengreen Twohouse");
    check(vec![node("/users/2/"), node("/users/10")], "Tengreen Twohouse");
    check(vec![node("/nowhere/")], "");
    let settings =
        MemorySettings { namespace_match: NamespaceReading::SegmentPrefix, ..MemorySettings::default() };
    block_on(world.engine.memory_settings_put(&world.caller, &world.memory.id, settings)).unwrap();
    check(vec![node("users/1")], "Oneblue Onered");
}

#[test]
fn a_memory_ranks_by_its_own_weights() {
    let world = World::with(&FACTS);
    let put = |weights: Option<&str>| {
        let settings =
            MemorySettings { retrieval_weights: weights.map(str::to_owned), ..MemorySettings::default() };
        block_on(world.engine.memory_settings_put(&world.caller, &world.memory.id, settings))
    };
    let weight = || {
        let mut request = world.request("the boat");
        request.explain = true;
        let answer = block_on(world.engine.search(&world.caller, request)).unwrap();
        let lexical = answer.hits[0].explanation.iter().find(|signal| signal.name == "lex_turn").unwrap();
        lexical.weight
    };
    let shipped = include_str!("../../src/retrieval/weights.json");
    let usual = weight();
    let own = shipped.replacen("\"lex_turn\": ", "\"lex_turn\": 7", 1);
    put(Some(&own)).unwrap();
    assert!((weight() - usual - 70.0).abs() < 1e-3);
    for (from, to, expect) in [
        ("\"phrase\"", "\"phrases\"", "the signal phrase has no weight"),
        ("\"phrase\"", "\"more\": 1, \"phrase\"", "there is no signal more"),
        ("\"slope\": ", "\"slope\": -", "out of range"),
    ] {
        let error = put(Some(&shipped.replacen(from, to, 1))).unwrap_err();
        assert_eq!(error.field.as_deref(), Some("retrieval_weights"));
        assert!(error.message.contains(expect), "{}", error.message);
    }
    let long = format!("{shipped}{}", " ".repeat(limits::RETRIEVAL_WEIGHTS_BYTES_MAX + 1 - shipped.len()));
    assert_eq!(put(Some(&long)).unwrap_err().field.as_deref(), Some("retrieval_weights"));
    assert!((weight() - usual - 70.0).abs() < 1e-3);
    put(Some(&long[..limits::RETRIEVAL_WEIGHTS_BYTES_MAX])).unwrap();
    put(None).unwrap();
    assert_eq!(weight(), usual);
    let reader = reader_of("/users/1/");
    let settings = MemorySettings::default();
    let denied = block_on(world.engine.memory_settings_put(&reader, &world.memory.id, settings)).unwrap_err();
    assert_eq!(denied.kind, ErrorKind::Denied);
}

#[test]
fn weights_of_another_version_are_not_used_and_the_answer_says_so() {
    let world = World::with(&FACTS);
    let usual = world.ask(world.request("the boat")).unwrap();
    assert_eq!(usual.notices.warnings, []);
    let other = include_str!("../../src/retrieval/weights.json").replacen("\"phrase\"", "\"phrases\"", 1);
    world.store_weights(&other);
    for _ in 0..2 {
        let answer = world.ask(world.request("the boat")).unwrap();
        assert_eq!(answer.notices.warnings, [Warning::WeightsNotUsed]);
        assert_eq!(texts(&answer.hits), texts(&usual.hits));
    }
}

#[test]
fn grants_narrow_or_deny() {
    let world = World::with(&FACTS);
    let reader = reader_of("/users/1/");
    let mut request = world.request("the boat");
    assert_eq!(ask(&world, &reader, request.clone()).as_deref(), Ok("Oneblue Onered"));
    request.namespaces = vec![NamespaceAsk::Path(place("/"))];
    assert_eq!(ask(&world, &reader, request.clone()).as_deref(), Ok("Oneblue Onered"));
    let warnings = block_on(world.engine.search(&reader, request.clone())).unwrap().notices.warnings;
    assert_eq!(warnings, [Warning::ScopeNarrowed]);
    for outside in [NamespaceAsk::Node(place("/users/10")), NamespaceAsk::Path(place("/users/2"))] {
        request.namespaces = vec![outside];
        assert_eq!(ask(&world, &reader, request.clone()), Err(ErrorKind::Denied));
    }
    let nobody = Principal { name: "nobody".into(), grants: Vec::new() };
    assert_eq!(ask(&world, &nobody, world.request("the boat")), Err(ErrorKind::Denied));
}

#[test]
fn statistics_do_not_tell_of_what_is_hidden() {
    let world = World::with(&FACTS);
    let answer = block_on(world.engine.search(&reader_of("/users/2/"), world.request("the boat"))).unwrap();
    assert_eq!((answer.statistics.turns, answer.statistics.df), (1, vec![1]));
}

#[test]
fn filters_and_strategies() {
    let world = World::with(&FACTS);
    let topic = |key: &str, value: &str| MetadataFilter {
        key: key.into(),
        operator: FilterOperator::EqualsTo,
        right: Some(MetadataValue::String(value.into())),
    };
    let mut request = world.request("the boat");
    request.metadata = vec![topic("topic", "houses")];
    assert_eq!(ask(&world, &world.caller, request.clone()).as_deref(), Ok("Twohouse"));
    request.metadata = vec![topic("colour", "red")];
    let error = world.ask(request.clone()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Invalid);
    assert!(error.message.contains("not a valid filter key"));
    request.metadata.clear();
    request.strategy = Some(StrategyChoice::None);
    assert_eq!(ask(&world, &world.caller, request.clone()).unwrap().split(' ').count(), 4);
    request.strategy = Some(StrategyChoice::Of(world.memory.strategies[0].id.clone()));
    assert_eq!(ask(&world, &world.caller, request.clone()).as_deref(), Ok(""));
    request.strategy = Some(StrategyChoice::Of(StrategyId::parse("unknown-0123456789").unwrap()));
    assert_eq!(ask(&world, &world.caller, request), Err(ErrorKind::NotFound));
}

#[test]
fn states() {
    let world = World::with(&FACTS);
    world.set_state("Ten has a green boat", RecordState::Stale);
    let mut request = world.request("the boat");
    assert_eq!(ask(&world, &world.caller, request.clone()).as_deref(), Ok("Oneblue Onered Twohouse"));
    request.states = vec![RecordState::Stale];
    assert_eq!(ask(&world, &world.caller, request.clone()).as_deref(), Ok("Tengreen"));
    request.states = vec![RecordState::Active, RecordState::Quarantined];
    assert_eq!(ask(&world, &world.caller, request), Err(ErrorKind::Invalid));
}

#[test]
fn the_past_is_told_in_its_own_words() {
    let world = World::with(&[("/a/", "The boat is moored in Oslo")]);
    world.clock.advance_ms(3_600_000);
    let before = world.engine.now();
    world.clock.advance_ms(3_600_000);
    world.edit("The boat is moored in Oslo", "The boat is moored in Bergen");
    world.embed();
    let mut request = world.request("Where is the boat moored?");
    let now = world.ask(request.clone()).unwrap();
    assert_eq!(texts(&now.hits), ["The boat is moored in Bergen"]);
    request.as_of = Some(before);
    let then = world.ask(request.clone()).unwrap();
    assert_eq!(texts(&then.hits), ["The boat is moored in Oslo"]);
    world.set_state("The boat is moored in Bergen", RecordState::Invalid);
    let then = world.ask(request.clone()).unwrap();
    assert_eq!(texts(&then.hits), ["The boat is moored in Oslo"]);
    assert_eq!(then.hits[0].record.state, RecordState::Active);
}
