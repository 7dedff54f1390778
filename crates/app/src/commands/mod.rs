//! The commands of `loci`, one file each. A command calls the native API through the client. The
//! exceptions are `serve`, `restore`, `migrate` and `schema`, which work on stores, and `install`
//! and `tools`, which work on other programs.
//!
//! A product has a folder: `verified`, `coding`, `documents`, `operations`. `repo` has
//! parts of several products. The other commands are of the kernel.

#[cfg(feature = "coding")]
pub(crate) mod coding;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
#[cfg(feature = "documents")]
pub(crate) mod documents;
pub(crate) mod event;
pub(crate) mod forget;
pub(crate) mod install;
pub(crate) mod job;
pub(crate) mod key;
pub(crate) mod mcp;
pub(crate) mod memory;
#[cfg(feature = "operations")]
pub(crate) mod operations;
pub(crate) mod profile;
pub(crate) mod record;
#[cfg(feature = "verified")]
mod repo;
pub(crate) mod sample;
pub(crate) mod search;
pub mod serve;
#[cfg(feature = "verified")]
mod session_documents;
pub(crate) mod store;
pub(crate) mod transfer;
#[cfg(feature = "verified")]
pub(crate) mod verified;
pub(crate) mod webhooks;

use anyhow::Result;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::cli::{Command, Globals};
use crate::config::environment::Environment;
use crate::session;

/// Runs the requested command. Each future is boxed, so that its code is compiled once and not
/// again in each caller.
pub(crate) fn run<'a>(
    command: Command,
    globals: &'a Globals,
    environment: &'a Environment,
) -> LocalBoxFuture<'a, Result<()>> {
    match command {
        Command::Demo(demo) => demo.run(globals, environment).boxed_local(),
        Command::Serve(serve) => async move {
            let (folder, config) = session::folder(globals, environment)?;
            self::serve::run(&serve, config, folder, environment).await
        }
        .boxed_local(),
        Command::Mcp(mcp) => mcp.run(globals, environment).boxed_local(),
        Command::Doctor(doctor) => doctor.run(globals, environment).boxed_local(),
        Command::Memory(memory) => memory.run(globals, environment).boxed_local(),
        Command::Event(event) => event.run(globals, environment).boxed_local(),
        Command::Record(record) => record.run(globals, environment).boxed_local(),
        #[cfg(feature = "verified")]
        Command::Verified(command) => command.run(globals, environment),
        #[cfg(feature = "coding")]
        Command::Coding(command) => command.run(globals, environment),
        #[cfg(feature = "documents")]
        Command::Documents(command) => command.run(globals, environment),
        #[cfg(feature = "operations")]
        Command::Operations(command) => command.run(globals, environment),
        Command::Profile(profile) => profile.run(globals, environment).boxed_local(),
        Command::Sample(sample) => async move { sample.run(globals) }.boxed_local(),
        Command::Search(search) => search.run(globals, environment).boxed_local(),
        Command::Job(job) => job.run(globals, environment).boxed_local(),
        Command::Webhooks(webhooks) => webhooks.run(globals, environment).boxed_local(),
        Command::Key(key) => key.run(globals, environment).boxed_local(),
        Command::Config(config) => async move { config.run(globals, environment) }.boxed_local(),
        Command::Backup(backup) => backup.run(globals, environment).boxed_local(),
        Command::Restore(restore) => async move { restore.run(globals, environment) }.boxed_local(),
        Command::Schema(schema) => async move { schema.run(globals) }.boxed_local(),
        Command::Completions(shell) => async move { shell.run() }.boxed_local(),
        Command::Manual(manual) => async move { manual.run(globals) }.boxed_local(),
        Command::Tools(tools) => async move { tools.run(globals) }.boxed_local(),
        Command::Migrate(migrate) => migrate.run(globals, environment).boxed_local(),
        Command::Export(export) => export.run(globals, environment).boxed_local(),
        Command::Import(import) => import.run(globals, environment).boxed_local(),
        Command::Install(install) => async move { install.run(globals, environment) }.boxed_local(),
        Command::Forget(forget) => forget.run(globals, environment).boxed_local(),
    }
}
