//! A consistent copy while serving: written under another name, synced, then renamed. Never
//! replaces an existing file, and never uses a file name of the data folder.

use std::path::Path;

use loci_model::ports::store::BackupReport;
use loci_model::{Error, Result};
use rusqlite::Connection;

use crate::errors::{Sql, folder_error};
use crate::folder::{data_folder_of, named, open_private, sync_folder};

/// Copies the database to `path`. The copy contains only pages in use, so erased content is not in
/// it.
pub(crate) fn backup(connection: &Connection, path: &Path) -> Result<BackupReport> {
    if let Some(folder) = data_folder_of(path) {
        return Err(Error::invalid(
            "path",
            format!("path must not be a file of the data folder {}: name another file", folder.display()),
        ));
    }
    let taken = path.try_exists().map_err(|error| folder_error(&named("looking at", path), error))?;
    if taken {
        return Err(Error::conflict(format!(
            "{} exists: choose another name for the backup",
            path.display()
        )));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    let Some(name) = path.file_name() else {
        return Err(Error::invalid("path", "path must name a file, like backups/loci.db"));
    };
    let partial = folder.join(format!(".{}.{}.partial", name.to_string_lossy(), std::process::id()));
    let outcome = copy(connection, &partial).and_then(|bytes| {
        // A hard link, unlike a rename, does not replace a file that was created meanwhile.
        std::fs::hard_link(&partial, path).map_err(|error| folder_error(&named("naming", path), error))?;
        Ok(bytes)
    });
    let removed = std::fs::remove_file(&partial);
    let bytes = outcome?;
    removed.map_err(|error| folder_error(&named("removing", &partial), error))?;
    sync_folder(folder)?;
    Ok(BackupReport { path: path.to_owned(), bytes })
}

fn copy(connection: &Connection, partial: &Path) -> Result<u64> {
    // An empty file with access for its owner only, which SQLite fills.
    let file = open_private(partial)?;
    file.set_len(0).map_err(|error| folder_error(&named("writing", partial), error))?;
    let Some(target) = partial.to_str() else {
        return Err(Error::invalid("path", "path must be valid UTF-8"));
    };
    // For SQLite the copy is a write, although not to the source database.
    connection.pragma_update(None, "query_only", false).sql()?;
    let copied = connection.execute("VACUUM INTO ?1", [target]).sql();
    connection.pragma_update(None, "query_only", true).sql()?;
    copied?;
    file.sync_all().map_err(|error| folder_error(&named("syncing", partial), error))?;
    let metadata = file.metadata().map_err(|error| folder_error(&named("measuring", partial), error))?;
    Ok(metadata.len())
}
