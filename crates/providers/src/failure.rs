//! The meaning of error responses of model providers, and the messages for users. A provider's own
//! message may repeat a part of the key or the prompt, so messages contain only its error code.

use loci_model::ports::language_model::{ModelError, ModelErrorKind};
use loci_outbound::request::{OutboundAnswer, OutboundError};
use serde_json::Value;

/// The meaning of an error response of a model provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderFailure {
    /// The kind of the error.
    pub kind: ModelErrorKind,
    /// The provider's error code, limited to letters, digits and `._-`. It may be empty.
    pub code: String,
}

/// Returns the meaning of an HTTP status, for error responses without a known code.
pub fn kind_of_status(status: u16) -> ModelErrorKind {
    match status {
        401 | 403 => ModelErrorKind::Denied,
        402 => ModelErrorKind::QuotaUsedUp,
        408 | 504 => ModelErrorKind::Timeout,
        425 | 429 => ModelErrorKind::Throttled,
        500.. => ModelErrorKind::Unavailable,
        300..500 => ModelErrorKind::Rejected,
        _ => ModelErrorKind::Garbled,
    }
}

/// Parses the body as JSON; `Null` if it is not JSON.
pub(crate) fn body(answer: &OutboundAnswer) -> Value {
    loci_json::from_slice(&answer.body).unwrap_or(Value::Null)
}

/// Returns the error for an error response. `who` names the model in the message, for example
/// ``model `main` ``.
pub fn refused(
    who: &str,
    answer: &OutboundAnswer,
    failure: &ProviderFailure,
    pause_ms: Option<u64>,
) -> ModelError {
    let code = if failure.code.is_empty() { String::new() } else { format!(" {}", failure.code) };
    let message = format!("{who} answers {}{code}: {}", answer.status, remedy(failure.kind, answer.status));
    let error = ModelError::new(failure.kind, message);
    match pause_ms {
        Some(pause) if !failure.kind.is_permanent() => error.after(pause),
        _ => error,
    }
}

/// Returns the error for a request without a response. `who` names the model in the message.
pub fn unanswered(who: &str, error: &OutboundError) -> ModelError {
    let (kind, remedy) = match error {
        OutboundError::Refused(_) => (ModelErrorKind::Rejected, "see base_url and [outbound] allow_metadata"),
        OutboundError::Timeout => (ModelErrorKind::Timeout, "its timeout_ms may be raised"),
        OutboundError::Connect(_) => (ModelErrorKind::Unavailable, "is it running at its base_url?"),
        OutboundError::TooLarge | OutboundError::Protocol(_) => {
            (ModelErrorKind::Garbled, "is its protocol right?")
        }
        OutboundError::Unsignable(_) => {
            (ModelErrorKind::Rejected, "look at base_url and at what access_key_env and secret_key_env name")
        }
    };
    ModelError::new(kind, format!("{who}: {error}: {remedy}"))
}

/// Returns the error for a response that is not valid in the protocol. `who` names the model in the
/// message.
pub fn garbled(who: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Garbled,
        format!("{who} answers something else than its protocol says: are protocol and base_url right?"),
    )
}

fn remedy(kind: ModelErrorKind, status: u16) -> &'static str {
    match kind {
        ModelErrorKind::Denied => "look at the variable that key_env names, and at what the key may do",
        ModelErrorKind::Throttled => "its limits are reached; a smaller concurrency may help",
        ModelErrorKind::QuotaUsedUp => "the account has nothing left to spend",
        ModelErrorKind::Timeout => "it took too long",
        ModelErrorKind::Unavailable => "it is out of service",
        ModelErrorKind::Rejected if status == 404 => "are model and base_url right?",
        ModelErrorKind::Rejected if status < 400 => {
            "it sends elsewhere, which is not followed: is base_url right?"
        }
        ModelErrorKind::Rejected => "it does not take the request: are model and json right?",
        ModelErrorKind::Garbled => "that is no answer of its protocol",
    }
}
