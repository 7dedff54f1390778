//! The one error of nouns, ports and engine: a kind, a message that is safe to show, a source for
//! the log.
//!
//! It contains no status code and no name of another API. Fields have their native names, and an
//! API with other names renames them by [`Error::with_names`].

use std::fmt;

use crate::field_name::{ErrorText, FieldName, MarkedName};
use crate::words::closed_words;

/// Result of all functions in the engine and its ports.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The kind of an error, as far as a program must distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The resource in the request does not exist, or the caller may not know that it does.
    NotFound,
    /// The current state of the resource does not allow the operation.
    Conflict,
    /// The input breaks a rule.
    Invalid,
    /// The input, or its result, exceeds a limit of size or count.
    TooLarge,
    /// The caller is known and lacks the permission.
    Denied,
    /// The caller did not prove an identity.
    Unauthenticated,
    /// The caller sends too many requests. The same request may succeed later.
    Throttled,
    /// A part is out of service (disk full, folder read-only, store busy); the same call may
    /// succeed later.
    Unavailable,
    /// Another service that the server called, such as a model or a forge, failed.
    Upstream,
    /// An invariant of Loci is broken: an error in the program.
    Bug,
}

/// A detailed reason for [`ErrorKind::Invalid`] and [`ErrorKind::Conflict`], where clients
/// distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The request is not JSON, or contains a value of the wrong JSON type.
    CannotParse,
    /// A member of the request violates its constraint.
    FieldValidationFailed,
    /// The idempotency token was used before with other parameters.
    IdempotentParameterMismatch,
    /// The named event belongs to another session.
    EventInOtherSession,
    /// A resource of that name exists.
    ResourceConflict,
    /// A quota on the number of resources is used up.
    QuotaExceeded,
    /// The response for a model breaks its form; the error's `details` name the positions.
    BadReply,
    /// The exchange already has its response.
    AlreadyAnswered,
    /// The lease of the caller belongs to another client now.
    LeaseLost,
    /// The version that the caller changed is not the current one.
    StaleVersion,
    /// The change of a document must specify its version.
    PreconditionRequired,
    /// Another document has that path, or one that differs only in case or Unicode composition.
    PathConflict,
    /// The content was redacted from the store and may not return.
    RedactedContent,
    /// The source was erased from the memory, and an import does not restore it.
    SourceErased,
    /// Another run of consolidation is active on the tree.
    RunActive,
    /// A reason of verified memory.
    Code(CodeReason),
}

closed_words! {
    /// The reason why code could not be cited, or a fact could not be changed. The APIs show these
    /// words.
    CodeReason {
        /// No repository of that name is known.
        RepositoryUnknown = "REPO_UNKNOWN",
        /// The revision does not exist.
        RefNotFound = "REF_NOT_FOUND",
        /// The path may not be cited.
        PathRejected = "PATH_REJECTED",
        /// Cited lines cannot be read, or differ from the caller's description.
        CitationUnreadable = "CITATION_UNREADABLE",
        /// Cited lines hold too little information to be found again.
        CitationLowInformation = "CITATION_LOW_INFORMATION",
        /// The cited file is too large.
        TooLarge = "TOO_LARGE",
        /// The cited file holds no text.
        BinaryFile = "BINARY_FILE",
        /// The cited path is another repository.
        Submodule = "SUBMODULE",
        /// A link leads out of the worktree.
        SymlinkEscape = "SYMLINK_ESCAPE",
        /// The server could not read the code. This is no evidence for or against the fact.
        Unverifiable = "UNVERIFIABLE",
        /// A text holds a secret.
        SecretDetected = "SECRET_DETECTED",
        /// The code does not confirm the claim.
        NotVerified = "NOT_VERIFIED",
        /// The state of the record does not allow the operation.
        NotActive = "NOT_ACTIVE",
    }
}

/// An error with a message that may be shown to the caller, and a source that may not.
pub struct Error {
    /// The kind of the error, for programs.
    pub kind: ErrorKind,
    /// The problem, the rule and the remedy, for people. Never holds secrets or sensitive content.
    pub message: String,
    /// The faulty member of the request, by its native name.
    pub field: Option<String>,
    /// The detailed reason, if there is one.
    pub reason: Option<Reason>,
    /// All problems, if there is more than one. Each line is safe to show.
    pub details: Vec<String>,
    /// The time after which the same call may succeed, in milliseconds, if it is known.
    pub retry_after_ms: Option<u64>,
    name_in_message: MarkedName,
    name_in_field: MarkedName,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Returns an error of `kind` with a message for the caller.
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

    /// Returns an error for bad input. The message names the member, the rule and the remedy.
    pub fn invalid(field: impl Into<ErrorText>, message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Invalid, message).on(field).because(Reason::FieldValidationFailed)
    }

    /// Returns an error for a thing that does not exist, as far as this caller may know.
    pub fn not_found(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// Returns an error for a missing permission.
    pub fn denied(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Denied, message)
    }

    /// Returns an error for a conflict of state.
    pub fn conflict(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// Returns an error for a part that is out of service.
    pub fn unavailable(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// Returns an error of verified memory. Its reason determines the kind.
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

    /// Returns an error for a broken invariant. It fails the request and is logged.
    pub fn bug(message: impl Into<ErrorText>) -> Self {
        Self::new(ErrorKind::Bug, message)
    }

    /// Returns the error with the faulty member.
    #[must_use]
    pub fn on(mut self, field: impl Into<ErrorText>) -> Self {
        let (field, name) = field.into().into_parts();
        (self.field, self.name_in_field) = (Some(field), name);
        self
    }

    /// Returns the error with an API's own field names in place of the native ones.
    #[must_use]
    pub fn with_names(mut self, name_of: impl Fn(FieldName) -> &'static str) -> Self {
        self.name_in_message.replace(&mut self.message, &name_of);
        if let Some(field) = &mut self.field {
            self.name_in_field.replace(field, &name_of);
        }
        self
    }

    /// Returns the error with a detailed reason.
    #[must_use]
    pub fn because(mut self, reason: Reason) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Returns the error with all problems, line by line.
    #[must_use]
    pub fn listing(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }

    /// Returns the error with a time after which the call may succeed.
    #[must_use]
    pub fn retry_after(mut self, retry_after_ms: Option<u64>) -> Self {
        self.retry_after_ms = retry_after_ms;
        self
    }

    /// Returns the error with its cause (for the log, never for the caller).
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// True if the same call may succeed later without a change.
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
