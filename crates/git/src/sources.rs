//! All local repositories, and the threads that read them. A repository stays open between calls of
//! the port. Before each call its identity is checked again.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures::channel::oneshot;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::BoxFuture;
use loci_model::ports::code::{
    CodeError, CodePlace, CodeResult, CodeSources, CodeWork, DiscoveredRepository,
};
use loci_model::{Error, MemoryId, Result};

use crate::confined_files::{Dir, Stamp};
use crate::fault;
use crate::memory_folder;
use crate::pool::Pool;
use crate::repository::Repository;
use crate::repository::caches::Caches;
use crate::repository::discover;
use crate::repository::layout::Layout;
use crate::source::Source;

/// The maximum number of open repositories.
const OPEN_MAX: usize = 32;

/// Options for reading local repositories.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitOptions {
    /// The number of threads; at least one.
    pub threads: usize,
    /// Directories inside which a repository may point to another location: borrowed objects
    /// (`alternates`), or a `.git` file or link to a repository that does not point back. Inside
    /// its own tree this is always permitted. Under each root, the directory named like a memory's
    /// id is the folder of that memory ([`CodeSources::is_in_folder_of`]).
    pub roots: Vec<PathBuf>,
}

/// Local repositories (the port [`CodeSources`]). Cheap to clone.
#[derive(Clone)]
pub struct GitSources {
    shelf: Arc<Shelf>,
    pool: Arc<Pool>,
}

/// The repositories that are open.
struct Shelf {
    roots: Vec<PathBuf>,
    caches: Arc<Caches>,
    open: Mutex<OpenSources>,
}

#[derive(Default)]
struct OpenSources {
    places: HashMap<PathBuf, CachedSource>,
    /// The open repositories by their shared directory, because worktrees of one clone share one.
    repositories: HashMap<PathBuf, (Stamps, Weak<Repository>)>,
    clock: u64,
}

struct CachedSource {
    layout: Layout,
    stamps: Stamps,
    source: Arc<Source>,
    used: u64,
}

/// The attributes that identify an unchanged repository: its directories, its configuration, and
/// its alternates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamps {
    common: u64,
    private: u64,
    worktree: Option<u64>,
    configuration: Option<Stamp>,
    alternates: Option<Stamp>,
}

impl GitSources {
    /// Starts the threads.
    ///
    /// # Errors
    /// If a thread cannot be started by the operating system.
    pub fn start(options: GitOptions) -> Result<Self> {
        let pool = Pool::start(options.threads).map_err(|error| {
            Error::unavailable("a thread for reading code cannot be started: check the limit of processes")
                .caused_by(error)
        })?;
        let roots = options.roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
        let shelf = Shelf { roots, caches: Arc::new(Caches::new()), open: Mutex::default() };
        Ok(Self { shelf: Arc::new(shelf), pool: Arc::new(pool) })
    }

    /// Runs `work` on a thread of the pool; `None` if it could not run.
    async fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Shelf) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, answer) = oneshot::channel();
        let shelf = Arc::clone(&self.shelf);
        let task = Box::new(move || {
            // The caller has dropped the future: do not start.
            if !done.is_canceled() {
                drop(done.send(work(&shelf)));
            }
        });
        if self.pool.run(task) { answer.await.ok() } else { None }
    }
}

impl CodeSources for GitSources {
    fn read<'a>(&'a self, place: &'a CodePlace, work: CodeWork) -> BoxFuture<'a, CodeResult<()>> {
        Box::pin(async move {
            let CodePlace::Local(path) = place else {
                return Err(fault::unreadable("this reads local repositories only"));
            };
            let path = path.clone();
            let done = self.on_thread(move |shelf| shelf.source(&path).map(|source| work(&*source))).await;
            done.unwrap_or_else(|| {
                let mut busy =
                    CodeError::new(Unverifiable::Rate, "too much code is being read, or reading failed");
                busy.retry_after_ms = Some(100);
                Err(busy)
            })
        })
    }

