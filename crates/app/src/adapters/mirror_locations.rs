//! Locations of mirrors: directories on the disks of this machine, or a bucket that the
//! configuration names as a target. Only the configuration can place a mirror in a bucket. The path
//! of such a mirror is the name of the target followed by a folder.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use loci_git::LocalPlaces;
use loci_model::ports::BoxFuture;
use loci_model::ports::files::{FileBackend, FilePlaces, FoundMarkers};
use loci_model::trees::mirror::MirrorKind;
use loci_model::{Error, MemoryId, Result};
use loci_outbound::targets::Targets;

/// The locations for mirrors: directories, bare repositories and buckets.
pub struct MirrorPlaces {
    local: LocalPlaces,
    targets: Arc<Targets>,
    /// The open buckets. They stay open because their cached digests save requests.
    buckets: Mutex<HashMap<String, Arc<dyn FileBackend>>>,
}

impl MirrorPlaces {
    /// Returns the locations on local disks and in the given targets.
    pub fn new(local: LocalPlaces, targets: Arc<Targets>) -> Self {
        Self { local, targets, buckets: Mutex::default() }
    }
}

impl FilePlaces for MirrorPlaces {
    fn resolve(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<PathBuf> {
        if kind != MirrorKind::S3 {
            return self.local.resolve(kind, path, is_configured);
        }
        if !is_configured {
            let rule =
                "a mirror in a bucket must stand in the configuration, as [mirror.<name>] with kind = \"s3\"";
            return Err(Error::invalid("kind", rule));
        }
        Ok(PathBuf::from(format!("s3:{}", path.trim_matches('/'))))
    }

    fn own_path(&self, kind: MirrorKind, path: &str, memory: &MemoryId) -> Result<String> {
        if kind != MirrorKind::S3 {
            return self.local.own_path(kind, path, memory);
        }
        // The call fails, as for each bucket that the configuration does not name.
        self.resolve(kind, path, false)?;
        Err(Error::bug("a bucket that a caller named"))
    }

    fn open(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<Arc<dyn FileBackend>> {
        if kind != MirrorKind::S3 {
            return self.local.open(kind, path, is_configured);
        }
        self.resolve(kind, path, is_configured)?;
        let path = path.trim_matches('/');
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = buckets.get(path) {
            return Ok(Arc::clone(open));
        }
        let (target, folder) = path.split_once('/').unwrap_or((path, ""));
        let made: Arc<dyn FileBackend> = Arc::new(self.targets.bucket_files(target, folder)?);
        buckets.insert(path.to_owned(), Arc::clone(&made));
        Ok(made)
    }

    fn installation(&self, fresh: &dyn Fn() -> String) -> Result<String> {
        self.local.installation(fresh)
    }

    fn markers(&self) -> BoxFuture<'_, Result<FoundMarkers>> {
        self.local.markers()
    }
}
