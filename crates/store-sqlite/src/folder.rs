//! The data folder: created with access for its owner only, and never on a network file system.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use loci_model::{Error, Result};

use crate::errors::folder_error;
use crate::replacement;

/// The file name of the database in a data folder.
pub(crate) const DATABASE: &str = "loci.db";
/// The file name of the database's write-ahead log.
pub(crate) const LOG: &str = "loci.db-wal";
/// The file name of the schema lock. A folder with only backups has no such file.
pub(crate) const SCHEMA_LOCK: &str = "schema";

/// Creates the folder if it does not exist, rejects network file systems, and returns the full
/// path.
pub(crate) fn prepare(folder: &Path) -> Result<PathBuf> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| folder_error(&named("making", folder), error))?;
    let folder = folder.canonicalize().map_err(|error| folder_error(&named("finding", folder), error))?;
    refuse_network(&folder)?;
    // Created before SQLite opens it, so that only the owner has access to it and its companion
    // files.
    make_private(&folder.join(DATABASE))?;
    Ok(folder)
}

/// Returns an error if the folder contains no database, or an empty one. It creates nothing and
/// takes no lock.
pub(crate) fn expect_store(folder: &Path) -> Result<()> {
    // The process that opens the folder finishes a decided restore.
    if replacement::is_pending(folder)? {
        return Ok(());
    }
    let database = folder.join(DATABASE);
    let metadata = std::fs::metadata(&database);
    // The log of a new database may contain all of its data.
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

/// Returns the data folder to which a file with this name would belong, whether it exists or not: a
/// file name of a data folder, at any depth. Other files are permitted there, because a mounted
/// volume may be the only place where a process can write. It opens nothing, and does not follow
/// links of the name itself.
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

/// True for file names of a data folder, including its master key and its mirrors.
fn is_own_name(name: &str) -> bool {
    // A copy of the master key in the same folder may be the only one.
    let begins = [DATABASE, "master.key"];
    let whole = ["index", "mirrors", SCHEMA_LOCK, "host", "write", "turn", "loci.sock"];
    begins.iter().any(|own| name.starts_with(own)) || whole.contains(&name)
}

/// Creates an empty file for its owner only, unless it exists. An existing one is not opened:
/// closing it would release the locks that SQLite holds on it in this process.
fn make_private(path: &Path) -> Result<()> {
    match private().create_new(true).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(folder_error(&named("making", path), error))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Opens a file of the folder for reading and writing. A new one is for its owner only.
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

/// The size of a probe in bytes: more than a small write needs.
const PROBE_BYTES: usize = 256 * 1024;
/// Serialises the probes of a process, which share one file name: one would otherwise remove the
/// file of another.
static PROBING: Mutex<()> = Mutex::new(());

/// Checks that the disk accepts a file of some size. A write to the database alone is no proof: it
/// may fit into existing space of the log.
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

/// Syncs the directory entries of a folder.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    File::open(folder)
        .and_then(|handle| handle.sync_all())
        .map_err(|error| folder_error(&named("syncing", folder), error))
}

pub(crate) fn named(doing: &str, path: &Path) -> String {
    format!("{doing} {}", path.display())
}

/// Rejects network file systems: file locks and shared memory do not work across machines, and data
/// would be lost.
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

/// Returns the file system type of `path`: that of the last mount with the longest mount point
/// above it.
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

/// Decodes a mount point: the table encodes white space and backslashes in octal.
fn unescape(point: &str) -> String {
    point.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a full disk: the file of the probe is the device that is always full.
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
