//! Files that change together, counted from the history of a repository and from the changes of
//! tasks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The history from which the server counted the common changes of files.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct GraphAbout {
    /// Number of counted changes: commits, pull requests and tasks. Each counts once.
    pub n: u32,
    /// Progress of reading the repository's history: `none`, `reading` or `read`.
    pub history: String,
    /// Id of the newest commit that was read; absent if the history was not read yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tip: Option<String>,
    /// Number of commits that were read.
    pub commits: u32,
    /// Number of commits that are still to be read.
    pub remaining: u32,
    /// True if the history has commits before the oldest one that was read, beyond the limits of
    /// number or age.
    pub is_cut: bool,
}

/// A request for the files that often change together with one file.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CoChangeAsk {
    /// Path of the file, from the root of the repository.
    pub path: String,
    /// Minimum number of changes that both files have in common. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_support: Option<u32>,
    /// Minimum confidence: the share, 0 to 1, of the changes of `path` that also change the other
    /// file. Default: 0.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Maximum number of files in the response, 1 to 200. Default: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The files that often change together with one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CoChangeList {
    /// Number of counted changes in the repository's history.
    pub n: u32,
    /// Current path of the requested file. It differs from the request if the file was renamed.
    pub path: String,
    /// Number of counted changes of the requested file.
    pub n_a: u32,
    /// Files that change together with the requested file, highest confidence first.
    pub pairs: Vec<CoChange>,
    /// The history from which the common changes were counted.
    pub graph: GraphAbout,
    /// Warnings about the response, each a code with an explanation.
    pub warnings: Vec<String>,
}

/// A file that often changes together with another file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CoChange {
    /// Path of the file that may have to change too.
    pub path: String,
    /// Path of the other file, whose changes suggest this one.
    pub because: String,
    /// Number of changes that both files have in common.
    pub support: u32,
    /// Share of the changes of the file in `because` that also change the file in `path`, 0 to 1.
    pub confidence: f64,
    /// Share of the changes of the file in `path` that also change the file in `because`, 0 to 1.
    pub reverse_confidence: f64,
    /// Lift: how many times more often the files change together than independent files would.
    pub lift: f64,
    /// Time of the latest change of both files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<String>,
    /// Newest changes of both files: commit ids, and tasks as `task:<id>`.
    pub samples: Vec<String>,
}

/// A request for groups of files that change together.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileSetListing {
    /// Kind of the groups: `always`, the default and only value, for files that are always modified
    /// together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// Groups of files that change together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileSetList {
    /// Groups of files, those with the most changes first.
    pub sets: Vec<FileSet>,
    /// The history from which the common changes were counted.
    pub graph: GraphAbout,
    /// Warnings about the response, each a code with an explanation.
    pub warnings: Vec<String>,
}

/// A group of files that are always modified together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileSet {
    /// Paths of the files in the group, the most often changed first.
    pub files: Vec<String>,
    /// Smallest number of common changes of any two files of the group.
    pub support: u32,
    /// Smallest confidence of any two files of the group, 0 to 1.
    pub confidence: f64,
}

/// A request for the files that a change may affect. It specifies `path` or `module`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImpactAsk {
    /// Path of the changed file or directory, or a pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Name of the changed module: a name, a directory, or segments as a language writes them
    /// (`crate::auth`, `acme.auth`). The module consists of the files whose paths contain these
    /// segments in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Maximum number of steps from a changed file over other files to an affected one, 1 to 5.
    /// Default: 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Maximum number of affected files in the response, 1 to 200. Default: 50.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// The files that a change may affect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImpactList {
    /// Affected files, those with the strongest reason first.
    pub rows: Vec<ImpactRow>,
    /// The history from which the common changes were counted.
    pub graph: GraphAbout,
    /// Number of affected files that the response omits because of `limit`.
    #[serde(default)]
    pub more: u32,
    /// Number of files of the repository that match the path or the module of the request.
    #[serde(default)]
    pub files: u32,
    /// Imports that the server read; absent if it could not read any. A warning `IMPORTS_UNREAD`
    /// then states the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imports: Option<ImportsAbout>,
    /// Warnings about the response, each a code with an explanation.
    pub warnings: Vec<String>,
}

/// The imports that an impact is based on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportsAbout {
    /// Id of the commit whose files were read: the tip of the default branch.
    pub commit: String,
    /// Number of files whose imports were read.
    pub files: u32,
}

/// A line in which a file refers to another file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportSite {
    /// Path of the file that the line refers to.
    pub of: String,
    /// Line number of the reference, starting at 1.
    pub line: u32,
    /// Kind of the reference. `path`: an import that resolves to the file by the rules of the
    /// language. `name`: an import of which the server guessed a part. `reference`: no import, but
    /// a use of a name that another file of the same package declares.
    pub by: String,
}

/// A file that a change may affect.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ImpactRow {
    /// Path of the affected file.
    pub path: String,
    /// Reasons that the file may be affected. `imports`: it imports the changed file, directly or
    /// through other files. `references`: it uses names of a file in its package, or implements a
    /// header. `co_change`: it often changes together with the changed file, directly or through
    /// other files. `failed_episode`: tasks that changed both files failed.
    pub reasons: Vec<String>,
    /// Number of steps from the changed file to this file.
    pub distance: u32,
    /// Confidence that this file changes too, 0 to 1, multiplied along the path of files; absent
    /// without the reason `co_change`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// Number of changes that this file and the previous file on the path have in common; absent
    /// without the reason `co_change`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<u32>,
    /// Lift of these common changes: how many times more often they happen than for independent
    /// files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Ids of the episodes of failed tasks that changed both files.
    pub episodes: Vec<String>,
    /// Estimated precision of the imports along the path of files: 0.95 by `path`, 0.8 by `name`,
    /// 0.7 by `reference`, halved for each further file. Absent if no import leads to the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<f64>,
    /// Lines in which the file refers to previous files on the path, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<ImportSite>,
    /// Number of all lines in which the file refers to previous files on the path.
    #[serde(default)]
    pub site_count: u32,
}

/// A request for the files that usually change together with the given files.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MissingAsk {
    /// Paths of the given files or directories, or patterns; 1 to 1000.
    pub paths: Vec<String>,
    /// Minimum number of changes that a given file and the other file have in common. Default: 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_support: Option<u32>,
    /// Minimum share of a given file's changes that also change the other file, 0 to 1. Default:
    /// 0.6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Maximum number of files in the response, 1 to 200. Default: 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Files that usually change with the given files and are not among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MissingList {
    /// Files that are probably missing from the change, highest confidence first.
    pub files: Vec<CoChange>,
    /// The history from which the common changes were counted.
    pub graph: GraphAbout,
    /// Warnings about the response, each a code with an explanation.
    pub warnings: Vec<String>,
}

/// A request to read the history of a repository again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GraphRebuild {
    /// Maximum number of commits to read, newest first, without merges: 1 to 200000. Default: 5000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<u32>,
    /// Maximum age of a commit to read, in months before the tip of the branch, at most 1200. 0
    /// means any age. Default: 24.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub months: Option<u32>,
}

/// The job that reads the history of a repository again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraphRebuildAsked {
    /// Id of the job that counts the common changes again.
    pub job: String,
    /// Id of the memory to which the job belongs. A request that waits for the job needs it.
    pub memory: String,
}
