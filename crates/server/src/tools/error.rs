//! What may go wrong in a tool, by code (verified-memory.md §12.2, mcp.md §11), and the one place where errors of the engine
//! become such codes.

use http::StatusCode;
use loci_model::{Error, ErrorKind, Reason};
use serde_json::{Map, Value, json};

/// A word for programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// An argument breaks a rule.
    InvalidArgument,
    /// What is named does not exist, or is not the caller's to know.
    NotFound,
    /// The fact is not active.
    NotActive,
    /// The state does not allow it.
    Conflict,
    /// No repository of that name can be read.
    RepoUnknown,
    /// No branch, tag or commit of that name.
    RefNotFound,
    /// A path that is no path of a repository.
    PathRejected,
    /// A citation names code that cannot be read.
    CitationUnreadable,
    /// The cited lines say too little to be found again.
    CitationLowInformation,
    /// Over a limit of size.
    TooLarge,
    /// The cited file is no text.
    BinaryFile,
    /// The cited path lies in a submodule.
    Submodule,
    /// The cited path leads out of the repository.
    SymlinkEscape,
    /// It could not be checked.
    Unverifiable,
    /// Who asks is not known.
    AuthRequired,
    /// Who asks may not do this.
    Forbidden,
    /// Too much at once.
    RateLimited,
    /// A quota is used up.
    QuotaExceeded,
    /// The text holds a secret.
    SecretDetected,
    /// A check failed that had to succeed first.
    NotVerified,
    /// A fault of ours, or of a part of ours.
    Internal,
}

impl Code {
    /// All codes.
    pub const ALL: [Self; 21] = [
        Self::InvalidArgument,
        Self::NotFound,
        Self::NotActive,
        Self::Conflict,
        Self::RepoUnknown,
        Self::RefNotFound,
        Self::PathRejected,
        Self::CitationUnreadable,
        Self::CitationLowInformation,
        Self::TooLarge,
        Self::BinaryFile,
        Self::Submodule,
        Self::SymlinkEscape,
        Self::Unverifiable,
        Self::AuthRequired,
        Self::Forbidden,
        Self::RateLimited,
        Self::QuotaExceeded,
        Self::SecretDetected,
        Self::NotVerified,
        Self::Internal,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::NotFound => "NOT_FOUND",
            Self::NotActive => "NOT_ACTIVE",
            Self::Conflict => "CONFLICT",
            Self::RepoUnknown => "REPO_UNKNOWN",
            Self::RefNotFound => "REF_NOT_FOUND",
            Self::PathRejected => "PATH_REJECTED",
            Self::CitationUnreadable => "CITATION_UNREADABLE",
            Self::CitationLowInformation => "CITATION_LOW_INFORMATION",
            Self::TooLarge => "TOO_LARGE",
            Self::BinaryFile => "BINARY_FILE",
            Self::Submodule => "SUBMODULE",
            Self::SymlinkEscape => "SYMLINK_ESCAPE",
            Self::Unverifiable => "UNVERIFIABLE",
            Self::AuthRequired => "AUTH_REQUIRED",
            Self::Forbidden => "FORBIDDEN",
            Self::RateLimited => "RATE_LIMITED",
            Self::QuotaExceeded => "QUOTA_EXCEEDED",
            Self::SecretDetected => "SECRET_DETECTED",
            Self::NotVerified => "NOT_VERIFIED",
            Self::Internal => "INTERNAL",
        }
    }

    /// Reads a code; what is none of them is a fault.
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|code| code.as_str() == word).unwrap_or(Self::Internal)
    }

    /// Reads a code of the native API, which has words of its own for what happens before a tool is asked.
    pub fn of_problem(word: &str) -> Self {
        match word {
            "INVALID" | "CANNOT_PARSE" => Self::InvalidArgument,
            "DENIED" => Self::Forbidden,
            "UNAUTHENTICATED" => Self::AuthRequired,
            "THROTTLED" => Self::RateLimited,
            word => Self::parse(word),
        }
    }

    /// The status of an answer of the native API.
    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidArgument | Self::PathRejected => StatusCode::BAD_REQUEST,
            Self::NotFound | Self::RepoUnknown | Self::RefNotFound => StatusCode::NOT_FOUND,
            Self::NotActive | Self::Conflict | Self::NotVerified | Self::QuotaExceeded => {
                StatusCode::CONFLICT
            }
            Self::CitationUnreadable
            | Self::CitationLowInformation
            | Self::BinaryFile
            | Self::Submodule
            | Self::SymlinkEscape
            | Self::SecretDetected => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::AuthRequired => StatusCode::UNAUTHORIZED,
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::Unverifiable => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn is_retryable(self) -> bool {
        matches!(self, Self::Unverifiable | Self::RateLimited | Self::Internal)
    }
}

