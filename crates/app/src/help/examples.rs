//! An example for each command, shown at the end of its help. `docs/reference/examples.md` runs all
//! of them; the folder of this module has a file for each group of the help.

mod administration;
mod coding;
mod documents;
mod memories;
mod operations;
mod repositories;
mod start;

use clap::Command;

/// The words of a command, and its examples: each a line of a shell. Capitals stand for an id.
type Example = (&'static str, &'static [&'static str]);

/// The examples in the order of the groups of the help.
const EXAMPLES: [&[Example]; 7] = [
    start::EXAMPLES,
    memories::EXAMPLES,
    repositories::EXAMPLES,
    coding::EXAMPLES,
    documents::EXAMPLES,
    operations::EXAMPLES,
    administration::EXAMPLES,
];

/// Returns the command with its examples, and those of its subcommands.
pub(super) fn with_examples(command: Command) -> Command {
    with_examples_below(command, "")
}

fn with_examples_below(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    for name in names {
        let below = format!("{path} {name}").trim().to_owned();
        command = command.mut_subcommand(&name, |one| with_examples_below(one, &below));
    }
    match EXAMPLES.iter().copied().flatten().find(|(named, _)| *named == path) {
        Some((_, lines)) => {
            let header = command.get_styles().get_header();
            let text = format!("{header}Examples:{header:#}\n  {}", lines.join("\n  "));
            command.after_help(text)
        }
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    /// The page that runs the examples.
    const PAGE: &str = include_str!("../../../../docs/reference/examples.md");

    #[test]
    fn every_command_has_examples_that_the_page_runs() {
        let paths = super::super::paths(&Cli::command());
        let examples: Vec<&Example> = EXAMPLES.iter().copied().flatten().collect();
        for path in &paths {
            assert!(examples.iter().any(|(named, _)| named == path), "no example of `loci {path}`");
        }
        for (named, lines) in examples {
            if cfg!(all(feature = "coding", feature = "documents", feature = "operations")) {
                assert!(paths.iter().any(|path| path == named), "an example of no command: {named}");
            }
            for line in *lines {
                assert!(line.starts_with(&format!("loci {named}")), "{named}: {line}");
                assert!(
                    PAGE.lines().any(|shown| shown.contains(line)),
                    "not in docs/reference/examples.md: {line}"
                );
            }
        }
    }
}
