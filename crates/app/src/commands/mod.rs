//! The commands of `loci`, one file each. A command is a call of the native API through the client; `serve`,
//! `restore`, `migrate` and `schema`, which are about stores themselves, and `install` and `tools`, which are about other programs, are
//! the exceptions.
//!
//! A product has a folder: `verified`, `coding`, `documents`, `operations`. The other commands are
//! of the kernel.

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
pub(crate) mod search;
pub mod serve;
#[cfg(feature = "verified")]
mod session_documents;
pub(crate) mod store;
pub(crate) mod tools_print;
pub(crate) mod transfer;
#[cfg(feature = "verified")]
pub(crate) mod verified;
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
        #[cfg(feature = "verified")]
        Command::Verified(command) => command.run(globals, environment).await,
        #[cfg(feature = "coding")]
        Command::Coding(command) => command.run(globals, environment).await,
        #[cfg(feature = "documents")]
        Command::Documents(command) => command.run(globals, environment).await,
        #[cfg(feature = "operations")]
        Command::Operations(command) => command.run(globals, environment).await,
        Command::Profile(profile) => profile.run(globals, environment).await,
        Command::Search(search) => search.run(globals, environment).await,
        Command::Job(job) => job.run(globals, environment).await,
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
