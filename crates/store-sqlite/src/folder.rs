//! The data folder: made for its owner only, never on a network file system.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use loci_model::{Error, Result};

use crate::errors::folder_error;
use crate::replacement;

/// The database's file name in the folder.
pub(crate) const DATABASE: &str = "loci.db";
/// The file name of the database's log.
pub(crate) const LOG: &str = "loci.db-wal";
/// The file name of the lock on the schema: a folder that only keeps backups has none.
pub(crate) const SCHEMA_LOCK: &str = "schema";

/// Makes the folder if it is not there, refuses network file systems, and returns its full path.
pub(crate) fn prepare(folder: &Path) -> Result<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| folder_error(&named("making", folder), error))?;
    let folder = folder.canonicalize().map_err(|error| folder_error(&named("finding", folder), error))?;
    refuse_network(&folder)?;
    // Made before SQLite opens it, so that it and its companions are the owner's alone.
    make_private(&folder.join(DATABASE))?;
    Ok(folder)
}

/// An error where the folder holds no database, or an empty one. Looks from outside: nothing is made, no lock is taken.
pub(crate) fn expect_store(folder: &Path) -> Result<()> {
    // A restore that was decided on is finished by the process that opens the folder.
    if replacement::is_pending(folder)? {
        return Ok(());
    }
    let database = folder.join(DATABASE);
    let metadata = std::fs::metadata(&database);
    // The log of a database that was just made may hold all of it.
    let log = std::fs::metadata(folder.join(LOG)).map_or(0, |log| log.len());
    match metadata {
        Ok(file) if file.is_file() && (file.len() > 0 || log > 0) => Ok(()),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(folder_error(&named("finding", &database), error))
        }
        Ok(_) | Err(_) => {
            Err(Error::not_found(format!("there is no data folder of loci at {}", folder.display())))
        }
    }
}

/// Returns the data folder to which a file of this name would belong, be it there or not: a name of
/// the folder's own, at whatever depth. Other files may lie there; a mounted volume may be all that
/// a process can write to. Looks from outside: nothing is opened, and the links of the name itself
/// are not followed.
#[must_use]
pub fn data_folder_of(file: &Path) -> Option<PathBuf> {
    let parent = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    };
    let place = parent.canonicalize().ok()?.join(file.file_name()?);
    let is_data_folder =
        |folder: &&Path| folder.join(DATABASE).is_file() && folder.join(SCHEMA_LOCK).is_file();
    let folder = place.ancestors().skip(1).find(is_data_folder)?;
    let first = place.strip_prefix(folder).ok()?.components().next()?;
    is_own_name(&first.as_os_str().to_string_lossy()).then(|| folder.to_owned())
}

/// True for names that the files of a data folder have, its master key and its mirrors among them.
fn is_own_name(name: &str) -> bool {
    // A copy of the master key in the same folder may be the only one.
    let begins = [DATABASE, "master.key"];
    let whole = ["index", "mirrors", SCHEMA_LOCK, "host", "write", "turn", "loci.sock"];
    begins.iter().any(|own| name.starts_with(own)) || whole.contains(&name)
}

