//! The exit codes of failed runs: a missed gate (1), invalid arguments (2), an unreliable history
//! or tracer (3).

use std::process::ExitCode;

/// The reason of a failed run.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The missed gates.
    Missed(String),
    /// The error in the arguments.
    Usage(String),
    /// The error in the history or in the labels.
    Unusable(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missed(why) | Self::Usage(why) | Self::Unusable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Stop {}

/// Returns the exit code of a program that ended with this error.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<Stop>() {
        Some(Stop::Usage(_)) => ExitCode::from(2),
        Some(Stop::Unusable(_)) => ExitCode::from(3),
        Some(Stop::Missed(_)) | None => ExitCode::FAILURE,
    }
}
