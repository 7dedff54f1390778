//! `AGENTS.md` and `CLAUDE.md` of a project as documents with their origin. The files remain
//! authoritative: they are read, never written.

use super::SourceFile;
use super::frontmatter;
use super::item::{FormatProblem, ImportItem, ItemTarget, Mapping};

/// The names of the files that are read.
pub const NAMES: &[&str] = &["AGENTS.md", "CLAUDE.md"];

/// Reads the files of a project.
///
/// # Errors
/// None: a problem with a file is reported for that file.
pub fn read(files: &[SourceFile], _namespace: &str, _: i64) -> Result<Mapping, FormatProblem> {
    let mut mapping = Mapping::default();
    for file in files {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if !NAMES.contains(&name) {
            mapping.skip(&file.path, "its name is neither AGENTS.md nor CLAUDE.md");
            continue;
        }
        let more = [("source", file.path.clone()), ("source_access", "read-only".to_owned())];
        let becomes = ItemTarget::Document {
            path: format!("knowledge/sources/{}", file.path),
            file: frontmatter::file(&file.path, None, &more, &file.text),
            raw: false,
        };
        mapping.take("instructions", ImportItem { id: file.path.clone(), place: file.path.clone(), becomes });
    }
    Ok(mapping)
}
