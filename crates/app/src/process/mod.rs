//! The process: reads arguments and environment, runs one command, turns its outcome into an exit code.

pub(super) mod signal_guard;
pub(super) mod stop_limit;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::cli::Cli;
use crate::config::environment::Environment;
use crate::{commands, exit};

/// How long work that blocks a thread is waited for when the command has ended.
const BLOCKED_MAX: Duration = Duration::from_millis(500);

/// What a thread of the runtime may put on its stack: what looks at many things at once is deep, and an overflow ends the process.
const WORKER_STACK_BYTES: usize = 4 << 20;

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let Cli { globals, command } = Cli::parse();
    let environment = Environment::of_process();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(WORKER_STACK_BYTES)
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| {
            let outcome = runtime.block_on(commands::run(command, &globals, &environment));
            // A name that nobody resolves holds up no command that has ended: its thread blocks for seconds.
            runtime.shutdown_timeout(BLOCKED_MAX);
            outcome
        });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failed(&error, globals.json),
    }
}
