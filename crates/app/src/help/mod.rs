//! The command line as people meet it: commands grouped by purpose, an example for each, former
//! names, a suggestion after a typo, completions of shells and man pages. All come from one
//! description, [`command`].

pub(crate) mod completions;
mod examples;
mod former_names;
mod groups;
pub(crate) mod manual;
mod suggestion;

use std::ffi::OsString;

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use crate::cli::Cli;

/// Returns the command line with groups and examples.
pub(crate) fn command() -> Command {
    groups::grouped(examples::with_examples(Cli::command()))
}

/// Returns the arguments of the process; ends it with help, the version or an error of usage.
///
/// Groups and examples are for people who read help or an error: a command that runs does not pay
/// for them.
pub(crate) fn parsed() -> Cli {
    let plain = Cli::command();
    let arguments = former_names::current(std::env::args_os().collect(), &plain);
    let parsed = plain.try_get_matches_from(&arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.unwrap_or_else(|_| {
        let described = command();
        match described.clone().try_get_matches_from(&arguments) {
            Ok(matches) => Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()),
            Err(error) => suggestion::with_suggestion(error, &arguments, &described).exit(),
        }
    })
}

/// Returns the place of the command's first word: after the program and the options before it.
fn command_place(arguments: &[OsString], command: &Command) -> Option<usize> {
    let mut at = 1;
    loop {
        let text = arguments.get(at)?.to_str()?;
        let Some(option) = text.strip_prefix("--") else { return (!text.starts_with('-')).then_some(at) };
        let mut options = command.get_arguments().filter(|one| one.get_long() == Some(option));
        at += if options.any(|one| one.get_action().takes_values()) { 2 } else { 1 };
    }
}

/// Returns the words of all commands that help lists, at any depth, such as `memory create`.
fn paths(command: &Command) -> Vec<String> {
    let listed = command.get_subcommands().filter(|one| !one.is_hide_set());
    let with_own = listed.flat_map(|one| {
        let below = paths(one).into_iter().map(|path| format!("{} {path}", one.get_name()));
        std::iter::once(one.get_name().to_owned()).chain(below).collect::<Vec<_>>()
    });
    with_own.collect()
}