/// Why a tool gave no result. Its message may be shown to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    /// What went wrong, for programs.
    pub code: Code,
    /// What went wrong, which rule, and what to do.
    pub message: String,
    /// The argument at fault.
    pub field: Option<String>,
    /// The same call may succeed later without a change.
    pub retryable: bool,
    /// When, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// More, by code.
    pub details: Box<Map<String, Value>>,
}

impl ToolError {
    /// An error of a code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            field: None,
            retryable: code.is_retryable(),
            retry_after_ms: None,
            details: Box::default(),
        }
    }

    /// The same, with the argument at fault.
    #[must_use]
    pub fn on(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The same, with more to know.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// As tools show it to a model: `{code, message, retryable, retry_after_ms?, details?}`.
    pub fn shown(&self) -> Value {
        let mut shown = json!({
            "code": self.code.as_str(),
            "message": self.message,
            "retryable": self.retryable,
        });
        let Some(members) = shown.as_object_mut() else { return shown };
        if let Some(wait) = self.retry_after_ms {
            members.insert("retry_after_ms".to_owned(), wait.into());
        }
        let mut details = self.details.clone();
        if let Some(field) = &self.field {
            details.insert("field".to_owned(), field.clone().into());
        }
        if !details.is_empty() {
            members.insert("details".to_owned(), Value::Object(*details));
        }
        shown
    }
}

/// The one place where errors of the engine become codes of tools. What is ours alone is not told.
impl From<Error> for ToolError {
    fn from(error: Error) -> Self {
        let code = code_of(&error);
        let told = if code == Code::Internal {
            tracing::error!(?error, "a tool failed");
            match error.kind {
                ErrorKind::Unavailable => error.message.clone(),
                _ => "an internal fault; the log of the server says more".to_owned(),
            }
        } else {
            error.message.clone()
        };
        let mut out = Self::new(code, told);
        out.retry_after_ms = error.retry_after_ms;
        out.retryable = match code {
            Code::Internal => error.is_retryable(),
            _ => code.is_retryable(),
        };
        if code != Code::Internal {
            out.field = error.field;
            if !error.details.is_empty() {
                out.details.insert("violations".to_owned(), json!(error.details));
            }
        }
        out
    }
}

fn code_of(error: &Error) -> Code {
    match error.reason {
        Some(Reason::Code(reason)) => return Code::parse(reason.as_str()),
        Some(Reason::QuotaExceeded) => return Code::QuotaExceeded,
        Some(
            Reason::IdempotentParameterMismatch
            | Reason::ResourceConflict
            | Reason::AlreadyAnswered
            | Reason::LeaseLost
            | Reason::RedactedContent
            | Reason::SourceErased
            | Reason::StaleVersion
            | Reason::PathConflict
            | Reason::RunActive,
        ) => return Code::Conflict,
        Some(
            Reason::CannotParse
            | Reason::FieldValidationFailed
            | Reason::EventInOtherSession
            | Reason::BadReply
            | Reason::PreconditionRequired,
        )
        | None => {}
    }
    match error.kind {
        ErrorKind::NotFound => Code::NotFound,
        ErrorKind::Conflict => Code::Conflict,
        ErrorKind::Invalid => Code::InvalidArgument,
        ErrorKind::TooLarge => Code::TooLarge,
        ErrorKind::Denied => Code::Forbidden,
        ErrorKind::Unauthenticated => Code::AuthRequired,
        ErrorKind::Throttled => Code::RateLimited,
        ErrorKind::Unavailable | ErrorKind::Upstream | ErrorKind::Bug => Code::Internal,
    }
}

#[cfg(test)]
mod tests {
    use loci_model::error::CodeReason;

    use super::*;

    #[test]
    fn errors_of_the_engine_have_a_code() {
        let check = |error: Error, code: Code, retryable: bool, message: &str| {
            let told = ToolError::from(error);
            assert_eq!((told.code, told.retryable), (code, retryable));
            assert!(told.message.contains(message), "{}", told.message);
        };
        check(Error::invalid("limit", "limit must be small"), Code::InvalidArgument, false, "must be small");
        check(Error::not_found("no such record"), Code::NotFound, false, "no such");
        check(Error::denied("no"), Code::Forbidden, false, "no");
        check(Error::bug("secret place"), Code::Internal, false, "internal fault");
        check(Error::unavailable("the disk is full"), Code::Internal, true, "the disk is full");
        check(Error::new(ErrorKind::Throttled, "wait"), Code::RateLimited, true, "wait");
        let gone = Error::code(CodeReason::RefNotFound, "no such branch");
        check(gone, Code::RefNotFound, false, "no such branch");
        check(Error::code(CodeReason::Unverifiable, "no network"), Code::Unverifiable, true, "no network");
        check(Error::conflict("many").because(Reason::QuotaExceeded), Code::QuotaExceeded, false, "many");
    }

    #[test]
    fn codes_are_read_back() {
        for code in Code::ALL {
            assert_eq!(Code::parse(code.as_str()), code);
        }
        assert_eq!(Code::parse("WHO"), Code::Internal);
    }
}
