//! A user's preferences are inaccessible to other users in every operation.

use std::collections::BTreeMap;

use loci_documents::{DocumentPut, PutContent, TreeAsk};
use loci_engine::events::{EventListing, NewEvent};
use loci_engine::records::{
    BatchOutcome, NamespaceAsk, NewRecord, RecordDelete, RecordListing, RecordUpdate, RecordsCreate,
};
use loci_model::event::{ExtractionMode, PayloadItem, Role};
use loci_model::ports::clock::Clock;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordState};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ActorId, ErrorKind, Namespace, Result, SessionId};
use serde_json::json;

use super::agent_responses::respond;
use super::investigation_start::{asked, start};
use super::{CallerStatement, of_actor, of_every_user, of_team, reopened, searching, world};
use crate::fixture::World;

const PLACE: &str = "/sre/users/bob/preferences";
const SESSION: &str = "preferences-default";

fn namespace(text: &str) -> Namespace {
    Namespace::parse(text).unwrap()
}

fn save(world: &World, by: &Principal, user: &str) -> Result<()> {
    let said = CallerStatement {
        by,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor: user,
        session: None,
    };
    let data = json!({"preference_type": "style", "preference_value": {"reports": "short"}});
    said.save(world, data).map(drop)
}

/// Returns bob's preference.
fn of_bob(world: &World) -> Record {
    let of_bob = |record: &Record| {
        record.namespace.normal() == namespace(PLACE).normal() && record.text.contains("short")
    };
    world.active().into_iter().find(of_bob).unwrap()
}

fn list(world: &World, by: &Principal, ask: &str) -> Result<Vec<Record>> {
    let listing = RecordListing {
        memory: world.memory.id.clone(),
        namespaces: vec![NamespaceAsk::Node(namespace(ask))],
        strategy: None,
        metadata: Vec::new(),
        kinds: Vec::new(),
        states: Vec::new(),
        after: None,
        limit: 100,
    };
    Ok(world.drive(world.engine.record_list(by, listing))?.page.items)
}

fn search(world: &World, by: &Principal, ask: &str) -> Result<Vec<Record>> {
    let request = searching(world, "short reports", vec![NamespaceAsk::Node(namespace(ask))]);
    Ok(world.drive(world.engine.search(by, request))?.hits.into_iter().map(|hit| hit.record).collect())
}

fn events(world: &World, by: &Principal, (actor, session): (&str, &str)) -> Result<usize> {
    let listing = EventListing {
        memory: world.memory.id.clone(),
        actor: ActorId::parse(actor).unwrap(),
        session: SessionId::parse(session).unwrap(),
        branch: None,
        metadata: Vec::new(),
        before: None,
        limit: 100,
        with_payload: true,
    };
    Ok(world.drive(world.engine.event_list(by, listing))?.items.len())
}

fn say(world: &World, by: &Principal, (actor, session): (&str, &str), texts: &[&str]) -> Result<()> {
    world.clock.advance_ms(1_000);
    let said = |text: &&str| PayloadItem::Conversational { role: Role::Assistant, text: (*text).to_owned() };
    let event = NewEvent {
        memory: world.memory.id.clone(),
        actor: ActorId::parse(actor).unwrap(),
        session: Some(SessionId::parse(session).unwrap()),
        time: None,
        payload: texts.iter().map(said).collect(),
        branch: None,
        metadata: BTreeMap::new(),
        extraction: ExtractionMode::Skip,
        namespace_variables: BTreeMap::new(),
        over_limit: false,
    };
    world.drive(world.engine.event_create(by, event, None)).map(drop)
}

fn create(world: &World, by: &Principal, place: &str) -> Result<()> {
    let new = NewRecord::fact("r".into(), vec![namespace(place)], "likes tables".into(), world.clock.now());
    let create = RecordsCreate { memory: world.memory.id.clone(), records: vec![new], expiry: None };
    one(world.drive(world.engine.records_create(by, create, None))?)
}

/// Returns the result of the only item of a batch.
fn one(outcome: BatchOutcome) -> Result<()> {
    let mut items = outcome.items;
    assert_eq!(items.len(), 1);
    items.remove(0).result.map_err(|(_, why)| loci_model::Error::not_found(why))
}

fn update(world: &World, by: &Principal, record: &Record) -> Result<()> {
    let word = MetadataValue::String("yes".to_owned());
    let update = RecordUpdate {
        id: record.id.clone(),
        timestamp: record.timestamp,
        text: None,
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: Some(BTreeMap::from([("reviewed".to_owned(), word)])),
        if_version: None,
    };
    one(world.drive(world.engine.records_update(by, &world.memory.id, vec![update], None))?)
}

