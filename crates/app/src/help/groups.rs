//! The commands of `loci --help`, grouped by purpose. A new command is one word in [`GROUPS`].

use std::fmt::Write as _;

use clap::Command;

/// A purpose, and the commands that serve it in the order of a reader's steps.
type Group = (&'static str, &'static [&'static str]);

const GROUPS: [Group; 7] = [
    ("Start", &["demo", "sample", "install", "serve", "mcp", "doctor"]),
    ("Memories and search", &["memory", "event", "record", "search", "profile", "forget"]),
    ("Repositories and facts", &["repo", "fact", "verify"]),
    (
        "Coding agents",
        &[
            "task",
            "session",
            "rule",
            "reviews",
            "backfill",
            "reflect",
            "held",
            "conflicts",
            "prefs",
            "prompt",
            "eval",
            "blame",
            "attribution",
            "graph",
            "githook",
            "spool",
            "dead-letters",
        ],
    ),
    ("Documents", &["files", "mirror", "backend", "consolidate"]),
    ("Operations", &["ops", "me"]),
    (
        "Administration",
        &[
            "key",
            "config",
            "job",
            "webhooks",
            "tools",
            "export",
            "import",
            "backup",
            "restore",
            "migrate",
            "schema",
            "completions",
            "manual",
        ],
    ),
];

/// Returns the command with its help in groups.
pub(super) fn grouped(command: Command) -> Command {
    let listing = listing(&command);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{listing}\n{{options}}\n\
         Run `loci COMMAND --help` for the options and an example of a command.\n"
    );
    command.help_template(template)
}

/// Returns the groups with one line for each command.
fn listing(command: &Command) -> String {
    let header = command.get_styles().get_header();
    let width = command.get_subcommands().map(|one| one.get_name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for (purpose, names) in GROUPS {
        let listed = names.iter().filter_map(|name| command.find_subcommand(name));
        let lines: Vec<String> = listed
            .map(|one| {
                let about = one.get_about().map(ToString::to_string).unwrap_or_default();
                format!("  {:width$}  {about}\n", one.get_name())
            })
            .collect();
        if !lines.is_empty() {
            let _ = write!(text, "\n{header}{purpose}:{header:#}\n{}", lines.concat()); // a string takes all
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let mut names: Vec<&str> =
            command.get_subcommands().filter(|one| !one.is_hide_set()).map(Command::get_name).collect();
        names.sort_unstable();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        grouped.sort_unstable();
        if cfg!(all(feature = "coding", feature = "documents", feature = "operations")) {
            assert_eq!(grouped, names);
        }
        assert!(names.iter().all(|name| grouped.contains(name)));
    }
}
