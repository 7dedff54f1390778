//! Flags of a fact: what the checks at store time found, as words that are kept with it.

use loci_model::RecordId;

/// No word of the fact stands in a cited block.
pub(crate) const UNGROUNDED: &str = "UNGROUNDED";
/// The cited file is generated or vendored.
pub(crate) const GENERATED: &str = "generated_path";
/// The cited lines point to a large file elsewhere.
pub(crate) const LFS: &str = "lfs";
/// The cited file is a symbolic link.
pub(crate) const SYMLINK: &str = "symlink";
/// The text looks like instructions to its reader.
pub(crate) const INJECTION: &str = "injection";
/// The text hid characters.
pub(crate) const HIDDEN: &str = "hidden_characters";
/// Its citations were proposed from its text.
pub(crate) const AUTO_CITED: &str = "auto_cited";
/// Another fact says otherwise: followed by its record.
const CONFLICT: &str = "conflict:";

/// The flag of a conflict with this record.
pub(crate) fn conflict(with: &RecordId) -> String {
    format!("{CONFLICT}{with}")
}

/// The records that flags name as saying otherwise.
pub(crate) fn conflicts(flags: &[String]) -> Vec<RecordId> {
    flags.iter().filter_map(|flag| RecordId::parse(flag.strip_prefix(CONFLICT)?).ok()).collect()
}

/// Adds flags, sorted, each once.
pub(crate) fn add(flags: &mut Vec<String>, new: impl IntoIterator<Item = String>) {
    flags.extend(new);
    flags.sort();
    flags.dedup();
}
