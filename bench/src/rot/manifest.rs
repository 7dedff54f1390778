//! Frozen windows: a file that names repositories, revisions and seeds, with a hash of their
//! labels, so that a figure can be reproduced.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::item::{Item, Label};

/// One window.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// The name in the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) repo: PathBuf,
    pub(super) from: String,
    pub(super) to: String,
    #[serde(default = "usual_items")]
    pub(super) n: usize,
    #[serde(default = "usual_seed")]
    pub(super) rng: u64,
    /// The hash of blocks and labels. If it is set, the run checks it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) labels: Option<String>,
}

/// Returns the default number of blocks of a window.
pub(super) fn usual_items() -> usize {
    2000
}

/// Returns the default seed.
pub(super) fn usual_seed() -> u64 {
    7
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    window: Vec<Entry>,
}

/// Reads the windows of a file. Relative paths of repositories start at its folder.
pub(super) fn read(file: &Path) -> Result<Vec<Entry>> {
    let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let manifest: Manifest =
        toml::from_str(&text).with_context(|| format!("{} is no manifest", file.display()))?;
    let beside = file.parent().unwrap_or(Path::new("."));
    let placed = |entry: Entry| Entry { repo: beside.join(&entry.repo), ..entry };
    Ok(manifest.window.into_iter().map(placed).collect())
}

/// Writes windows with full commit ids and the hash of their labels.
pub(super) fn freeze(file: &Path, windows: Vec<Entry>) -> Result<()> {
    let text = toml::to_string_pretty(&Manifest { window: windows })?;
    std::fs::write(file, text).with_context(|| format!("writing {}", file.display()))
}

/// Returns the hash of blocks and of their labels.
pub(super) fn hash(items: &[Item], labels: &[Label]) -> String {
    let mut sha = Sha256::new();
    for (item, label) in items.iter().zip(labels) {
        let row = format!("{}\0{}\0{}\0{}\n", item.path, item.start, item.end(), label.class.name());
        sha.update(row.as_bytes());
    }
    hex::encode(sha.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frozen_window_is_read_again() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("windows.toml");
        std::fs::write(&file, "[[window]]\nrepo = \"a/repo\"\nfrom = \"v1\"\nto = \"v2\"\n")?;
        let mut windows = read(&file)?;
        assert_eq!((windows.len(), windows[0].n, windows[0].rng), (1, 2000, 7));
        assert_eq!(windows[0].repo, folder.path().join("a/repo"));
        windows[0].labels = Some("00".to_owned());
        freeze(&file, windows)?;
        assert_eq!(read(&file)?[0].labels.as_deref(), Some("00"));
        std::fs::write(&file, "[[window]]\nrepo = \"a\"\nfrom = \"v1\"\nuntil = \"v2\"\n")?;
        assert!(read(&file).is_err());
        Ok(())
    }
}
