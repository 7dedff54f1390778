//! Imported lines: each line succeeds or fails separately, and data from untrusted sources stays
//! untrusted.

use loci_engine::admin::ForgetAsk;
use loci_engine::calls::idempotency::IfErased;
use loci_engine::records::RecordDelete;
use loci_model::limits;
use loci_model::memory::settings::EventLimits;
use loci_model::ports::clock::Clock;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::record::metadata::MetadataValue;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ActorId, Reason, RecordId};
use loci_operations::{SreAction, SreImport, SreImportedLine, SreLine, SreRecordContent};
use serde_json::{Value, json};

use super::world;
use crate::fixture::World;

fn line(world: &World, said: SreRecordContent) -> SreLine {
    SreLine {
        kind: SreType::Investigations,
        actor: "alice".to_owned(),
        session: Some("s-1".to_owned()),
        said,
        waits: false,
        source: SreSource::Agent,
        private_to: None,
        observed_at: world.clock.now(),
        expiry_days: None,
        superseded_keys: Vec::new(),
        contradicts: None,
        confirmed_by: Vec::new(),
        refuted_by: Vec::new(),
        seen: None,
        record: None,
        untrusted: false,
    }
}

fn data(world: &World, data: Value) -> SreLine {
    line(world, SreRecordContent::Data(data))
}

fn import(world: &World, lines: Vec<SreLine>, dry_run: bool) -> Vec<SreImportedLine> {
    import_if_erased(world, lines, dry_run, IfErased::Answer)
}

fn import_if_erased(
    world: &World,
    lines: Vec<SreLine>,
    dry_run: bool,
    if_erased: IfErased,
) -> Vec<SreImportedLine> {
    world.clock.advance_ms(1_000);
    let asked = SreImport { memory: world.memory.id.clone(), lines, keep_sources: false, dry_run, if_erased };
    world.drive(world.engine.operations.sre_import(&world.caller, asked)).unwrap()
}

/// Returns the record of a stored line, or the reason of a rejected one.
fn outcome(results: &[SreImportedLine]) -> Result<RecordId, Option<Reason>> {
    match &results[0] {
        Ok(kept) => Ok(kept.as_ref().unwrap().record.clone().unwrap()),
        Err(error) => Err(error.reason),
    }
}

#[test]
fn what_was_erased_comes_back_only_on_purpose() {
    let world = world();
    let erased = Err(Some(Reason::SourceErased));
    let delete = |id: RecordId| {
        let delete = RecordDelete { id, namespace: None };
        world.drive(world.engine.record_delete(&world.caller, &world.memory.id, delete)).unwrap();
    };
    let again =
        |line: &SreLine, if_erased| outcome(&import_if_erased(&world, vec![line.clone()], false, if_erased));
    // From this memory, and from another one.
    let own =
        outcome(&import(&world, vec![data(&world, json!({"query": "why?", "incident_id": "inc-1"}))], false));
    let own = SreLine {
        record: Some(own.unwrap()),
        ..data(&world, json!({"query": "why?", "incident_id": "inc-1"}))
    };
    let elsewhere = RecordId::compose("0193a7c0-0000-7000-8000-000000000001").unwrap();
    let other =
        SreLine { record: Some(elsewhere), ..data(&world, json!({"query": "how?", "incident_id": "inc-2"})) };
    delete(own.record.clone().unwrap());
    delete(again(&other, IfErased::Answer).unwrap());
    for line in [&own, &other] {
        for if_erased in [IfErased::Answer, IfErased::Refuse] {
            assert_eq!(again(line, if_erased), erased);
        }
        assert!(import(&world, vec![line.clone()], true)[0].is_err(), "a dry run says so");
        assert_eq!(world.active().len(), 0);
        let restored = again(line, IfErased::Restore).unwrap();
        assert_eq!(world.active().len(), 1);
        delete(restored);
    }
    // Erased with a person: earlier data of that person, not later data.
    let before = data(&world, json!({"query": "when?", "incident_id": "inc-3"}));
    world.clock.advance_ms(1_000);
    let actor = ActorId::parse("alice").unwrap();
    let (memory, confirm) = (world.memory.id.clone(), Some("alice".to_owned()));
    let ask = ForgetAsk { memory, actor, dry_run: false, confirm };
    world.drive(world.engine.forget(&world.caller, &ask)).unwrap();
    assert_eq!(again(&before, IfErased::Answer), erased);
    world.clock.advance_ms(1_000);
    let since = data(&world, json!({"query": "where?", "incident_id": "inc-4"}));
    assert!(again(&since, IfErased::Answer).is_ok());
    assert!(again(&before, IfErased::Restore).is_ok());
}

