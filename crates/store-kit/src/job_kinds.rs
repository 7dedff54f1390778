//! The stored form of a job's kind. The kinds of the first versions have a numeric code; newer
//! kinds are stored by name.

use loci_model::Result;
use loci_model::job::JobKind;

use crate::codes::{damaged, stored};

/// The code in the row of a job whose kind has no code: the name of the kind is in a separate
/// column.
const BY_WORD: i64 = -1;
/// The kinds of jobs that have a code; the index in the list is the code. The list is closed:
/// newer kinds are stored by name.
const CODED: [&str; 15] = [
    "extract",
    "embed",
    "purge",
    "handover",
    "reflect",
    "verify",
    "cite",
    "co_change",
    "hook",
    "review_poll",
    "review_backfill",
    "review_rules",
    "tree_plan",
    "agent_response",
    "session_summary",
];

/// Returns the code of a job kind, and the name of the kind if it has no code.
pub fn stored_kind(kind: &JobKind) -> (i64, Option<&str>) {
    let code = CODED.iter().position(|word| *word == kind.as_str());
    match code.and_then(|code| i64::try_from(code).ok()) {
        Some(code) => (code, None),
        None => (BY_WORD, Some(kind.as_str())),
    }
}

/// Returns the job kind for a stored code, or for a stored name if there is one.
///
/// # Errors
/// A bug for an unknown code or an invalid name.
pub fn read_kind(code: i64, word: Option<&str>) -> Result<JobKind> {
    if let Some(word) = word {
        return stored(JobKind::parse(word), "kind of job");
    }
    let coded = usize::try_from(code).ok().and_then(|code| CODED.get(code));
    coded.map(|word| JobKind::named(word)).ok_or_else(|| damaged("kind of job"))
}

/// Returns the SQL condition ` AND (…)` that selects jobs of the wanted kinds. `prefix` precedes
/// the column names (`j.`, or empty). The condition is empty if no kind is wanted, which selects
/// all jobs.
pub fn among_kinds(prefix: &str, wanted: &[JobKind]) -> String {
    if wanted.is_empty() {
        return String::new();
    }
    let (mut codes, mut words) = (Vec::new(), Vec::new());
    for kind in wanted {
        match stored_kind(kind) {
            (code, None) => codes.push(code.to_string()),
            // Valid kinds contain no quotes.
            (_, Some(word)) => words.push(format!("'{word}'")),
        }
    }
    let coded = format!("{prefix}kind IN ({})", codes.join(","));
    let worded = format!("{prefix}kind_word IN ({})", words.join(","));
    match (codes.is_empty(), words.is_empty()) {
        (_, true) => format!(" AND {coded}"),
        (true, false) => format!(" AND {worded}"),
        (false, false) => format!(" AND ({coded} OR {worded})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A changed code would misread existing rows.
    #[test]
    fn kinds_keep_their_codes_and_new_ones_have_words() {
        assert_eq!(
            CODED.join(" "),
            "extract embed purge handover reflect verify cite co_change hook review_poll review_backfill review_rules tree_plan agent_response session_summary"
        );
        for kind in [JobKind::EXTRACT, JobKind::named("session_summary"), JobKind::named("toy")] {
            let (code, word) = stored_kind(&kind);
            assert_eq!(read_kind(code, word).unwrap(), kind);
        }
        assert_eq!(stored_kind(&JobKind::named("toy")), (-1, Some("toy")));
        assert!(read_kind(15, None).is_err() && read_kind(-1, None).is_err());
        assert!(read_kind(-1, Some("a'b")).is_err());
    }

    #[test]
    fn kinds_are_asked_for_by_code_and_word() {
        let (coded, worded) = (JobKind::EMBED, JobKind::named("toy"));
        assert_eq!(among_kinds("", &[]), "");
        assert_eq!(among_kinds("j.", std::slice::from_ref(&coded)), " AND j.kind IN (1)");
        assert_eq!(among_kinds("", std::slice::from_ref(&worded)), " AND kind_word IN ('toy')");
        assert_eq!(among_kinds("", &[coded, worded]), " AND (kind IN (1) OR kind_word IN ('toy'))");
    }
}
