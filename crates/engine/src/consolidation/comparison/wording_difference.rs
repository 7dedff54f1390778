//! Compares two nearly equal texts: do they differ in wording only? Consolidation of documents
//! checks that before a merge.
//!
//! Pure. The caller measures their similarity.

use super::compare::{is_wording, residue};
use crate::consolidation::statement_parser::{ParsedStatement, Word};

/// Maximum number of words that only one of the texts has.
const OTHER_WORDS_MAX: usize = 3;

/// Returns true if no word that only one text has can change the meaning: no name, number, day,
/// condition or opposite.
pub fn differ_in_wording_only(left: &Wording, right: &Wording) -> bool {
    let (only_left, only_right) = (residue(&left.0, &right.0), residue(&right.0, &left.0));
    // If only one text has words of its own, the longer text contains the other.
    if only_left.is_empty() || only_right.is_empty() {
        return true;
    }
    only_left.len() <= OTHER_WORDS_MAX
        && only_right.len() <= OTHER_WORDS_MAX
        && is_wording(&only_left, &only_right)
}

/// The words of a text, parsed once for several comparisons.
pub struct Wording(Vec<Word>);

impl Wording {
    /// Parses a text.
    pub fn of(text: &str) -> Self {
        Self(ParsedStatement::of(text).clauses.into_iter().flat_map(|clause| clause.words).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_beside_each_other() {
        let check = |left: &str, right: &str, expect: bool| {
            let read = (Wording::of(left), Wording::of(right));
            assert_eq!(differ_in_wording_only(&read.0, &read.1), expect, "{left} / {right}");
            assert_eq!(differ_in_wording_only(&read.1, &read.0), expect, "{right} / {left}");
        };
        check("The build is quick on every machine.", "The build is fast on every machine.", true);
        check("Enable the cache for every build.", "Disable the cache for every build.", false);
        check("The team meets on Mondays.", "The team meets on Fridays.", false);
        check("The old parser reads files.", "The new parser reads files.", false);
        check("The build uses port 80.", "The build uses port 8080.", false);
        check("The build is quick.", "The build is quick on every machine.", true);
        check("The build is quick, quick.", "The build is quick, fast.", true);
    }
}
