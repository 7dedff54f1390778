//! Why nothing came of a call: what passes by itself, what never will, and what concerns one task alone. A server's code and field
//! decide, not its status alone.

use loci_client::ClientError;

/// Why nothing came of a call.
#[derive(Debug)]
pub(super) enum Failure {
    /// Nobody answers. It may be said later.
    Out(anyhow::Error),
    /// Somebody is there, and did not answer in time.
    Slow(anyhow::Error),
    /// Not now: a key that ran out or may not, a server's fault. What is said of other tasks may go.
    Later(anyhow::Error),
    /// It would be refused again; because of the event of that place, where one is named.
    Refused {
        /// Why.
        error: anyhow::Error,
        /// The place of the event among those of the call.
        event: Option<usize>,
        /// It is too great.
        is_too_great: bool,
    },
    /// The server does not know the task. It may come to know it: whoever takes tasks in may be late as well.
    Unknown(anyhow::Error),
    /// It is spooled already, behind what waits.
    Behind(anyhow::Error),
}

impl Failure {
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

    /// A refusal of the whole.
    pub(super) fn refused(error: impl Into<anyhow::Error>) -> Self {
        Self::Refused { error: error.into(), event: None, is_too_great: false }
    }
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let (status, field, retryable) = match &error {
            ClientError::Unreachable { .. } => return Self::Out(error.into()),
            // Something between us and the server, or a server of another time: what is said is right all the same.
            ClientError::Unexpected(_) => return Self::Later(error.into()),
            ClientError::Request(_) => return Self::refused(error),
            ClientError::Refused { status, problem } => (*status, problem.field.clone(), problem.retryable),
        };
        match (status, field.as_deref()) {
            (404, Some("task_id")) => Self::Unknown(error.into()),
            // A memory that is not there may come; a server that does not have the call yet, too.
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

/// The place of an event in the name of a member: `events[3].content`.
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
            let said = match Failure::from(error) {
                Failure::Out(_) => "out".to_owned(),
                Failure::Slow(_) => "slow".to_owned(),
                Failure::Later(_) => "later".to_owned(),
                Failure::Refused { event: Some(event), .. } => format!("refused for {event}"),
                Failure::Refused { is_too_great: true, .. } => "too great".to_owned(),
                Failure::Refused { .. } => "refused".to_owned(),
                Failure::Unknown(_) => "unknown".to_owned(),
                Failure::Behind(_) => "behind".to_owned(),
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
