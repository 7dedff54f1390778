//! Flags of a fact: what the checks at store time found, as words that are kept with it (verified-memory.md §2).

use loci_model::RecordId;

/// No word of the fact stands in a cited block.
pub(in crate::verified) const UNGROUNDED: &str = "UNGROUNDED";
/// The cited file is generated or vendored.
pub(in crate::verified) const GENERATED: &str = "generated_path";
/// The cited lines point to a large file elsewhere.
pub(in crate::verified) const LFS: &str = "lfs";
/// The cited file is a symbolic link.
pub(in crate::verified) const SYMLINK: &str = "symlink";
/// The text looks like instructions to its reader.
pub(in crate::verified) const INJECTION: &str = "injection";
/// The text hid characters.
pub(in crate::verified) const HIDDEN: &str = "hidden_characters";
/// Its citations were proposed from its text.
pub(in crate::verified) const AUTO_CITED: &str = "auto_cited";
/// Another fact says otherwise: followed by its record.
const CONFLICT: &str = "conflict:";

/// The flag of a conflict with this record.
pub(in crate::verified) fn conflict(with: &RecordId) -> String {
    format!("{CONFLICT}{with}")
}

/// The records that flags name as saying otherwise.
pub(in crate::verified) fn conflicts(flags: &[String]) -> Vec<RecordId> {
    flags.iter().filter_map(|flag| RecordId::parse(flag.strip_prefix(CONFLICT)?).ok()).collect()
}

/// Adds flags, sorted, each once.
pub(in crate::verified) fn add(flags: &mut Vec<String>, new: impl IntoIterator<Item = String>) {
    flags.extend(new);
    flags.sort();
    flags.dedup();
}
