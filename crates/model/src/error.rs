//! The one error of nouns, ports and engine: a kind, a message that is safe to show, a source for the log.
//!
//! It knows no status code and no name of another door: fields have their native names, and a door
//! with others renames them by [`Error::with_names`].

use std::fmt;

use crate::field_name::{ErrorText, FieldName, MarkedName};
use crate::words::closed_words;

/// Result of everything in the engine and its ports.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, as far as a program needs to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The thing named does not exist, or the caller may not know that it does.
    NotFound,
    /// The state of the thing does not allow it.
    Conflict,
    /// The input breaks a rule.
    Invalid,
    /// The input, or what it would make, is over a limit of size or count.
    TooLarge,
    /// The caller is known and may not do this.
    Denied,
    /// The caller did not prove who they are.
    Unauthenticated,
    /// Too much at once; the same call may succeed later.
    Throttled,
    /// A part is out of service (disk full, folder read-only, store busy); the same call may succeed later.
    Unavailable,
    /// Another service answered badly.
    Upstream,
    /// A broken invariant of ours.
    Bug,
}

/// A finer reason for [`ErrorKind::Invalid`] and [`ErrorKind::Conflict`], where clients tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Not JSON, or a value of the wrong JSON type.
    CannotParse,
    /// A member breaks its constraint.
    FieldValidationFailed,
    /// An idempotency token was used before with other parameters.
    IdempotentParameterMismatch,
    /// The event named lies in another session.
    EventInOtherSession,
    /// A resource of that name exists.
    ResourceConflict,
    /// A quota on the number of resources is used up.
    QuotaExceeded,
    /// An answer in a model's place breaks its form; the error's `details` say where.
    BadReply,
    /// The question has its answer already.
    AlreadyAnswered,
    /// The lease under which the caller worked is another's by now.
    LeaseLost,
    /// The version that the caller changed is not the current one.
    StaleVersion,
    /// The change of a document must say of which version it is.
    PreconditionRequired,
    /// Another document has that path, or one that differs from it in case or in how it is composed.
    PathConflict,
    /// The content was taken out of the store on purpose, and may not come back.
    RedactedContent,
    /// The source was erased from the memory, and an import does not bring it back.
    SourceErased,
    /// Another run of consolidation is active on the tree.
    RunActive,
    /// One of verified memory.
    Code(CodeReason),
}

closed_words! {
    /// Why code could not be cited, or a fact not be changed; the words are what doors show.
    CodeReason {
        /// No repository of that name is known.
        RepositoryUnknown = "REPO_UNKNOWN",
        /// The revision is not there.
        RefNotFound = "REF_NOT_FOUND",
        /// The path may not be cited.
        PathRejected = "PATH_REJECTED",
        /// Cited lines cannot be read, or are not what the caller says they are.
        CitationUnreadable = "CITATION_UNREADABLE",
        /// Cited lines say too little to be found again.
        CitationLowInformation = "CITATION_LOW_INFORMATION",
        /// The cited file is too large.
        TooLarge = "TOO_LARGE",
        /// The cited file holds no text.
        BinaryFile = "BINARY_FILE",
        /// The cited path is another repository.
        Submodule = "SUBMODULE",
        /// A link leads out of the worktree.
        SymlinkEscape = "SYMLINK_ESCAPE",
        /// Code could not be read: evidence of nothing.
        Unverifiable = "UNVERIFIABLE",
        /// A text holds a secret.
        SecretDetected = "SECRET_DETECTED",
        /// The code does not say what is claimed of it.
        NotVerified = "NOT_VERIFIED",
        /// The record is not in a state that allows it.
        NotActive = "NOT_ACTIVE",
    }
}

