//! Usage lines of commands whose first word may be left out, such as `[REPO] <RULE>`. clap shows
//! two names of one argument as a required and an optional one.

use clap::{Arg, Command};

/// Returns the command with correct usage lines, and those of its subcommands.
pub(super) fn with_usage(command: Command) -> Command {
    let name = command.get_name().to_owned();
    with_usage_below(command, &name)
}

fn with_usage_below(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    for name in names {
        let below = format!("{path} {name}");
        command = command.mut_subcommand(&name, |one| with_usage_below(one, &below));
    }
    match usage(&command, path) {
        Some(usage) => command.override_usage(usage),
        None => command,
    }
}

/// Returns the usage line of a command with such an argument.
fn usage(command: &Command, path: &str) -> Option<String> {
    let words = command.get_positionals().find_map(words)?;
    let required = command.get_opts().filter(|one| one.is_required_set()).filter_map(|one| {
        let value = one.get_value_names()?.first()?;
        Some(format!(" --{} <{value}>", one.get_long()?))
    });
    Some(format!("{path} [OPTIONS]{} {words}", required.collect::<String>()))
}

/// Returns the two names of an argument whose first word may be left out.
fn words(argument: &Arg) -> Option<String> {
    let [first, second] = argument.get_value_names()? else { return None };
    let values_max = argument.get_num_args().map_or(1, |count| count.max_values());
    let more = if values_max > 2 { "..." } else { "" };
    first.starts_with('[').then(|| format!("{first} <{second}>{more}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    /// Returns the usage line of a command, without the name of the program.
    fn line(all: &Command, path: &str) -> String {
        let found = path.split(' ').try_fold(all, |command, word| command.find_subcommand(word));
        let usage = found.unwrap().clone().render_usage().to_string();
        usage.split_once(" [OPTIONS]").map(|(_, rest)| rest.trim().to_owned()).unwrap_or(usage)
    }

    #[test]
    fn usage_lines_show_what_is_required() {
        let all = with_usage(Cli::command());
        for path in super::super::paths(&all) {
            let usage = line(&all, &path);
            assert!(!usage.contains("<[") && !usage.contains("--memory"), "{path}: {usage}");
        }
        assert_eq!(line(&all, "search"), "<QUERY>");
        assert_eq!(line(&all, "event sessions"), "--actor <ACTOR>");
        #[cfg(all(feature = "verified", feature = "coding"))]
        for (path, expect) in [
            ("rule show", "[REPO] <RULE>"),
            ("rule supersede", "--by <RULE> [REPO] <RULE>"),
            ("repo set", "[REPO] <KEY=VALUE>..."),
            ("repo alias", "[REPO] <ALIAS>"),
        ] {
            assert_eq!(line(&all, path), expect, "{path}");
        }
    }
}
