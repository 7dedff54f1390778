//! Learnings of an unreadable repository: their mark, and the addition of citations once it is
//! readable again.

use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::TaskNote;
use loci_api::verified::repository::RepositoryAdd;
use loci_coding::Completion;
use loci_model::RecordId;
use loci_model::record::metadata::MetadataValue;
use loci_testkit_ports::{CodeHistory, block_on};

use super::workshop::{Workshop, task};

const CART: &str = "pub struct Cart;\n\nimpl Cart {\n    pub fn add_item(&mut self, item: Item) -> Result<(), CartFull> {\n        self.check(MAX_ITEMS)\n    }\n}\n";
const SAID: &str = "`add_item` refuses more than MAX_ITEMS items; releases are made by `scripts/deploy.sh`.";

fn noted(shop: &Workshop, task: &str, text: &str) -> RecordId {
    let note = TaskNote { text: text.to_owned(), ..TaskNote::default() };
    shop.note(task, note).unwrap().learned.id.unwrap()
}

/// Returns the mark, the files and the citations of a learning, and its version.
fn stand(shop: &Workshop, id: &RecordId) -> (bool, usize, Vec<String>, u32) {
    let record = shop.record(id);
    let is_marked = match record.metadata.get("citations_pending") {
        Some(MetadataValue::String(word)) => word == "true",
        Some(_) | None => false,
    };
    let files = match record.metadata.get("path_refs") {
        Some(MetadataValue::StringList(files)) => files.len(),
        Some(_) | None => 0,
    };
    (is_marked, files, shop.citations(id), record.version)
}

fn files(shop: &Workshop) {
    shop.write("src/cart.rs", CART);
    shop.write("scripts/deploy.sh", "#!/bin/sh\nexec make release\n");
}

#[test]
fn what_could_not_be_read_is_marked_and_looked_at_again() {
    let shop = Workshop::new();
    files(&shop);
    shop.begun("t-001");
    shop.unreadable();
    let said = Completion { learnings_text: Some(format!("**Cart:** {SAID}")), ..Completion::default() };
    let id = shop.complete("t-001", said).unwrap().learnings[0].id.clone().unwrap();
    let plain = noted(&shop, "t-001", "Sells four things to people.");
    shop.work();
    assert_eq!(stand(&shop, &id), (true, 0, Vec::new(), 1));
    assert!(!stand(&shop, &plain).0, "it names nothing that could be cited");
    shop.readable();
    shop.world.clock().advance_ms(601_000);
    shop.work();
    let found = (false, 1, vec!["src/cart.rs".to_owned()], 2);
    assert_eq!(stand(&shop, &id), found);
    shop.world.clock().advance_ms(7_200_000);
    shop.work();
    assert_eq!(stand(&shop, &id), found, "once");
}

#[test]
fn what_is_read_at_once_bears_no_mark() {
    let shop = Workshop::new();
    files(&shop);
    shop.begun("t-001");
    let id = noted(&shop, "t-001", SAID);
    shop.work();
    assert_eq!(stand(&shop, &id), (false, 1, vec!["src/cart.rs".to_owned()], 1));
}

#[test]
fn a_repository_that_gets_a_place_is_looked_at_then() {
    let shop = Workshop::new();
    shop.register("acme/till").unwrap();
    shop.create(TaskCreate { repo: Some("acme/till".to_owned()), ..task("t-009") }).unwrap();
    let id = noted(&shop, "t-009", SAID);
    shop.work();
    shop.world.clock().advance_ms(7_200_000);
    shop.work();
    assert_eq!(stand(&shop, &id), (true, 0, Vec::new(), 1));
    let mut history = CodeHistory::new();
    history.commit(&[("src/cart.rs", CART), ("scripts/deploy.sh", "exec make release\n")]);
    shop.shelf.put("/src/till", Some("git@github.com:acme/till.git"), history);
    let add = RepositoryAdd {
        same_as: Some("acme/till".to_owned()),
        directory: Some("/src/till".into()),
        ..RepositoryAdd::default()
    };
    block_on(shop.engine.verified.repository_add(&shop.caller, &shop.standing, add)).unwrap();
    shop.world.clock().advance_ms(61_000);
    block_on(shop.engine.sweep()).unwrap();
    shop.work();
    assert_eq!(stand(&shop, &id), (false, 1, vec!["src/cart.rs".to_owned()], 2));
}
