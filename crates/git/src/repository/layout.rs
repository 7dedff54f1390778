//! The directories of a repository: the shared one, the private one of a worktree, and the
//! worktree. A `.git` file and a `commondir` file are followed only if the other side points back,
//! or inside permitted roots, so that planting such a file gives no access to another repository.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use loci_model::ports::code::CodeResult;

use crate::confined_files::{Dir, EntryType};
use crate::fault;
use crate::limits::SMALL_FILE_BYTES_MAX;
use crate::repository::configuration;

/// The directories of a repository, as paths without links.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Layout {
    /// The directory that all worktrees of the clone share.
    pub(crate) common: PathBuf,
    /// The directory with `HEAD` and the index of this worktree. For the main worktree it is the
    /// shared directory.
    pub(crate) private: PathBuf,
    /// The worktree; `None` for a bare repository.
    pub(crate) worktree: Option<PathBuf>,
}

impl Layout {
    /// Returns the repository at exactly this directory; `None` if there is none.
    ///
    /// # Errors
    /// If there is a repository that must not be read.
    pub(crate) fn at(place: &Path, roots: &[PathBuf]) -> CodeResult<Option<Self>> {
        let Ok(place) = place.canonicalize() else { return Ok(None) };
        let Some(dir) = Dir::open(&place)? else { return Ok(None) };
        match dir.look(b".git")? {
            Some((EntryType::Directory, _)) => {
                let git = place.join(".git");
                Ok(is_shared(&git)?.then(|| Self {
                    common: git.clone(),
                    private: git,
                    worktree: Some(place),
                }))
            }
            Some((EntryType::File, _)) => Self::behind_file(&dir, place, roots).map(Some),
            Some((EntryType::Symlink, _)) => Self::behind_link(place, roots).map(Some),
            Some((EntryType::Other, _)) | None => {
                if !is_shared(&place)? {
                    return Ok(None);
                }
                let is_bare =
                    place.file_name() != Some(OsStr::new(".git")) || configuration(&dir)?.bare == Some(true);
                let worktree = if is_bare { None } else { place.parent().map(Path::to_owned) };
                Ok(Some(Self { common: place.clone(), private: place, worktree }))
            }
        }
    }

    /// Returns the repository at this directory or the nearest one above it.
    pub(crate) fn above(directory: &Path, roots: &[PathBuf]) -> CodeResult<Option<Self>> {
        let Ok(directory) = directory.canonicalize() else { return Ok(None) };
        for place in directory.ancestors() {
            if let Some(found) = Self::at(place, roots)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// True for a path (without links) inside this repository or a permitted root.
    pub(crate) fn allows(&self, path: &Path, roots: &[PathBuf]) -> bool {
        path.starts_with(&self.common)
            || self.worktree.as_ref().is_some_and(|worktree| path.starts_with(worktree))
            || is_within(path, roots)
    }

    /// Resolves a `.git` file of a linked worktree or a submodule.
    fn behind_file(dir: &Dir, worktree: PathBuf, roots: &[PathBuf]) -> CodeResult<Self> {
        let content = dir.read(b".git", SMALL_FILE_BYTES_MAX)?.unwrap_or_default();
        let target = content.strip_prefix(b"gitdir:").map(<[u8]>::trim_ascii).unwrap_or_default();
        let refused = || fault::unreadable("a `.git` file points to a repository that does not point back");
        if target.is_empty() {
            return Err(refused());
        }
        let private =
            worktree.join(Path::new(OsStr::from_bytes(target))).canonicalize().map_err(|_| refused())?;
        let own = Dir::open(&private)?.ok_or_else(refused)?;
        let common = shared_of(&own, &private, roots)?;
        if points_back(&own, &private, &worktree)?
            || is_within(&private, roots)
            || private.starts_with(&worktree)
        {
            Ok(Self { common, private, worktree: Some(worktree) })
        } else {
            Err(refused())
        }
    }

    /// Resolves a `.git` link, only inside a permitted root.
    fn behind_link(worktree: PathBuf, roots: &[PathBuf]) -> CodeResult<Self> {
        let refused = || fault::unreadable("`.git` is a link that leads out of the allowed roots");
        let private = worktree.join(".git").canonicalize().map_err(|_| refused())?;
        if !is_within(&private, roots) || !is_shared(&private)? {
            return Err(refused());
        }
        Ok(Self { common: private.clone(), private, worktree: Some(worktree) })
    }
}

/// Returns the shared directory of a private one.
fn shared_of(own: &Dir, private: &Path, roots: &[PathBuf]) -> CodeResult<PathBuf> {
    let refused = || fault::unreadable("a worktree's repository lies where it does not belong to");
    let common = match own.read(b"commondir", SMALL_FILE_BYTES_MAX)? {
        Some(content) => {
            let target = Path::new(OsStr::from_bytes(content.trim_ascii())).to_owned();
            private.join(target).canonicalize().map_err(|_| refused())?
        }
        None => private.to_owned(),
    };
    let belongs = common == private
        || private.parent().is_some_and(|parent| {
            parent.file_name() == Some(OsStr::new("worktrees")) && parent.parent() == Some(&common)
        });
    if (belongs || is_within(&common, roots)) && is_shared(&common)? { Ok(common) } else { Err(refused()) }
}

/// True if a private directory names this worktree as its own: `gitdir` of a linked worktree,
/// `core.worktree` of a submodule.
fn points_back(own: &Dir, private: &Path, worktree: &Path) -> CodeResult<bool> {
    if let Some(content) = own.read(b"gitdir", SMALL_FILE_BYTES_MAX)? {
        let file = private.join(Path::new(OsStr::from_bytes(content.trim_ascii())));
        let back = file.parent().and_then(|parent| parent.canonicalize().ok());
        return Ok(back.as_deref() == Some(worktree));
    }
    let named = configuration(own)?.worktree;
    let back = named.and_then(|path| private.join(path).canonicalize().ok());
    Ok(back.as_deref() == Some(worktree))
}

/// True for a directory that looks like a repository: `HEAD`, `objects` and `refs`, none of them a
/// link.
fn is_shared(path: &Path) -> CodeResult<bool> {
    let Some(dir) = Dir::open(path)? else { return Ok(false) };
    let is = |name: &[u8], wanted: EntryType| Ok(dir.look(name)?.is_some_and(|(lying, _)| lying == wanted));
    Ok(is(b"HEAD", EntryType::File)?
        && is(b"objects", EntryType::Directory)?
        && is(b"refs", EntryType::Directory)?)
}

fn is_within(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}
