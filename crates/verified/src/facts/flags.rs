//! Flags of a fact: the findings of the checks at store time, as words stored with the fact.

use loci_model::RecordId;

/// No word of the fact occurs in a cited block.
pub(crate) const UNGROUNDED: &str = "UNGROUNDED";
/// The cited file is generated or vendored.
pub(crate) const GENERATED: &str = "generated_path";
/// The cited lines are a pointer to a large file stored elsewhere.
pub(crate) const LFS: &str = "lfs";
/// The cited file is a symbolic link.
pub(crate) const SYMLINK: &str = "symlink";
/// The text looks like instructions to its reader.
pub(crate) const INJECTION: &str = "injection";
/// The text contains hidden characters.
pub(crate) const HIDDEN: &str = "hidden_characters";
/// The citations were proposed from the fact's text.
pub(crate) const AUTO_CITED: &str = "auto_cited";
/// The prefix of a conflict flag; the record of the contradicting fact follows.
const CONFLICT: &str = "conflict:";

/// Returns the flag of a conflict with this record.
pub(crate) fn conflict(with: &RecordId) -> String {
    format!("{CONFLICT}{with}")
}

/// Returns the records that the conflict flags name.
pub(crate) fn conflicts(flags: &[String]) -> Vec<RecordId> {
    flags.iter().filter_map(|flag| RecordId::parse(flag.strip_prefix(CONFLICT)?).ok()).collect()
}

/// Adds flags, sorted and without duplicates.
pub(crate) fn add(flags: &mut Vec<String>, new: impl IntoIterator<Item = String>) {
    flags.extend(new);
    flags.sort();
    flags.dedup();
}
