//! The commands and their options, as clap parses them. `commands` implements them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::{commands, help};

/// Memory for agents that can show its evidence.
#[derive(Debug, Parser)]
#[command(name = "loci", version, propagate_version = true, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The options that all commands accept.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Globals {
    /// Print the answer as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The data folder
    #[arg(long, global = true, value_name = "DIR", help_heading = "Where")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The configuration file
    #[arg(long, global = true, value_name = "FILE", env = "LOCI_CONFIG", help_heading = "Where")]
    pub(crate) config: Option<PathBuf>,
    /// The address of a remote server, such as https://memory.example
    #[arg(long, global = true, value_name = "URL", env = "LOCI_URL", help_heading = "Where")]
    pub(crate) url: Option<String>,
    /// The bearer token of an access key on that server. Other users can see it in the process
    /// list; --token-file and LOCI_TOKEN keep it private
    #[arg(
        long,
        global = true,
        value_name = "TOKEN",
        env = "LOCI_TOKEN",
        hide_env_values = true,
        help_heading = "Where"
    )]
    pub(crate) token: Option<String>,
    /// A file that contains the token (mode 0600) [env: LOCI_TOKEN_FILE=]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Where")]
    pub(crate) token_file: Option<PathBuf>,
    /// A file of certificates (PEM) to trust for an https URL, in addition to those of the machine
    /// [env: LOCI_CA_CERT=]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Where")]
    pub(crate) ca_cert: Option<PathBuf>,
    /// Open the folder directly, even if a server has it open
    #[arg(long, global = true, help_heading = "Where")]
    pub(crate) no_attach: bool,
    /// Milliseconds that a write without a server spends on its own jobs at most [default: 30000];
    /// with a database, milliseconds to wait for the servers to run them [default: no wait]
    #[arg(long, global = true, value_name = "MS", help_heading = "Where")]
    pub(crate) wait_ms: Option<u64>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a demo: a conversation of three weeks and ten questions, without a key and without a
    /// network
    Demo(commands::demo::Demo),
    /// Serve the AgentCore wire and the native API on a data folder
    Serve(commands::serve::ServeArguments),
    /// Serve the Model Context Protocol on standard input and output
    Mcp(commands::mcp::Mcp),
    /// Check the store, indexes, access and models
    Doctor(commands::doctor::Doctor),
    /// Memories, their settings and tags
    #[command(subcommand)]
    Memory(commands::memory::Memory),
    /// Events, actors and sessions
    #[command(subcommand)]
    Event(commands::event::Event),
    /// Memory records
    #[command(subcommand)]
    Record(commands::record::Record),
    #[cfg(feature = "documents")]
    #[command(flatten)]
    Documents(commands::documents::DocumentsCommand),
    /// Profiles: settings and strategies in readable files
    #[command(subcommand)]
    Profile(commands::profile::Profile),
    #[cfg(feature = "verified")]
    #[command(flatten)]
    Verified(commands::verified::VerifiedCommand),
    #[cfg(feature = "coding")]
    #[command(flatten)]
    Coding(commands::coding::CodingCommand),
    #[cfg(feature = "operations")]
    #[command(flatten)]
    Operations(commands::operations::OperationsCommand),
    /// Write a sample repository or conversation
    #[command(subcommand)]
    Sample(commands::sample::Sample),
    /// Find records for a question
    Search(commands::search::Search),
    /// List jobs and wait for them
    #[command(subcommand)]
    Job(commands::job::Job),
    /// Webhooks: targets, waiting notifications, retries
    #[command(subcommand)]
    Webhooks(commands::webhooks::Webhooks),
    /// Access keys
    #[command(subcommand)]
    Key(commands::key::Key),
    /// The configuration
    #[command(subcommand)]
    Config(commands::config::ConfigCommand),
    /// Write a consistent copy of the store, even while a server uses it
    Backup(commands::store::backup::Backup),
    /// Replace the database of a data folder with a backup
    Restore(commands::store::restore::Restore),
    /// Print the statements that create the tables of a database, for operators who create them
    /// without a server
    Schema(commands::store::schema::Schema),
    /// Print the tools as definitions for agents
    #[command(subcommand)]
    Tools(commands::mcp::tools_print::Tools),
    /// Print the completion script of a shell
    Completions(help::completions::Completions),
    /// Write the man pages of all commands into a folder
    Manual(help::manual::Manual),
    /// Move everything from one store into another, and compare
    Migrate(commands::store::migrate::Migrate),
    /// Set up a coding agent: its server list, a session-start hook, instructions
    Install(commands::install::Install),
    /// Write a memory as JSON lines
    Export(commands::transfer::export::Export),
    /// Import a transcript, or the JSON lines of an export
    Import(commands::transfer::import::Import),
    /// Erase the events, records, tasks and jobs of an actor immediately
    Forget(commands::forget::Forget),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// The repository that a command with a repository argument uses.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum RepositoryChoice {
        /// The repository that the argument names, else the repository of the working directory.
        OfTheClone,
        /// The repository that the argument names, else all repositories. The argument filters a
        /// list.
        Filter,
        /// The argument is not the name of a known repository: it is the directory of a clone, or
        /// the name of a new repository.
        Other,
    }
    use RepositoryChoice::{Filter, OfTheClone, Other};

    /// All commands with a repository argument.
    const COMMANDS: &[(&str, RepositoryChoice)] = &[
        ("attribution", Filter),
        ("backfill", OfTheClone),
        ("blame", OfTheClone),
        ("conflicts list", OfTheClone),
        ("conflicts resolve", OfTheClone),
        ("eval list", OfTheClone),
        ("fact proposed", OfTheClone),
        ("fact recent", OfTheClone),
        ("fact search", OfTheClone),
        ("fact stats", OfTheClone),
        ("fact store", OfTheClone),
        ("graph build", OfTheClone),
        ("graph co-change", OfTheClone),
        ("graph impact", OfTheClone),
        ("graph missing", OfTheClone),
        ("graph sets", OfTheClone),
        ("held accept", OfTheClone),
        ("held list", OfTheClone),
        ("held reject", OfTheClone),
        ("prefs set", Filter),
        ("prompt extraction show", Filter),
        ("reflect", OfTheClone),
        ("repo alias", OfTheClone),
        ("repo metrics", OfTheClone),
        ("repo purge", OfTheClone),
        ("repo quarantine", OfTheClone),
        ("repo release", OfTheClone),
        ("repo rollback", OfTheClone),
        ("repo set", OfTheClone),
        ("repo show", OfTheClone),
        ("repo snapshots", OfTheClone),
        ("repo themes", OfTheClone),
        ("reviews poll", OfTheClone),
        ("reviews pull", OfTheClone),
        ("reviews reprocess", OfTheClone),
        ("reviews take", OfTheClone),
        ("rule add", OfTheClone),
        ("rule approve", OfTheClone),
        ("rule expire", OfTheClone),
        ("rule list", OfTheClone),
        ("rule pin", OfTheClone),
        ("rule promote", OfTheClone),
        ("rule provenance", OfTheClone),
        ("rule quarantine", OfTheClone),
        ("rule reject", OfTheClone),
        ("rule show", OfTheClone),
        ("rule supersede", OfTheClone),
        ("rule unpin", OfTheClone),
        ("task create", OfTheClone),
        ("task list", Filter),
        ("task search", Other),
        ("verify", Other),
    ];

    /// Collects in `all` the commands with a repository argument, and the help text of that
    /// argument.
    fn found(command: &clap::Command, path: &str, all: &mut Vec<(String, String, bool)>) {
        for argument in command.get_arguments() {
            let names = argument.get_value_names().unwrap_or_default();
            let is_repository = argument.get_id() == "repo"
                || names.iter().any(|name| name.trim_matches(['[', ']']) == "REPO")
                    && argument.is_positional();
            if is_repository {
                let help = argument.get_long_help().or(argument.get_help());
                let help = help.map(ToString::to_string).unwrap_or_default();
                // An optional value in front of a required one is not required.
                let is_alone = names.len() <= 1 && argument.is_required_set();
                all.push((path.to_owned(), help, is_alone));
            }
        }
        for one in command.get_subcommands() {
            found(one, format!("{path} {}", one.get_name()).trim(), all);
        }
    }

    #[test]
    fn every_command_about_a_repository_means_that_of_the_clone() {
        let mut all = Vec::new();
        found(&Cli::command(), "", &mut all);
        all.sort();
        let names: Vec<&str> = all.iter().map(|(name, ..)| name.as_str()).collect();
        assert_eq!(names, COMMANDS.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        for ((name, help, is_required), (_, meant)) in all.iter().zip(COMMANDS) {
            let says_clone = help.contains("[default: that of the");
            assert_eq!(says_clone, *meant == OfTheClone, "{name}: {help}");
            assert!(!is_required, "{name}");
        }
    }
}