fn delete(world: &World, by: &Principal, record: &Record) -> Result<()> {
    let delete = RecordDelete { id: record.id.clone(), namespace: None };
    world.drive(world.engine.record_delete(by, &world.memory.id, delete))
}

/// Tries every operation on bob's preference in sequence. Returns their results.
fn tried(world: &World, by: &Principal) -> Vec<(&'static str, std::result::Result<(), ErrorKind>)> {
    let record = of_bob(world);
    let (memory, id) = (&world.memory.id, &record.id);
    let told = |done: Result<()>| done.map_err(|error| error.kind);
    let among = |found: Result<Vec<Record>>| match found {
        Ok(found) if found.iter().any(|one| one.id == *id) => Ok(()),
        Ok(_) => Err(ErrorKind::NotFound),
        Err(error) => Err(error.kind),
    };
    let tool = "{'preference_type': 'style', 'preference_value': {'tables': True}}";
    let event = {
        let source = record.provenance.sources[0].event.clone();
        let (actor, session) =
            (record.provenance.actor.clone().unwrap(), record.provenance.session.clone().unwrap());
        world.drive(world.engine.event_get(by, memory, &actor, &session, &source)).map(drop)
    };
    vec![
        ("get", told(world.drive(world.engine.record_get(by, memory, id, None)).map(drop))),
        ("history", told(world.drive(world.engine.record_history(by, memory, id)).map(drop))),
        ("changes", told(world.drive(world.engine.record_changes(by, memory, id)).map(drop))),
        ("sources", told(world.drive(world.engine.record_sources(by, memory, id, None)).map(drop))),
        ("list", among(list(world, by, "/sre"))),
        ("search", among(search(world, by, "/sre"))),
        ("list the place", among(list(world, by, PLACE))),
        ("list the user", among(list(world, by, "/sre/users/bob"))),
        ("search the place", among(search(world, by, PLACE))),
        ("read the event", told(event)),
        ("list events", told(events(world, by, ("bob", SESSION)).map(drop))),
        ("typed event", told(say(world, by, ("bob", "s-1"), &[tool]))),
        ("a sentence", told(say(world, by, ("bob", SESSION), &["likes tables"]))),
        ("talk", told(say(world, by, ("bob", SESSION), &["likes tables", "likes charts"]))),
        ("create", told(create(world, by, PLACE))),
        ("save", told(save(world, by, "bob"))),
        ("update", told(update(world, by, &record))),
        ("delete", told(delete(world, by, &record))),
    ]
}

#[test]
fn what_a_user_prefers_is_for_whoever_works_for_them() {
    let check = |by: &dyn Fn(&World) -> Principal| {
        let world = world();
        save(&world, &of_team("bob"), "bob").unwrap();
        let world = reopened(world);
        let by = by(&world);
        for (what, done) in tried(&world, &by) {
            assert_eq!(done, Ok(()), "{what}: {by:?}");
        }
    };
    check(&|world| world.caller.clone());
    check(&|_| of_team("bob"));
    check(&|_| of_every_user("agent"));
    // A grant made for bob, in addition to the key's grants on the memory.
    check(&|_| {
        let mut key = of_team("agent");
        key.grants.extend(of_actor("agent", "bob").grants);
        key
    });
    check(&|_| {
        let mut key = of_team("agent");
        let mut named = of_actor("agent", "bob").grants.remove(0);
        named.capabilities = [Capability::Impersonate].into();
        key.grants.push(named);
        key
    });
}

#[test]
fn what_another_user_prefers_is_kept() {
    let world = world();
    save(&world, &of_team("bob"), "bob").unwrap();
    let world = reopened(world);
    let others = [
        of_team("alice"),
        {
            let mut key = of_team("alice");
            key.grants.extend(of_actor("alice", "carol").grants);
            key
        },
        // A capability on one session, or on another actor, permits no other user.
        {
            let mut key = of_every_user("alice");
            key.grants[0].capabilities.remove(&Capability::Impersonate);
            let session = SessionId::parse("s").unwrap();
            let capabilities = [Capability::Impersonate].into();
            key.grants.push(Grant { session: Some(session), capabilities, ..Grant::everything() });
            key
        },
    ];
    for by in others {
        let denied = [
            "list the place",
            "list the user",
            "search the place",
            "read the event",
            "list events",
            "typed event",
            "a sentence",
            "talk",
            "save",
        ];
        for (what, done) in tried(&world, &by) {
            let expect = if denied.contains(&what) { ErrorKind::Denied } else { ErrorKind::NotFound };
            assert_eq!(done, Err(expect), "{what}: {by:?}");
        }
    }
    assert_eq!(world.active(), vec![of_bob(&world)]);
    assert_eq!(of_bob(&world).version, 1);
}

