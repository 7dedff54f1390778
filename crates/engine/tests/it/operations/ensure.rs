//! A memory exists when the call returns.

use loci_engine::memories::profiles::{MemoryEnsure, MemoryEnsured};
use loci_engine::memories::{NewMemory, NewStrategy};
use loci_model::event::Role;
use loci_model::memory::Memory;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::clock::Clock;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ErrorKind, MemoryId};
use loci_operations::SreSettings;
use serde_json::json;

use super::{CallerStatement, NAME, ensured, known, of_team, reopened, world};
use crate::fixture::{World, strategy, template};

fn ensure(world: &World, by: &Principal, asked: MemoryEnsure) -> Result<MemoryEnsured, ErrorKind> {
    world.drive(world.engine.memory_ensure(by, asked)).map_err(|error| error.kind)
}

fn names(ensured: &MemoryEnsured) -> Vec<&str> {
    ensured.memory.strategies.iter().map(|one| one.name.as_str()).collect()
}

const THREE: [&str; 3] = ["user_preferences", "infrastructure_knowledge", "investigation_summaries"];

#[test]
fn a_second_start_adds_nothing() {
    let world = World::with(&[]);
    let first = ensure(&world, &world.caller, ensured(false)).unwrap();
    assert_eq!((first.created, names(&first)), (true, THREE.to_vec()));
    assert_eq!(first.memory.event_expiry_days, 90);
    let days: Vec<_> = first.memory.strategies.iter().map(|one| one.record_expiry_days).collect();
    assert_eq!(days, [Some(90), Some(30), Some(60)]);
    let id = first.memory.id.to_string();
    assert!(id.starts_with("sre_agent_memory-") && id.len() == "sre_agent_memory-".len() + 10);
    let world = reopened(world);
    for update in [false, true] {
        let again = ensure(&world, &world.caller, ensured(update)).unwrap();
        let expect = MemoryEnsured { created: false, ..first.clone() };
        assert_eq!(again, expect);
    }
}

#[test]
fn a_memory_is_made_as_its_configuration_has_it() {
    let mut settings = loci_products::LociSettings::default();
    let mut own = SreSettings { description: Some("ours".to_owned()), ..SreSettings::default() };
    own.infrastructure.ttl_days = Some(10);
    own.investigations.ttl_days = Some(120);
    own.investigations.namespace = Some("/ops/looked-into/{actorId}/{sessionId}".to_owned());
    settings.operations.named.insert(NAME.to_owned(), own);
    let world = World::with(&[]).reopened(settings, |_| {});
    let made = ensure(&world, &world.caller, ensured(false)).unwrap().memory;
    let days: Vec<_> = made.strategies.iter().map(|one| one.record_expiry_days).collect();
    assert_eq!(days, [Some(90), Some(10), Some(120)]);
    assert_eq!((made.event_expiry_days, made.description.as_deref()), (120, Some("ours")));
    assert_eq!(made.strategies[2].template.as_str(), "/ops/looked-into/{actorId}/{sessionId}");
    // A memory with another name gets the profile's values.
    let other = MemoryEnsure { name: "other".to_owned(), ..ensured(false) };
    let other = ensure(&world, &world.caller, other).unwrap().memory;
    assert_eq!(other.strategies[1].record_expiry_days, Some(30));
}

fn named(name: &str) -> NewStrategy {
    NewStrategy { name: name.to_owned(), ..strategy(StrategyBase::Semantic) }
}

