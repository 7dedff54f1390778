//! All objects of a clone, loose and packed, including those of permitted alternates. Every object
//! is compared with its id: content with another hash is damaged, and never returned.

pub(crate) mod delta;
pub(crate) mod format;
mod inflate;
mod loose_objects;
mod pack;
mod pack_index;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use loci_model::bounded_cache::BoundedCache;
use loci_model::facts::code::ObjectId;
use loci_model::ports::code::{CodeError, CodeResult};

use crate::confined_files::Dir;
use crate::fault;
use crate::limits::{ABBREVIATED_FITS_MAX, PACK_INDEXES_HELD_BYTES, PACK_INDEXES_OPEN_MAX, PACKS_MAX};
use format::{HashFormat, ObjectKind};
use pack::{Pack, PackPlace, SharedPack};
use pack_index::PackIndex;

/// The type and size of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: ObjectKind,
    pub(crate) bytes: u64,
}

/// An inflated object.
#[derive(Debug, Clone)]
pub(crate) struct ObjectContent {
    pub(crate) kind: ObjectKind,
    pub(crate) bytes: Arc<[u8]>,
}

/// A cache of inflated base objects.
pub(crate) type Bases = BoundedCache<pack::BaseKey, ObjectContent>;

/// An `objects` directory.
struct Folder {
    dir: Dir,
    packs: RwLock<Arc<Packs>>,
}

#[derive(Default)]
struct Packs {
    listed: bool,
    open: Vec<(Vec<u8>, SharedPack)>,
    /// The error of a pack in this directory that could not be opened.
    broken: Option<CodeError>,
}

/// The objects of a clone.
pub(crate) struct Objects {
    format: HashFormat,
    folders: Vec<Folder>,
    bases: Arc<Bases>,
    /// True if a directory that the clone borrows objects from is not permitted. Missing objects
    /// may be there.
    alternates_refused: bool,
}

/// The number of the next pack in this process.
static PACK_NUMBER: AtomicU64 = AtomicU64::new(0);

impl Objects {
    pub(crate) fn new(
        format: HashFormat,
        folders: Vec<Dir>,
        bases: Arc<Bases>,
        alternates_refused: bool,
    ) -> Self {
        let folders = folders.into_iter().map(|dir| Folder { dir, packs: RwLock::default() }).collect();
        Self { format, folders, bases, alternates_refused }
    }

    pub(crate) fn format(&self) -> HashFormat {
        self.format
    }

    /// Returns the type and size of an object. `None` if the object is not in this clone.
    pub(crate) fn header(&self, id: &ObjectId) -> CodeResult<Option<Header>> {
        self.find(id, |pack, at| pack.header(at), |dir| loose_objects::header(dir, id))
    }

    /// Returns the object, which must have this type and at most `bytes_max` bytes. Both are
    /// checked before it is inflated. Otherwise the result is an error.
    pub(crate) fn read_kind(&self, id: &ObjectId, kind: ObjectKind, bytes_max: u64) -> CodeResult<Arc<[u8]>> {
        let refusal = |header: Header| {
            if header.kind != kind {
                Some(fault::damaged("an object of another kind than is said"))
            } else if header.bytes > bytes_max {
                Some(fault::too_large(kind.word()))
            } else {
                None
            }
        };
        let content = self.find(
            id,
            |pack, at| match refusal(pack.header(at)?) {
                Some(error) => Ok(Err(error)),
                None => pack.read(at, &self.bases).and_then(|content| self.checked(id, content)).map(Ok),
            },
            |dir| match loose_objects::read(dir, id, refusal)? {
                Some(Ok(content)) => self.checked(id, content).map(|content| Some(Ok(content))),
                Some(Err(error)) => Ok(Some(Err(error))),
                None => Ok(None),
            },
        )?;
        content.ok_or_else(|| self.missing(id))?.map(|content| content.bytes)
    }

    /// Returns the error for a missing object.
    pub(crate) fn missing(&self, id: &ObjectId) -> CodeError {
        let mut error = fault::missing(id);
        if self.alternates_refused {
            error.detail.push_str(
                "; the clone borrows objects (objects/info/alternates, as git clone --shared makes it) from \
                a directory that is \
                 not allowed: add that directory to verified.roots in the configuration, or let the clone \
                 stand alone with \
                 git repack -a -d and remove objects/info/alternates",
            );
        }
        error
    }

    /// Checks that the object of a ref exists. Returns an error if it does not, in a clone that
    /// borrows objects from a directory that is not permitted; in other clones a ref without its
    /// object names nothing.
    pub(crate) fn check_borrowed(&self, id: &ObjectId) -> CodeResult<()> {
        if self.alternates_refused && self.header(id)?.is_none() {
            return Err(self.missing(id));
        }
        Ok(())
    }