/// An error with a message that may be shown to the caller, and a source that may not.
pub struct Error {
    /// What went wrong, for programs.
    pub kind: ErrorKind,
    /// What went wrong, which rule, and what to do: for people. Never holds secrets or sensitive content.
    pub message: String,
    /// The member of the request at fault, by its native name.
    pub field: Option<String>,
    /// The finer reason, where there is one.
    pub reason: Option<Reason>,
    /// Everything that is wrong, where it is more than one thing; each line is safe to show.
    pub details: Vec<String>,
    /// When the same call may succeed, where somebody said so.
    pub retry_after_ms: Option<u64>,
    name_in_message: MarkedName,
    name_in_field: MarkedName,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of `kind` with a message for the caller.
    pub fn new(kind: ErrorKind, message: impl Into<ErrorText>) -> Self {
        let (message, name_in_message) = message.into().into_parts();
        Self {
            kind,
            message,
            field: None,
            reason: None,
            details: Vec::new(),
            retry_after_ms: None,
            name_in_message,
            name_in_field: MarkedName::default(),
            source: None,
        }
    }

    /// Bad input: names the member, the rule and the remedy.
    pub fn invalid(field: impl Into<ErrorText>, message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Invalid, message).on(field).because(Reason::FieldValidationFailed)
    }

    /// The thing does not exist, as far as this caller may know.
    pub fn not_found(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// The caller may not do this.
    pub fn denied(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Denied, message)
    }

    /// A conflict of state.
    pub fn conflict(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// A part is out of service.
    pub fn unavailable(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// An error of verified memory: its reason says the kind.
    pub fn code(reason: CodeReason, message: impl Into<ErrorText>) -> Self {
        let kind = match reason {
            CodeReason::RepositoryUnknown => ErrorKind::NotFound,
            CodeReason::NotVerified | CodeReason::NotActive => ErrorKind::Conflict,
            CodeReason::Unverifiable => ErrorKind::Unavailable,
            CodeReason::TooLarge => ErrorKind::TooLarge,
            CodeReason::RefNotFound
            | CodeReason::PathRejected
            | CodeReason::CitationUnreadable
            | CodeReason::CitationLowInformation
            | CodeReason::BinaryFile
            | CodeReason::Submodule
            | CodeReason::SymlinkEscape
            | CodeReason::SecretDetected => ErrorKind::Invalid,
        };
        Self::new(kind, message).because(Reason::Code(reason))
    }

    /// A broken invariant: fails the request, is logged.
    pub fn bug(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Bug, message)
    }

    /// The same error, with the member at fault.
    #[must_use]
    pub fn on(mut self, field: impl Into<ErrorText>) -> Self {
        let (field, name) = field.into().into_parts();
        (self.field, self.name_in_field) = (Some(field), name);
        self
    }

    /// The same error, with a door's own names of fields in the place of the native ones.
    #[must_use]
    pub fn with_names(mut self, name_of: impl Fn(FieldName) -> &'static str) -> Self {
        self.name_in_message.replace(&mut self.message, &name_of);
        if let Some(field) = &mut self.field {
            self.name_in_field.replace(field, &name_of);
        }
        self
    }

    /// The same error, with a finer reason.
    #[must_use]
    pub fn because(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// The same error, with everything that is wrong, line by line.
    #[must_use]
    pub fn listing(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }

    /// The same error, with a time after which the call may succeed.
    #[must_use]
    pub fn retry_after(mut self, retry_after_ms: Option<u64>) -> Self {
        self.retry_after_ms = retry_after_ms;
        self
    }

    /// The same error, with its cause (for the log, never for the caller).
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The same call may succeed later without a change.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Throttled | ErrorKind::Unavailable | ErrorKind::Upstream)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Error");
        out.field("kind", &self.kind).field("message", &self.message);
        if let Some(field) = &self.field {
            out.field("field", field);
        }
        if let Some(reason) = &self.reason {
            out.field("reason", reason);
        }
        if !self.details.is_empty() {
            out.field("details", &self.details);
        }
        if let Some(source) = &self.source {
            out.field("source", &source.to_string());
        }
        out.finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
