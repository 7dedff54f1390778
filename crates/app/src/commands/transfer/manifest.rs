//! The manifest next to an export, with which a reader checks that the file is complete and
//! unchanged: counts, and the SHA-256 of the file.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use loci_json::without_mark;
use loci_server::regular_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::export::Counts;
use crate::input;
use crate::staged_output::StagedFile;

/// The version of the manifest's format.
const FORM: u32 = 1;
/// The suffix of a manifest's name after the name of its file.
const END: &str = ".manifest.json";

/// The manifest of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The version of the manifest's format.
    form: u32,
    /// The exported namespace. `None` means everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    namespace: Option<String>,
    /// The counts of the export.
    counts: Counts,
    /// The files of the export, with their digests.
    files: Vec<ManifestFile>,
}

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ManifestFile {
    name: String,
    bytes: u64,
    lines: u64,
    sha256: String,
}

/// Returns the path of a file's manifest.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(END);
    PathBuf::from(name)
}

/// Writes the manifest of a complete file.
pub(super) fn write(path: &Path, namespace: Option<&str>, counts: Counts) -> Result<PathBuf> {
    let manifest = Manifest {
        form: FORM,
        namespace: namespace.map(str::to_owned),
        counts,
        files: vec![described(path)?],
    };
    let place = beside(path);
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    let mut work = StagedFile::at(&place)?;
    work.out().write_all(text.as_bytes()).with_context(|| format!("writing {}", place.display()))?;
    work.publish()?;
    Ok(place)
}

/// Compares a file with its manifest. A file without one passes.
pub(crate) fn check(path: &Path) -> Result<()> {
    let place = beside(path);
    let text = match regular_file::read_to_string(&place) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).with_context(|| format!("reading {}", place.display())),
    };
    let manifest: Manifest = loci_json::from_str(without_mark(&text))
        .with_context(|| format!("{} is no manifest", place.display()))?;
    ensure!(
        manifest.form == FORM,
        "{} is of form {}: this program reads form {FORM}",
        place.display(),
        manifest.form
    );
    let found = described(path)?;
    let Some(said) = manifest.files.iter().find(|file| file.name == found.name) else {
        bail!("{} does not name {}", place.display(), found.name)
    };
    ensure!(
        *said == found,
        "{} differs from {}: {} bytes with SHA-256 {}, where {} bytes with {} were exported",
        path.display(),
        place.display(),
        found.bytes,
        found.sha256,
        said.bytes,
        said.sha256
    );
    Ok(())
}

fn described(path: &Path) -> Result<ManifestFile> {
    let file = input::regular_file(path)?;
    let mut reader = BufReader::new(file);
    let (mut digest, mut bytes, mut lines) = (Sha256::new(), 0_u64, 0_u64);
    loop {
        let piece = reader.fill_buf().with_context(|| format!("reading {}", path.display()))?;
        if piece.is_empty() {
            break;
        }
        digest.update(piece);
        let ends = piece.iter().filter(|byte| **byte == b'\n').count();
        let read = piece.len();
        bytes = bytes.saturating_add(u64::try_from(read).unwrap_or(u64::MAX));
        lines = lines.saturating_add(u64::try_from(ends).unwrap_or(u64::MAX));
        reader.consume(read);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(ManifestFile { name, bytes, lines, sha256: hex::encode(digest.finalize()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.jsonl");
        std::fs::write(&path, "{\"type\":\"header\"}\n{\"type\":\"end\"}\n").unwrap();
        check(&path).unwrap();
        let place = write(&path, Some("/acme/shop/"), Counts::default()).unwrap();
        let text = std::fs::read_to_string(&place).unwrap();
        assert!(text.contains("\"lines\": 2") && text.contains("/acme/shop/"), "{text}");
        check(&path).unwrap();
        std::fs::write(&path, "{\"type\":\"header\"}\n{\"type\":\"END\"}\n").unwrap();
        assert!(check(&path).unwrap_err().to_string().contains("differs from"));
        std::fs::write(&place, "{}").unwrap();
        assert!(check(&path).unwrap_err().to_string().contains("is no manifest"));
    }
}
