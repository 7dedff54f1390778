//! A list without entries says so on standard error. Its standard output is empty.

use crate::program::Home;

#[test]
fn an_empty_list_says_that_it_is_empty() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let said = |arguments: &[&str]| {
        let output = home.command(arguments).env("LOCI_MEMORY", "notes").output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{arguments:?}: {said}");
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{arguments:?}");
        assert!(!said.trim().is_empty(), "{arguments:?}");
        said
    };
    for arguments in [
        "event actors",
        "event sessions --actor ann",
        "event list --actor ann --session s",
        "record list",
        "record quarantine list",
        "job list",
        "webhooks targets",
        "webhooks list",
        #[cfg(feature = "verified")]
        "repo list",
        #[cfg(feature = "documents")]
        "files ls",
        #[cfg(feature = "documents")]
        "files grep boat",
        #[cfg(feature = "documents")]
        "files snapshot",
        #[cfg(feature = "documents")]
        "files log",
        #[cfg(feature = "documents")]
        "mirror status",
        #[cfg(feature = "coding")]
        "task list",
        #[cfg(feature = "coding")]
        "prompt list",
        #[cfg(feature = "coding")]
        "reviews deliveries",
        #[cfg(feature = "coding")]
        "dead-letters",
    ] {
        said(&arguments.split(' ').collect::<Vec<_>>());
    }
    assert_eq!(said(&["key", "list"]), "No keys: `loci key create NAME` creates one.\n");
}
