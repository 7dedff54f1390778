//! Commands of the memory of coding agents: tasks, sessions, reviews, rules, prompts, safeguards.

pub(crate) mod attribution;
pub(crate) mod blame;
pub(crate) mod conflicts;
pub(crate) mod dead_letters;
pub(crate) mod eval;
pub(crate) mod githook;
pub(crate) mod graph;
pub(crate) mod held_records;
pub(super) mod metrics;
pub(crate) mod prefs;
pub(crate) mod prompt;
pub(crate) mod reflect;
pub(crate) mod repository_settings;
pub(crate) mod reviews;
pub(crate) mod rule;
pub(super) mod safeguards;
pub(crate) mod spool;
pub(crate) mod task;
pub(super) mod themes;

use anyhow::Result;
use clap::Subcommand;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::cli::Globals;
use crate::config::environment::Environment;

/// The commands of the memory for coding agents.
#[derive(Debug, Subcommand)]
pub(crate) enum CodingCommand {
    /// Rules learned from the reviews of a repository
    #[command(subcommand)]
    Rule(rule::Rules),
    /// Memories of a repository that contradict each other
    #[command(subcommand)]
    Conflicts(conflicts::Conflicts),
    /// Memories of a repository that wait for a person
    #[command(subcommand)]
    Held(held_records::HeldCommand),
    /// Tasks of coding agents
    #[command(subcommand)]
    Task(task::Task),
    /// Session events of an agent during a task
    #[command(subcommand)]
    Session(task::session::TaskSession),
    /// Reflect on the newest tasks of a repository together
    Reflect(reflect::Reflect),
    /// Preferences of people for the agents that work for them
    Prefs(prefs::Prefs),
    /// Versions of the prompts that agents are given
    #[command(subcommand)]
    Prompt(prompt::Prompt),
    /// Spooled reports that no server has received yet
    #[command(subcommand)]
    Spool(spool::SpoolCommand),
    /// Show the task, prompt and person behind a line of code
    Blame(blame::Blame),
    /// Find the tasks, prompts and people behind a change, and their recorded text
    Attribution(Box<attribution::Attribution>),
    /// Files that change together, from the history and from tasks
    #[command(subcommand)]
    Graph(graph::Graph),
    /// Git hooks that add the task to commits
    #[command(subcommand)]
    Githook(githook::GitHook),
    /// Findings of evaluations about tasks
    #[command(subcommand)]
    Eval(eval::Eval),
    /// Deferred writes for coding agents that failed permanently, and retries
    DeadLetters(dead_letters::DeadLetters),
    /// Import the reviews of a repository's latest pull requests
    Backfill(reviews::Backfill),
    /// Reviews of pull requests: webhook deliveries, reading from forges
    #[command(subcommand)]
    Reviews(reviews::Reviews),
}

impl CodingCommand {
    /// Runs the command.
    pub(crate) fn run<'a>(
        self,
        globals: &'a Globals,
        environment: &'a Environment,
    ) -> LocalBoxFuture<'a, Result<()>> {
        match self {
            Self::Rule(rule) => rule.run(globals, environment).boxed_local(),
            Self::Conflicts(conflicts) => conflicts.run(globals, environment).boxed_local(),
            Self::Held(held) => held.run(globals, environment).boxed_local(),
            Self::Task(task) => task.run(globals, environment).boxed_local(),
            Self::Session(said) => said.run(globals, environment).boxed_local(),
            Self::Reflect(reflect) => reflect.run(globals, environment).boxed_local(),
            Self::Prefs(prefs) => prefs.run(globals, environment).boxed_local(),
            Self::Prompt(prompt) => prompt.run(globals, environment).boxed_local(),
            Self::Spool(spool) => spool.run(globals, environment).boxed_local(),
            Self::Blame(blame) => blame.run(globals, environment).boxed_local(),
            Self::Attribution(attribution) => attribution.run(globals, environment).boxed_local(),
            Self::Graph(graph) => graph.run(globals, environment).boxed_local(),
            Self::Githook(githook) => githook.run(globals, environment).boxed_local(),
            Self::Eval(eval) => eval.run(globals, environment).boxed_local(),
            Self::DeadLetters(letters) => letters.run(globals, environment).boxed_local(),
            Self::Backfill(backfill) => backfill.run(globals, environment).boxed_local(),
            Self::Reviews(reviews) => reviews.run(globals, environment).boxed_local(),
        }
    }
}
