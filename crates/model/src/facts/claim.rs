//! Claims: statements about code that a machine can check. This module holds the data types. The
//! verifier evaluates claims.

use serde::{Deserialize, Serialize};

/// One claim. `citation` is an index into the record's citations, from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Claim {
    /// The block contains the literal.
    Contains {
        /// The index of the block's citation.
        citation: usize,
        /// The text that the block must contain.
        literal: String,
    },
    /// The pattern matches in the block.
    Matches {
        /// The index of the block's citation.
        citation: usize,
        /// The regular expression.
        regex: String,
    },
    /// The pattern's one group captures the literal.
    Equals {
        /// The index of the block's citation.
        citation: usize,
        /// The pattern, with one group.
        regex: String,
        /// The text that the group of the regular expression must capture.
        literal: String,
    },
    /// The patterns capture the same text in all blocks.
    SameCapture {
        /// The indexes of the citations, two or more.
        citations: Vec<usize>,
        /// One pattern for all, or one for each; each with one group.
        regexes: Vec<String>,
    },
    /// No file whose path matches the glob matches the pattern.
    Absent {
        /// The glob that selects the files by their paths.
        glob: String,
        /// The regular expression.
        regex: String,
    },
    /// At least one file's path matches the glob, and each such file matches the pattern.
    EveryFile {
        /// The glob that selects the files by their paths.
        glob: String,
        /// The regular expression.
        regex: String,
    },
    /// The path exists.
    PathExists {
        /// The path of the file or directory.
        path: String,
    },
    /// The path does not exist.
    PathAbsent {
        /// The path of the file or directory.
        path: String,
    },
    /// The file defines the name.
    SymbolDefined {
        /// The path of the file.
        path: String,
        /// The name that the file must define.
        name: String,
    },
    /// The pointer into the JSON, TOML or YAML file yields the literal.
    ConfigValue {
        /// The path of the file.
        path: String,
        /// The JSON pointer (RFC 6901) to the value in the file.
        pointer: String,
        /// The expected value as a text.
        literal: String,
    },
}

impl Claim {
    /// Returns the citations that the claim reads.
    pub fn citations(&self) -> &[usize] {
        match self {
            Self::Contains { citation, .. }
            | Self::Matches { citation, .. }
            | Self::Equals { citation, .. } => std::slice::from_ref(citation),
            Self::SameCapture { citations, .. } => citations,
            Self::Absent { .. }
            | Self::EveryFile { .. }
            | Self::PathExists { .. }
            | Self::PathAbsent { .. }
            | Self::SymbolDefined { .. }
            | Self::ConfigValue { .. } => &[],
        }
    }
}
