//! Paths that no output of a command may use: the files of a data folder, of this command or
//! another, and any database or master key elsewhere. `unfinished` and `replaced_file` write an
//! output to its path.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::Result;
use loci_store_sqlite::data_folder_of;

use crate::exit::Usage;
use crate::wiring::MASTER_KEY_FILE;

/// The first bytes of each SQLite database: stores and their backups.
const DATABASE_HEAD: [u8; 16] = *b"SQLite format 3\0";

/// Checks the path of an output, even if no file exists there, after following its links.
///
/// # Errors
/// A usage error if the path is a file of a data folder, a database or a master key.
pub(crate) fn ensure_free_of_data(target: &Path) -> Result<()> {
    let place = target.canonicalize().unwrap_or_else(|_| target.to_owned());
    if let Some(folder) = data_folder_of(&place) {
        let rule = format!(
            "the output {} must not be a file of the data folder {}: name another file",
            target.display(),
            folder.display()
        );
        return Err(Usage(rule).into());
    }
    // An inaccessible path fails when it is written.
    let Ok(about) = std::fs::metadata(&place) else { return Ok(()) };
    let kind = if !about.is_file() {
        return Ok(());
    } else if place.file_name().is_some_and(|name| name == MASTER_KEY_FILE) {
        "a master key"
    } else if is_database(&place, &about) {
        "a database"
    } else {
        return Ok(());
    };
    let rule = format!(
        "the output {} must not take the place of {kind}: name another file, or move that one away",
        target.display()
    );
    Err(Usage(rule).into())
}

fn is_database(place: &Path, about: &Metadata) -> bool {
    // This process may have it open by its other name, and closing it here would drop the locks on
    // it.
    if about.nlink() > 1 {
        return false;
    }
    let mut head = [0_u8; DATABASE_HEAD.len()];
    let read = File::open(place).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == DATABASE_HEAD
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn neither_a_data_folder_nor_a_database_nor_a_master_key_is_an_output() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        std::fs::create_dir_all(at("data/index")).unwrap();
        for name in ["data/loci.db", "data/schema", "data/master.key", "master.key", "notes.jsonl"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::fs::write(at("backup"), b"SQLite format 3\0 and pages").unwrap();
        std::fs::write(at("short"), b"SQLite format 3").unwrap();
        symlink(at("data/loci.db"), at("link to data")).unwrap();
        symlink(at("master.key"), at("link to key")).unwrap();
        symlink(at("data"), at("linked")).unwrap();
        let check = |name: &str, rule: &str| {
            let error = ensure_free_of_data(&at(name)).unwrap_err();
            assert!(error.is::<Usage>(), "{name}");
            let said = error.to_string();
            assert!(said.contains(rule) && said.contains(name) && said.contains(": name "), "{said}");
        };
        for name in [
            "data/loci.db",
            "data/master.key",
            "data/loci.db-wal",
            "data/index/new",
            "linked/turn",
            "link to data",
        ] {
            check(name, "must not be a file of the data folder");
        }
        check("master.key", "take the place of a master key");
        check("link to key", "take the place of a master key");
        check("backup", "take the place of a database");
        for name in ["notes.jsonl", "new", "data/new", "linked/new", "short", "none/new", "data", ""] {
            ensure_free_of_data(&at(name)).unwrap();
        }
    }
}
