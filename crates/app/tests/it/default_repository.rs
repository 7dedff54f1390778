//! Commands about a repository, started in a clone without naming it: each uses that repository,
//! and prints its name. Real processes over a real clone. A test next to the commands' options
//! checks that this list is complete.

use crate::fact_repository::Shop;
use crate::program::Home;

/// Commands that succeed in a clone whose repository has no data yet.
const DO_WELL: &[&[&str]] = &[
    &["graph", "build", "--history", "all"],
    &["graph", "co-change", "src/cart.rs"],
    &["graph", "sets"],
    &["graph", "impact", "src/cart.rs"],
    &["graph", "missing", "src/cart.rs"],
    &["repo", "show"],
    &["repo", "set", "default_branch=main"],
    &["repo", "metrics"],
    &["repo", "themes"],
    &["repo", "snapshots"],
    &["repo", "quarantine", "--pattern", "nowhere", "--reason", "a test", "--dry-run"],
    &["repo", "release", "--pattern", "nowhere", "--reason", "a test", "--dry-run"],
    &["repo", "purge", "--pattern", "nowhere", "--reason", "a test"],
    &["repo", "alias", "acme/market"],
    &["rule", "list"],
    &["rule", "add", "Amounts are whole cents and never floats."],
    &["held", "list"],
    &["conflicts", "list"],
    &["reflect", "--dry-run"],
];

/// Commands about a missing object of the repository, or about an unconfigured forge. The
/// repository is resolved before that error.
const SAY_SO: &[&[&str]] = &[
    &["repo", "rollback", "--to", "snap_1", "--reason", "a test", "--dry-run"],
    &["rule", "show", "mem-00000000-0000-7000-8000-000000000000"],
    &["rule", "provenance", "mem-00000000-0000-7000-8000-000000000000"],
    &["rule", "approve", "mem-00000000-0000-7000-8000-000000000000"],
    &["rule", "promote", "mem-00000000-0000-7000-8000-000000000000"],
    &["held", "accept", "mem-00000000-0000-7000-8000-000000000000", "--reason", "a test"],
    &["held", "reject", "mem-00000000-0000-7000-8000-000000000000", "--reason", "a test"],
    &["conflicts", "resolve", "conf-1", "--keep", "both"],
    &["reviews", "pull", "--pr", "1"],
    &["reviews", "reprocess", "--pr", "1"],
    &["reviews", "poll"],
    &["backfill", "--dry-run"],
];

#[test]
fn a_clone_is_the_repository_of_every_command() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    let named = "repository acme/shop: that of the working directory";
    for command in DO_WELL {
        let (code, out, said) = shop.run(command);
        assert_eq!(code, 0, "{command:?}: {said}{out}");
        assert!(said.contains(named), "{command:?}: {said}");
    }
    for command in SAY_SO {
        let (_, _, said) = shop.run(command);
        assert!(said.contains(named), "{command:?}: {said}");
        assert!(!said.contains("name the repository,"), "{command:?}: {said}");
    }
    // A named repository is not printed, and outside of a clone the name is required.
    let (_, _, said) = shop.run(&["rule", "list", "acme/market"]);
    assert!(!said.contains("working directory"), "{said}");
    for command in [&["rule", "list"][..], &["graph", "sets"], &["repo", "metrics"]] {
        let said = home.fails(2, command);
        assert!(said.contains("name the repository, or work in a clone of it"), "{command:?}: {said}");
    }
}
