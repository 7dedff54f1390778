//! `loci manual`: a man page for each command, written into a folder.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;

use crate::cli::Globals;
use crate::exit::Usage;
use crate::{output, replaced_file};

/// Write the man pages of all commands into a folder
#[derive(Debug, Args)]
pub(crate) struct Manual {
    /// The folder, such as /usr/local/share/man/man1; created if it is absent
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Manual {
    pub(crate) fn run(self, globals: &Globals) -> Result<()> {
        let folder = &self.folder;
        std::fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        let pages = pages(folder)?;
        pages.iter().try_for_each(|(path, text)| ensure_free(path, text))?;
        for (path, text) in &pages {
            replaced_file::replace(path, text, 0o666)?;
        }
        let pages = pages.len();
        output::result(globals.json, &json!({"folder": folder, "pages": pages}), |_| {
            output::line(format!("{pages} man pages in {}", folder.display()));
        })
    }
}

/// Returns the paths and the texts of all man pages for a folder.
fn pages(folder: &Path) -> Result<Vec<(PathBuf, String)>> {
    let writing = || format!("writing into {}", folder.display());
    let draft = tempfile::tempdir_in(folder).with_context(writing)?;
    clap_mangen::generate_to(super::command(), draft.path()).with_context(writing)?;
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(draft.path()).with_context(writing)? {
        let entry = entry.with_context(writing)?;
        let text = std::fs::read_to_string(entry.path()).with_context(writing)?;
        pages.push((folder.join(entry.file_name()), text));
    }
    Ok(pages)
}

/// Requires that a page replaces nothing, or an earlier page, which has the same first line.
fn ensure_free(path: &Path, text: &str) -> Result<()> {
    let is_file = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        about => about.with_context(|| format!("looking at {}", path.display()))?.is_file(),
    };
    let is_page = is_file
        && std::fs::read(path)
            .is_ok_and(|old| text.lines().next().is_some_and(|first| old.starts_with(first.as_bytes())));
    if is_page {
        return Ok(());
    }
    let rule = format!("{} is no man page of loci: remove it, or name another folder", path.display());
    Err(Usage(rule).into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_pages_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let manual = Manual { folder: folder.path().to_owned() };
        let page = folder.path().join("loci.1");
        let run = || Manual { folder: manual.folder.clone() }.run(&Globals::default()).is_ok();
        assert!(run() && run(), "a page is replaced");
        std::fs::write(&page, "mine").unwrap();
        assert!(!run() && std::fs::read_to_string(&page).unwrap() == "mine");
        std::fs::rename(&page, folder.path().join("elsewhere")).unwrap();
        symlink(folder.path().join("elsewhere"), &page).unwrap();
        assert!(!run() && std::fs::read_to_string(&page).unwrap() == "mine");
    }
}
