//! The commands of `loci`, one file each. A command is a call of the native API through the client; `serve`,
//! `restore`, `migrate` and `schema`, which are about stores themselves, and `install` and `tools`, which are about other programs, are
//! the exceptions.

mod agentcore_place;
pub(crate) mod at;
pub(crate) mod attribution;
pub(crate) mod backend;
pub(crate) mod backup;
pub(crate) mod blame;
pub(crate) mod config;
pub(crate) mod conflicts;
pub(crate) mod consolidate;
pub(crate) mod dead_letters;
pub(crate) mod demo;
pub(crate) mod doctor;
mod elsewhere;
pub(crate) mod eval;
mod eval_prompts;
pub(crate) mod event;
pub(crate) mod export;
mod export_agentcore;
mod export_format;
pub(crate) mod fact;
mod fact_lines;
pub(crate) mod files;
mod files_history;
mod files_tool;
pub(crate) mod forget;
pub(crate) mod githook;
pub(crate) mod graph;
pub(crate) mod held;
pub(crate) mod here;
pub(crate) mod import;
pub(crate) mod install;
pub(crate) mod job;
pub(crate) mod key;
mod manifest;
pub(crate) mod mcp;
pub(crate) mod me;
pub(crate) mod memory;
mod memory_ensure;
mod memory_recreate;
pub(crate) mod migrate;
pub(crate) mod mirror;
mod operations_place;
pub(crate) mod prefs;
mod prefs_declared;
pub(crate) mod profile;
pub(crate) mod prompt;
mod prompt_extraction;
pub(crate) mod record;
pub(crate) mod record_feedback;
pub(crate) mod record_quarantine;
pub(crate) mod reflect;
pub(crate) mod repo;
mod repo_metrics;
mod repo_safeguards;
pub(crate) mod repo_settings;
mod repo_sync;
mod repo_themes;
mod repository_words;
pub(crate) mod restore;
pub(crate) mod reviews;
pub(crate) mod rule;
pub(crate) mod schema;
pub(crate) mod search;
pub mod serve;
mod session_documents;
mod session_parts;
pub(crate) mod spool;
pub(crate) mod sre;
mod sre_doctor;
mod sre_explain;
mod sre_export;
mod sre_history;
mod sre_import;
mod sre_outcomes;
pub(crate) mod task;
pub(crate) mod task_session;
pub(crate) mod tools_print;
pub(crate) mod verify;
pub(crate) mod webhooks;

use anyhow::Result;

use crate::cli::{Cli, Command};
use crate::config::environment::Environment;
use crate::session;

/// Runs the command that was asked for.
pub(crate) async fn run(arguments: Cli, environment: Environment) -> Result<()> {
    let globals = &arguments.globals;
    let environment = &environment;
    match arguments.command {
        Command::Demo(demo) => demo.run(globals, environment).await,
        Command::Serve(serve) => {
            let (folder, config) = session::folder(globals, environment)?;
            self::serve::run(&serve, config, folder, environment).await
        }
        Command::Mcp(mcp) => mcp.run(globals, environment).await,
        Command::Doctor(doctor) => doctor.run(globals, environment).await,
        Command::Memory(memory) => memory.run(globals, environment).await,
        Command::Event(event) => event.run(globals, environment).await,
        Command::Record(record) => record.run(globals, environment).await,
        Command::Files(files) => files.run(globals, environment).await,
        Command::Mirror(mirror) => mirror.run(globals, environment).await,
        Command::Backend(backend) => backend.run(globals, environment).await,
        Command::Consolidate(consolidate) => consolidate.run(globals, environment).await,
        Command::Profile(profile) => profile.run(globals, environment).await,
        Command::Search(search) => search.run(globals, environment).await,
        Command::Reflect(reflect) => reflect.run(globals, environment).await,
        Command::Repo(repo) => repo.run(globals, environment).await,
        Command::Rule(rule) => rule.run(globals, environment).await,
        Command::Conflicts(conflicts) => conflicts.run(globals, environment).await,
        Command::Held(held) => held.run(globals, environment).await,
        Command::Fact(fact) => fact.run(globals, environment).await,
        Command::Task(task) => task.run(globals, environment).await,
        Command::Prefs(prefs) => prefs.run(globals, environment).await,
        Command::Me(me) => me.run(globals, environment).await,
        Command::Sre(sre) => sre.run(globals, environment).await,
        Command::Prompt(prompt) => prompt.run(globals, environment).await,
        Command::Session(said) => said.run(globals, environment).await,
        Command::Attribution(attribution) => attribution.run(globals, environment).await,
        Command::Spool(spool) => spool.run(globals, environment).await,
        Command::Blame(blame) => blame.run(globals, environment).await,
        Command::Graph(graph) => graph.run(globals, environment).await,
        Command::Githook(githook) => githook.run(globals, environment).await,
        Command::Eval(eval) => eval.run(globals, environment).await,
        Command::Verify(verify) => verify.run(globals, environment).await,
        Command::Job(job) => job.run(globals, environment).await,
        Command::DeadLetters(letters) => letters.run(globals, environment).await,
        Command::Backfill(backfill) => backfill.run(globals, environment).await,
        Command::Reviews(reviews) => reviews.run(globals, environment).await,
        Command::Webhooks(webhooks) => webhooks.run(globals, environment).await,
        Command::Key(key) => key.run(globals, environment).await,
        Command::Config(config) => config.run(globals, environment),
        Command::Backup(backup) => backup.run(globals, environment).await,
        Command::Restore(restore) => restore.run(globals, environment),
        Command::Schema(schema) => schema.run(globals),
        Command::Tools(tools) => tools.run(globals),
        Command::Migrate(migrate) => migrate.run(globals, environment).await,
        Command::Export(export) => export.run(globals, environment).await,
        Command::Import(import) => import.run(globals, environment).await,
        Command::Install(install) => install.run(globals, environment),
        Command::Forget(forget) => forget.run(globals, environment).await,
    }
}
