//! Files that a learning names by path only: the stored references, and the learning after the
//! files are deleted.

use loci_api::coding::task::end::TaskNote;
use loci_coding::hydration::Hydration;
use loci_coding::{Completion, Hydrated};
use loci_model::RecordId;
use loci_model::record::metadata::MetadataValue;
use loci_testkit_ports::{CodeHistory, block_on};

use super::workshop::{Workshop, task_id};

const SCRIPT: &str = "#!/bin/sh\nset -eu\ncurl one\ncurl two\ncurl three\ncurl four\n";
const SAID: &str = "Pagination of orders is released by `scripts/deploy.sh`, never by hand.";

/// Returns a workshop and a learning that names a file.
fn learned(shop: &Workshop) -> RecordId {
    shop.write("scripts/deploy.sh", SCRIPT);
    shop.begun("t-001");
    let said = Completion { learnings_text: Some(format!("- **Release:** {SAID}")), ..Completion::default() };
    let left = shop.complete("t-001", said).unwrap();
    shop.work();
    left.learnings[0].id.clone().unwrap()
}

fn hydrated(shop: &Workshop) -> Hydrated {
    shop.world.clock().advance_ms(1_000);
    let asked = Hydration { query: Some("pagination of orders".to_owned()), ..Hydration::default() };
    block_on(shop.engine.coding.task_hydrate(&shop.caller, &shop.standing, &task_id("t-002"), asked)).unwrap()
}

/// Returns `None` if the learning is shown, otherwise the reason for its omission.
fn fate(found: &Hydrated, id: &RecordId) -> Option<&'static str> {
    if found.plan.shown.iter().any(|one| one.candidate.record.id == *id) {
        return None;
    }
    found.plan.left.iter().find(|left| left.candidate.record.id == *id).map(|left| left.reason)
}

fn remove(shop: &Workshop, path: &str) {
    shop.shelf.change(super::workshop::DIRECTORY, |history| history.write(path, None)).unwrap();
}

#[test]
fn a_path_alone_is_kept_with_its_blob_and_commit() {
    let shop = Workshop::new();
    let id = learned(&shop);
    assert_eq!(shop.citations(&id), Vec::<String>::new(), "no line is cited by a path alone");
    let record = shop.record(&id);
    let Some(MetadataValue::StringList(refs)) = record.metadata.get("path_refs") else {
        panic!("{:?}", record.metadata)
    };
    let blob = CodeHistory::blob_id(SCRIPT).to_string();
    assert!(refs.len() == 1 && refs[0].contains("scripts/deploy.sh") && refs[0].contains(&blob), "{refs:?}");
    // A missing file is no reference.
    let note = TaskNote { text: "Orders are in `src/basket.rs`.".to_owned(), ..TaskNote::default() };
    let other = shop.note("t-001", note).unwrap().learned.id.unwrap();
    assert_eq!(shop.record(&other).metadata.get("path_refs"), None);
}

#[test]
fn a_file_that_is_gone_withholds_and_one_that_moved_does_not() {
    let shop = Workshop::new();
    let id = learned(&shop);
    shop.begun("t-002");
    assert_eq!(fate(&hydrated(&shop), &id), None);
    shop.write("scripts/deploy.sh", "exec make release\n");
    assert_eq!(fate(&hydrated(&shop), &id), None, "whatever stands in it");
    shop.write("scripts/deploy.sh", SCRIPT);
    shop.shelf
        .change(super::workshop::DIRECTORY, |history| {
            history.write("scripts/deploy.sh", None);
            history.write("tools/release.sh", Some(&SCRIPT.replace("curl four", "curl 4")))
        })
        .unwrap();
    assert_eq!(fate(&hydrated(&shop), &id), None, "renamed");
    remove(&shop, "tools/release.sh");
    let found = hydrated(&shop);
    assert_eq!(fate(&found, &id), Some("citation_gone"), "{:?}", found.warnings);
    // If the repository cannot be read, the learning stays.
    shop.unreadable();
    let found = hydrated(&shop);
    assert_eq!(fate(&found, &id), None);
    let said = |one: &String| one.starts_with("PATHS_UNVERIFIED: ") && one.contains("network");
    assert!(found.warnings.iter().any(said), "{:?}", found.warnings);
    shop.readable();
    shop.write("scripts/deploy.sh", SCRIPT);
    assert_eq!(fate(&hydrated(&shop), &id), None, "it is there again");
}