    fn is_in_folder_of<'a>(&'a self, directory: &'a Path, memory: &'a MemoryId) -> BoxFuture<'a, bool> {
        let (directory, memory) = (directory.to_owned(), memory.clone());
        Box::pin(async move {
            let told =
                self.on_thread(move |shelf| memory_folder::holds(&shelf.roots, &memory, &directory)).await;
            told.unwrap_or(false)
        })
    }

    fn discover<'a>(&'a self, directory: &'a Path) -> BoxFuture<'a, Result<Option<DiscoveredRepository>>> {
        Box::pin(async move {
            let directory = directory.to_owned();
            let found = self.on_thread(move |shelf| shelf.discover(&directory)).await;
            match found {
                Some(Ok(found)) => Ok(found),
                Some(Err(error)) => Err(Error::unavailable(error.detail)),
                None => Err(Error::unavailable("too much code is being read: try again")),
            }
        })
    }
}

impl Shelf {
    fn discover(&self, directory: &Path) -> CodeResult<Option<DiscoveredRepository>> {
        match Layout::above(directory, &self.roots)? {
            Some(layout) => discover::describe(&layout, &*self.opened(&layout)?).map(Some),
            None => Ok(None),
        }
    }

    fn source(&self, place: &Path) -> CodeResult<Arc<Source>> {
        let layout = Layout::at(place, &self.roots)?
            .ok_or_else(|| fault::unreadable("there is no repository at the configured place"))?;
        self.opened(&layout)
    }

    fn opened(&self, layout: &Layout) -> CodeResult<Arc<Source>> {
        let stamps = Stamps::of(layout)?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clock += 1;
        let now = open.clock;
        if let Some(place) = open.places.get_mut(&layout.private)
            && place.stamps == stamps
            && place.layout == *layout
        {
            place.used = now;
            return Ok(Arc::clone(&place.source));
        }
        let source = Arc::new(Source::open(layout, self.repository(&mut open, layout, stamps)?)?);
        let place = CachedSource { layout: layout.clone(), stamps, source: Arc::clone(&source), used: now };
        open.places.insert(layout.private.clone(), place);
        open.forget();
        Ok(source)
    }

    fn repository(
        &self,
        open: &mut OpenSources,
        layout: &Layout,
        stamps: Stamps,
    ) -> CodeResult<Arc<Repository>> {
        let shared = Stamps { private: 0, worktree: None, ..stamps };
        if let Some((known, repository)) = open.repositories.get(&layout.common)
            && *known == shared
            && let Some(repository) = repository.upgrade()
        {
            return Ok(repository);
        }
        let repository = Arc::new(Repository::open(layout, &self.roots, Arc::clone(&self.caches))?);
        open.repositories.insert(layout.common.clone(), (shared, Arc::downgrade(&repository)));
        Ok(repository)
    }
}

impl OpenSources {
    /// Closes the repositories that were not used for the longest time.
    fn forget(&mut self) {
        while self.places.len() > OPEN_MAX {
            let oldest = self.places.iter().min_by_key(|(_, place)| place.used).map(|(path, _)| path.clone());
            let Some(oldest) = oldest else { break };
            self.places.remove(&oldest);
        }
        self.repositories.retain(|_, (_, repository)| repository.strong_count() > 0);
    }
}

impl Stamps {
    fn of(layout: &Layout) -> CodeResult<Self> {
        let gone = || fault::unreadable("there is no repository");
        let common = Dir::open(&layout.common)?.ok_or_else(gone)?;
        let inode = |path: &Path| {
            Dir::open(path).and_then(|dir| dir.ok_or_else(gone)?.stamp()).map(|stamp| stamp.inode)
        };
        Ok(Self {
            common: common.stamp()?.inode,
            private: inode(&layout.private)?,
            worktree: layout.worktree.as_deref().map(inode).transpose()?,
            configuration: common.look(b"config")?.map(|(_, stamp)| stamp),
            alternates: common.look(b"objects/info/alternates")?.map(|(_, stamp)| stamp),
        })
    }
}
