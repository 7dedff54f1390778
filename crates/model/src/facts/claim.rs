//! Claims: statements about code that a machine can check. Shapes; evaluation is the verifier's.

use serde::{Deserialize, Serialize};

/// One claim. `citation` is a place among the record's citations, from 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Claim {
    /// The block contains the literal.
    Contains {
        /// Which block.
        citation: usize,
        /// What it contains.
        literal: String,
    },
    /// The pattern matches in the block.
    Matches {
        /// Which block.
        citation: usize,
        /// The pattern.
        regex: String,
    },
    /// The pattern's one group captures the literal.
    Equals {
        /// Which block.
        citation: usize,
        /// The pattern, with one group.
        regex: String,
        /// What the group captures.
        literal: String,
    },
    /// The patterns capture the same in all blocks.
    SameCapture {
        /// Which blocks, two or more.
        citations: Vec<usize>,
        /// One pattern for all, or one each; each with one group.
        regexes: Vec<String>,
    },
    /// No file whose path matches the glob matches the pattern.
    Absent {
        /// Which files.
        glob: String,
        /// The pattern.
        regex: String,
    },
    /// At least one file's path matches the glob, and each such file matches the pattern.
    EveryFile {
        /// Which files.
        glob: String,
        /// The pattern.
        regex: String,
    },
    /// The path is there.
    PathExists {
        /// The path.
        path: String,
    },
    /// The path is not there.
    PathAbsent {
        /// The path.
        path: String,
    },
    /// The file defines the name.
    SymbolDefined {
        /// The file.
        path: String,
        /// The name.
        name: String,
    },
    /// The pointer into the JSON, TOML or YAML file yields the literal.
    ConfigValue {
        /// The file.
        path: String,
        /// A JSON pointer.
        pointer: String,
        /// The value, as text.
        literal: String,
    },
}

impl Claim {
    /// The citations it looks at.
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
