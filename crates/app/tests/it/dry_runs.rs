//! A dry run of a command that removes one object shows the effect, exits with 0 and changes
//! nothing. About an unknown object it fails as the command does.

use crate::program::Home;

#[test]
fn a_dry_run_of_a_removal_changes_nothing() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let event = home.ok(&["event", "create", "--actor", "ann", "--session", "s", "The gate is open."]);
    let record = home.ok(&["record", "create", "--namespace", "/a/", "The gate code is 4711."]);
    let key = home.json(&["key", "create", "reader"])["access_key_id"].as_str().unwrap().to_owned();
    let backup = home.path("copy.db");
    home.ok(&["backup", backup.to_str().unwrap()]);
    let place = ["event", "delete", "--actor", "ann", "--session", "s", event.trim()];
    for (arguments, expect) in [
        (&place[..], "would delete the event "),
        (&["record", "delete", record.trim()], "would delete the record "),
        (&["key", "revoke", &key], "would revoke the key "),
        (&["restore", backup.to_str().unwrap(), "--force"], "would restore "),
    ] {
        let shown = home.ok(&[arguments, &["--dry-run"]].concat());
        assert!(shown.starts_with(expect) && shown.lines().count() == 1, "{arguments:?}: {shown}");
    }
    assert!(home.ok(&["record", "get", record.trim()]).contains("4711"));
    home.ok(&["event", "get", "--actor", "ann", "--session", "s", event.trim()]);
    assert!(home.json(&["key", "list"])["keys"][0].get("revoked_at").is_none_or(|at| at.is_null()));
    home.fails(3, &["key", "revoke", "nobody", "--dry-run"]);
    home.fails(4, &["restore", backup.to_str().unwrap(), "--dry-run"]);
    assert_eq!(
        home.json(&["record", "delete", record.trim(), "--dry-run"])["dry_run"],
        true,
        "a program reads it too"
    );
}
