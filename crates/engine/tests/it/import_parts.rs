//! Imports in parts: an unfinished import is not served, is reported, is replaced by the next
//! import, and is removed.

use loci_engine::admin::{ExportCursor, ExportLine, ExportPart, ImportPart};
use loci_engine::memories::NewMemory;
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::memory::Memory;
use loci_model::principal::Principal;
use loci_model::{ErrorKind, MemoryId, Result, limits};
use loci_products::Loci;
use loci_testkit_ports::{block_on, samples};

fn caller() -> Principal {
    Principal::administrator("tester")
}

/// Returns a memory named `notes`, and the lines of its export without the last.
fn exported() -> (Memory, Vec<ExportLine>) {
    let world = TestEngine::new().unwrap();
    let engine = world.engine();
    let new = NewMemory { name: "notes".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
    let memory = block_on(engine.memory_create(&caller(), new, None)).unwrap();
    let (lines, _) =
        block_on(engine.export_part(&caller(), &memory.id, &ExportPart::default(), ExportCursor::Start))
            .unwrap();
    (memory, lines)
}

fn begin(engine: &Loci, memory: &Memory, lines: &[ExportLine], run: &str) {
    let part = ImportPart { run: Some(run), ..ImportPart::default() };
    block_on(engine.import_room(&caller(), memory)).unwrap();
    assert_eq!(block_on(engine.import_part(&caller(), lines.to_vec(), part)).unwrap().memories, 1);
}

/// Imports one more line of a run.
fn go_on(engine: &Loci, memory: &Memory, run: &str, number: i64) -> Result<()> {
    let resuming = [memory.id.clone()];
    let part = ImportPart { run: Some(run), resuming: &resuming, ..ImportPart::default() };
    let event = samples::event(&memory.id, "ann", "s1", number)?;
    let report =
        block_on(engine.import_part(&caller(), vec![ExportLine::Event { event: event.into() }], part))?;
    assert_eq!(report.events, 1);
    Ok(())
}

fn check(engine: &Loci) -> (bool, String) {
    let info = block_on(engine.info(&caller(), true)).unwrap();
    let check = info.checks.into_iter().find(|check| check.name == "imports").unwrap();
    (check.ok, check.detail)
}

fn is_served(engine: &Loci, id: &MemoryId) -> bool {
    let caller = caller();
    let listed = block_on(engine.memory_list(&caller, None, 10)).unwrap().items;
    let got = block_on(engine.memory_get(&caller, id));
    let named = block_on(engine.memory_id(&caller, "notes"));
    let is_seen = [!listed.is_empty(), got.is_ok(), named.is_ok()];
    assert!(is_seen.iter().all(|seen| *seen == is_seen[0]), "{is_seen:?}");
    if let Err(error) = got {
        let expect =
            if error.message.contains("being imported") { ErrorKind::Conflict } else { ErrorKind::NotFound };
        assert_eq!(error.kind, expect, "{}", error.message);
    }
    is_seen[0]
}

#[test]
fn a_memory_is_served_once_its_import_has_ended() {
    let (memory, lines) = exported();
    let world = TestEngine::new().unwrap();
    let (engine, caller, made) = (world.engine(), caller(), [memory.id.clone()]);
    begin(&engine, &memory, &lines, "first");
    assert!(!is_served(&engine, &memory.id));
    let (ok, detail) = check(&engine);
    assert!(ok && detail.contains(memory.id.as_str()), "{detail}");
    let new = NewMemory { name: "notes".to_owned(), event_expiry_days: 30, ..NewMemory::default() };
    let taken = block_on(engine.memory_create(&caller, new, None)).unwrap_err();
    assert!(taken.message.contains("being imported"), "{}", taken.message);
    go_on(&engine, &memory, "first", 1).unwrap();

    // The same import starts again: the first run can no longer write, end or be undone.
    begin(&engine, &memory, &lines, "second");
    assert_eq!(go_on(&engine, &memory, "first", 2).unwrap_err().kind, ErrorKind::Conflict);
    let ended = block_on(engine.import_finish(&caller, &made, "first"));
    assert_eq!(ended.unwrap_err().kind, ErrorKind::Conflict);
    block_on(engine.import_undo(&caller, &made, "first")).unwrap();
    go_on(&engine, &memory, "second", 1).unwrap();
    assert!(!is_served(&engine, &memory.id));
    block_on(engine.import_finish(&caller, &made, "second")).unwrap();
    assert!(is_served(&engine, &memory.id));
    assert_eq!(check(&engine), (true, "no import has broken off".to_owned()));
    // A finished import is not replaced.
    block_on(engine.import_room(&caller, &memory)).unwrap();
    block_on(engine.import_undo(&caller, &made, "second")).unwrap();
    assert!(is_served(&engine, &memory.id));
}

#[test]
fn a_part_that_nobody_goes_on_with_is_removed() {
    let (memory, lines) = exported();
    let world = TestEngine::new().unwrap();
    let engine = world.engine();
    let advance = |ms: i64| world.clock().advance_ms(ms.unsigned_abs());
    begin(&engine, &memory, &lines, "first");
    advance(limits::IMPORT_BEAT_MS);
    go_on(&engine, &memory, "first", 1).unwrap();
    advance(2 * limits::IMPORT_BEAT_MS + 1);
    let (ok, detail) = check(&engine);
    assert!(!ok && detail.contains("import the file again"), "{detail}");
    begin(&engine, &memory, &lines, "second");
    advance(limits::IMPORT_IDLE_MS - 1);
    block_on(engine.sweep()).unwrap();
    assert!(!check(&engine).0);
    advance(1);
    block_on(engine.sweep()).unwrap();
    assert_eq!(check(&engine), (true, "no import has broken off".to_owned()));
    assert!(!is_served(&engine, &memory.id));
    // Manual deletion takes effect immediately.
    begin(&engine, &memory, &lines, "third");
    block_on(engine.memory_delete(&caller(), &memory.id, None)).unwrap();
    assert_eq!(check(&engine), (true, "no import has broken off".to_owned()));
}
