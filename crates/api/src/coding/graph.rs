//! Files that change together: counted from a repository's history and from what tasks changed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a graph is counted from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct GraphAbout {
    /// Changes that are counted: commits, pull requests and tasks, each once.
    pub n: u32,
    /// How far the history is read: `none`, `reading` or `read`.
    pub history: String,
    /// The commit up to which it is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tip: Option<String>,
    /// Commits that are read.
    pub commits: u32,
    /// Commits that are still to be read.
    pub remaining: u32,
    /// It goes on behind the oldest commit that is read.
    pub is_cut: bool,
}

/// Which file, and how surely others change with it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CoChangeAsk {
    /// The file, from the root of the repository.
    pub path: String,
    /// So often at least; 3 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_support: Option<u32>,
    /// In so large a part of its changes at least, 0 to 1; 0.6 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Rows, 1 to 200; 20 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Files that change with one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CoChangeList {
    /// Changes that are counted.
    pub n: u32,
    /// The file, by its present path.
    pub path: String,
    /// Changes of it.
    pub n_a: u32,
    /// The surest first.
    pub pairs: Vec<CoChange>,
    /// What it is counted from.
    pub graph: GraphAbout,
    /// What to know: codes with words.
    pub warnings: Vec<String>,
}

/// A file that changes with another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CoChange {
    /// The file.
    pub path: String,
    /// The one that it changes with.
    pub because: String,
    /// How often both change.
    pub support: u32,
    /// In which part of the other one's changes.
    pub confidence: f64,
    /// In which part of its own.
    pub reverse_confidence: f64,
    /// How much more often than by chance.
    pub lift: f64,
    /// The last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_seen: Option<String>,
    /// The newest times: commits, and tasks as `task:<id>`.
    pub samples: Vec<String>,
}

/// Which groups.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FileSetListing {
    /// `always` (absent: this): files that are always modified together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// Groups of files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileSetList {
    /// Those that change most first.
    pub sets: Vec<FileSet>,
    /// What it is counted from.
    pub graph: GraphAbout,
    /// What to know: codes with words.
    pub warnings: Vec<String>,
}

/// Files that are always modified together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileSet {
    /// The one that changes most first.
    pub files: Vec<String>,
    /// How often two of them change together, at least.
    pub support: u32,
    /// In which part of one's changes, at least.
    pub confidence: f64,
}

/// What an impact is asked of: a path or a module.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImpactAsk {
    /// A file, a directory or a pattern.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A module: a name, a directory, or segments as a language writes them (`crate::auth`,
    /// `acme.auth`). Files belong to it whose paths have these segments in a row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Steps from file to file, 1 to 5; 2 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Rows, 1 to 200; 50 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// What a change may touch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImpactList {
    /// The strongest reason first.
    pub rows: Vec<ImpactRow>,
    /// What it is counted from.
    pub graph: GraphAbout,
    /// Files that the limit leaves out.
    #[serde(default)]
    pub more: u32,
    /// Files that the path or the module means.
    #[serde(default)]
    pub files: u32,
    /// The imports that were read; absent where none could be (a warning `IMPORTS_UNREAD` states
    /// why).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imports: Option<ImportsAbout>,
    /// What to know: codes with words.
    pub warnings: Vec<String>,
}

/// The imports that an impact rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportsAbout {
    /// The commit whose files were read: the tip of the default branch.
    pub commit: String,
    /// Files whose imports were read.
    pub files: u32,
}

/// A place where a file names another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportSite {
    /// The file that is named.
    pub of: String,
    /// The line, from 1.
    pub line: u32,
    /// `path`: an import that leads there by the rules of the language; `name`: one of which a part
    /// was guessed; `reference`: no import, but a name that the other file of the package declares.
    pub by: String,
}

/// A file that a change may touch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct ImpactRow {
    /// The file.
    pub path: String,
    /// `imports`: it imports the file, or one that does; `references`: it uses names of a file of
    /// its package, or implements a header; `co_change`: it changes with the file, or with one that
    /// does; `failed_episode`: tasks that changed both did not work.
    pub reasons: Vec<String>,
    /// Steps to it.
    pub distance: u32,
    /// How surely it changes, along the whole way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How often it changes with the file before it on the way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub support: Option<u32>,
    /// And how much more often than by chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lift: Option<f64>,
    /// Episodes of tasks that changed both and did not work.
    pub episodes: Vec<String>,
    /// The precision of its imports, along the whole way: 0.95 by `path`, 0.8 by `name`, 0.7 by
    /// `reference`, halved for each further file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certainty: Option<f64>,
    /// Lines in which it names the files before it on the way, at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<ImportSite>,
    /// All such places.
    #[serde(default)]
    pub site_count: u32,
}

/// Files of which is asked what usually changes with them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MissingAsk {
    /// Files, directories and patterns, 1 to 1000.
    pub paths: Vec<String>,
    /// So often at least; 3 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_support: Option<u32>,
    /// In so large a part of one's changes at least, 0 to 1; 0.6 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_confidence: Option<f64>,
    /// Rows, 1 to 200; 20 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Files that usually change with those that were named, and are not among them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MissingList {
    /// The surest first.
    pub files: Vec<CoChange>,
    /// What it is counted from.
    pub graph: GraphAbout,
    /// What to know: codes with words.
    pub warnings: Vec<String>,
}

/// How much of a history is read.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GraphRebuild {
    /// The newest so many commits at most, 1 to 200000, merges not counted; 5000 where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits: Option<u32>,
    /// Not older than so many months before the tip, at most 1200; 24 where it is absent, 0: however old.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub months: Option<u32>,
}

/// It was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GraphRebuildAsked {
    /// The job that does it.
    pub job: String,
    /// Its memory, by which it is waited for.
    pub memory: String,
}