#[test]
fn what_is_missing_by_name_is_added() {
    let check = |there: Vec<NewStrategy>, added: &[&str]| {
        let world = World::with(&[]);
        let new =
            NewMemory { name: NAME.into(), event_expiry_days: 30, strategies: there, ..NewMemory::default() };
        let made = world.drive(world.engine.memory_create(&world.caller, new, None)).unwrap();
        let done = ensure(&world, &world.caller, ensured(false)).unwrap();
        assert_eq!(
            (done.created, done.added.as_slice()),
            (false, added.iter().map(ToString::to_string).collect::<Vec<_>>().as_slice())
        );
        assert_eq!(done.memory.id, made.id);
        assert!(made.strategies.iter().all(|one| done.memory.strategies.contains(one)));
        let world = reopened(world);
        assert!(ensure(&world, &world.caller, ensured(false)).unwrap().added.is_empty());
    };
    check(vec![named("a"), named("b"), named("c")], &THREE);
    let sre = World::with(&[]).engine.profile_get("sre").unwrap().strategies.clone();
    check(sre[..2].to_vec(), &THREE[2..]);
    check(vec![sre[2].clone(), named("a")], &THREE[..2]);
}

#[test]
fn a_fourth_strategy_has_a_time_of_its_own() {
    let mut world = World::with(&[]);
    let fourth = NewStrategy {
        record_expiry_days: Some(7),
        template: Some(template("/notes/{actorId}/{sessionId}")),
        ..named("notes")
    };
    let asked = MemoryEnsure { strategies: vec![fourth], ..ensured(false) };
    world.memory = ensure(&world, &world.caller, asked).unwrap().memory;
    world.say("s-1", Role::User, "The staging database is upgraded on the last Friday of each month.");
    world.work();
    let days = |world: &World| world.active().iter().map(|one| one.expiry_days).collect::<Vec<_>>();
    let of_notes = |world: &World| {
        let id = &world.memory.strategies.iter().find(|one| one.name == "notes").unwrap().id;
        world.active().iter().filter(|one| one.strategy.as_ref() == Some(id)).count()
    };
    assert!(days(&world).contains(&Some(7)) && of_notes(&world) == 1, "{:?}", days(&world));
    world = reopened(world);
    world.clock.advance_ms(8 * 86_400_000);
    assert!(world.active().iter().all(|one| one.is_expired(world.clock.now()) || one.expiry_days != Some(7)));
}

#[test]
fn what_is_otherwise_is_told_and_changed_only_on_demand() {
    let world = World::with(&[]);
    let mut there = world.engine.profile_get("sre").unwrap().strategies.clone();
    there[1].record_expiry_days = Some(7);
    there[2].template = Some(template("/elsewhere/{actorId}/{sessionId}"));
    let new =
        NewMemory { name: NAME.into(), event_expiry_days: 90, strategies: there, ..NewMemory::default() };
    let made = world.drive(world.engine.memory_create(&world.caller, new, None)).unwrap();
    let told = ensure(&world, &world.caller, ensured(false)).unwrap();
    assert_eq!((&told.memory, told.added.len()), (&made, 0));
    let days = "ttl_days of the strategy infrastructure_knowledge is 7, not 30 as asked: it stays, update=true changes it";
    assert!(told.warnings.iter().any(|text| text == days), "{:?}", told.warnings);
    assert!(
        told.warnings
            .iter()
            .any(|text| text.starts_with("namespace of the strategy investigation_summaries is /elsewhere/"))
    );
    let changed = ensure(&world, &world.caller, ensured(true)).unwrap();
    assert_eq!(changed.memory.strategies[1].record_expiry_days, Some(30));
    assert!(
        changed
            .warnings
            .contains(&"ttl_days of the strategy infrastructure_knowledge was 7 and is 30".to_owned())
    );
    let world = reopened(world);
    assert!(ensure(&world, &world.caller, ensured(false)).unwrap().warnings.is_empty());
}

#[test]
fn two_that_start_together_get_one_memory() {
    let world = World::with(&[]);
    let other = world.server("other", |_| {});
    let (one, two) = world.drive(async {
        let both = (
            world.engine.memory_ensure(&world.caller, ensured(false)),
            other.memory_ensure(&world.caller, ensured(false)),
        );
        futures::join!(both.0, both.1)
    });
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(one.memory, two.memory);
    assert_ne!(one.created, two.created);
}

