//! Files that change together, counted from the history of a repository and from the changes of
//! tasks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The data that a graph is counted from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct GraphAbout {
    /// Number of counted changes: commits, pull requests and tasks, each once.
    pub n: u32,
    /// Progress of reading the history: `none`, `reading` or `read`.
    pub history: String,
    /// Commit up to which the history was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tip: Option<String>,
    /// Number of commits that were read.
    pub commits: u32,
    /// Number of commits that are still to be read.
    pub remaining: u32,
    /// True if the history continues before the oldest commit that was read.
    pub is_cut: bool,
}

/// A request for the files that change with a file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CoChangeAsk {
    /// Path of the file, from the root of the repository.
    pub path: String,
    /// Minimum number of common changes. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_support: Option<u32>,
    /// Minimum share of the file's changes that also change the other file, 0 to 1. Default: 0.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Maximum number of rows, 1 to 200. Default: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The files that change with a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CoChangeList {
    /// Number of counted changes.
    pub n: u32,
    /// Current path of the file.
    pub path: String,
    /// Number of changes of the file.
    pub n_a: u32,
    /// Files that change with it, highest confidence first.
    pub pairs: Vec<CoChange>,
    /// Data that the graph is counted from.
    pub graph: GraphAbout,
    /// Warnings, each a code with an explanation.
    pub warnings: Vec<String>,
}

/// A file that changes with another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CoChange {
    /// Path of the file.
    pub path: String,
    /// Path of the other file.
    pub because: String,
    /// Number of changes of both files.
    pub support: u32,
    /// Share of the other file's changes that also change this file, 0 to 1.
    pub confidence: f64,
    /// Share of this file's changes that also change the other file, 0 to 1.
    pub reverse_confidence: f64,
    /// Lift: frequency of common changes relative to chance.
    pub lift: f64,
    /// Time of the last common change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<String>,
    /// Newest common changes: commits, and tasks as `task:<id>`.
    pub samples: Vec<String>,
}

/// A request for groups of files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileSetListing {
    /// `always`, the default: files that are always modified together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// Groups of files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileSetList {
    /// Groups, most changes first.
    pub sets: Vec<FileSet>,
    /// Data that the graph is counted from.
    pub graph: GraphAbout,
    /// Warnings, each a code with an explanation.
    pub warnings: Vec<String>,
}

/// Files that are always modified together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileSet {
    /// Paths of the files, most changes first.
    pub files: Vec<String>,
    /// Minimum number of common changes of two of the files.
    pub support: u32,
    /// Minimum confidence of two of the files, 0 to 1.
    pub confidence: f64,
}

/// A request for the impact of a change. It specifies a path or a module.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImpactAsk {
    /// Path of a file or a directory, or a pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Module: a name, a directory, or segments as a language writes them (`crate::auth`,
    /// `acme.auth`). It contains the files whose paths have these segments in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Maximum number of steps from file to file, 1 to 5. Default: 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Maximum number of rows, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The files that a change may affect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImpactList {
    /// Files, strongest reason first.
    pub rows: Vec<ImpactRow>,
    /// Data that the graph is counted from.
    pub graph: GraphAbout,
    /// Number of files that the limit omits.
    #[serde(default)]
    pub more: u32,
    /// Number of files that match the path or the module.
    #[serde(default)]
    pub files: u32,
    /// Imports that were read; absent if none could be read. A warning `IMPORTS_UNREAD` then states
    /// the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imports: Option<ImportsAbout>,
    /// Warnings, each a code with an explanation.
    pub warnings: Vec<String>,
}

/// The imports that an impact is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportsAbout {
    /// Commit whose files were read: the tip of the default branch.
    pub commit: String,
    /// Number of files whose imports were read.
    pub files: u32,
}

/// A line in which a file refers to another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportSite {
    /// Path of the file that is referred to.
    pub of: String,
    /// Line number, starting at 1.
    pub line: u32,
    /// `path`: an import that resolves to the file by the rules of the language; `name`: an import
    /// of which a part was guessed; `reference`: not an import, but a name that the other file of
    /// the package declares.
    pub by: String,
}

/// A file that a change may affect.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ImpactRow {
    /// Path of the file.
    pub path: String,
    /// Reasons. `imports`: it imports the changed file, directly or through other files.
    /// `references`: it uses names of a file in its package, or implements a header. `co_change`:
    /// it changes with the changed file, directly or through other files. `failed_episode`: tasks
    /// that changed both files failed.
    pub reasons: Vec<String>,
    /// Number of steps to the file.
    pub distance: u32,
    /// Confidence of a common change, along the whole path of files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Number of common changes with the previous file on the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<u32>,
    /// Lift: frequency of these common changes relative to chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Ids of the episodes of failed tasks that changed both files.
    pub episodes: Vec<String>,
    /// Precision of the imports along the whole path of files: 0.95 by `path`, 0.8 by `name`, 0.7
    /// by `reference`, halved for each further file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<f64>,
    /// Lines in which the file refers to previous files on the path, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<ImportSite>,
    /// Number of all such lines.
    #[serde(default)]
    pub site_count: u32,
}

/// A request for the files that usually change with some files.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MissingAsk {
    /// Paths of files or directories, or patterns; 1 to 1000.
    pub paths: Vec<String>,
    /// Minimum number of common changes. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_support: Option<u32>,
    /// Minimum share of a given file's changes that also change the other file, 0 to 1. Default:
    /// 0.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Maximum number of rows, 1 to 200. Default: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Files that usually change with the given files and are not among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MissingList {
    /// Files, highest confidence first.
    pub files: Vec<CoChange>,
    /// Data that the graph is counted from.
    pub graph: GraphAbout,
    /// Warnings, each a code with an explanation.
    pub warnings: Vec<String>,
}

/// A request to read the history of a repository again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GraphRebuild {
    /// Maximum number of newest commits, 1 to 200000, without merges. Default: 5000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<u32>,
    /// Maximum age of a commit relative to the tip, in months, at most 1200. 0 means any age.
    /// Default: 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub months: Option<u32>,
}

/// A requested rebuild of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraphRebuildAsked {
    /// Id of the job that rebuilds the graph.
    pub job: String,
    /// Id of the memory of the job, which is needed to wait for it.
    pub memory: String,
}
