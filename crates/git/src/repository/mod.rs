//! The parts shared by all worktrees of a clone: objects, refs, the list of cut-off commits.

mod alternates;
pub(super) mod caches;
pub(super) mod config;
mod default_branch;
pub(super) mod discover;
pub(super) mod layout;
mod names;
pub(super) mod refs;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::facts::code::ObjectId;
use loci_model::facts::verdict::Unverifiable;
use loci_model::ports::code::CodeResult;

use crate::confined_files::{self, Dir, Stamp};
use crate::fault;
use crate::limits::{CONFIG_BYTES_MAX, REFS_BYTES_MAX};
use crate::objects::Objects;
use crate::objects::format::HashFormat;
use crate::repository::caches::{Caches, Number};
use crate::repository::config::Config;
use crate::repository::layout::Layout;
use crate::repository::refs::Refs;

/// A clone that is open for reading.
pub(crate) struct Repository {
    pub(crate) number: Number,
    pub(crate) dir: Dir,
    pub(crate) objects: Objects,
    pub(crate) refs: Refs,
    pub(crate) caches: Arc<Caches>,
    shallow: Mutex<Shallow>,
}

type Shallow = Option<(Stamp, Arc<HashSet<ObjectId>>)>;

static NUMBER: AtomicU64 = AtomicU64::new(0);

impl Repository {
    /// Opens the shared directory of a clone.
    pub(crate) fn open(
        layout: &Layout,
        roots: &[std::path::PathBuf],
        caches: Arc<Caches>,
    ) -> CodeResult<Self> {
        let dir = Dir::open(&layout.common)?.ok_or_else(|| fault::unreadable("there is no repository"))?;
        let format = format_of(&configuration(&dir)?)?;
        let own = dir.directory(b"objects")?.ok_or_else(|| fault::unreadable("there are no objects"))?;
        let borrowed = alternates::of(layout, roots)?;
        let mut folders = vec![own];
        folders.extend(borrowed.folders);
        let objects = Objects::new(format, folders, Arc::clone(&caches.bases), borrowed.refused);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(Self { number, dir, objects, refs: Refs::default(), caches, shallow: Mutex::default() })
    }

    /// Returns the commits whose parents are not in this clone.
    pub(crate) fn shallow(&self) -> CodeResult<Arc<HashSet<ObjectId>>> {
        let Some((file, stamp)) = self.dir.file(b"shallow")? else { return Ok(Arc::default()) };
        let mut shallow = self.shallow.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, ids)) = shallow.as_ref()
            && *known == stamp
        {
            return Ok(Arc::clone(ids));
        }
        let content = confined_files::read_all(file, &stamp, REFS_BYTES_MAX)?;
        let text = String::from_utf8_lossy(&content);
        let ids: Arc<HashSet<_>> = Arc::new(text.lines().filter_map(ObjectId::parse).collect());
        *shallow = Some((stamp, Arc::clone(&ids)));
        Ok(ids)
    }
}

/// Returns the configuration in a shared directory; empty if there is none.
pub(crate) fn configuration(dir: &Dir) -> CodeResult<Config> {
    let text = dir.read(b"config", CONFIG_BYTES_MAX)?.unwrap_or_default();
    Ok(config::parse(&String::from_utf8_lossy(&text)))
}

fn format_of(config: &Config) -> CodeResult<HashFormat> {
    let unknown = |what: &str| {
        loci_model::ports::code::CodeError::new(
            Unverifiable::AuthOrMissing,
            format!("the repository keeps its {what} in a format that is not read"),
        )
    };
    match config.ref_storage.as_deref() {
        None | Some("files") => {}
        Some("reftable") => {
            let remedy = "convert it with git refs migrate --ref-format=files";
            let what =
                format!("the repository keeps its refs in the format reftable, which is not read: {remedy}");
            return Err(loci_model::ports::code::CodeError::new(Unverifiable::AuthOrMissing, what));
        }
        Some(_) => return Err(unknown("refs")),
    }
    match config.object_format.as_deref() {
        None | Some("sha1") => Ok(HashFormat::Sha1),
        Some("sha256") => Ok(HashFormat::Sha256),
        Some(_) => Err(unknown("objects")),
    }
}
