//! Directories from which a clone borrows objects. Only those inside its own tree, or inside a root that the configuration of
//! Loci allows, are opened; the others are noted, so that what is missing can be explained.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use loci_model::ports::code::CodeResult;

use crate::beneath::Dir;
use crate::limits::{ALTERNATES_MAX, CONFIG_BYTES_MAX};
use crate::repository::layout::Layout;

/// What a clone borrows.
#[derive(Default)]
pub(crate) struct Borrowed {
    pub(crate) folders: Vec<Dir>,
    /// At least one was not allowed.
    pub(crate) refused: bool,
}

/// The alternates of a clone, and theirs.
pub(crate) fn of(layout: &Layout, roots: &[PathBuf]) -> CodeResult<Borrowed> {
    let own = layout.common.join("objects");
    let mut borrowed = Borrowed::default();
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
            // Resolved before it is judged: a link inside the tree may lead out of it.
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
