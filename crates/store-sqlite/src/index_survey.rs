//! Lists the snapshots in the folder, with their usability, for people. It reads only heads,
//! because blocks are checked when they are loaded, and removes nothing.

use std::fs::{DirEntry, File};
use std::io::ErrorKind as Io;

use loci_model::ports::store::SnapshotFiles;
use loci_model::{ErrorKind, MemoryId, Result};
use rusqlite::Connection;

use crate::errors::folder_error;
use crate::folder::named;
use crate::index_files::{IndexFiles, LOCK, PARTIAL, SNAPSHOT, Verdict};
use crate::index_rows::place;
use crate::store::snapshot;

impl IndexFiles {
    /// Returns the number and size of the snapshots, and the reasons why some are unusable, by
    /// name.
    pub(crate) fn survey(&self, connection: &Connection) -> Result<SnapshotFiles> {
        let failed = |error| folder_error(&named("reading", self.folder()), error);
        let entries = match std::fs::read_dir(self.folder()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == Io::NotFound => return Ok(SnapshotFiles::default()),
            Err(error) => return Err(failed(error)),
        };
        let mut found = SnapshotFiles::default();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Files may appear and disappear meanwhile.
            let Ok(metadata) = entry.metadata() else { continue };
            if name == LOCK {
                continue;
            }
            found.count += u64::from(name.ends_with(SNAPSHOT));
            found.bytes += metadata.len();
            if let Some(why) = self.of_no_use(connection, &entry, &name)? {
                found.unusable.push(format!("{name} ({why})"));
            }
        }
        found.unusable.sort_unstable();
        Ok(found)
    }

    fn of_no_use(&self, connection: &Connection, entry: &DirEntry, name: &str) -> Result<Option<String>> {
        if name.ends_with(PARTIAL) {
            return Ok((!self.is_writing()).then(|| "left unfinished".to_owned()));
        }
        let memory = name.strip_suffix(SNAPSHOT).and_then(|memory| MemoryId::parse(memory).ok());
        let Some(memory) = memory else { return Ok(Some("not of Loci".to_owned())) };
        let standing = match snapshot(connection, |tx| place(tx, &memory)) {
            Ok(place) => place.standing,
            Err(error) if error.kind == ErrorKind::NotFound => {
                return Ok(Some("its memory is gone".to_owned()));
            }
            Err(error) => return Err(error),
        };
        let file = match File::open(entry.path()) {
            Ok(file) => file,
            Err(error) if error.kind() == Io::NotFound => return Ok(None),
            Err(error) => return Ok(Some(format!("it cannot be read: {error}"))),
        };
        Ok(match self.judge(file, &memory, standing.erasures, standing.sequence) {
            Verdict::Usable(_) => None,
            Verdict::NotNow(why) => Some(why.to_owned()),
            Verdict::Useless(why) => Some(why),
        })
    }
}
