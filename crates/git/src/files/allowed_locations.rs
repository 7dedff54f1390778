//! The locations where mirrors are permitted: under the configured roots, and where the
//! configuration itself places a mirror. A location stays open, so that the known state of its
//! files is kept.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use loci_model::ports::BoxFuture;
use loci_model::ports::files::{FileBackend, FilePlaces, FoundMarkers, MARKER};
use loci_model::trees::mirror::MirrorKind;
use loci_model::{Error, MemoryId, Result};

use super::location_thread::LocationThread;
use super::markers::markers_below;
use super::object_writer::{durable, failed};
use super::{BareFiles, DirectoryFiles};

/// The names of the marker files at the root of a mirror, one per kind of mirror.
const MARKERS: [&str; 2] = [MARKER, super::bare_repository::MARKER];
/// The file in the data folder that identifies the installation.
const INSTALLATION: &str = "mirrors.id";

/// Locations of directories and bare repositories.
pub struct LocalPlaces {
    /// The directory that relative paths start from.
    base: PathBuf,
    /// The roots of the paths that callers may use for mirrors.
    roots: Vec<PathBuf>,
    open: Mutex<HashMap<(MirrorKind, PathBuf), Arc<dyn FileBackend>>>,
}

impl LocalPlaces {
    /// Returns locations under `base` and under these roots; a relative root is under `base`.
    pub fn new(base: PathBuf, roots: &[PathBuf]) -> Self {
        let roots = roots.iter().map(|root| base.join(root)).collect();
        Self { base, roots, open: Mutex::default() }
    }

    /// True if a directory above a location belongs to a mirror, up to the root of the location;
    /// links are followed.
    fn is_inside_mirror(&self, place: &Path) -> bool {
        let real = place.ancestors().find_map(|part| {
            let rest = place.strip_prefix(part).ok()?;
            Some(part.canonicalize().ok()?.join(rest))
        });
        let Some(real) = real else { return false };
        let tops: Vec<PathBuf> =
            self.roots.iter().chain([&self.base]).filter_map(|root| root.canonicalize().ok()).collect();
        for above in real.ancestors().skip(1) {
            if MARKERS.iter().any(|marker| above.join(marker).is_file()) {
                return true;
            }
            if tops.iter().any(|top| above == top) {
                return false;
            }
        }
        false
    }
}

