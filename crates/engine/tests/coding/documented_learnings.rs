//! Learnings that a repository documents itself expire at the next tip of its default branch; those
//! that a person restores stay.

use loci_api::coding::task::end::TaskNote;
use loci_coding::Completion;
use loci_engine::records::RecordRevert;
use loci_model::RecordId;
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::ports::store::StoreExt;
use loci_model::record::{RecordKind, RecordState};
use loci_testkit_ports::block_on;
use loci_verified::{NewFact, StoreStatus};

use super::hydration::put;
use super::workshop::{REPO, Workshop};

const GEN: &str = "Always run `make gen` before you run `cargo build`, or types are missing.";
const PORT: &str = "The tests of `orders` need a database on port 5432.";
const RULE: &str = "Every endpoint of the shop has a test beside it.";

fn noted(shop: &Workshop, text: &str) -> RecordId {
    let note = TaskNote { text: text.to_owned(), ..TaskNote::default() };
    shop.note("t-001", note).unwrap().learned.id.unwrap()
}

/// Runs one round of background work with its jobs.
fn round(shop: &Workshop) {
    shop.world.clock().advance_ms(61_000);
    block_on(shop.engine.sweep()).unwrap();
    shop.work();
}

fn stand(shop: &Workshop, id: &RecordId) -> (RecordState, Option<String>) {
    let record = shop.record(id);
    (record.state, record.state_reason)
}

fn expired() -> (RecordState, Option<String>) {
    (RecordState::Expired, Some("in_repo_docs".to_owned()))
}

fn document(shop: &Workshop) {
    shop.write("AGENTS.md", &format!("# For agents\n\n- {GEN}\n- {RULE}\n"));
}

#[test]
fn what_the_repository_has_come_to_say_expires() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let (told, other) = (noted(&shop, GEN), noted(&shop, PORT));
    let rule = put(&shop, 71, "/acme/shop/review-rules/", RecordKind::Rule, RULE);
    let lacking =
        Completion { self_feedback_text: Some(format!("**Set-up:** {RULE}")), ..Completion::default() };
    let lacked = shop.complete("t-001", lacking).unwrap().self_feedback[0].id.clone().unwrap();
    round(&shop);
    assert_eq!(stand(&shop, &told).0, RecordState::Active);
    document(&shop);
    round(&shop);
    for id in [&told, &rule] {
        assert_eq!(stand(&shop, id), expired());
    }
    for id in [&other, &lacked] {
        assert_eq!(stand(&shop, id).0, RecordState::Active);
    }
    let (store, memory, id) = (shop.world.store(), shop.memory(), told.clone());
    let rows = block_on(store.read(move |tx| tx.telemetry().of_record(&memory, &id))).unwrap();
    let last = rows.last().unwrap();
    assert_eq!(
        (last.to, last.reason.as_str(), last.by.as_str()),
        (RecordState::Expired, "in_repo_docs", "loci")
    );

    // A person restores it: it stays from then on.
    let revert = RecordRevert { id: told.clone(), to_version: None, if_version: None };
    block_on(shop.engine.record_revert(&shop.caller, &shop.memory(), revert)).unwrap();
    shop.write("src/other.rs", "fn other() {}\n");
    round(&shop);
    assert_eq!((stand(&shop, &told).0, stand(&shop, &rule)), (RecordState::Active, expired()));
}

#[test]
fn what_was_stored_with_citations_stays() {
    let shop = Workshop::new();
    shop.write("src/cart.rs", "pub const MAX_ITEMS: usize = 50;\npub const MAX_PRICES: usize = 20;\n");
    let place = LineRange { path: "src/cart.rs".to_owned(), line_start: 1, line_end: 1 };
    let text = "A cart of the shop holds at most MAX_ITEMS items.";
    let fact = NewFact {
        repo: REPO.to_owned(),
        subject: "Cart".to_owned(),
        fact: text.to_owned(),
        citations: vec![CitationInput { place, sha: None, snippet_hash: None }],
        ..NewFact::default()
    };
    let stored = block_on(shop.engine.verified.fact_store(&shop.caller, &shop.standing, fact, None)).unwrap();
    assert_eq!(stored.status, StoreStatus::Created);
    shop.write("AGENTS.md", &format!("- {text}\n"));
    round(&shop);
    assert_eq!(stand(&shop, &stored.view.remembered.record.id).0, RecordState::Active);
}

#[test]
fn what_cannot_be_read_expires_nothing_until_the_next_tip() {
    let shop = Workshop::new();
    shop.begun("t-001");
    let told = noted(&shop, GEN);
    round(&shop);
    document(&shop);
    let blob = loci_testkit_ports::CodeHistory::blob_id(&format!("# For agents\n\n- {GEN}\n- {RULE}\n"));
    shop.shelf.change(super::workshop::DIRECTORY, |history| history.lose(blob)).unwrap();
    round(&shop);
    assert_eq!(stand(&shop, &told).0, RecordState::Active);
    shop.shelf.change(super::workshop::DIRECTORY, |history| history.find(blob)).unwrap();
    round(&shop);
    assert_eq!(stand(&shop, &told).0, RecordState::Active, "what is not there is not asked for all the time");
    shop.write("src/other.rs", "fn other() {}\n");
    round(&shop);
    assert_eq!(stand(&shop, &told), expired());
}
