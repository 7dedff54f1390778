//! Replacement of a small file: a reader sees either the complete old or the complete new file.
//! Only a regular file is replaced, so that the write neither follows a link nor destroys a pipe, a
//! device or a folder.

use std::fs::Permissions;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context, Result};

use crate::exit::Usage;

/// Writes the file. `mode` is its mode before the umask of the process applies.
///
/// # Errors
/// A usage error if the path is not a regular file; errors of the file system.
pub(crate) fn replace(path: &Path, text: &str, mode: u32) -> Result<()> {
    let writing = || format!("writing {}", path.display());
    match std::fs::symlink_metadata(path) {
        Ok(about) if !about.is_file() => {
            let rule = format!(
                "{} is not a regular file but a link, a pipe, a folder or the like, and is not replaced: remove it, or name \
                 another file",
                path.display()
            );
            return Err(Usage(rule).into());
        }
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error).with_context(writing),
        Ok(_) | Err(_) => {}
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(mode));
    let mut draft = builder.tempfile_in(folder.unwrap_or(Path::new("."))).with_context(writing)?;
    draft.write_all(text.as_bytes()).with_context(writing)?;
    draft.persist(path).with_context(writing)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileTypeExt as _, symlink};

    use super::*;

    #[test]
    fn nothing_but_a_regular_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for text in ["one\n", "two\n"] {
            replace(&at("port"), text, 0o600).unwrap();
            assert_eq!(std::fs::read_to_string(at("port")).unwrap(), text);
        }
        assert_eq!(std::fs::metadata(at("port")).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::write(at("elsewhere"), "mine").unwrap();
        symlink(at("elsewhere"), at("link")).unwrap();
        symlink(at("nowhere"), at("loose link")).unwrap();
        std::fs::create_dir(at("folder")).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
        for name in ["link", "loose link", "folder", "pipe"] {
            let error = replace(&at(name), "8474\n", 0o600).unwrap_err().to_string();
            assert!(error.contains("not a regular file") && error.contains("remove it"), "{name}: {error}");
        }
        assert_eq!(std::fs::read_to_string(at("elsewhere")).unwrap(), "mine");
        assert!(std::fs::symlink_metadata(at("link")).unwrap().is_symlink());
        assert!(std::fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo());
        assert!(!at("nowhere").exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6, "no draft is left");
        assert!(replace(&at("none/port"), "8474\n", 0o600).is_err());
    }
}
