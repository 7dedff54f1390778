//! A file or folder that has its name once it is whole. Until then it lies in a hidden folder beside its
//! place, which its owner alone may enter, and which goes when the work fails. What is in it is its writer's
//! matter; a process that is killed leaves the hidden folder.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use crate::output;

/// The beginning of the hidden folder's name.
const PREFIX: &str = ".loci-unfinished-";
/// The name that the work has in it.
const NAME: &str = "whole";
/// The mode of the hidden folder.
const OWNER_ALONE: u32 = 0o700;

/// A file or folder that is being written.
pub(crate) struct Unfinished {
    folder: TempDir,
    target: PathBuf,
}

impl Unfinished {
    /// Makes the hidden folder in the folder of `target`.
    pub(crate) fn beside(target: &Path) -> Result<Self> {
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            Some(_) | None => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).permissions(Permissions::from_mode(OWNER_ALONE));
        let folder =
            builder.tempdir_in(parent).with_context(|| format!("writing in {}", parent.display()))?;
        Ok(Self { folder, target: target.to_owned() })
    }

    /// Returns the place that the work is written to: nothing lies there at first.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join(NAME)
    }

    /// Gives the work its name. A file takes the place of a file, a folder that of an empty folder. Then it is
    /// done: a hidden folder that cannot be removed is told, and is no failure.
    pub(crate) fn publish(self) -> Result<()> {
        let Self { folder, target } = self;
        std::fs::rename(folder.path().join(NAME), &target)
            .with_context(|| format!("writing {}", target.display()))?;
        if let Some(told) = left(folder) {
            output::note(told);
        }
        Ok(())
    }
}

/// Removes the hidden folder; the remark about one that stays.
fn left(folder: TempDir) -> Option<String> {
    let place = folder.path().display().to_string();
    let error = folder.close().err()?;
    Some(format!("the empty folder {place} could not be removed: {error}: remove it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_removed_is_told() {
        let home = tempfile::tempdir().unwrap();
        let folder = || Unfinished::beside(&home.path().join("out.jsonl")).unwrap().folder;
        assert_eq!(left(folder()), None);
        let gone = folder();
        let place = gone.path().display().to_string();
        std::fs::remove_dir(gone.path()).unwrap();
        let told = left(gone).unwrap();
        assert!(told.contains(&place) && told.contains("remove it"), "{told}");
    }

    #[test]
    fn what_is_not_published_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let names = || {
            let entries = std::fs::read_dir(home.path()).unwrap();
            let mut names: Vec<_> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let target = home.path().join("out.jsonl");
        let begin = |text: &str| {
            let work = Unfinished::beside(&target).unwrap();
            std::fs::write(work.path(), text).unwrap();
            let about = std::fs::metadata(work.path().parent().unwrap()).unwrap();
            assert_eq!(about.permissions().mode() & 0o777, OWNER_ALONE);
            work
        };
        drop(begin("cut off"));
        assert!(names().is_empty(), "{:?}", names());
        begin("one").publish().unwrap();
        begin("two").publish().unwrap();
        assert_eq!(names(), ["out.jsonl"]);
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "two");
        // A file cannot take the place of a folder.
        std::fs::remove_file(&target).unwrap();
        std::fs::create_dir(&target).unwrap();
        assert!(begin("three").publish().unwrap_err().to_string().contains("out.jsonl"));
        assert_eq!(names(), ["out.jsonl"]);
        assert!(target.is_dir());
    }
}
