//! Profiles: found, applied, applied again; and what becomes of records when a template changes.

use loci_engine::memories::{MemoryUpdate, NewMemory, StrategyUpdate};
use loci_engine::profiles::{self, ProfileApplied};
use loci_engine::records::{NewRecord, RecordsCreate};
use loci_model::event::Role;
use loci_model::memory::Memory;
use loci_model::record::{Record, RecordState};
use loci_model::settings::{InjectionMode, NamespaceReading, SecretsMode};
use loci_model::strategy::StrategyBase;
use loci_model::warning::{Notices, Warning};
use loci_model::{ErrorKind, Namespace};

use crate::world::{World, strategy, template};

impl World {
    fn apply(&self, text: &str, dry_run: bool) -> loci_model::Result<ProfileApplied> {
        let profile = profiles::parse(text)?;
        self.drive(self.engine.profile_apply(&self.caller, &self.memory.id, &profile, dry_run))
    }

    fn now_memory(&self) -> Memory {
        self.drive(self.engine.memory_get(&self.caller, &self.memory.id)).unwrap()
    }

    fn retemplate(&self, to: &str) -> Notices {
        let update = StrategyUpdate {
            id: self.memory.strategies[0].id.clone(),
            description: None,
            template: Some(template(to)),
            schema: None,
            expiry: None,
            extraction: None,
            consolidation: None,
            reflection: None,
            self_managed: None,
        };
        let change = MemoryUpdate { modify_strategies: vec![update], ..MemoryUpdate::default() };
        let changed = self.engine.memory_update(&self.caller, &self.memory.id, change, None);
        self.drive(changed).unwrap().notices
    }
}

fn at(text: &str) -> World {
    let mut one = strategy(StrategyBase::Semantic);
    one.name = "Notes".into();
    one.template = Some(template(text));
    World::of(NewMemory { strategies: vec![one], ..NewMemory::default() })
}

fn places(records: &[Record]) -> Vec<(String, u32, String)> {
    let mut places: Vec<_> = records
        .iter()
        .map(|record| (record.id.to_string(), record.version, record.namespace.to_string()))
        .collect();
    places.sort();
    places
}

#[test]
fn applying_twice_adds_nothing() {
    for shipped in profiles::shipped() {
        let world = World::with(&[StrategyBase::Semantic]);
        let first = world.apply(&shipped.text, false).unwrap();
        assert_eq!(first.added.len(), shipped.strategies.len(), "{}", shipped.name);
        assert_eq!(first.kept, ["Semantic"]);
        let second = world.apply(&shipped.text, false).unwrap();
        assert!(!second.differs(), "{second:?}");
        let memory = world.now_memory();
        assert_eq!(memory.settings.profile.as_deref(), Some(shipped.name.as_str()));
        assert_eq!(memory.strategies.len(), shipped.strategies.len() + 1);
    }
}

#[test]
fn a_dry_run_says_what_applying_does() {
    let world = at("/{actorId}/notes/");
    world.say("s1", Role::User, "The port is 8080.");
    world.work();
    let text = "profile = \"p\"\nversion = 4\nevent_expiry_days = 60\n[safety]\nsecrets = \"mask\"\n[[strategy]]\nname = \"Notes\"\n\
                kind = \"semantic\"\nnamespace = \"/kept/{actorId}/{sessionId}/\"\nttl_days = 7\n";
    let dry = world.apply(text, true).unwrap();
    assert_eq!(world.now_memory(), world.memory);
    let applied = world.apply(text, false).unwrap();
    assert_eq!(ProfileApplied { dry_run: false, ..dry }, applied);
    assert_eq!((applied.moved_records, applied.unmoved_records), (1, 0));
    let members: Vec<_> =
        applied.changed.iter().map(|change| (change.strategy.as_deref(), change.member.as_str())).collect();
    let notes = Some("Notes");
    let expect = [
        (None, "settings.profile"),
        (None, "settings.safety"),
        (None, "event_expiry_days"),
        (notes, "namespace"),
        (notes, "ttl_days"),
    ];
    assert_eq!(members, expect);
    let memory = world.now_memory();
    assert_eq!(memory.settings.safety.secrets, Some(SecretsMode::Mask));
    assert_eq!(memory.strategies[0].record_expiry_days, Some(7));
    assert_eq!(world.active()[0].namespace.as_str(), "/kept/alice/s1/");
    world.say("s2", Role::User, "The host is called larch.");
    world.work();
    let expiring = world.active().into_iter().find(|record| record.text.contains("larch")).unwrap();
    assert_eq!(expiring.expiry_days, Some(7));
    assert_eq!(expiring.expires_at, Some(expiring.created_at.plus_days(7)));
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let world = at("/{actorId}/notes/");
    let check = |lines: &str, kind: ErrorKind| {
        let text = format!("profile = \"p\"\nversion = 1\n[[strategy]]\nname = \"Notes\"\n{lines}");
        assert_eq!(world.apply(&text, false).unwrap_err().kind, kind, "{lines}");
        assert_eq!(world.now_memory(), world.memory);
    };
    check("kind = \"summary\"\nnamespace = \"/a/{sessionId}/\"", ErrorKind::Conflict);
    check("kind = \"semantic\"\nnamespace = \"/{team}/\"", ErrorKind::Invalid);
    check("kind = \"semantic\"\nnamespace = \"/a/\"\nttl_days = 0", ErrorKind::Invalid);
    check("kind = \"semantic\"\nnamespace = \"/a/\"\nttl_days = 36501", ErrorKind::Invalid);
}

