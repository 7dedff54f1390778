//! Profiles: lookup, application and repeated application; and moves of records after a template
//! change.

use loci_api::profile::ProfileApplied;
use loci_engine::EngineSettings;
use loci_engine::memories::profiles;
use loci_engine::memories::{MemoryUpdate, NewMemory, NewReflection, SelfManagedUpdate, StrategyUpdate};
use loci_engine::records::{NewRecord, RecordsCreate};
use loci_model::event::Role;
use loci_model::memory::Memory;
use loci_model::memory::settings::{InjectionMode, NamespaceReading, SecretsMode};
use loci_model::memory::strategy::{CustomConfiguration, SelfManaged, StepOverride, StrategyBase, Trigger};
use loci_model::record::{Record, RecordState};
use loci_model::warning::{Notices, Warning};
use loci_model::{ErrorKind, Namespace};

use crate::fixture::{World, strategy, template};

fn is_same(applied: &ProfileApplied) -> bool {
    applied.added.is_empty() && applied.changed.is_empty()
}

impl World {
    fn apply(&self, text: &str, dry_run: bool) -> loci_model::Result<ProfileApplied> {
        let profile = profiles::parse(text)?;
        self.drive(self.engine.profile_apply(&self.caller, &self.memory.id, &profile, dry_run))
    }

    fn now_memory(&self) -> Memory {
        self.drive(self.engine.memory_get(&self.caller, &self.memory.id)).unwrap()
    }

    fn retemplate(&self, to: &str) -> Notices {
        let update = StrategyUpdate { template: Some(template(to)), ..self.unchanged() };
        self.modify(update).unwrap()
    }

    fn unchanged(&self) -> StrategyUpdate {
        StrategyUpdate {
            id: self.memory.strategies[0].id.clone(),
            description: None,
            template: None,
            schema: None,
            expiry: None,
            extraction: None,
            consolidation: None,
            reflection: None,
            self_managed: None,
        }
    }

    fn modify(&self, update: StrategyUpdate) -> loci_model::Result<Notices> {
        let change = MemoryUpdate { modify_strategies: vec![update], ..MemoryUpdate::default() };
        let changed = self.engine.memory_update(&self.caller, &self.memory.id, change, None);
        self.drive(changed).map(|changed| changed.notices)
    }

    /// Applies the lines of the strategy Notes. Returns the changed members as `member from → to`.
    fn changes(&self, lines: &str) -> Vec<String> {
        let text = format!("profile = \"p\"\nversion = 1\n[[strategy]]\nname = \"Notes\"\n{lines}");
        let dry = self.apply(&text, true).unwrap();
        let applied = self.apply(&text, false).unwrap();
        assert_eq!(ProfileApplied { dry_run: false, ..dry }, applied);
        assert!(is_same(&self.apply(&text, false).unwrap()), "{lines}");
        let of_notes = applied.changed.into_iter().filter(|change| change.strategy.is_some());
        of_notes
            .map(|change| {
                let (from, to) = (change.from.unwrap_or_default(), change.to.unwrap_or_default());
                format!("{} {from} → {to}", change.member)
            })
            .collect()
    }
}

fn with_notes(base: StrategyBase, custom: Option<CustomConfiguration>, place: &str) -> World {
    let mut one = strategy(base);
    one.name = "Notes".into();
    one.custom = custom;
    one.template = Some(template(place));
    if base == StrategyBase::Episodic {
        let step = Some(step("reflect", "r"));
        one.reflection = Some(NewReflection { template: Some(template("/{actorId}/")), step, schema: None });
    }
    World::of(NewMemory { strategies: vec![one], ..NewMemory::default() })
}

fn step(prompt: &str, model: &str) -> StepOverride {
    StepOverride { append_to_prompt: prompt.into(), model_id: model.into() }
}