impl FilePlaces for LocalPlaces {
    fn resolve(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<PathBuf> {
        if kind == MirrorKind::S3 {
            return Err(Error::invalid("kind", "kind must be dir or git: this process reaches no bucket"));
        }
        let asked = Path::new(path);
        if asked.components().any(|part| part == Component::ParentDir) {
            return Err(Error::invalid("path", "path must not lead upwards"));
        }
        if is_configured {
            return Ok(self.base.join(asked));
        }
        let beneath = |root: &PathBuf| {
            let place = if asked.is_absolute() { asked.to_owned() } else { root.join(asked) };
            let is_beneath = place.starts_with(root) && place != *root && stays_beneath(root, &place);
            is_beneath.then_some(place)
        };
        self.roots.iter().find_map(beneath).ok_or_else(|| {
            let rule =
                "path must be below one of mirror.roots: add the directory to them in the configuration";
            Error::invalid("path", rule)
        })
    }

    fn own_path(&self, kind: MirrorKind, path: &str, memory: &MemoryId) -> Result<String> {
        let asked = Path::new(path);
        if kind == MirrorKind::S3 || asked.components().any(|part| part == Component::ParentDir) {
            self.resolve(kind, path, false)?;
        }
        let relative = match asked.strip_prefix(memory.as_str()) {
            Ok(below) => Path::new(memory.as_str()).join(below),
            Err(_) => Path::new(memory.as_str()).join(asked),
        };
        let lies_in_folder = |place: PathBuf| {
            self.roots.iter().any(|root| {
                let folder = root.join(memory.as_str());
                place.starts_with(&folder) && place != folder && stays_beneath(&folder, &place)
            })
        };
        // Only the location to which the path resolves, and no other possible one.
        let found =
            relative.to_str().filter(|path| self.resolve(kind, path, false).is_ok_and(lies_in_folder));
        match found {
            Some(path) => Ok(path.to_owned()),
            None => {
                let rule = format!(
                    "path must be relative, or lie in the folder {memory} below one of mirror.roots: an \
                     administrator of the server makes mirrors elsewhere"
                );
                Err(Error::invalid("path", rule))
            }
        }
    }

    fn open(&self, kind: MirrorKind, path: &str, is_configured: bool) -> Result<Arc<dyn FileBackend>> {
        let place = self.resolve(kind, path, is_configured)?;
        if self.is_inside_mirror(&place) {
            let rule = "path lies inside another mirror: choose a directory that is in none";
            return Err(Error::conflict(rule).on("path"));
        }
        let key = (kind, place.clone());
        if let Some(open) = self.open.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(open));
        }
        let made: Arc<dyn FileBackend> = match kind {
            MirrorKind::Directory => Arc::new(DirectoryFiles::at(&place)?),
            MirrorKind::Git => Arc::new(BareFiles::open(&place)?),
            MirrorKind::S3 => return Err(Error::bug("a bucket among local places")),
        };
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(open.entry(key).or_insert(made)))
    }

    fn installation(&self, fresh: &dyn Fn() -> String) -> Result<String> {
        let file = self.base.join(INSTALLATION);
        if let Some(known) = word_in(&file)? {
            return Ok(known);
        }
        let word = fresh();
        let beside = format!("{INSTALLATION}.{word}");
        fs::create_dir_all(&self.base).map_err(failed)?;
        durable(&self.base, &beside, format!("{word}\n").as_bytes()).map_err(failed)?;
        // If several processes start at once, the file of the first one is kept.
        let linked = fs::hard_link(self.base.join(&beside), &file);
        fs::remove_file(self.base.join(&beside)).map_err(failed)?;
        match linked {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(failed(error)),
            Ok(()) | Err(_) => word_in(&file)?
                .ok_or_else(|| Error::unavailable(format!("{} is empty: remove it", file.display()))),
        }
    }

    fn markers(&self) -> BoxFuture<'_, Result<FoundMarkers>> {
        let served = LocationThread::new(self.roots.clone());
        Box::pin(async move {
            let served = served?;
            served.ask(|roots| Ok(markers_below(roots))).await
        })
    }
}

/// Returns the single word that a file contains.
fn word_in(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text.trim().to_owned()).filter(|word| !word.is_empty())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

