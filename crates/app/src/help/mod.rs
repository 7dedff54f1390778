//! The command line as people meet it: commands grouped by purpose, an example for each, former
//! names, a suggestion after a typo, completions of shells and man pages. All come from one
//! description, [`command`].

pub(crate) mod completions;
mod examples;
mod former_names;
mod groups;
pub(crate) mod manual;
mod suggestion;

use clap::{CommandFactory as _, FromArgMatches as _};

use crate::cli::Cli;

/// Returns the command line with groups and examples.
pub(crate) fn command() -> clap::Command {
    groups::grouped(examples::with_examples(Cli::command()))
}

/// Returns the arguments of the process; ends it with help, the version or an error of usage.
pub(crate) fn parsed() -> Cli {
    let command = command();
    let arguments = former_names::current(std::env::args_os().collect(), &command);
    let parsed = command.clone().try_get_matches_from(arguments);
    let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| suggestion::with_suggestion(error, &command).exit())
}