fn told(topic: &str) -> CustomConfiguration {
    let own = SelfManaged {
        triggers: vec![Trigger::Messages(3)],
        topic_arn: topic.into(),
        payload_bucket: "b".into(),
        history_messages: 9,
    };
    CustomConfiguration { self_managed: Some(own), ..CustomConfiguration::default() }
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
    let all = World::with(&[]).engine.clone();
    for shipped in all.profile_list() {
        let world = World::with(&[StrategyBase::Semantic]);
        let first = world.apply(&shipped.text, false).unwrap();
        assert_eq!(first.added.len(), shipped.strategies.len(), "{}", shipped.name);
        assert_eq!(first.kept, ["Semantic"]);
        let second = world.apply(&shipped.text, false).unwrap();
        assert!(is_same(&second), "{second:?}");
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
fn what_a_profile_does_not_name_stays() {
    let custom = CustomConfiguration { consolidation: Some(step("join", "c")), ..Default::default() };
    let world = with_notes(StrategyBase::Semantic, Some(custom), "/{actorId}/notes/");
    let base = "kind = \"semantic\"\nnamespace = \"/{actorId}/notes/\"";
    assert!(world.changes(base).is_empty());
    let first = world.changes(&format!("{base}\ninstructions = \"a\"\nmodel_id = \"m\""));
    assert_eq!(first, ["instructions  → a", "model_id  → m"]);
    assert_eq!(world.changes(&format!("{base}\ninstructions = \"a\"\nmodel_id = \"n\"")), ["model_id m → n"]);
    assert_eq!(world.changes(&format!("{base}\ninstructions = \"b\"")), ["instructions a → b"]);
    assert!(world.changes(base).is_empty());
    let custom = world.now_memory().strategies[0].custom.clone().unwrap();
    assert_eq!((custom.extraction, custom.consolidation), (Some(step("b", "n")), Some(step("join", "c"))));

    let world = with_notes(StrategyBase::Episodic, None, "/{actorId}/episodes/{sessionId}/");
    let lines = "kind = \"episodic\"\nnamespace = \"/{actorId}/episodes/{sessionId}/\"\n";
    let moved = world.changes(&format!("{lines}reflection_namespace = \"/{{actorId}}/episodes/\""));
    assert_eq!(moved, ["reflection_namespace /{actorId}/ → /{actorId}/episodes/"]);
    let moved = world.changes("kind = \"episodic\"\nnamespace = \"/e/{actorId}/{sessionId}/\"");
    assert_eq!(moved.len(), 2, "{moved:?}");
    let part = world.now_memory().strategies[0].reflection.clone().unwrap();
    assert_eq!((part.template, part.step), (template("/e/{actorId}/"), Some(step("reflect", "r"))));
}

#[test]
fn who_is_told_of_events_is_compared_and_is_no_url() {
    let world = with_notes(StrategyBase::SelfManaged, Some(told("one")), "/{actorId}/");
    let lines = "kind = \"self_managed\"\nnamespace = \"/{actorId}/\"\n";
    assert!(world.changes(lines).is_empty());
    assert_eq!(world.changes(&format!("{lines}topic = \"two\"")), ["topic one → two"]);
    assert_eq!(world.changes(&format!("{lines}bucket = \"c\"")), ["bucket b → c"]);
    let before = world.now_memory();
    let own = before.strategies[0].custom.clone().unwrap().self_managed.unwrap();
    assert_eq!((own.topic_arn.as_str(), own.payload_bucket.as_str(), own.history_messages), ("two", "c", 9));
    assert!(own.triggers.contains(&Trigger::Messages(3)));

    let url = "https://hooks.example.org/x";
    let head = "profile = \"p\"\nversion = 1\n[[strategy]]\n";
    for (field, name) in [("topic", "Notes"), ("bucket", "More")] {
        let text = format!("{head}name = \"{name}\"\n{lines}{field} = \"{url}\"\n");
        assert_eq!(world.apply(&text, false).unwrap_err().field.as_deref(), Some(field));
    }
    let to_url = || SelfManagedUpdate { topic_arn: Some(url.into()), ..SelfManagedUpdate::default() };
    let update = || StrategyUpdate { self_managed: Some(to_url()), ..world.unchanged() };
    assert_eq!(world.modify(update()).unwrap_err().field.as_deref(), Some("topic"));
    let mut new = strategy(StrategyBase::SelfManaged);
    new.custom = Some(told(url));
    let more = NewMemory {
        name: "more".into(),
        event_expiry_days: 30,
        strategies: vec![new],
        ..NewMemory::default()
    };
    let made = world.drive(world.engine.memory_create(&world.caller, more, None));
    assert_eq!(made.unwrap_err().field.as_deref(), Some("topic"));
    assert_eq!(world.now_memory(), before);

    let settings = EngineSettings { client_targets: true, ..EngineSettings::default() };
    let world = world.reopened(settings, |_| {});
    assert_eq!(world.changes(&format!("{lines}topic = \"{url}\"")), [format!("topic two → {url}")]);
    let update = StrategyUpdate { self_managed: Some(to_url()), ..world.unchanged() };
    world.modify(update).unwrap();
}

#[test]
fn keys_are_told_of_as_json() {
    let world = at("/{actorId}/notes/");
    let text = |allowed: &str| {
        format!(
            "profile = \"p\"\nversion = 1\n[[namespace_key]]\nkey = \"team\"\nallowed = [\"{allowed}\"]\n"
        )
    };
    world.apply(&text("a"), false).unwrap();
    let changed = world.apply(&text("b"), false).unwrap().changed;
    let json = |allowed: &str| {
        Some(format!("{{\"key\":\"team\",\"validation\":{{\"allowed\":[\"{allowed}\"],\"pattern\":null}}}}"))
    };
    assert_eq!(changed.len(), 1);
    assert_eq!((changed[0].from.clone(), changed[0].to.clone()), (json("a"), json("b")));
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
    // A repetition is recognized in the new namespace.
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
