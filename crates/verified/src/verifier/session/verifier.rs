//! One look at one repository at one revision. Everything is read once and shared by all citations
//! of a call and all records of a read. The module reads; the steps and the claims draw the
//! conclusions.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use loci_model::facts::code::{CodeEntry, CodeFile, EntryKind, ObjectId, Origin, Revision};
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::clock::Clock;
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};

use super::memo::Memo;
use crate::verifier::lines::file_lines::FileLines;
use crate::verifier::lines::line_cache::{LineCache, Parsed};
use crate::verifier::lines::line_diff::LineMap;
use crate::verifier::names::generated_files::Attributes;
use crate::verifier::thresholds::{FILE_BYTES_MAX, FOLLOW_PERCENT, RENAME_PERCENT};

/// The limits of one verifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerifierLimits {
    /// The maximum number of files that one claim about many files reads.
    pub claim_files_max: usize,
    /// The maximum number of bytes that one claim about many files reads.
    pub claim_bytes_max: u64,
    /// The time limit of one claim about many files, in milliseconds.
    pub claim_ms_max: u64,
    /// The time limit for searching the whole tree for moved blocks, in milliseconds, for all
    /// citations of one verifier together. A block that was not found by then is unverifiable, not
    /// gone.
    pub tree_ms_max: u64,
}

impl Default for VerifierLimits {
    fn default() -> Self {
        Self { claim_files_max: 5_000, claim_bytes_max: 64 << 20, claim_ms_max: 2_000, tree_ms_max: 4_000 }
    }
}

/// A map from paths to paths.
type Paths = Rc<HashMap<String, String>>;

/// Verifies citations and claims against one repository at one revision. It reads everything once,
/// so use one verifier for all citations of a call and for all records of a read.
///
/// ```ignore
/// let verifier = Verifier::new(source, at, &cache, scope, clock, VerifierLimits::default());
/// let made = verifier.anchor(&place, fact, true)?; // at store time
/// let verification = verifier.verify(&citations, &claims, Quorum::All); // later, at each read
/// ```
///
/// Synchronous, on one thread: it runs where [`loci_model::ports::code::CodeSources::read`] runs
/// its work.
pub struct Verifier<'a> {
    pub(in crate::verifier) source: &'a dyn CodeSource,
    pub(in crate::verifier) at: Revision,
    pub(in crate::verifier) clock: &'a dyn Clock,
    pub(in crate::verifier) limits: VerifierLimits,
    pub(in crate::verifier) cache: &'a LineCache,
    pub(in crate::verifier) scope: Arc<str>,
    /// The number of blobs that could not be read, but may be readable later.
    pub(in crate::verifier) failed_reads: std::cell::Cell<u64>,
    pub(in crate::verifier) tree_us: std::cell::Cell<u64>,
    entries: Memo<String, CodeResult<Option<CodeEntry>>>,
    old_entries: Memo<(ObjectId, String), CodeResult<Option<CodeEntry>>>,
    maps: Memo<(ObjectId, ObjectId), Rc<LineMap>>,
    trees: Memo<Option<ObjectId>, CodeResult<Arc<Vec<CodeFile>>>>,
    unlisted: Memo<(), CodeResult<Arc<Vec<String>>>>,
    renames: Memo<ObjectId, CodeResult<(Paths, Paths)>>,
    lacking: Memo<ObjectId, CodeResult<bool>>,
    follows: Memo<(String, ObjectId), CodeResult<Option<String>>>,
    origins: Memo<(String, ObjectId), CodeResult<Origin>>,
    fresh: Memo<Option<ObjectId>, CodeResult<Rc<Vec<CodeFile>>>>,
    attributes: Memo<(), Rc<Attributes>>,
}

impl<'a> Verifier<'a> {
    /// Creates a verifier for `source` at `at`. `scope` names the repository and its tenant: within
    /// it blob ids are trusted, and parsed files are shared through `cache`.
    pub fn new(
        source: &'a dyn CodeSource,
        at: Revision,
        cache: &'a LineCache,
        scope: &str,
        clock: &'a dyn Clock,
        limits: VerifierLimits,
    ) -> Self {
        Self {
            source,
            at,
            clock,
            limits,
            cache,
            scope: Arc::from(scope),
            failed_reads: std::cell::Cell::new(0),
            tree_us: std::cell::Cell::new(0),
            entries: Memo::new(),
            old_entries: Memo::new(),
            maps: Memo::new(),
            trees: Memo::new(),
            unlisted: Memo::new(),
            renames: Memo::new(),
            lacking: Memo::new(),
            follows: Memo::new(),
            origins: Memo::new(),
            fresh: Memo::new(),
            attributes: Memo::new(),
        }
    }

