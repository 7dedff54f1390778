//! Commands that were called otherwise: their former names still run what they ran.

use std::ffi::OsString;

use clap::Command;

use super::command_place;

/// The former words of a command, and those of today.
const FORMER: [(&[&str], &[&str]); 6] = [
    (&["prefs", "apply"], &["ops", "preferences", "apply"]),
    (&["prefs", "confirm"], &["ops", "preferences", "confirm"]),
    (&["prefs", "history"], &["ops", "preferences", "history"]),
    (&["prefs", "list"], &["ops", "preferences", "list"]),
    (&["prefs", "reject"], &["ops", "preferences", "reject"]),
    (&["sre"], &["ops"]),
];

/// Returns the arguments of a process with today's name of its command.
pub(super) fn current(arguments: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let Some(mut at) = command_place(&arguments, command) else { return arguments };
    if arguments.get(at).is_some_and(|word| word == "help") {
        at += 1;
    }
    for (former, today) in FORMER {
        let named = arguments.get(at..at + former.len());
        if named.is_some_and(|named| named.iter().zip(former).all(|(given, word)| given == word)) {
            let mut renamed = arguments;
            renamed.splice(at..at + former.len(), today.iter().map(OsString::from));
            return renamed;
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn former_names_become_those_of_today() {
        let check = |line: &str, expect: &str| {
            let arguments = line.split(' ').map(OsString::from).collect();
            let renamed = current(arguments, &Cli::command());
            let words: Vec<_> = renamed.iter().filter_map(|word| word.to_str()).collect();
            assert_eq!(words.join(" "), expect, "{line}");
        };
        check("loci sre list", "loci ops list");
        check(
            "loci --json --data-dir sre prefs list bob",
            "loci --json --data-dir sre ops preferences list bob",
        );
        check("loci --url=x prefs apply f", "loci --url=x ops preferences apply f");
        check("loci help sre", "loci help ops");
        check("loci prefs show bob", "loci prefs show bob");
        check("loci search prefs list", "loci search prefs list");
        check("loci", "loci");
    }
}