#[test]
fn a_name_is_the_whole_name() {
    let world = World::with(&[]);
    let similar = |at: usize| match at {
        0 => format!("{NAME}_test"),
        1 => "sre_agent_memor".to_owned(),
        2 => "SRE_agent_memory".to_owned(),
        at => format!("{NAME}_{at}"),
    };
    for at in 0..250 {
        let new = NewMemory { name: similar(at), event_expiry_days: 30, ..NewMemory::default() };
        world.drive(world.engine.memory_create(&world.caller, new, None)).unwrap();
    }
    let made = ensure(&world, &world.caller, ensured(false)).unwrap();
    assert!(made.created && made.memory.name == NAME);
    let world = reopened(world);
    assert_eq!(ensure(&world, &world.caller, ensured(false)).unwrap().memory.id, made.memory.id);
}

#[test]
fn who_may() {
    let world = World::with(&[]);
    assert_eq!(ensure(&world, &of_team("t"), ensured(false)).unwrap_err(), ErrorKind::Denied);
    let made = ensure(&world, &world.caller, ensured(false)).unwrap().memory;
    assert_eq!(ensure(&world, &of_team("t"), ensured(false)).unwrap_err(), ErrorKind::Denied);
    let of = |id: MemoryId| {
        let grant = Grant { memory: Some(id), ..Grant::everything() };
        assert!(grant.capabilities.contains(&Capability::Admin));
        Principal { name: "keeper".into(), grants: vec![grant] }
    };
    assert_eq!(ensure(&world, &of(made.id.clone()), ensured(false)).unwrap().memory, made);
    let other = MemoryId::parse("other-0123456789").unwrap();
    assert_eq!(ensure(&world, &of(other), ensured(false)).unwrap_err(), ErrorKind::Denied);
    let unknown = MemoryEnsure { profile: Some("none-such".into()), ..ensured(false) };
    assert_eq!(ensure(&world, &world.caller, unknown).unwrap_err(), ErrorKind::Invalid);
}

#[test]
fn a_memory_is_made_anew_by_its_name_alone() {
    let world = world();
    let said = CallerStatement {
        by: &world.caller,
        source: SreSource::Human,
        kind: SreType::Preferences,
        actor: "Alice",
        session: None,
    };
    said.save(&world, json!({"preference_type": "style", "preference_value": {"a": 1, "b": 2}})).unwrap();
    let old = world.memory.clone();
    let recreate = |by: &Principal, name: Option<&str>| {
        world.drive(world.engine.memory_recreate(by, &old.id, name)).map_err(|error| error.kind)
    };
    let told = recreate(&world.caller, None).unwrap();
    assert_eq!((told.records, told.events, told.new), (2, 1, None));
    assert_eq!(recreate(&world.caller, Some("sre_agent")), Err(ErrorKind::Invalid));
    assert_eq!(recreate(&of_team("Bob"), Some(NAME)), Err(ErrorKind::Denied));
    assert_eq!(known(&world).len(), 2, "nothing was done yet");
    let done = recreate(&world.caller, Some(NAME)).unwrap();
    let new = done.new.unwrap();
    assert_eq!((done.records, done.events), (2, 1));
    assert_eq!((&new.name, &new.settings, &new.tags), (&old.name, &old.settings, &old.tags));
    let names = |memory: &Memory| memory.strategies.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&new), names(&old));
    assert!(new.id != old.id && new.strategies.iter().all(|one| old.strategy(&one.id).is_none()));
    assert_eq!(recreate(&world.caller, None), Err(ErrorKind::NotFound));
    let mut world = reopened(world);
    world.memory = new;
    assert!(known(&world).is_empty());
    let again = world.drive(world.engine.memory_ensure(&world.caller, ensured(false))).unwrap();
    assert_eq!((again.memory.id, again.created), (world.memory.id.clone(), false));
}
