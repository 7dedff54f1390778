//! The language model: instructions and an input in, a text out. No HTTP, no vendor.

use std::fmt;

use super::BoxFuture;
use crate::job::exchange::{Step, Usage};

/// The form an answer must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputForm {
    /// JSON.
    Json {
        /// A name for the form: letters, digits and `_`.
        name: &'static str,
        /// Its JSON Schema; an object at the root.
        schema: String,
    },
    /// Any text.
    Text,
}

/// What a model is asked.
#[derive(Clone, PartialEq, Eq)]
pub struct Completion {
    /// What is asked for.
    pub step: Step,
    /// The instructions.
    pub system: String,
    /// What they are about.
    pub input: String,
    /// The form of the answer.
    pub output: OutputForm,
    /// The answer is cut off after so many tokens.
    pub max_output_tokens: u32,
}

impl fmt::Debug for Completion {
    /// Content is sensitive: only its size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completion")
            .field("step", &self.step)
            .field("input_bytes", &self.input.len())
            .field("max_output_tokens", &self.max_output_tokens)
            .finish_non_exhaustive()
    }
}

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    /// By itself.
    Complete,
    /// At a limit of length.
    CutOff,
    /// The model would not; the vendor's word for why, at most 64 characters.
    Refused(String),
}

/// An answer.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// What was said; in JSON form, the JSON alone.
    pub text: String,
    /// The model, as it calls itself.
    pub model: String,
    /// What it cost.
    pub usage: Usage,
    /// How it ended.
    pub finish: Finish,
}

impl fmt::Debug for Reply {
    /// Content is sensitive: only its size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("text_bytes", &self.text.len())
            .field("model", &self.model)
            .field("usage", &self.usage)
            .field("finish", &self.finish)
            .finish()
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ModelErrorKind {
    /// The key is missing, wrong, or may not do this.
    Denied,
    /// Too much at once; later it may go.
    Throttled,
    /// The account has nothing left; waiting does not help.
    QuotaUsedUp,
    /// No answer in time.
    Timeout,
    /// Out of service, or out of reach.
    Unavailable,
    /// The request is refused as it is.
    Rejected,
    /// What came back is not the protocol.
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

    /// The word of metrics and logs.
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

    /// True where the same question cannot succeed until someone changes something.
    pub fn is_permanent(self) -> bool {
        match self {
            Self::Denied | Self::QuotaUsedUp | Self::Rejected => true,
            Self::Throttled | Self::Timeout | Self::Unavailable | Self::Garbled => false,
        }
    }
}

/// A failure of a model, with a message that may be shown and a source that may not.
pub struct ModelError {
    /// Why.
    pub kind: ModelErrorKind,
    /// For people; no key, no address with one, no content.
    pub message: String,
    /// The vendor asks to wait so long.
    pub retry_after_ms: Option<u64>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl ModelError {
    /// An error of `kind` with a message for people.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after_ms: None, source: None }
    }

    /// The same error, with the pause the vendor asks for.
    #[must_use]
    pub fn after(mut self, millis: u64) -> Self {
        self.retry_after_ms = Some(millis);
        self
    }

    /// The same error, with its cause (for the log alone).
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

/// Answers questions. The adapter retries what its transport may retry and bounds what is under way at once.
pub trait LanguageModel: Send + Sync {
    /// Its name in the configuration.
    fn name(&self) -> &str;

    /// The model that is asked for, in the vendor's words.
    fn model_id(&self) -> &str;

    /// The answer to one question.
    fn complete<'a>(
        &'a self,
        completion: &'a Completion,
    ) -> BoxFuture<'a, std::result::Result<Reply, ModelError>>;
}
