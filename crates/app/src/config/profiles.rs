//! `[profiles]`: a folder of further profiles. It is never in the working directory, which a cloned
//! repository could contain.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use loci_engine::memories::profiles::{self, Profile};
use serde::{Deserialize, Serialize};

use crate::input::file_text;

/// The maximum number of files in a folder.
const FILES_MAX: usize = 256;

/// `[profiles]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProfilesSection {
    /// An absolute path. Each `.toml` in it is a profile, which replaces a shipped one with the
    /// same name.
    pub dir: Option<PathBuf>,
}

impl ProfilesSection {
    /// Checks the section.
    pub(super) fn check(&self) -> Result<()> {
        self.read().map(drop)
    }

    /// Reads the profiles of the folder, by file name.
    pub(super) fn read(&self) -> Result<Vec<Profile>> {
        let Some(dir) = &self.dir else { return Ok(Vec::new()) };
        if !dir.is_absolute() {
            bail!("profiles.dir must be an absolute path, not {}", dir.display());
        }
        let reading = || format!("profiles.dir: reading {}", dir.display());
        let entries = std::fs::read_dir(dir).with_context(reading)?;
        let paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>();
        let mut paths = paths.with_context(reading)?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
        paths.sort();
        if paths.len() > FILES_MAX {
            bail!("profiles.dir: {} has more than {FILES_MAX} profiles", dir.display());
        }
        let mut found: Vec<Profile> = Vec::with_capacity(paths.len());
        for path in paths {
            let text =
                file_text(&path).with_context(|| format!("profiles.dir: reading {}", path.display()))?;
            let profile = profiles::parse(&text).map_err(|error| {
                let field = error.field.as_deref().unwrap_or("the file");
                anyhow!("profiles.dir: {}: {field}: {}", path.display(), error.message)
            })?;
            if found.iter().any(|other| other.name == profile.name) {
                bail!("profiles.dir: {}: there is another profile named {}", path.display(), profile.name);
            }
            found.push(profile);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_profiles() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let section = ProfilesSection { dir: Some(folder.path().to_owned()) };
        assert!(section.read().unwrap().is_empty());
        write("b.toml", "profile = \"two\"\nversion = 1\n");
        write("a.toml", "profile = \"one\"\nversion = 1\n");
        write("notes.txt", "no profile");
        let names: Vec<_> = section.read().unwrap().into_iter().map(|profile| profile.name).collect();
        assert_eq!(names, ["one", "two"]);
        write("c.toml", "profile = \"two\"\nversion = 2\n");
        assert!(section.check().unwrap_err().to_string().contains("another profile"));
        write("c.toml", "profile = \"three\"\nversion = 2\ncolour = 1\n");
        assert!(section.check().unwrap_err().to_string().contains("colour"));
        let relative = ProfilesSection { dir: Some("profiles".into()) };
        assert!(relative.check().unwrap_err().to_string().contains("absolute"));
    }
}
