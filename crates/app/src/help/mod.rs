//! The command line as people meet it: commands grouped by purpose, an example for each, former
//! names, a suggestion after a typo, completions of shells and man pages. All come from one
//! description, [`command`].

pub(crate) mod completions;
mod examples;
mod former_names;
mod groups;
pub(crate) mod manual;
mod suggestion;
mod usage;

use std::ffi::OsString;
use std::io::{ErrorKind, Write as _};
use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _};

use crate::cli::Cli;
use crate::exit::{self, Usage};
use crate::output;

/// Returns the command line with groups and examples.
pub(crate) fn command() -> Command {
    groups::grouped(examples::with_examples(usage::with_usage(Cli::command())))
}

/// Returns the arguments of the process, or the exit code after it printed help, the version or an
/// error of usage.
///
/// Groups and examples are for people who read help or an error: a command that runs does not pay
/// for them.
pub(crate) fn parsed() -> Result<Cli, ExitCode> {
    let plain = Cli::command();
    let arguments = former_names::current(std::env::args_os().collect(), &plain);
    let parsed = plain.try_get_matches_from(&arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.or_else(|_| {
        let described = command();
        let again = described.clone().try_get_matches_from(&arguments);
        again.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| {
            let error = suggestion::with_suggestion(error, &arguments, &described);
            printed(&error, arguments.iter().any(|one| one == "--json"))
        })
    })
}

/// Prints help, the version or an error of usage, and returns the exit code.
fn printed(error: &clap::Error, as_json: bool) -> ExitCode {
    let is_help = error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if as_json && error.use_stderr() && !is_help {
        return exit::failed(&Usage(first_part(&error.to_string())).into(), true);
    }
    let code = u8::try_from(error.exit_code()).unwrap_or(1);
    match error.print().and_then(|()| std::io::stdout().lock().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            output::note(format!("error: the text was not written completely: {error}"));
            ExitCode::FAILURE
        }
        Ok(()) | Err(_) => ExitCode::from(code),
    }
}

/// Returns an error of usage without the usage lines, on one line.
fn first_part(text: &str) -> String {
    let text = text.split("\n\nUsage:").next().unwrap_or(text);
    let text = text.strip_prefix("error: ").unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
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