#[test]
fn the_name_of_a_place_is_read_as_it_is_written() {
    let world = world();
    let user = "bob.smith";
    save(&world, &of_team(user), user).unwrap();
    let ask = |by: &Principal, place: &str| {
        list(&world, by, place).map(|found| found.len()).map_err(|error| error.kind)
    };
    let written = "/sre/users/x--bob_2esmith/preferences";
    for place in ["/sre/users/bob.smith/preferences", written, "/sre/users/bob.smith"] {
        assert_eq!(ask(&of_team("alice"), place), Err(ErrorKind::Denied), "{place}");
        assert_eq!(ask(&of_team(user), place), Ok(1), "{place}");
        assert_eq!(ask(&of_every_user("agent"), place), Ok(1), "{place}");
    }
    // The namespace of all users belongs to no single user.
    assert_eq!(ask(&of_team("alice"), "/sre/users"), Ok(0));
    assert_eq!(ask(&of_team(user), "/sre/users"), Ok(1));
    // A grant on a user's subtree is made for that user; one on the subtree of all users is not.
    let on = |place: &str| {
        let mut key = of_team("key");
        key.grants[0].namespace = Some(namespace(place));
        key
    };
    assert_eq!(ask(&on("/sre/users/x--bob_2esmith"), written), Ok(1));
    assert_eq!(ask(&on(written), written), Ok(1));
    assert_eq!(ask(&on("/sre/users"), written), Err(ErrorKind::Denied));
}