/// Makes an empty file for its owner only, unless it is there. One that is there is not opened: closing it again would
/// drop the locks that SQLite holds on it for this whole process.
fn make_private(path: &Path) -> Result<()> {
    match private().create_new(true).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(folder_error(&named("making", path), error))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Opens a file of the folder for reading and writing; a new one is for its owner only.
pub(crate) fn open_private(path: &Path) -> Result<File> {
    let opened = private().create(true).truncate(false).open(path);
    opened.map_err(|error| folder_error(&named("opening", path), error))
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Bytes of a probe: more than a small write takes.
const PROBE_BYTES: usize = 256 * 1024;
/// Probes of a process share the name of one file: one that is under way would remove that of
/// another.
static PROBING: Mutex<()> = Mutex::new(());

/// Proves that the disk of the folder takes a file of some size. A write into the database alone proves
/// nothing: it may find its place in what the log has already.
pub(crate) fn probe(folder: &Path) -> Result<()> {
    let _alone = PROBING.lock().unwrap_or_else(PoisonError::into_inner);
    let path = folder.join(format!("probe-{}", std::process::id()));
    let write = || {
        let mut file = private().create(true).truncate(true).open(&path)?;
        file.write_all(&vec![0x5a; PROBE_BYTES])?;
        file.sync_data()
    };
    let written = write();
    let removed = std::fs::remove_file(&path);
    written.and(removed).map_err(|error| folder_error("writing a probe into the data folder", error))
}

/// Makes the entries of a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder)
        .and_then(|handle| handle.sync_all())
        .map_err(|error| folder_error(&named("syncing", folder), error))
}

pub(crate) fn named(doing: &str, path: &Path) -> String {
    format!("{doing} {}", path.display())
}

/// File locks and shared memory do not work across machines: such a folder would lose data.
fn refuse_network(folder: &Path) -> Result<()> {
    let Ok(mounts) = std::fs::read_to_string("/proc/self/mounts") else { return Ok(()) };
    match mount_type(&mounts, folder) {
        Some(kind) if is_network(kind) => Err(Error::unavailable(format!(
            "{} is on a network file system ({kind}), where file locks do not hold: use a folder on a local disk",
            folder.display()
        ))),
        Some(_) | None => Ok(()),
    }
}

fn is_network(kind: &str) -> bool {
    const KINDS: &[&str] = &[
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "fuse.ceph",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "orangefs",
        "smb2",
        "smb3",
        "smbfs",
    ];
    KINDS.contains(&kind)
}

/// The type of the file system that `path` lies on: the last mount with the longest mount point above it.
fn mount_type<'a>(mounts: &'a str, path: &Path) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for line in mounts.lines() {
        let mut fields = line.split(' ');
        let (Some(_), Some(point), Some(kind)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let point = unescape(point);
        let length = point.len();
        if path.starts_with(&point) && best.is_none_or(|(longest, _)| length >= longest) {
            best = Some((length, kind));
        }
    }
    best.map(|(_, kind)| kind)
}

/// The table writes white space and backslashes of a mount point in octal.
fn unescape(point: &str) -> String {
    point.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A full disk, as the kernel tells of one: the probe's file is the device that is always full.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told() {
        let folder = tempfile::tempdir().unwrap();
        probe(folder.path()).unwrap();
        let name = format!("probe-{}", std::process::id());
        std::os::unix::fs::symlink("/dev/full", folder.path().join(name)).unwrap();
        let error = probe(folder.path()).unwrap_err();
        assert_eq!(error.kind, loci_model::ErrorKind::Unavailable);
        assert!(error.message.contains("free space on its disk"), "{}", error.message);
        probe(folder.path()).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_data_folder_is_known_from_the_names_in_it() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().canonicalize().unwrap().join("data");
        std::fs::create_dir_all(data.join("index")).unwrap();
        std::fs::write(data.join(DATABASE), "").unwrap();
        assert_eq!(data_folder_of(&data.join("loci.db")), None, "a folder of backups");
        std::fs::write(data.join(SCHEMA_LOCK), "").unwrap();
        for name in
            [DATABASE, "loci.db-wal", "master.key.old", "schema", "index/x", "mirrors", "../data/turn"]
        {
            assert_eq!(data_folder_of(&data.join(name)), Some(data.clone()), "{name}");
        }
        for name in ["x", "notes.jsonl", "index.jsonl", "mirrors.json", "port", "../x", "none/x"] {
            assert_eq!(data_folder_of(&data.join(name)), None, "{name}");
        }
    }

    #[test]
    fn probes_at_the_same_time_find_the_same() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..20).for_each(|_| probe(folder.path()).unwrap()));
            }
        });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_mount_of_a_path() {
        let mounts = "/dev/sda / ext4 rw 0 0\nsrv:/x /home/a\\040b nfs4 rw 0 0\n/dev/sdb /home/a\\040b/local xfs rw 0 0\n";
        let check = |path: &str, expect: &str| {
            assert_eq!(mount_type(mounts, Path::new(path)), Some(expect), "{path}");
        };
        check("/var/lib/loci", "ext4");
        check("/home/a b/loci", "nfs4");
        check("/home/a b/local/loci", "xfs");
        check("/home/a bc", "ext4");
        assert!(
            is_network("nfs4") && is_network("fuse.sshfs") && !is_network("ext4") && !is_network("overlay")
        );
    }
}