#[test]
fn an_investigation_without_a_name_is_told() {
    let world = world();
    for dry_run in [true, false] {
        let lines = vec![
            data(&world, json!({"query": "why?"})),
            data(&world, json!({"query": "how?"})),
            data(&world, json!({"query": "when?", "incident_id": "inc-1"})),
        ];
        let results = import(&world, lines, dry_run);
        for one in &results[..2] {
            let error = one.as_ref().unwrap_err();
            assert_eq!(error.field.as_deref(), Some("data.incident_id"));
        }
        assert!(results[2].is_ok());
        assert_eq!(world.active().len(), usize::from(!dry_run));
    }
}

#[test]
fn a_line_that_is_too_long_fails_alone() {
    let world = world();
    let lines = vec![
        line(&world, SreRecordContent::Text("x".repeat(limits::MESSAGE_CHARS_MAX + 1))),
        line(&world, SreRecordContent::Text("a note".to_owned())),
    ];
    let results = import(&world, lines, false);
    let fields: Vec<Option<&str>> =
        results.iter().map(|one| one.as_ref().err().and_then(|error| error.field.as_deref())).collect();
    assert_eq!(fields, [Some("text"), None]);
    assert_eq!(results[1].as_ref().unwrap().as_ref().unwrap().action, SreAction::Added);
    assert_eq!(world.active().len(), 1);
}

#[test]
fn a_line_that_the_memory_does_not_take_fails_alone() {
    let world = world();
    let mut memory = world.memory.clone();
    memory.settings.event_limits = EventLimits::Strict;
    let store: &dyn Store = &*world.store;
    world.drive(store.write(move |tx| tx.memories_mut().update(&memory).map(drop))).unwrap();
    let of = |incident: &str, findings: usize| {
        let finding = "x".repeat(limits::SRE_TEXT_CHARS_MAX);
        data(
            &world,
            json!({"query": "why?", "incident_id": incident, "key_findings": vec![finding; findings]}),
        )
    };
    let results = import(&world, vec![of("inc-1", 1), of("inc-2", 12), of("inc-3", 1)], false);
    let is_written: Vec<bool> = results.iter().map(Result::is_ok).collect();
    assert_eq!(is_written, [true, false, true], "{results:?}");
    assert_eq!(world.active().len(), 2, "nothing of it is written");
}

#[test]
fn what_outsiders_could_write_stays_such() {
    let of_alert = json!({
        "query": "pod restarts", "incident_id": "inc-1", "alert": {"trust": "untrusted", "fingerprint": "f"},
    });
    let check = |source: SreSource, untrusted: bool, expect: bool| {
        let world = world();
        let one = SreLine { source, untrusted, ..data(&world, of_alert.clone()) };
        assert!(import(&world, vec![one], false)[0].is_ok());
        let trust = world.active()[0].metadata.get("trust").cloned();
        assert_eq!(
            trust,
            expect.then(|| MetadataValue::String("untrusted".to_owned())),
            "{source:?} {untrusted}"
        );
        // The export contains it too.
        let which = (SreType::Investigations, None);
        let page = world.engine.operations.sre_export(&world.caller, &world.memory.id, which, None);
        let lines = world.drive(page).unwrap().lines;
        assert_eq!((lines[0].source, lines[0].untrusted), (SreSource::Imported, expect));
    };
    check(SreSource::Webhook, true, true);
    check(SreSource::Webhook, false, true);
    check(SreSource::Imported, true, true);
    // An agent has investigated it.
    check(SreSource::Agent, false, false);
}
