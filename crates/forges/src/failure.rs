//! The errors of reading code from a forge. Details contain the host and a status, but no URL, no
//! token and no text of a response.

use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeError;
use loci_outbound::request::{OutboundAnswer, OutboundError};

/// Returns the error for an error response to which the API gives no special meaning.
pub(crate) fn refused(host: &str, answer: &OutboundAnswer, pause_ms: Option<u64>) -> CodeError {
    let (why, what) = match answer.status {
        401 => (Unverifiable::Auth, "does not take the token: look at the variable that token_env names"),
        403 | 451 => (Unverifiable::Auth, "does not allow it: look at what the token may read"),
        300..=399 => (Unverifiable::Network, "sends elsewhere, which is not followed"),
        500.. => (Unverifiable::Network, "is out of service"),
        _ => (Unverifiable::Network, "does not take the request: are api and version right?"),
    };
    CodeError {
        why,
        retry_after_ms: pause_ms,
        detail: format!("{host} answers {} and {what}", answer.status),
    }
}

/// Returns the error for a rate limit, with the pause in milliseconds.
pub(crate) fn rate(host: &str, pause_ms: u64) -> CodeError {
    CodeError {
        why: Unverifiable::Rate,
        retry_after_ms: Some(pause_ms),
        detail: format!("{host} takes no more requests for now"),
    }
}

/// Returns the error for a request without a response.
pub(crate) fn unanswered(host: &str, error: &OutboundError) -> CodeError {
    let why = match error {
        OutboundError::TooLarge => Unverifiable::TooLarge,
        OutboundError::Refused(_)
        | OutboundError::Timeout
        | OutboundError::Connect(_)
        | OutboundError::Protocol(_)
        | OutboundError::Unsignable(_) => Unverifiable::Network,
    };
    CodeError::new(why, format!("{host}: {error}"))
}

/// Returns the error for a response that is not valid in the forge's API.
pub(crate) fn garbled(host: &str) -> CodeError {
    CodeError::new(
        Unverifiable::Network,
        format!("{host} answers something else than its API says: are kind, api and version right?"),
    )
}

/// Returns the error for a repository that does not exist, or that this token cannot see.
pub(crate) fn hidden(host: &str) -> CodeError {
    CodeError::new(
        Unverifiable::AuthOrMissing,
        format!("{host} shows no such repository: it is missing, or the token may not read it"),
    )
}

/// Returns the error for a missing object in an existing repository.
pub(crate) fn missing(why: Unverifiable, what: &str) -> CodeError {
    CodeError::new(why, format!("the repository is there, but not its {what}"))
}

/// Returns the error for a call that exceeded its time limit.
pub(crate) fn late() -> CodeError {
    CodeError::new(Unverifiable::Deadline, "the time for reading from forges was over")
}

/// Returns the error for a list with more entries than the limit.
pub(crate) fn too_long(host: &str, read: usize) -> CodeError {
    let detail = format!("a list of {host} is longer than is read: {read} entries were, and there are more");
    CodeError::new(Unverifiable::TooLarge, detail)
}

/// Returns the error for an object above the size limit.
pub(crate) fn too_large(what: &str) -> CodeError {
    CodeError::new(Unverifiable::TooLarge, format!("{what} is larger than is read"))
}