#[test]
fn what_was_not_said_to_this_memory_is_the_users_where_it_lies() {
    let world = world();
    create(&world, &world.caller, PLACE).unwrap();
    let record = world.active().remove(0);
    let get =
        |by: &Principal| world.drive(world.engine.record_get(by, &world.memory.id, &record.id, None)).is_ok();
    assert!(!get(&of_team("alice")));
    assert!(get(&of_team("bob")) && get(&of_every_user("agent")) && get(&world.caller));
    // A user's data cannot be moved to another's namespace.
    let alice = of_team("alice");
    save(&world, &alice, "alice").unwrap();
    let own = world.active().into_iter().find(|one| one.text.contains("short")).unwrap();
    let moved = RecordUpdate {
        id: own.id,
        timestamp: own.timestamp,
        text: None,
        namespaces: Some(vec![namespace(PLACE)]),
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    let moved = world.engine.records_update(&alice, &world.memory.id, vec![moved], None);
    assert!(one(world.drive(moved).unwrap()).is_err());
    assert_eq!(world.records(&[RecordState::Active]).len(), 2);
}

#[test]
fn events_that_say_what_a_user_prefers_are_left_out() {
    let world = world();
    let tool = "{'preference_type': 'style', 'preference_value': {'tables': True}}";
    say(&world, &of_team("bob"), ("bob", "s-1"), &["hello"]).unwrap();
    say(&world, &of_team("bob"), ("bob", "s-1"), &[tool]).unwrap();
    let shown = |by: &Principal| events(&world, by, ("bob", "s-1")).map_err(|error| error.kind);
    assert_eq!(shown(&of_team("alice")), Ok(1));
    for by in [of_team("bob"), of_every_user("agent"), world.caller.clone()] {
        assert_eq!(shown(&by), Ok(2), "{by:?}");
    }
}

#[test]
fn an_investigation_of_the_wire_is_its_users() {
    let world = world();
    let found = "{'incident_id': 'i', 'query': 'q', 'key_findings': ['latency']}";
    let known = "{'service_name': 'api', 'knowledge_type': 'config', 'knowledge_data': {'replicas': 3}}";
    let tried = |by: &Principal, actor: &str, text: &str| {
        say(&world, by, (actor, "s-1"), &[text]).map_err(|error| error.kind)
    };
    assert_eq!(tried(&of_team("alice"), "bob", found), Err(ErrorKind::Denied));
    assert_eq!(tried(&of_every_user("agent"), "bob", found), Ok(()));
    assert_eq!(tried(&of_team("bob"), "bob", found), Ok(()));
    // Knowledge about services belongs to no user.
    assert_eq!(tried(&of_team("alice"), "logs-agent", known), Ok(()));
}

/// Creates a private investigation of alice's with an agent's answer.
fn private(world: &World) {
    let alice = of_team("alice");
    let mut private = asked(world, "alice", "api-server crashes");
    (private.is_private, private.session) = (true, Some("s-private".to_owned()));
    let incident = start(world, &alice, private).unwrap().incident;
    respond(world, &alice, &incident, "logs-agent", "it was killed").unwrap();
}

#[test]
fn what_is_said_in_a_private_investigation_is_for_its_user() {
    let world = world();
    private(&world);
    for actor in ["alice", "logs-agent"] {
        let shown = |by: &Principal| events(&world, by, (actor, "s-private")).map_err(|error| error.kind);
        for by in [of_team("alice"), world.caller.clone(), of_every_user("agent"), of_actor("key", actor)] {
            assert_eq!(shown(&by), Ok(1), "{actor}: {by:?}");
        }
        assert_eq!(shown(&of_team("bob")), Ok(0), "{actor}");
    }
}

#[test]
fn an_investigation_of_somebody_else_opens_no_private_one_and_shuts_no_other() {
    let world = world();
    private(&world);
    let bob = of_team("bob");
    let mut shared = asked(&world, "bob", "the ledger crashes");
    shared.session = Some("s-private".to_owned());
    start(&world, &bob, shared).unwrap();
    for (actor, expect) in [("alice", 0), ("logs-agent", 0), ("bob", 1)] {
        assert_eq!(events(&world, &bob, (actor, "s-private")).unwrap(), expect, "{actor}");
    }
    // It does not hide a session with events of others either.
    let mut later = asked(&world, "alice", "the mail is late");
    (later.is_private, later.session) = (true, Some("s-team".to_owned()));
    say(&world, &bob, ("bob", "s-team"), &["hello"]).unwrap();
    start(&world, &of_team("alice"), later).unwrap();
    assert_eq!(events(&world, &of_team("carol"), ("bob", "s-team")).unwrap(), 1);
}

#[test]
fn a_private_investigation_that_is_deleted_opens_nothing() {
    let world = world();
    private(&world);
    let record = world.active().into_iter().find(|one| one.text.contains("crashes")).unwrap();
    delete(&world, &of_team("alice"), &record).unwrap();
    assert_eq!(events(&world, &of_team("bob"), ("alice", "s-private")).unwrap(), 0);
}

#[test]
fn what_lies_in_a_users_place_is_the_users_whatever_strategy_it_names() {
    let world = world();
    let strategies = world.memory.strategies.iter().map(|one| Some(one.id.clone())).chain([None]);
    for strategy in strategies {
        let of_strategy = |by: &Principal| {
            let (text, now) = ("never page anybody".to_owned(), world.clock.now());
            let new = NewRecord {
                strategy: strategy.clone(),
                ..NewRecord::fact("r".into(), vec![namespace(PLACE)], text, now)
            };
            let create = RecordsCreate { memory: world.memory.id.clone(), records: vec![new], expiry: None };
            world.drive(world.engine.records_create(by, create, None)).and_then(one)
        };
        assert!(of_strategy(&of_team("alice")).is_err(), "{strategy:?}");
        of_strategy(&of_every_user("agent")).unwrap();
    }
    let tree = TreeAsk { memory: world.memory.id.clone(), namespace: namespace(PLACE) };
    let (below, place) = ((None, None), (None, 100));
    let files = world
        .drive(world.engine.documents.documents_list(&of_team("alice"), &tree, below, place))
        .unwrap()
        .items;
    assert_eq!(files.len(), 0);
}

#[test]
fn nobody_puts_a_document_into_another_users_place() {
    let world = world();
    let put = |by: &Principal| {
        let tree = TreeAsk { memory: world.memory.id.clone(), namespace: namespace(PLACE) };
        let content = PutContent::Raw("# Contacts\n\nPage mallory@example.com.\n".to_owned());
        let put = DocumentPut { tree, path: None, content, precondition: None, reason: None };
        world.drive(world.engine.documents.document_put(by, put, None)).map(drop).map_err(|error| error.kind)
    };
    assert_eq!(put(&of_team("alice")), Err(ErrorKind::Denied));
    assert_eq!(put(&of_team("bob")), Ok(()));
}

#[test]
fn what_is_kept_to_a_user_lies_in_no_tree() {
    let world = world();
    save(&world, &of_team("bob"), "bob").unwrap();
    let mut private = asked(&world, "bob", "api-server crashes");
    (private.is_private, private.session) = (true, Some("s-private".to_owned()));
    start(&world, &of_team("bob"), private).unwrap();
    let shared = start(&world, &of_team("bob"), asked(&world, "bob", "the ledger crashes")).unwrap();
    let files = |place: &str| {
        let tree = TreeAsk { memory: world.memory.id.clone(), namespace: namespace(place) };
        let (below, place) = ((None, None), (None, 100));
        world
            .drive(world.engine.documents.documents_list(&of_team("alice"), &tree, below, place))
            .unwrap()
            .items
            .len()
    };
    assert_eq!(files(PLACE), 0);
    assert_eq!(files("/sre/investigations/bob/s-private"), 0);
    assert_eq!(files(&format!("/sre/investigations/bob/{}", shared.session)), 1);
}
