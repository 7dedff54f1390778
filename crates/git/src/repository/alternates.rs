//! Directories from which a clone borrows objects. Only those inside its own tree, or inside a
//! configured root of Loci, are opened. Others are recorded, to explain missing objects.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use loci_model::ports::code::CodeResult;

use crate::confined_files::Dir;
use crate::limits::{ALTERNATES_MAX, CONFIG_BYTES_MAX};
use crate::repository::layout::Layout;

/// The object directories that a clone may borrow from.
#[derive(Default)]
pub(crate) struct BorrowedObjects {
    pub(crate) folders: Vec<Dir>,
    /// True if a directory that the clone names is not permitted.
    pub(crate) refused: bool,
}

/// Returns the alternates of a clone, including indirect ones.
pub(crate) fn of(layout: &Layout, roots: &[PathBuf]) -> CodeResult<BorrowedObjects> {
    let own = layout.common.join("objects");
    let mut borrowed = BorrowedObjects::default();
    let mut seen = vec![own.clone()];
    let mut open = vec![own];
    while let Some(objects) = open.pop() {
        let Some(dir) = Dir::open(&objects)? else { continue };
        let list = dir.read(b"info/alternates", CONFIG_BYTES_MAX)?.unwrap_or_default();
        for line in list.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            // Resolved before the check: a link inside the tree may lead out of it.
            let Ok(path) = objects.join(Path::new(OsStr::from_bytes(line))).canonicalize() else {
                borrowed.refused = true;
                continue;
            };
            if !layout.allows(&path, roots) || seen.len() > ALTERNATES_MAX {
                borrowed.refused = true;
                continue;
            }
            if !seen.contains(&path) {
                seen.push(path.clone());
                open.push(path);
            }
        }
        if seen.first() != Some(&objects) {
            borrowed.folders.push(dir);
        }
    }
    Ok(borrowed)
}
