//! The process: reads arguments and environment, runs one command, turns its outcome into an exit code.

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Cli;
use crate::config::environment::Environment;
use crate::{commands, exit};

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let arguments = Cli::parse();
    let environment = Environment::of_process();
    let json = arguments.globals.json;
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(commands::run(arguments, environment)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failed(&error, json),
    }
}