    /// Returns the verifier's revision.
    pub fn revision(&self) -> Revision {
        self.at
    }

    /// Returns the entry at a path.
    pub(in crate::verifier) fn entry(&self, path: &str) -> CodeResult<Option<CodeEntry>> {
        self.entries.get(path.to_owned(), |path| self.source.entry(&self.at, path))
    }

    /// Errors for a path inside a submodule, whose files belong to another repository.
    pub(in crate::verifier) fn outside_submodules(&self, path: &str) -> CodeResult<()> {
        for (at, _) in path.match_indices('/') {
            match self.entry(path.get(..at).unwrap_or_default())? {
                Some(entry) if entry.kind == EntryKind::Submodule => return Err(of_submodule()),
                Some(_) => {}
                None => break,
            }
        }
        Ok(())
    }

    /// Returns the entry that a path had at a commit.
    pub(in crate::verifier) fn old_entry(
        &self,
        commit: ObjectId,
        path: &str,
    ) -> CodeResult<Option<CodeEntry>> {
        self.old_entries.get((commit, path.to_owned()), |(commit, path)| {
            self.source.entry(&Revision::Commit(*commit), path)
        })
    }

    /// Returns the lines of an entry of this revision. The line of a symbolic link is its target.
    pub(in crate::verifier) fn lines(&self, entry: &CodeEntry) -> CodeResult<Arc<FileLines>> {
        match entry.kind {
            EntryKind::Submodule => Err(of_submodule()),
            EntryKind::File | EntryKind::Symlink | EntryKind::Directory => match entry.bytes {
                Some(bytes) if bytes > FILE_BYTES_MAX => Err(no_text(Unverifiable::TooLarge)),
                _ => self.blob(entry.id),
            },
        }
    }

    /// Returns true if a blob is in the cache.
    pub(super) fn holds(&self, blob: ObjectId) -> bool {
        self.cache.holds(&self.scope, blob)
    }

    /// Returns true if reading a blob needs no fetch.
    pub(in crate::verifier) fn is_readable(&self, blob: ObjectId) -> bool {
        self.source.capabilities().near || self.holds(blob)
    }

    /// Returns the lines of a blob of any revision.
    pub(in crate::verifier) fn blob(&self, blob: ObjectId) -> CodeResult<Arc<FileLines>> {
        let parsed: Parsed = match self.cache.get(&self.scope, blob) {
            Some(parsed) => parsed,
            None => {
                let read = self.source.read(&blob, FILE_BYTES_MAX);
                let bytes = read.inspect_err(|_| self.failed_reads.set(self.failed_reads.get() + 1))?;
                let parsed = FileLines::parse(&bytes).map(Arc::new);
                self.cache.put(&self.scope, blob, &parsed);
                parsed
            }
        };
        parsed.map_err(no_text)
    }

    /// Returns the map of lines from an old blob to a new one.
    pub(in crate::verifier) fn map(
        &self,
        old: (ObjectId, &FileLines),
        new: (ObjectId, &FileLines),
    ) -> Rc<LineMap> {
        self.maps.get((old.0, new.0), |_| Rc::new(LineMap::between(old.1.hashes(), new.1.hashes())))
    }

    /// Returns all files of this revision (`None`) or of a commit.
    pub(in crate::verifier) fn tree(&self, commit: Option<ObjectId>) -> CodeResult<Arc<Vec<CodeFile>>> {
        self.trees.get(commit, |commit| {
            let at = commit.map_or(self.at, Revision::Commit);
            self.source.files(&at)
        })
    }

    /// Returns the paths that the list of this revision's files leaves out.
    pub(in crate::verifier) fn unlisted(&self) -> CodeResult<Arc<Vec<String>>> {
        self.unlisted.get((), |()| self.source.unlisted(&self.at))
    }

    /// Returns the renames from a commit to this revision: new by old path, and old by new path.
    pub(in crate::verifier) fn renames(&self, from: ObjectId) -> CodeResult<(Paths, Paths)> {
        self.renames.get(from, |from| {
            if !self.source.capabilities().renames {
                return Ok(Default::default());
            }
            let found = self.source.renames(from, &self.at, RENAME_PERCENT)?;
            let pair = |rename: &loci_model::facts::code::Rename| (rename.from.clone(), rename.to.clone());
            let forth: HashMap<_, _> = found.iter().map(pair).collect();
            let back = forth.iter().map(|(from, to)| (to.clone(), from.clone())).collect();
            Ok((Rc::new(forth), Rc::new(back)))
        })
    }

