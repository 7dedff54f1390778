//! Error codes: one list with the code names and HTTP statuses of the native API and of tools.
//!
//! Tools have their own code names and distinguish fewer errors. Codes that share a tool name are
//! one code for tools: the first of them in the list.

macro_rules! error_codes {
    ($(
        $(#[$doc:meta])*
        $code:ident = $word:literal $status:literal, $tool_word:literal $tool_status:literal;
    )+) => {
        /// The code of an error, for programs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode { $($(#[$doc])* $code,)+ }

        impl ErrorCode {
            /// All codes, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// Returns the code name of the native API.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$code => $word,)+ }
            }

            /// Returns the HTTP status of the native API.
            pub const fn status(self) -> u16 {
                match self { $(Self::$code => $status,)+ }
            }

            /// Returns the code name of tools.
            pub const fn tool_word(self) -> &'static str {
                match self { $(Self::$code => $tool_word,)+ }
            }

            /// Returns the HTTP status of a tool that is called over the native API.
            pub const fn tool_status(self) -> u16 {
                match self { $(Self::$code => $tool_status,)+ }
            }
        }
    };
}

error_codes! {
    /// The input violates a rule.
    Invalid = "INVALID" 400, "INVALID_ARGUMENT" 400;
    /// The named resource does not exist, or the caller may not know that it exists.
    NotFound = "NOT_FOUND" 404, "NOT_FOUND" 404;
    /// The current state does not allow the operation.
    Conflict = "CONFLICT" 409, "CONFLICT" 409;
    /// The input exceeds a limit of size or count.
    TooLarge = "TOO_LARGE" 413, "TOO_LARGE" 413;
    /// The caller lacks the permission.
    Denied = "DENIED" 403, "FORBIDDEN" 403;
    /// The caller is not authenticated.
    Unauthenticated = "UNAUTHENTICATED" 401, "AUTH_REQUIRED" 401;
    /// The caller sends too many requests.
    Throttled = "THROTTLED" 429, "RATE_LIMITED" 429;
    /// A resource quota is exhausted.
    QuotaExceeded = "QUOTA_EXCEEDED" 409, "QUOTA_EXCEEDED" 409;
    /// An internal error of the server.
    Bug = "BUG" 500, "INTERNAL" 500;
    /// A part of the server is out of service.
    Unavailable = "UNAVAILABLE" 503, "INTERNAL" 500;
    /// Another service returned an unusable response.
    Upstream = "UPSTREAM" 502, "INTERNAL" 500;
    /// The operation requires another HTTP method.
    MethodNotAllowed = "METHOD_NOT_ALLOWED" 405, "INTERNAL" 500;
    /// The body is not JSON, or contains a value of the wrong type.
    CannotParse = "CANNOT_PARSE" 400, "INVALID_ARGUMENT" 400;
    /// The idempotency key was used before with other parameters.
    IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED" 422, "CONFLICT" 409;
    /// A reply given in place of a model violates its format.
    BadReply = "BAD_REPLY" 422, "INVALID_ARGUMENT" 400;
    /// The question already has an answer.
    AlreadyAnswered = "ALREADY_ANSWERED" 409, "CONFLICT" 409;
    /// Another caller holds the lease now.
    LeaseLost = "LEASE_LOST" 409, "CONFLICT" 409;
    /// The version that the caller changed is not the current one.
    StaleVersion = "STALE_VERSION" 412, "CONFLICT" 409;
    /// The change of a document specifies no version.
    PreconditionRequired = "PRECONDITION_REQUIRED" 428, "CONFLICT" 409;
    /// Another document has this path.
    PathConflict = "PATH_CONFLICT" 409, "CONFLICT" 409;
    /// The content was redacted and may not return.
    RedactedContent = "REDACTED_CONTENT" 409, "CONFLICT" 409;
    /// The source was erased, and an import does not restore it.
    SourceErased = "SOURCE_ERASED" 409, "CONFLICT" 409;
    /// Another consolidation run is active on the tree.
    RunActive = "RUN_ACTIVE" 409, "CONFLICT" 409;
    /// No readable repository has this name.
    RepositoryUnknown = "REPO_UNKNOWN" 404, "REPO_UNKNOWN" 404;
    /// No branch, tag or commit has this name.
    RefNotFound = "REF_NOT_FOUND" 400, "REF_NOT_FOUND" 404;
    /// The path may not be cited.
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
    /// The code could not be read. This is no evidence for or against the fact.
    Unverifiable = "UNVERIFIABLE" 503, "UNVERIFIABLE" 503;
    /// The code does not support the claim.
    NotVerified = "NOT_VERIFIED" 409, "NOT_VERIFIED" 409;
    /// The fact is not active.
    NotActive = "NOT_ACTIVE" 409, "NOT_ACTIVE" 409;
}

impl ErrorCode {
    /// Parses a code name of the native API or of tools.
    pub fn parse(word: &str) -> Option<Self> {
        let find = |has: fn(Self) -> &'static str| Self::ALL.iter().copied().find(|code| has(*code) == word);
        find(Self::word).or_else(|| find(Self::tool_word))
    }

    /// Returns the code that tools report for this one.
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
