//! The language model: instructions and an input in, a text out. No HTTP, no vendor.

use std::fmt;

use super::BoxFuture;
use crate::job::exchange::{Step, Usage};

/// The required form of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputForm {
    /// JSON.
    Json {
        /// A name for the form: letters, digits and `_`.
        name: &'static str,
        /// The JSON Schema of the response, with an object at the root.
        schema: String,
    },
    /// Any text.
    Text,
}

/// A request to a model.
#[derive(Clone, PartialEq, Eq)]
pub struct Completion {
    /// The step of the job that needs the response.
    pub step: Step,
    /// The system prompt: the instructions for the model.
    pub system: String,
    /// The input of the instructions.
    pub input: String,
    /// The form of the response.
    pub output: OutputForm,
    /// Maximum number of tokens of the response, which is cut off there.
    pub max_output_tokens: u32,
}

impl fmt::Debug for Completion {
    /// Content is sensitive, so only its size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion")
            .field("step", &self.step)
            .field("input_bytes", &self.input.len())
            .field("max_output_tokens", &self.max_output_tokens)
            .finish_non_exhaustive()
    }
}

/// The reason for which a response ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// The response is complete.
    Complete,
    /// The response was cut off at a limit of length.
    CutOff,
    /// The model refused; the vendor's word for the reason, at most 64 characters.
    Refused(String),
}

/// A response.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// The text; in JSON form, only the JSON.
    pub text: String,
    /// The name of the model, as the model reports it.
    pub model: String,
    /// The number of tokens that the response used.
    pub usage: Usage,
    /// The reason for which the response ended.
    pub finish: Finish,
}

impl fmt::Debug for Reply {
    /// Content is sensitive, so only its size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("text_bytes", &self.text.len())
            .field("model", &self.model)
            .field("usage", &self.usage)
            .field("finish", &self.finish)
            .finish()
    }
}

/// The kind of a model's failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelErrorKind {
    /// The key is missing, wrong, or lacks the permission.
    Denied,
    /// The model's service limits the number of requests; a later request may succeed.
    Throttled,
    /// The quota of the account is used up; waiting does not help.
    QuotaUsedUp,
    /// The model did not respond in time.
    Timeout,
    /// The model is out of service or unreachable.
    Unavailable,
    /// The model's service rejected the request as invalid.
    Rejected,
    /// The response does not follow the protocol.
    Garbled,
}

impl ModelErrorKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Denied,
        Self::Throttled,
        Self::QuotaUsedUp,
        Self::Timeout,
        Self::Unavailable,
        Self::Rejected,
        Self::Garbled,
    ];

    /// Returns the word for metrics and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Throttled => "throttled",
            Self::QuotaUsedUp => "quota_used_up",
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::Rejected => "rejected",
            Self::Garbled => "garbled",
        }
    }

    /// True if the same request cannot succeed until someone changes the configuration or the
    /// request.
    pub fn is_permanent(self) -> bool {
        match self {
            Self::Denied | Self::QuotaUsedUp | Self::Rejected => true,
            Self::Throttled | Self::Timeout | Self::Unavailable | Self::Garbled => false,
        }
    }
}

/// A failure of a model, with a message that may be shown and a source that may not.
pub struct ModelError {
    /// The kind of the failure.
    pub kind: ModelErrorKind,
    /// A message for people: no key, no address with one, no content.
    pub message: String,
    /// The pause that the vendor requests, in milliseconds.
    pub retry_after_ms: Option<u64>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl ModelError {
    /// Returns an error of `kind` with a message for people.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after_ms: None, source: None }
    }

    /// Returns the error with the pause that the vendor requests.
    #[must_use]
    pub fn after(mut self, millis: u64) -> Self {
        self.retry_after_ms = Some(millis);
        self
    }

    /// Returns the error with its cause (for the log only).
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Debug for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("ModelError");
        out.field("kind", &self.kind).field("message", &self.message);
        if let Some(millis) = self.retry_after_ms {
            out.field("retry_after_ms", &millis);
        }
        if let Some(source) = &self.source {
            out.field("source", &source.to_string());
        }
        out.finish()
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ModelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Answers requests. The adapter retries transport errors where allowed and limits concurrent
/// requests.
pub trait LanguageModel: Send + Sync {
    /// Returns its name in the configuration.
    fn name(&self) -> &str;

    /// Returns the requested model, in the vendor's words.
    fn model_id(&self) -> &str;

    /// Returns the response to one request.
    fn complete<'a>(
        &'a self,
        completion: &'a Completion,
    ) -> BoxFuture<'a, std::result::Result<Reply, ModelError>>;
}