    /// Returns true if a file of a commit may have another path now that no rename names.
    pub(in crate::verifier) fn may_lack_renames(&self, from: ObjectId) -> CodeResult<bool> {
        self.lacking.get(from, |from| self.source.may_lack_renames(from, &self.at))
    }

    /// Follows a path of a commit to its current path, commit by commit.
    pub(in crate::verifier) fn follow(&self, path: &str, from: ObjectId) -> CodeResult<Option<String>> {
        self.follows.get((path.to_owned(), from), |(path, from)| {
            if !self.source.capabilities().history {
                return Ok(None);
            }
            self.source.follow(path, from, &self.at, FOLLOW_PERCENT)
        })
    }

    /// Returns the path of a file of this revision at a commit, commit by commit.
    pub(in crate::verifier) fn origin(&self, path: &str, from: ObjectId) -> CodeResult<Origin> {
        self.origins.get((path.to_owned(), from), |(path, from)| {
            if !self.source.capabilities().history {
                return Ok(Origin::Unknown);
            }
            self.source.origin(path, from, &self.at, RENAME_PERCENT)
        })
    }

    /// Returns the text files of this revision that are not generated and that no path of `since`
    /// had with this content. A moved block can only be in one of them. Without `since` it returns
    /// all that are not generated.
    pub(in crate::verifier) fn fresh_files(&self, since: Option<ObjectId>) -> CodeResult<Rc<Vec<CodeFile>>> {
        self.fresh.get(since, |since| {
            let old: HashSet<ObjectId> = match since {
                Some(commit) => self.tree(Some(*commit))?.iter().map(|file| file.entry.id).collect(),
                None => HashSet::new(),
            };
            let attributes = self.attributes();
            let is_fresh = |file: &&CodeFile| {
                file.entry.kind == EntryKind::File
                    && !old.contains(&file.entry.id)
                    && !attributes.is_generated(&file.path)
            };
            Ok(Rc::new(self.tree(None)?.iter().filter(is_fresh).cloned().collect()))
        })
    }

    /// Returns true if tree searches, including the one since `started`, have used up their time.
    pub(in crate::verifier) fn tree_time_is_over(&self, started: u64) -> bool {
        let now = self.clock.monotonic_us().saturating_sub(started).saturating_add(self.tree_us.get());
        now > self.limits.tree_ms_max.saturating_mul(1_000)
    }

    /// Returns the repository's attributes of generated files. If they cannot be read, the built-in
    /// list remains.
    pub(in crate::verifier) fn attributes(&self) -> Rc<Attributes> {
        self.attributes.get((), |()| Rc::new(self.read_attributes().unwrap_or_default()))
    }

    fn read_attributes(&self) -> CodeResult<Attributes> {
        let tree = self.tree(None)?;
        let mut attributes = Attributes::default();
        for file in tree.iter().filter(|file| file.path.rsplit('/').next() == Some(".gitattributes")) {
            let text = self.lines(&file.entry)?;
            let directory = file.path.strip_suffix(".gitattributes").unwrap_or_default();
            attributes.add(directory, text.lines(0, text.len()));
        }
        Ok(attributes)
    }
}

/// Returns the error for a path that is a submodule or lies in one.
fn of_submodule() -> CodeError {
    let remedy = "register that repository with `loci repo add`, and cite its files there";
    CodeError::new(
        Unverifiable::Submodule,
        format!("the path belongs to a submodule, another repository: {remedy}"),
    )
}

/// Returns the error for a blob without text.
pub(in crate::verifier) fn no_text(why: Unverifiable) -> CodeError {
    CodeError::new(
        why,
        match why {
            Unverifiable::TooLarge => "the file is larger than 8 MiB",
            Unverifiable::Binary => "the file is binary",
            Unverifiable::Minified => "the file has a line of more than 64 KiB",
            Unverifiable::Network
            | Unverifiable::Auth
            | Unverifiable::AuthOrMissing
            | Unverifiable::Rate
            | Unverifiable::Ref
            | Unverifiable::PartialClone
            | Unverifiable::Submodule
            | Unverifiable::Deadline => "the file cannot be read",
        },
    )
}
