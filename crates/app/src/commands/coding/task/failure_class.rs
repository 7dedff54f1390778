//! Classifies the failure of a call: temporary, permanent, or specific to one task. The code and
//! field of a server's error decide, not only its status.

use loci_client::ClientError;

/// The reason why a call failed, which decides if the entry stays in the spool.
#[derive(Debug)]
pub(super) enum CallFailureClass {
    /// No server answers. A retry may succeed.
    Out(anyhow::Error),
    /// The server did not answer in time.
    Slow(anyhow::Error),
    /// A temporary failure: an expired or unauthorized key, or a fault of the server. Reports about
    /// other tasks may succeed.
    Later(anyhow::Error),
    /// A permanent rejection, because of the event at that index if one is named.
    Refused {
        /// The error of the server.
        error: anyhow::Error,
        /// The index of the rejected event, if the server names one.
        event: Option<usize>,
        /// True if the request body is too large for the server.
        is_too_great: bool,
    },
    /// The server does not know the task. It may learn of it later, because the creation of the
    /// task may be delayed as well.
    Unknown(anyhow::Error),
    /// The entry is already spooled behind the waiting ones.
    Behind(anyhow::Error),
}

impl CallFailureClass {
    pub(super) fn into_error(self) -> anyhow::Error {
        match self {
            Self::Out(error)
            | Self::Slow(error)
            | Self::Later(error)
            | Self::Refused { error, .. }
            | Self::Unknown(error)
            | Self::Behind(error) => error,
        }
    }

    /// Returns the failure of a call that the server rejected as a whole.
    pub(super) fn refused(error: impl Into<anyhow::Error>) -> Self {
        Self::Refused { error: error.into(), event: None, is_too_great: false }
    }
}

impl From<ClientError> for CallFailureClass {
    fn from(error: ClientError) -> Self {
        let (status, field, retryable) = match &error {
            ClientError::Unreachable { .. } => return Self::Out(error.into()),
            // The cause is a proxy or a server of another version. The report itself is valid.
            ClientError::Unexpected(_) => return Self::Later(error.into()),
            ClientError::Request(_) => return Self::refused(error),
            ClientError::Refused { status, problem } => (*status, problem.field.clone(), problem.retryable),
        };
        match (status, field.as_deref()) {
            (404, Some("task_id")) => Self::Unknown(error.into()),
            // A missing memory may be created later, and an older server may get the call with an
            // upgrade.
            (404, None | Some("memory")) => Self::Later(error.into()),
            (401 | 403 | 408 | 425 | 429 | 500.., _) => Self::Later(error.into()),
            _ if retryable => Self::Later(error.into()),
            (_, field) => {
                let event = field.and_then(event_of);
                Self::Refused { error: error.into(), event, is_too_great: status == 413 }
            }
        }
    }
}

/// Parses the index of an event from the name of a field: `events[3].content`.
fn event_of(field: &str) -> Option<usize> {
    field.strip_prefix("events[")?.split_once(']')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_and_what_it_means() {
        let check = |status: u16, field: Option<&str>, retryable: bool, expect: &str| {
            let problem = loci_api::Problem {
                code: "X".to_owned(),
                message: "why".to_owned(),
                field: field.map(str::to_owned),
                retryable,
                details: None,
            };
            let error = ClientError::Refused { status, problem: Box::new(problem) };
            let said = match CallFailureClass::from(error) {
                CallFailureClass::Out(_) => "out".to_owned(),
                CallFailureClass::Slow(_) => "slow".to_owned(),
                CallFailureClass::Later(_) => "later".to_owned(),
                CallFailureClass::Refused { event: Some(event), .. } => format!("refused for {event}"),
                CallFailureClass::Refused { is_too_great: true, .. } => "too great".to_owned(),
                CallFailureClass::Refused { .. } => "refused".to_owned(),
                CallFailureClass::Unknown(_) => "unknown".to_owned(),
                CallFailureClass::Behind(_) => "behind".to_owned(),
            };
            assert_eq!(said, expect, "{status} {field:?}");
        };
        check(404, Some("task_id"), false, "unknown");
        check(404, Some("memory"), false, "later");
        check(404, None, false, "later");
        check(404, Some("repo"), false, "refused");
        check(404, Some("harmful"), false, "refused");
        for status in [401, 403, 408, 429, 500, 502, 503] {
            check(status, None, false, "later");
        }
        check(409, None, true, "later");
        check(409, None, false, "refused");
        check(400, Some("summary"), false, "refused");
        check(400, Some("events"), false, "refused");
        check(400, Some("events[17].content"), false, "refused for 17");
        check(400, Some("events[x].content"), false, "refused");
        check(422, None, false, "refused");
        check(413, None, false, "too great");
    }
}
