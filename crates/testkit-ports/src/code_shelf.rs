//! Repositories in memory behind the port with which engines read code: each at a directory with
//! its name, and changed by tests between calls.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::BoxFuture;
use loci_model::ports::code::{
    CodeError, CodePlace, CodeResult, CodeSource as _, CodeSources, CodeWork, DiscoveredRepository,
    ForgeRepository,
};
use loci_model::{MemoryId, Result};

use crate::CodeHistory;

/// Repositories by their simulated directory.
#[derive(Clone, Default)]
pub struct CodeShelf {
    lying: Arc<Mutex<BTreeMap<PathBuf, ShelvedRepository>>>,
    at_forge: Arc<Mutex<BTreeMap<CodePlace, ForgeRepository>>>,
    opened: Arc<AtomicU64>,
    meanwhile: Arc<Mutex<Option<ConcurrentRequest>>>,
}

/// An action during another request.
type ConcurrentRequest = Box<dyn FnOnce() + Send>;

struct ShelvedRepository {
    history: CodeHistory,
    discovered: DiscoveredRepository,
}

impl CodeShelf {
    /// Adds a repository with this `origin`.
    pub fn put(&self, directory: &str, origin: Option<&str>, history: CodeHistory) {
        let path = PathBuf::from(directory);
        let discovered = DiscoveredRepository {
            common_dir: path.clone(),
            // Its files are only in commits.
            worktree: None,
            remotes: origin.map(|url| ("origin".to_owned(), url.to_owned())).into_iter().collect(),
            roots: history.tip().commit().and_then(|tip| history.roots(&tip).ok()).unwrap_or_default(),
            default_branch: history.default_branch().ok().flatten().map(|(name, _)| name),
            branch: Some("main".to_owned()),
            head: history.tip().commit(),
        };
        self.lock().insert(path, ShelvedRepository { history, discovered });
    }

    /// Adds a worktree at a directory whose repository is in another one.
    pub fn put_worktree(&self, directory: &str, repository: &str, history: CodeHistory) {
        self.put(directory, None, history);
        if let Some(standing) = self.lock().get_mut(Path::new(directory)) {
            standing.discovered.common_dir = PathBuf::from(repository);
        }
    }

    /// Changes a repository; `None` if it does not exist.
    pub fn change<T>(&self, directory: &str, work: impl FnOnce(&mut CodeHistory) -> T) -> Option<T> {
        self.lock().get_mut(Path::new(directory)).map(|standing| work(&mut standing.history))
    }

    /// Sets the forge's description of the repository at a path.
    pub fn at_forge(&self, host: &str, path: &str, says: ForgeRepository) {
        let place = CodePlace::Forge { host: host.to_owned(), path: path.to_owned() };
        self.at_forge.lock().unwrap_or_else(PoisonError::into_inner).insert(place, says);
    }

    /// Runs an action on a separate thread after the next look at a repository, before that request
    /// continues.
    pub fn meanwhile(&self, work: impl FnOnce() + Send + 'static) {
        *self.meanwhile.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(work));
    }

    /// Returns the number of times that a repository was opened.
    pub fn opened(&self) -> u64 {
        self.opened.load(Ordering::Relaxed)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, ShelvedRepository>> {
        self.lying.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CodeSources for CodeShelf {
    fn read<'a>(&'a self, place: &'a CodePlace, work: CodeWork) -> BoxFuture<'a, CodeResult<()>> {
        Box::pin(async move {
            let shelf = self.lock();
            let standing = match place {
                CodePlace::Local(path) => shelf.get(path),
                CodePlace::Forge { .. } => None,
            };
            let missing = || CodeError::new(Unverifiable::AuthOrMissing, "there is no such repository");
            self.opened.fetch_add(1, Ordering::Relaxed);
            work(&standing.ok_or_else(missing)?.history);
            drop(shelf);
            let meanwhile = self.meanwhile.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(work) = meanwhile {
                // A failure of the action shows in its effects.
                std::thread::spawn(work).join().ok();
            }
            Ok(())
        })
    }

    fn is_in_folder_of<'a>(&'a self, directory: &'a Path, memory: &'a MemoryId) -> BoxFuture<'a, bool> {
        let is_beneath = directory.starts_with(Path::new("/folders").join(memory.as_str()));
        Box::pin(std::future::ready(is_beneath))
    }

    fn discover<'a>(&'a self, directory: &'a Path) -> BoxFuture<'a, Result<Option<DiscoveredRepository>>> {
        let found = self.lock().get(directory).map(|standing| standing.discovered.clone());
        Box::pin(async move { Ok(found) })
    }

    fn at_forge<'a>(&'a self, place: &'a CodePlace) -> BoxFuture<'a, CodeResult<Option<ForgeRepository>>> {
        let found = self.at_forge.lock().unwrap_or_else(PoisonError::into_inner).get(place).cloned();
        let missing = || CodeError::new(Unverifiable::AuthOrMissing, "the forge shows no such repository");
        Box::pin(async move {
            match place {
                CodePlace::Local(_) => Ok(None),
                CodePlace::Forge { .. } => found.map(Some).ok_or_else(missing),
            }
        })
    }
}
