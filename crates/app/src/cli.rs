//! The commands and their options, as clap reads them. What they do is in `commands`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::commands;

/// Memory for agents that can show its evidence.
#[derive(Debug, Parser)]
#[command(name = "loci", version, propagate_version = true, max_term_width = 120)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) globals: Globals,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Globals {
    /// Answer as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The data folder
    #[arg(long, global = true, value_name = "DIR", help_heading = "Where")]
    pub(crate) data_dir: Option<PathBuf>,
    /// The configuration file
    #[arg(long, global = true, value_name = "FILE", env = "LOCI_CONFIG", help_heading = "Where")]
    pub(crate) config: Option<PathBuf>,
    /// A server elsewhere, such as https://memory.example
    #[arg(long, global = true, value_name = "URL", env = "LOCI_URL", help_heading = "Where")]
    pub(crate) url: Option<String>,
    /// The bearer token of a key on that server. Other users see it in the list of processes: --token-file
    /// and LOCI_TOKEN
    /// keep it to yourself
    #[arg(
        long,
        global = true,
        value_name = "TOKEN",
        env = "LOCI_TOKEN",
        hide_env_values = true,
        help_heading = "Where"
    )]
    pub(crate) token: Option<String>,
    /// A file with that token (mode 0600) [env: LOCI_TOKEN_FILE=]
    #[arg(long, global = true, value_name = "FILE", help_heading = "Where")]
    pub(crate) token_file: Option<PathBuf>,
    /// Open the folder, even where a server has it open
    #[arg(long, global = true, help_heading = "Where")]
    pub(crate) no_attach: bool,
    /// After a write without a server, run its jobs for at most so long [default: 30000]; on a database the servers run
    /// them: wait for that so long [default: not]
    #[arg(long, global = true, value_name = "MS", help_heading = "Where")]
    pub(crate) wait_ms: Option<u64>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See it work: a conversation of three weeks, ten questions, no key and no network
    Demo(commands::demo::Demo),
    /// Serve the AgentCore wire and the native API on a data folder
    Serve(commands::serve::Arguments),
    /// Serve the Model Context Protocol on standard input and output
    Mcp(commands::mcp::Mcp),
    /// Look at store, indexes, access and models
    Doctor(commands::doctor::Doctor),
    /// Memories, their settings and tags
    #[command(subcommand)]
    Memory(commands::memory::Memory),
    /// Events, actors and sessions
    #[command(subcommand)]
    Event(commands::event::Event),
    /// Records: what is remembered
    #[command(subcommand)]
    Record(commands::record::Record),
    /// A memory as files
    #[command(subcommand)]
    Files(Box<commands::files::Files>),
    /// Trees that are kept as files elsewhere
    #[command(subcommand)]
    Mirror(Box<commands::mirror::MirrorCommand>),
    /// Put a tree of documents in order: plan it, apply the plan, or undo it
    Consolidate(Box<commands::consolidate::Consolidate>),
    /// Profiles: settings and strategies in readable files
    #[command(subcommand)]
    Profile(commands::profile::Profile),
    /// Repositories whose facts are remembered
    #[command(subcommand)]
    Repo(commands::repo::Repo),
    /// Rules that reviews of a repository left
    #[command(subcommand)]
    Rule(commands::rule::Rules),
    /// Memories of a repository that contradict each other, and which stays
    #[command(subcommand)]
    Conflicts(commands::conflicts::Conflicts),
    /// Memories of a repository that wait for a person
    #[command(subcommand)]
    Held(commands::held::Held),
    /// Facts that cite code, checked before they are shown
    #[command(subcommand)]
    Fact(commands::fact::Fact),
    /// Tasks of coding agents
    #[command(subcommand)]
    Task(commands::task::Task),
    /// What an agent says while it works on a task
    #[command(subcommand)]
    Session(commands::task_session::TaskSession),
    /// Look at the newest tasks of a repository together
    Reflect(commands::reflect::Reflect),
    /// What people want of the agents that work for them
    Prefs(commands::prefs::Prefs),
    /// Your own records in the memory of operations agents
    #[command(subcommand)]
    Me(commands::me::Me),
    /// What operations agents remember
    #[command(subcommand)]
    Sre(commands::sre::Sre),
    /// Versions of the prompts that agents are given
    #[command(subcommand)]
    Prompt(commands::prompt::Prompt),
    /// What was said of tasks while no server could be reached
    #[command(subcommand)]
    Spool(commands::spool::SpoolCommand),
    /// Which task, prompt and person a line of code comes from
    Blame(commands::blame::Blame),
    /// Which tasks, prompts and people something leads back to, and what was said
    Attribution(Box<commands::attribution::Attribution>),
    /// Files that change together, out of the history and of tasks
    #[command(subcommand)]
    Graph(commands::graph::Graph),
    /// Git hooks by which commits name their task
    #[command(subcommand)]
    Githook(commands::githook::GitHook),
    /// What evaluations found in the work of tasks
    #[command(subcommand)]
    Eval(commands::eval::Eval),
    /// Check facts against a clone at a revision, as for a pull request
    Verify(commands::verify::Verify),
    /// Find records for a question
    Search(commands::search::Search),
    /// Jobs, and waiting for them
    #[command(subcommand)]
    Job(commands::job::Job),
    /// What could not be written for coding agents and was given up, and trying again
    DeadLetters(commands::dead_letters::DeadLetters),
    /// Read the reviews of a repository's latest pull requests, from the past
    Backfill(commands::reviews::Backfill),
    /// Reviews of pull requests: what hooks brought in, reading them from forges
    #[command(subcommand)]
    Reviews(commands::reviews::Reviews),
    /// Notifications: where they go, what waits, trying again
    #[command(subcommand)]
    Webhooks(commands::webhooks::Webhooks),
    /// Access keys
    #[command(subcommand)]
    Key(commands::key::Key),
    /// The configuration
    #[command(subcommand)]
    Config(commands::config::ConfigCommand),
    /// Write a consistent copy of the store, while it serves
    Backup(commands::backup::Backup),
    /// Put a backup in the place of a data folder's database
    Restore(commands::restore::Restore),
    /// Print the statements that make the tables of a database, for who makes them without a server
    Schema(commands::schema::Schema),
    /// Tools as definitions for agents
    #[command(subcommand)]
    Tools(commands::tools_print::Tools),
    /// Move everything from one store into another, and compare
    Migrate(commands::migrate::Migrate),
    /// Set up a coding agent: its list of servers, a session-start hook, instructions
    Install(commands::install::Install),
    /// Write a memory as JSON lines
    Export(commands::export::Export),
    /// Read a transcript, or the JSON lines of an export
    Import(commands::import::Import),
    /// Erase events, records, tasks and jobs of an actor, now
    Forget(commands::forget::Forget),
}