    /// Returns the ids that start with these lower-case hex digits, sorted, up to a limit.
    pub(crate) fn with_prefix(&self, digits: &str) -> CodeResult<Vec<ObjectId>> {
        let mut fits = Vec::new();
        for folder in &self.folders {
            loose_objects::with_prefix(&folder.dir, digits, &mut fits, ABBREVIATED_FITS_MAX)?;
            for (_, pack) in &self.packs(folder, true)?.open {
                pack.index().with_prefix(digits, &mut fits, ABBREVIATED_FITS_MAX)?;
            }
        }
        fits.sort_unstable();
        fits.dedup();
        Ok(fits)
    }

    fn checked(&self, id: &ObjectId, content: ObjectContent) -> CodeResult<ObjectContent> {
        if self.format.id_of(content.kind, &content.bytes) == Some(*id) {
            Ok(content)
        } else {
            Err(fault::damaged("an object's content is not what its id says"))
        }
    }

    /// Searches packs, then loose objects, then packs added meanwhile. If a copy is broken, another
    /// one is used.
    fn find<T>(
        &self,
        id: &ObjectId,
        packed: impl Fn(&Pack, u64) -> CodeResult<T>,
        loose: impl Fn(&Dir) -> CodeResult<Option<T>>,
    ) -> CodeResult<Option<T>> {
        if id.as_bytes().len() != self.format.id_bytes() {
            return Ok(None);
        }
        let mut broken = None;
        for newly in [false, true] {
            for folder in &self.folders {
                let packs = self.packs(folder, newly)?;
                for (_, pack) in &packs.open {
                    match pack.index().find(id).and_then(|at| at.map(|at| packed(pack, at)).transpose()) {
                        Ok(Some(found)) => return Ok(Some(found)),
                        Ok(None) => {}
                        Err(error) => broken = Some(error),
                    }
                }
                if newly {
                    broken = broken.or_else(|| packs.broken.clone());
                    continue;
                }
                match loose(&folder.dir) {
                    Ok(Some(found)) => return Ok(Some(found)),
                    Ok(None) => {}
                    Err(error) => broken = Some(error),
                }
            }
        }
        broken.map_or(Ok(None), Err)
    }

    /// Returns the packs of a folder, listed again if requested.
    fn packs(&self, folder: &Folder, newly: bool) -> CodeResult<Arc<Packs>> {
        let known = Arc::clone(&folder.packs.read().unwrap_or_else(PoisonError::into_inner));
        if known.listed && !newly {
            return Ok(known);
        }
        let Some(dir) = folder.dir.directory(b"pack")?.map(Arc::new) else { return Ok(known) };
        let mut names = dir.names(4 * PACKS_MAX)?;
        names.retain(|name| name.ends_with(b".idx"));
        names.truncate(PACKS_MAX);
        if known.listed && names.iter().eq(known.open.iter().map(|(name, _)| name)) {
            return Ok(known);
        }
        let mut packs = Packs { listed: true, ..Packs::default() };
        let (mut held_left, mut open_left) = (PACK_INDEXES_HELD_BYTES, PACK_INDEXES_OPEN_MAX);
        for name in names {
            // Both lists are sorted.
            let open = known.open.binary_search_by(|(known, _)| known.cmp(&name)).ok();
            let pack = match open.and_then(|at| known.open.get(at)) {
                Some((_, open)) => Ok(Some(Arc::clone(open))),
                None => self.open_pack(&dir, &name, held_left).map(|pack| pack.map(Arc::new)),
            };
            match pack {
                Ok(Some(pack)) => {
                    let held = pack.index().held_bytes();
                    held_left = held_left.saturating_sub(held.unwrap_or(0));
                    if held.is_none() {
                        open_left = open_left
                            .checked_sub(1)
                            .ok_or_else(|| fault::too_large("the indexes of all packs together"))?;
                    }
                    packs.open.push((name, pack));
                }
                Ok(None) => {}
                Err(error) => packs.broken = Some(error),
            }
        }
        let packs = Arc::new(packs);
        *folder.packs.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&packs);
        Ok(packs)
    }

    fn open_pack(&self, dir: &Arc<Dir>, index_name: &[u8], held_max: u64) -> CodeResult<Option<Pack>> {
        let Some((index, stamp)) = dir.file(index_name)? else { return Ok(None) };
        let stem = index_name.strip_suffix(b".idx").unwrap_or(index_name);
        let place = PackPlace { dir: Arc::clone(dir), name: [stem, b".pack"].concat() };
        let index = PackIndex::open(index, &stamp, self.format, held_max)?;
        let number = PACK_NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(Some(Pack::new(number, index, place, self.format)))
    }
}
