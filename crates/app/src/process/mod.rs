//! The process: reads arguments and environment, runs one command, and converts its result to an
//! exit code.

pub(super) mod signal_guard;
pub(super) mod stop_limit;

use std::process::ExitCode;
use std::time::Duration;

use crate::cli::Cli;
use crate::config::environment::Environment;
use crate::{commands, exit, help, output};

/// The time limit for blocking work after the end of the command.
const BLOCKED_MAX: Duration = Duration::from_millis(500);

/// The stack size of a runtime thread. Code that processes many items at once nests deeply, and a
/// stack overflow ends the process.
const WORKER_STACK_BYTES: usize = 4 << 20;

/// Runs the command that the process was started with.
pub fn run() -> ExitCode {
    let Cli { globals, command } = match help::parsed() {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    let environment = Environment::of_process();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(WORKER_STACK_BYTES)
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| {
            let outcome = runtime.block_on(commands::run(command, &globals, &environment));
            // A pending name resolution must not delay a finished command, although its thread
            // blocks for seconds.
            runtime.shutdown_timeout(BLOCKED_MAX);
            outcome
        });
    let written = output::finish();
    if let (Err(_), Err(error)) = (&outcome, &written) {
        output::note(format!("error: {error:#}"));
    }
    match outcome.and(written) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::failed(&error, globals.json),
    }
}
