//! Reads the files of an installation and writes the planned texts. All files are checked before
//! the first is written. Each is replaced as a whole, with a backup next to it. This module decides
//! nothing about their content.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use loci_model::Error;
use loci_server::regular_file;

use super::client::{InstallFile, InstallScope};
use super::plan::FileEdit;

/// A file that the installation wrote or removed.
#[derive(Debug)]
pub(super) struct InstalledFile {
    pub(super) path: PathBuf,
    /// The path of the backup with the previous content. `None` if there was no file.
    pub(super) backup: Option<PathBuf>,
}

/// Reads the text of a file.
///
/// # Errors
///
/// The path leaves the project, is not a text file, or cannot be read.
pub(super) fn read(target: &InstallFile, project: &Path) -> Result<Option<String>> {
    let path = settled(target, project)?;
    let bytes = match regular_file::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    let text = String::from_utf8(bytes);
    Ok(Some(
        text.map_err(|_| Error::conflict(format!("{} is not UTF-8: nothing was written", path.display())))?,
    ))
}

/// Writes the edits that change a file.
///
/// # Errors
///
/// A file is read-only, was changed since it was read, or cannot be written. Before the first write
/// nothing has happened; a later failure lists the written files.
pub(super) fn write(edits: &[FileEdit], project: &Path) -> Result<Vec<InstalledFile>> {
    let changes: Vec<_> = edits.iter().filter(|edit| edit.is_change()).collect();
    for edit in &changes {
        check(edit, project)?;
    }
    let mut written: Vec<InstalledFile> = Vec::new();
    for edit in changes {
        match write_one(edit, project) {
            Ok(one) => written.push(one),
            Err(error) => {
                let done: Vec<_> = written.iter().map(|one| one.path.display().to_string()).collect();
                let done = if done.is_empty() { "nothing".to_owned() } else { done.join(", ") };
                return Err(error.context(format!("{done} was written before this failed")));
            }
        }
    }
    Ok(written)
}

fn check(edit: &FileEdit, project: &Path) -> Result<()> {
    let path = settled(&edit.target, project)?;
    if read(&edit.target, project)? != edit.before {
        let why = format!("{} was changed meanwhile: nothing was written; try again", path.display());
        return Err(Error::conflict(why).into());
    }
    if fs::metadata(&path).is_ok_and(|data| data.permissions().readonly()) {
        let why = format!("{} is read-only: nothing was written; make it writable first", path.display());
        return Err(Error::conflict(why).into());
    }
    Ok(())
}

fn write_one(edit: &FileEdit, project: &Path) -> Result<InstalledFile> {
    let path = settled(&edit.target, project)?;
    // A file that goes held nothing but what this program wrote.
    let backup = match (&edit.before, &edit.after) {
        (Some(before), Some(_)) => Some(backed_up(&path, before)?),
        (Some(_) | None, None) | (None, Some(_)) => None,
    };
    match &edit.after {
        Some(after) => replace(&path, after)?,
        None => fs::remove_file(&path).with_context(|| format!("removing {}", path.display()))?,
    }
    Ok(InstalledFile { path, backup })
}

/// Resolves the links of a file. In a project they must not leave it.
fn settled(target: &InstallFile, project: &Path) -> Result<PathBuf> {
    let mut rest = Vec::new();
    let mut there = target.path.as_path();
    let base = loop {
        match fs::symlink_metadata(there) {
            Ok(_) => {
                break fs::canonicalize(there).map_err(|_| {
                    Error::conflict(format!(
                        "{} is a link that leads nowhere: nothing was written",
                        there.display()
                    ))
                })?;
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("looking at {}", there.display()));
            }
            Err(_) => {
                rest.extend(there.file_name());
                there =
                    there.parent().with_context(|| format!("{} is in no folder", target.path.display()))?;
            }
        }
    };
    let path: PathBuf = std::iter::once(base.as_os_str()).chain(rest.into_iter().rev()).collect();
    if target.scope == InstallScope::Project && !path.starts_with(fs::canonicalize(project)?) {
        let why = format!("{} leads out of the project: nothing was written", target.path.display());
        return Err(Error::conflict(why).into());
    }
    if path.exists() && !path.is_file() {
        return Err(Error::conflict(format!("{} is no file: nothing was written", path.display())).into());
    }
    Ok(path)
}

/// Writes a backup next to the file, under the first free name.
fn backed_up(path: &Path, text: &str) -> Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1_u32.. {
        let number = if number == 1 { String::new() } else { format!(".{number}") };
        let backup = path.with_file_name(format!("{name}.bak{number}"));
        match fs::OpenOptions::new().write(true).create_new(true).open(&backup) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => {
                let mut file = opened.with_context(|| format!("writing {}", backup.display()))?;
                if let Ok(data) = fs::metadata(path) {
                    file.set_permissions(data.permissions())?;
                }
                file.write_all(text.as_bytes())?;
                file.sync_all()?;
                return Ok(backup);
            }
        }
    }
    Err(anyhow::anyhow!("no name is free for a copy of {}", path.display()))
}

/// Replaces a file atomically, and keeps its mode.
fn replace(path: &Path, text: &str) -> Result<()> {
    let said = || format!("writing {}", path.display());
    let folder = path.parent().with_context(said)?;
    fs::create_dir_all(folder).with_context(said)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".loci-install-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The user's umask reduces this mode.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).with_context(said)?;
    let old: Option<Permissions> = fs::metadata(path).ok().map(|data| data.permissions());
    if let Some(mode) = old {
        file.as_file().set_permissions(mode).with_context(said)?;
    }
    file.write_all(text.as_bytes()).with_context(said)?;
    file.as_file().sync_all().with_context(said)?;
    file.persist(path).map_err(|error| error.error).with_context(said)?;
    Ok(())
}
