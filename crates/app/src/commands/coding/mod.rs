//! Commands of the memory of coding agents: tasks, sessions, reviews, rules, prompts, safeguards.

pub(crate) mod attribution;
pub(crate) mod blame;
pub(crate) mod conflicts;
pub(crate) mod dead_letters;
pub(crate) mod eval;
pub(crate) mod githook;
pub(crate) mod graph;
pub(crate) mod held;
pub(super) mod metrics;
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

/// The commands of the product.
#[derive(Debug, Subcommand)]
pub(crate) enum CodingCommand {
    /// Rules that reviews of a repository left
    #[command(subcommand)]
    Rule(rule::Rules),
    /// Memories of a repository that contradict each other, and which stays
    #[command(subcommand)]
    Conflicts(conflicts::Conflicts),
    /// Memories of a repository that wait for a person
    #[command(subcommand)]
    Held(held::Held),
    /// Tasks of coding agents
    #[command(subcommand)]
    Task(task::Task),
    /// What an agent says while it works on a task
    #[command(subcommand)]
    Session(task::session::TaskSession),
    /// Look at the newest tasks of a repository together
    Reflect(reflect::Reflect),
    /// What people want of the agents that work for them
    Prefs(super::prefs::Prefs),
    /// Versions of the prompts that agents are given
    #[command(subcommand)]
    Prompt(prompt::Prompt),
    /// What was said of tasks while no server could be reached
    #[command(subcommand)]
    Spool(spool::SpoolCommand),
    /// Which task, prompt and person a line of code comes from
    Blame(blame::Blame),
    /// Which tasks, prompts and people something leads back to, and what was said
    Attribution(Box<attribution::Attribution>),
    /// Files that change together, out of the history and of tasks
    #[command(subcommand)]
    Graph(graph::Graph),
    /// Git hooks by which commits name their task
    #[command(subcommand)]
    Githook(githook::GitHook),
    /// What evaluations found in the work of tasks
    #[command(subcommand)]
    Eval(eval::Eval),
    /// What could not be written for coding agents and was given up, and trying again
    DeadLetters(dead_letters::DeadLetters),
    /// Read the reviews of a repository's latest pull requests, from the past
    Backfill(reviews::Backfill),
    /// Reviews of pull requests: what hooks brought in, reading them from forges
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
