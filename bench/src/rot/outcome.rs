//! How a run ends that does not pass, as an exit code: a gate was missed (1), the call makes no sense (2), the history or
//! the tracer cannot be trusted (3).

use std::process::ExitCode;

/// Why a run does not pass.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The gates that were missed.
    Missed(String),
    /// What is wrong with the call.
    Usage(String),
    /// What is wrong with the history, or with the labels.
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

/// The exit code of a program that ended with this error.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<Stop>() {
        Some(Stop::Usage(_)) => ExitCode::from(2),
        Some(Stop::Unusable(_)) => ExitCode::from(3),
        Some(Stop::Missed(_)) | None => ExitCode::FAILURE,
    }
}
