//! Error codes: one list with the code names and HTTP statuses of the native API and of tools.
//!
//! Tools have their own code names and distinguish fewer errors. Codes that share a tool name are
//! one code for tools: the first of them in the list.

macro_rules! error_codes {
    ($(
        $(#[$doc:meta])*
        $code:ident = $word:literal $status:literal, $tool_word:literal $tool_status:literal;
    )+) => {
        /// The code of an error, for programs. Each code has a name and an HTTP status in the
        /// native API and for tools.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($(#[$doc])* $code,)+ }

        impl ErrorCode {
            /// All error codes, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// Returns the name of the error code in the native API.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$code => $word,)+ }
            }

            /// Returns the HTTP status of the error in the native API.
            pub const fn status(self) -> u16 {
                match self { $(Self::$code => $status,)+ }
            }

            /// Returns the name of the error code in results of tools.
            pub const fn tool_word(self) -> &'static str {
                match self { $(Self::$code => $tool_word,)+ }
            }

            /// Returns the HTTP status of the error for a tool that is called over the native API.
            pub const fn tool_status(self) -> u16 {
                match self { $(Self::$code => $tool_status,)+ }
            }
        }
    };
}

error_codes! {
    /// The request violates a rule. The message names the member and the rule.
    Invalid = "INVALID" 400, "INVALID_ARGUMENT" 400;
    /// The resource in the request does not exist, or the caller may not know that it exists.
    NotFound = "NOT_FOUND" 404, "NOT_FOUND" 404;
    /// The current state of the resource does not allow the operation.
    Conflict = "CONFLICT" 409, "CONFLICT" 409;
    /// The request exceeds a limit of size or count.
    TooLarge = "TOO_LARGE" 413, "TOO_LARGE" 413;
    /// The grants of the caller do not allow the operation.
    Denied = "DENIED" 403, "FORBIDDEN" 403;
    /// The request contains no valid credentials.
    Unauthenticated = "UNAUTHENTICATED" 401, "AUTH_REQUIRED" 401;
    /// The caller sends too many requests in a short time.
    Throttled = "THROTTLED" 429, "RATE_LIMITED" 429;
    /// A quota is exhausted, such as the number of memories.
    QuotaExceeded = "QUOTA_EXCEEDED" 409, "QUOTA_EXCEEDED" 409;
    /// An internal error of the server.
    Bug = "BUG" 500, "INTERNAL" 500;
    /// A part of the server, such as the store, does not work at the moment.
    Unavailable = "UNAVAILABLE" 503, "INTERNAL" 500;
    /// Another service that the server called, such as a model or a forge, returned an unusable
    /// response.
    Upstream = "UPSTREAM" 502, "INTERNAL" 500;
    /// The path exists, but requires another HTTP method.
    MethodNotAllowed = "METHOD_NOT_ALLOWED" 405, "INTERNAL" 500;
    /// The body is not JSON, or contains a value of the wrong type.
    CannotParse = "CANNOT_PARSE" 400, "INVALID_ARGUMENT" 400;
    /// The idempotency key was used before by a request with other content.
    IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED" 422, "CONFLICT" 409;
    /// The caller's answer in place of a model violates the required format.
    BadReply = "BAD_REPLY" 422, "INVALID_ARGUMENT" 400;
    /// The question for the caller's model already has an answer.
    AlreadyAnswered = "ALREADY_ANSWERED" 409, "CONFLICT" 409;
    /// The caller's lease on the question has ended, and another caller holds the lease now.
    LeaseLost = "LEASE_LOST" 409, "CONFLICT" 409;
    /// The version on which the change is based is not the current version.
    StaleVersion = "STALE_VERSION" 412, "CONFLICT" 409;
    /// The request to change a document specifies no version, and neither `force`.
    PreconditionRequired = "PRECONDITION_REQUIRED" 428, "CONFLICT" 409;
    /// Another document already has the path.
    PathConflict = "PATH_CONFLICT" 409, "CONFLICT" 409;
    /// The request would store content again that was redacted.
    RedactedContent = "REDACTED_CONTENT" 409, "CONFLICT" 409;
    /// The imported content was erased on this server, and the import must not restore it.
    SourceErased = "SOURCE_ERASED" 409, "CONFLICT" 409;
    /// Another consolidation run is active on the same tree.
    RunActive = "RUN_ACTIVE" 409, "CONFLICT" 409;
    /// No repository that the caller may read has the name in the request.
    RepositoryUnknown = "REPO_UNKNOWN" 404, "REPO_UNKNOWN" 404;
    /// The repository has no branch, tag or commit with the name in the request.
    RefNotFound = "REF_NOT_FOUND" 400, "REF_NOT_FOUND" 404;
    /// A citation must not refer to this path, for example because it may contain secrets.
    PathRejected = "PATH_REJECTED" 400, "PATH_REJECTED" 400;
    /// A citation refers to code that cannot be read.
    CitationUnreadable = "CITATION_UNREADABLE" 400, "CITATION_UNREADABLE" 422;
    /// The cited lines contain too little information to be found again.
    CitationLowInformation = "CITATION_LOW_INFORMATION" 400, "CITATION_LOW_INFORMATION" 422;
    /// The cited file is not a text file.
    BinaryFile = "BINARY_FILE" 400, "BINARY_FILE" 422;
    /// The cited path lies in a submodule.
    Submodule = "SUBMODULE" 400, "SUBMODULE" 422;
    /// The cited path leads out of the repository.
    SymlinkEscape = "SYMLINK_ESCAPE" 400, "SYMLINK_ESCAPE" 422;
    /// The text contains a secret.
    SecretDetected = "SECRET_DETECTED" 400, "SECRET_DETECTED" 422;
    /// The server could not read the code. This is no evidence for or against the fact.
    Unverifiable = "UNVERIFIABLE" 503, "UNVERIFIABLE" 503;
    /// The cited code does not support the statement or claim.
    NotVerified = "NOT_VERIFIED" 409, "NOT_VERIFIED" 409;
    /// The operation requires an active fact, and the fact has another state.
    NotActive = "NOT_ACTIVE" 409, "NOT_ACTIVE" 409;
}

impl ErrorCode {
    /// Parses a code name of the native API or of tools.
    pub fn parse(word: &str) -> Option<Self> {
        let find = |has: fn(Self) -> &'static str| Self::ALL.iter().copied().find(|code| has(*code) == word);
        find(Self::word).or_else(|| find(Self::tool_word))
    }

    /// Returns the code that tools report in place of this code, because they distinguish fewer
    /// errors.
    #[must_use]
    pub fn in_tools(self) -> Self {
        Self::ALL.iter().copied().find(|code| code.tool_word() == self.tool_word()).unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    #[test]
    fn words_are_read_back() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::parse(code.word()), Some(*code));
            let known = ErrorCode::parse(code.tool_word());
            assert_eq!(known.map(ErrorCode::tool_word), Some(code.tool_word()));
            assert_eq!(known, Some(code.in_tools()));
            assert_eq!(code.in_tools().in_tools(), code.in_tools());
        }
        assert_eq!(ErrorCode::parse("WHO"), None);
        assert_eq!(ErrorCode::parse(""), None);
    }
}
