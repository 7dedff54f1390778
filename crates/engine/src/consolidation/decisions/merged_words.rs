//! Checks the text that a model made of two statements: nothing new in it, no denial lost, never "A
//! and B" (rule V12 of the plan's validator).

use crate::consolidation::comparison::compare::residue;
use crate::consolidation::statement_parser::{Class, Clause, ParsedStatement, Word};

/// The reason for which a merged text is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MergeRefusal {
    /// It has a name, a number, code or an address that no source has.
    Invented,
    /// It has values of both sources.
    Both,
    /// A denial was lost or added.
    Denial,
}

impl MergeRefusal {
    /// Returns a readable reason.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Invented => "the model's words name what neither statement names",
            Self::Both => "the model's words join an old and a new value",
            Self::Denial => {
                "the model's words deny what the newer statement does not, or the other way round"
            }
        }
    }
}

/// Checks a text that is to replace `old` after the statement `new`.
pub(super) fn check(merged: &str, old: &str, new: &str) -> Result<(), MergeRefusal> {
    let (merged, old, new) =
        (ParsedStatement::of(merged), ParsedStatement::of(old), ParsedStatement::of(new));
    let (made, was, is) = (all(&merged), all(&old), all(&new));
    let known = |word: &Word| was.iter().chain(&is).any(|source| source.form == word.form);
    if made.iter().any(|word| word.is_hard() && !known(word)) {
        return Err(MergeRefusal::Invented);
    }
    let denied =
        |reading: &ParsedStatement| reading.clauses.iter().filter(|clause| clause.negative).count() % 2;
    if denied(&merged) != denied(&new) {
        return Err(MergeRefusal::Denial);
    }
    let (only_old, only_new) = (residue(&was, &is), residue(&is, &was));
    let has = |words: &[&Word]| {
        words.iter().any(|word| word.class != Class::Small && made.iter().any(|made| made.form == word.form))
    };
    if has(&only_old) && has(&only_new) { Err(MergeRefusal::Both) } else { Ok(()) }
}

/// Returns true if a text has a name, a number, code or an address that none of its sources has.
pub(in crate::consolidation) fn invents(text: &str, sources: &[&str]) -> bool {
    let sources: Vec<Word> = sources.iter().flat_map(|source| all(&ParsedStatement::of(source))).collect();
    let known = |word: &Word| sources.iter().any(|source| source.form == word.form);
    all(&ParsedStatement::of(text)).iter().any(|word| word.is_hard() && !known(word))
}

fn all(reading: &ParsedStatement) -> Vec<Word> {
    reading.clauses.iter().flat_map(|clause: &Clause| clause.words.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_words() {
        let check = |merged: &str, old: &str, new: &str, expect: Result<(), MergeRefusal>| {
            assert_eq!(check(merged, old, new), expect, "{merged}");
        };
        let (old, new) = ("The project uses Jest for tests.", "The project uses Vitest for tests.");
        check("The project uses Vitest for tests.", old, new, Ok(()));
        check("The project uses Jest and Vitest for tests.", old, new, Err(MergeRefusal::Both));
        check("The project uses Vitest 3 for tests.", old, new, Err(MergeRefusal::Invented));
        check("The project does not use Vitest for tests.", old, new, Err(MergeRefusal::Denial));
        check("The user has a dog named Rex.", "The user has a dog.", "The user's dog is named Rex.", Ok(()));
    }
}
