//! Facts that cite code, and tasks, are exported and imported.

use loci_engine::admin::{EXPORT_FORMAT, ExportCursor, ExportLine, ExportPart};
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::facts::fact::{Fact, FactEvent};
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{StoreExt, TaskQuery};
use loci_model::principal::{Grant, Principal};
use loci_model::tasks::task::Task;
use loci_model::{MemoryId, Timestamp};
use loci_store_conformance::filled_store;
use loci_testkit_ports::block_on;
use loci_testkit_ports::samples::record_id;

fn exported(world: &TestEngine, caller: &Principal, memory: &MemoryId) -> Vec<ExportLine> {
    let mut lines = vec![ExportLine::Header { format: EXPORT_FORMAT, exported_at: Timestamp::EPOCH }];
    let mut cursor = ExportCursor::Start;
    while cursor != ExportCursor::End {
        let (page, next) =
            block_on(world.engine().export_part(caller, memory, &ExportPart::default(), cursor)).unwrap();
        lines.extend(page);
        cursor = next;
    }
    lines
}

type StoredNouns = (Vec<Repository>, Vec<Fact>, Vec<FactEvent>, Vec<Task>);

fn held(world: &TestEngine, memory: &MemoryId) -> StoredNouns {
    let (memory, store) = (memory.clone(), world.store());
    let read = store.read(move |tx| {
        let records = [record_id(1)?, record_id(2)?];
        let mut history = Vec::new();
        for record in &records {
            history.extend(tx.fact_events().history(&memory, record)?);
        }
        let facts = tx.facts().get_many(&memory, &records)?;
        let tasks = tx.tasks().list(&TaskQuery::all(memory.clone(), 9))?;
        Ok((tx.repositories().list(&memory, None, 9)?, facts, history, tasks))
    });
    block_on(read).unwrap()
}

#[test]
fn an_export_carries_facts() {
    let caller = Principal { name: "admin".into(), grants: vec![Grant::everything()] };
    let (one, other) = (TestEngine::new().unwrap(), TestEngine::new().unwrap());
    let memory = filled_store::fill(&one.store(), "full").unwrap();
    let lines = exported(&one, &caller, &memory);
    block_on(other.engine().import_lines(&caller, lines.clone(), &[])).unwrap();
    let (repositories, mut facts, history, tasks) = held(&one, &memory);
    assert_eq!((repositories.len(), facts.len(), history.len(), tasks.len()), (2, 2, 1, 3));
    for fact in &mut facts {
        // Single reads are not exported.
        fact.counters.retrieved_swept = fact.counters.retrieved;
    }
    assert_eq!(held(&other, &memory), (repositories, facts, history, tasks));
    let of_facts = |lines: Vec<ExportLine>| -> Vec<ExportLine> {
        let is_of_facts = |line: &ExportLine| {
            matches!(
                line,
                ExportLine::Repository { .. }
                    | ExportLine::Task { .. }
                    | ExportLine::Exposure { .. }
                    | ExportLine::Commit { .. }
                    | ExportLine::Prompt { .. }
                    | ExportLine::TaskSession { .. }
                    | ExportLine::SessionItem { .. }
                    | ExportLine::Fact { .. }
                    | ExportLine::FactEvent { .. }
                    | ExportLine::Ledger { .. }
            )
        };
        lines.into_iter().filter(is_of_facts).collect()
    };
    assert_eq!(of_facts(exported(&other, &caller, &memory)), of_facts(lines), "lossless");
}