#[test]
fn a_changed_template_moves_every_record_and_keeps_what_it_is() {
    let world = at("/{actorId}/notes/");
    for text in ["The port is 8080.", "The host is called larch.", "The port is 8085 now."] {
        world.say("s1", Role::User, text);
        world.work();
    }
    let old = world.records(RecordState::ALL);
    let held = old[1].id.clone();
    let ask = loci_engine::records::QuarantineAsk {
        ids: vec![held.clone()],
        reason: "r".into(),
        ..Default::default()
    };
    world.drive(world.engine.records_quarantine(&world.caller, &world.memory.id, ask)).unwrap();
    assert_eq!(world.retemplate("/new/{sessionId}/{actorId}/"), Notices::default());
    let new = world.records(RecordState::ALL);
    let expect: Vec<_> =
        places(&old).into_iter().map(|(id, version, _)| (id, version, "/new/s1/alice/".to_owned())).collect();
    assert_eq!(places(&new), expect);
    assert_eq!(new.iter().find(|record| record.id == held).unwrap().state, RecordState::Quarantined);
    let changes =
        world.drive(world.engine.record_changes(&world.caller, &world.memory.id, &old[0].id)).unwrap();
    assert!(changes.iter().any(|change| change.reason == "moved: template changed"));
    // A repeat is known in the new place.
    world.say("s1", Role::User, "The port is 8080.");
    world.work();
    assert_eq!(world.records(RecordState::ALL).len(), old.len());
}

#[test]
fn a_record_whose_new_place_cannot_be_told_stays() {
    let world = at("/{actorId}/notes/");
    let strategy = Some(world.memory.strategies[0].id.clone());
    let write = |namespace: &str| {
        let mut fact = NewRecord::fact(
            "r".into(),
            vec![Namespace::parse(namespace).unwrap()],
            format!("written to {namespace}"),
            world.engine.now(),
        );
        fact.strategy.clone_from(&strategy);
        let request = RecordsCreate { memory: world.memory.id.clone(), records: vec![fact], expiry: None };
        world.drive(world.engine.records_create(&world.caller, request, None)).unwrap();
    };
    write("/acme/shop/notes/");
    write("/somewhere/else/");
    let notices = world.retemplate("/knowledge/{actorId}/");
    assert_eq!(notices.warnings, [Warning::RecordsUnmoved]);
    let mut places: Vec<String> =
        world.active().into_iter().map(|record| record.namespace.to_string()).collect();
    places.sort();
    assert_eq!(places, ["/knowledge/acme/shop/", "/somewhere/else/"]);
}

#[test]
fn a_memory_made_over_the_wire_is_recognised() {
    let world = at("/{actorId}/knowledge");
    let settings = &world.memory.settings;
    assert_eq!(settings.profile.as_deref(), Some("coding"));
    assert_eq!(settings.namespace_match, NamespaceReading::SegmentPrefix);
    assert_eq!(settings.safety.injection, InjectionMode::Quarantine);
    assert_eq!(world.memory.strategies.len(), 1);
    let plain = at("/{actorId}/notes/");
    assert_eq!(plain.memory.settings.profile, None);
}
