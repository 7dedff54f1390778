//! Checks that each shelf in the sources is registered once, by the kernel or by a product.

#![expect(clippy::unwrap_used, reason = "sources that cannot be read fail the test")]

use std::fs;
use std::path::Path;

use loci_engine::LongWorkCount;
use loci_engine::hooks::Products;

use crate::{LociSettings, ProductParts};

/// Crates whose data is on the ledger.
const CRATES: [&str; 6] = ["model", "engine", "verified", "coding", "documents", "operations"];

fn registered() -> Products {
    let parts = ProductParts::new(LociSettings::default(), LongWorkCount::default());
    Products::new(parts.products())
}

/// Adds the names of the shelves in the sources of a folder, without tests.
fn add_named(folder: &Path, words: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_named(&path, words);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let serving = text.split("#[cfg(test)]").next().unwrap_or_default();
            let named = serving.split("Shelf::named(\"").skip(1);
            words.extend(named.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())));
        }
    }
}

#[test]
fn every_shelf_is_named_once_and_registered_once() {
    let mut named = Vec::new();
    for one in CRATES {
        add_named(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(one).join("src"), &mut named);
    }
    let products = registered();
    products.check().unwrap();
    let mut shelves: Vec<String> = products.shelves().iter().map(|shelf| shelf.as_str().to_owned()).collect();
    named.sort();
    shelves.sort();
    assert_eq!(named, shelves, "the shelves that nouns name, and those that are registered");
}

/// Entries are stored under these names in each store.
#[test]
fn released_words_stay() {
    let shelves = registered().shelves();
    let words: Vec<&str> = shelves.iter().map(|shelf| shelf.as_str()).collect();
    for word in [
        "review",
        "rule_support",
        "review_yield",
        "rule_relevance",
        "outcome",
        "unmatched",
        "repository_role",
        "person",
        "preference_user",
        "file_change",
        "progress",
        "conflict",
        "agreement",
        "branch_fact",
        "evaluation",
        "prompt_evaluation",
        "snapshot",
        "purge",
        "tree_entry",
        "tree_place",
        "tree_change",
        "tree_snapshot",
        "mirror",
        "mirror_files",
        "mirror_state",
        "redacted_content",
        "erased_source",
        "consolidation_run",
        "document_reads",
    ] {
        assert!(words.contains(&word), "{word}");
    }
}
