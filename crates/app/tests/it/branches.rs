//! Facts learned on branches, in a real repository: the search results for facts whose branch is
//! gone.

use std::path::Path;

use serde_json::Value;

use crate::fact_repository::git;
use crate::program::Home;

fn write(folder: &Path, path: &str, text: &str) {
    std::fs::write(folder.join(path), text).unwrap();
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", path]);
}

fn loci(home: &Home, folder: &Path, arguments: &[&str]) -> Value {
    let done = home.command(arguments).arg("--json").current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

/// Returns the search results: subject, and true if the source is abandoned.
fn found(home: &Home, folder: &Path) -> Vec<(String, bool)> {
    let said = loci(home, folder, &["fact", "search", "After how many seconds does a request time out?"]);
    let of = |fact: &Value| (fact["subject"].as_str().unwrap().to_owned(), fact["abandoned_source"] == true);
    said["memories"].as_array().unwrap_or_else(|| panic!("{said}")).iter().map(of).collect()
}

#[test]
fn what_was_learned_on_a_branch_that_is_gone_comes_later_and_says_so() {
    let home = Home::new();
    let repository = tempfile::tempdir().unwrap();
    let folder = repository.path();
    git(folder, &["init", "--quiet", "--initial-branch", "main"]);
    write(
        folder,
        "limits.rs",
        "/// Seconds until a request to the bank times out.\npub const BANK_SECONDS: u64 = 30;\n",
    );
    write(
        folder,
        "shop.rs",
        "/// Seconds until a request to the shop times out.\npub const SHOP_SECONDS: u64 = 20;\n",
    );
    let store = |subject: &str, cite: &str, reference: &str, fact: &str| {
        let arguments = ["fact", "store", "--subject", subject, "--cite", cite, "--ref", reference, fact];
        loci(&home, folder, &arguments);
    };
    git(folder, &["checkout", "--quiet", "-b", "topic"]);
    write(folder, "notes.txt", "nothing of it\n");
    store("bank", "limits.rs:2", "topic", "A request to the bank times out after 30 seconds.");
    git(folder, &["checkout", "--quiet", "main"]);
    store("shop", "shop.rs:2", "main", "A request to the shop times out after 20 seconds.");
    let bank = |is_abandoned| ("bank".to_owned(), is_abandoned);
    let before = found(&home, folder);
    assert!(before.contains(&bank(false)), "{before:?}");
    git(folder, &["branch", "--quiet", "-D", "topic"]);
    let after = found(&home, folder);
    assert_eq!(after.last(), Some(&bank(true)), "{after:?}");
    assert_eq!(after.len(), before.len());
}
