//! Checks of an import: texts must match the digests that Loci stored.

use loci_api::coding::task::end::TaskNote;
use loci_engine::admin::{ExportCursor, ExportLine, ExportPart};
use loci_engine::records::RecordUpdate;
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::RecordId;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordOrigin};
use loci_testkit_ports::block_on;

use super::workshop::Workshop;

const ORDERS: &str = "Pagination of orders goes by a cursor, never by an offset.";
const EDITED: &str = "Pagination of orders goes by an offset.";
const DIGEST: &str = "content_sha256";

fn exported(shop: &Workshop) -> Vec<ExportLine> {
    let (mut cursor, mut lines) = (ExportCursor::Start, Vec::new());
    while cursor != ExportCursor::End {
        let part = ExportPart::default();
        let (page, next) =
            block_on(shop.engine.export_part(&shop.caller, &shop.memory(), &part, cursor)).unwrap();
        lines.extend(page);
        cursor = next;
    }
    lines
}

/// Returns the result of importing these lines with a changed record.
fn imported(
    shop: &Workshop,
    lines: &[ExportLine],
    id: &RecordId,
    change: &dyn Fn(&mut Record),
) -> Result<u64, String> {
    let mut lines = lines.to_vec();
    for line in &mut lines {
        if let ExportLine::Record { record, .. } = line
            && record.id == *id
        {
            change(record);
        }
    }
    let other = TestEngine::new().unwrap();
    let report = block_on(other.engine().import_lines(&shop.caller, lines, &[]));
    report.map(|report| report.records).map_err(|error| format!("{:?} {}", error.field, error.message))
}

fn digest_of(record: &Record) -> Option<MetadataValue> {
    record.metadata.get(DIGEST).cloned()
}

#[test]
fn a89_a_text_that_was_changed_by_hand_is_refused() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let note = TaskNote { text: ORDERS.to_owned(), ..TaskNote::default() };
    let id = shop.note("t-001", note).unwrap().learned.id.unwrap();
    let lines = exported(&shop);
    let import = |change: &dyn Fn(&mut Record)| imported(&shop, &lines, &id, change);
    assert_eq!(import(&|_| {}), Ok(1));
    let refused = import(&|record| record.text = EDITED.to_owned()).unwrap_err();
    assert!(refused.contains(id.as_str()) && refused.contains("version 1"), "{refused}");
    // A client's own value under that key is not checked.
    let of_client = |record: &mut Record| {
        record.text = EDITED.to_owned();
        record.origin = RecordOrigin::BatchCreated;
    };
    assert_eq!(import(&of_client), Ok(1));
}

#[test]
fn an_edit_takes_the_digest_along() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let note = TaskNote { text: ORDERS.to_owned(), ..TaskNote::default() };
    let id = shop.note("t-001", note).unwrap().learned.id.unwrap();
    let before = digest_of(&shop.record(&id));
    let update = RecordUpdate {
        id: id.clone(),
        timestamp: shop.engine.now(),
        text: Some(EDITED.to_owned()),
        namespaces: None,
        source_namespaces: None,
        strategy: None,
        metadata: None,
        if_version: None,
    };
    block_on(shop.engine.records_update(&shop.caller, &shop.memory(), vec![update], None)).unwrap();
    assert_ne!(digest_of(&shop.record(&id)), before);
    let lines = exported(&shop);
    assert_eq!(imported(&shop, &lines, &id, &|_| {}), Ok(2));
    // An edit with the old digest is a manual one.
    let stale = |record: &mut Record| {
        record.metadata.insert(DIGEST.to_owned(), before.clone().unwrap());
    };
    let refused = imported(&shop, &lines, &id, &stale).unwrap_err();
    assert!(refused.contains("version 2"), "{refused}");
    let without = |record: &mut Record| drop(record.metadata.remove(DIGEST));
    assert_eq!(imported(&shop, &lines, &id, &without), Ok(2));
}