/// Returns false if a link in the existing part of the path leads out of the root.
fn stays_beneath(root: &Path, place: &Path) -> bool {
    let Ok(real_root) = root.canonicalize() else { return true };
    let there = place.ancestors().find_map(|part| part.canonicalize().ok());
    // The root exists, so only a link leads above it.
    there.is_some_and(|there| there.starts_with(&real_root))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_place_is_inside_a_mirror() {
        let folder = tempfile::tempdir().unwrap();
        let places = LocalPlaces::new(folder.path().to_owned(), &[".".into()]);
        for (mirror, marker) in [("dir", ".loci-mirror"), ("bare", "loci-mirror")] {
            fs::create_dir_all(folder.path().join(mirror).join("deep")).unwrap();
            fs::write(folder.path().join(mirror).join(marker), "version 1\nx\n").unwrap();
        }
        std::os::unix::fs::symlink(folder.path().join("dir/deep"), folder.path().join("link")).unwrap();
        let check = |path: &str, expect: bool| {
            for kind in [MirrorKind::Directory, MirrorKind::Git] {
                let refused = places.open(kind, path, false).err().map(|error| error.field);
                assert_eq!(refused, expect.then(|| Some("path".into())), "{path} {kind:?}");
            }
        };
        check("dir/deep", true);
        check("dir/new/below", true);
        check("bare/objects", true);
        check("link/new", true);
        check("beside", false);
    }

    #[test]
    fn a_memory_has_its_folder_and_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let roots = ["mirrors".into(), folder.path().join("b")];
        let places = LocalPlaces::new(folder.path().to_owned(), &roots);
        let own = MemoryId::parse("own-0123456789").unwrap();
        let inside = folder.path().join("mirrors/own-0123456789");
        fs::create_dir_all(inside.join("deep")).unwrap();
        fs::create_dir_all(folder.path().join("mirrors/other-0123456789/desk")).unwrap();
        std::os::unix::fs::symlink("../other-0123456789", inside.join("link")).unwrap();
        let check = |path: &str, expect: Option<&str>| {
            for kind in [MirrorKind::Directory, MirrorKind::Git] {
                let found = places.own_path(kind, path, &own);
                let told = found.as_deref().map_err(|error| error.field.as_deref() == Some("path"));
                assert_eq!(told, expect.ok_or(true), "{path}");
            }
        };
        check("desk", Some("own-0123456789/desk"));
        check("own-0123456789/desk", Some("own-0123456789/desk"));
        check("other-0123456789/desk", Some("own-0123456789/other-0123456789/desk"));
        check("../other-0123456789/desk", None);
        check(".", None);
        check("own-0123456789", None);
        let absolute = |path: &str| folder.path().join(path).to_str().unwrap().to_owned();
        let allowed = absolute("b/own-0123456789/desk");
        check(&allowed, Some(&allowed));
        check(&absolute("mirrors/other-0123456789/desk"), None);
        check(&absolute("mirrors/desk"), None);
        check(&absolute("b/own-0123456789"), None);
        check("/etc/loci", None);
        check("link/desk", None);
        let outside =
            places.own_path(MirrorKind::Directory, &absolute("mirrors/own-0123456789/link/desk"), &own);
        assert!(outside.is_err(), "a link leads to another memory's");
        let told = |path: &str| places.own_path(MirrorKind::Git, &absolute(path), &own).unwrap_err().message;
        assert_eq!(told("mirrors/other-0123456789/desk"), told("mirrors/other-0123456789/not-there"));
        let bucket = places.own_path(MirrorKind::S3, "x", &own).unwrap_err();
        assert_eq!(bucket.field.as_deref(), Some("kind"));
    }

    #[test]
    fn an_installation_has_one_word() {
        let folder = tempfile::tempdir().unwrap();
        let places = || LocalPlaces::new(folder.path().join("data"), &[]);
        assert_eq!(places().installation(&|| "first".to_owned()).unwrap(), "first");
        assert_eq!(places().installation(&|| "second".to_owned()).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.path().join("data")).unwrap().count(), 1);
    }

    #[test]
    fn callers_stay_below_the_roots() {
        let folder = tempfile::tempdir().unwrap();
        let places = LocalPlaces::new(folder.path().to_owned(), &["mirrors".into(), folder.path().join("b")]);
        let check = |path: &str, is_configured: bool, expect: Option<&str>| {
            let found = places.resolve(MirrorKind::Directory, path, is_configured).ok();
            let expect = expect.map(|expect| folder.path().join(expect));
            assert_eq!(found, expect, "{path}");
        };
        check("team", false, Some("mirrors/team"));
        check("team", true, Some("team"));
        check(folder.path().join("b/x").to_str().unwrap(), false, Some("b/x"));
        check(folder.path().join("b").to_str().unwrap(), false, None);
        check(folder.path().join("bc").to_str().unwrap(), false, None);
        check("/etc/loci", false, None);
        check("../x", false, None);
        check("../x", true, None);
        std::fs::create_dir_all(folder.path().join("mirrors")).unwrap();
        std::os::unix::fs::symlink("/tmp", folder.path().join("mirrors/out")).unwrap();
        check(folder.path().join("mirrors/out/x").to_str().unwrap(), false, None);
        // By name alone it is under the root without such a link.
        check("out/x", false, Some("b/out/x"));
        assert!(places.resolve(MirrorKind::S3, "x", true).unwrap_err().field.as_deref() == Some("kind"));
    }
}
