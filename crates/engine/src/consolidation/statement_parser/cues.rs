//! Temporal cues of a statement: temporary, planned, or a question; and the change that it states
//! from one thing to another.

use super::lists::{WordList, has};
use super::words::{Class, Word};

/// The duration for which a statement holds, by its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Hold {
    /// The statement holds until another one replaces it.
    Lasting,
    /// The statement holds only for a time that it names.
    Passing,
    /// The statement names a day: it is about a state on that day, or a change on it.
    Dated,
    /// The statement is a plan, which may never become true.
    Planned,
    /// The text is a question, not a statement.
    Asked,
}

/// A change from one thing to another that a statement reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct StatedChange {
    /// The normalized words of the old value.
    pub(in super::super) from: Vec<String>,
    /// The normalized words of the new value; empty if the statement does not name it.
    pub(in super::super) to: Vec<String>,
    /// The normalized words of the rest of the statement, without the verb of change.
    pub(in super::super) rest: Vec<String>,
}

const PASSING: &[&str] = &[
    "for now",
    "for the time being",
    "for the moment",
    "temporarily",
    "temporary",
    "until",
    "till",
    "this week",
    "this month",
    "this year",
    "this quarter",
    "this sprint",
    "this evening",
    "this weekend",
    "this monday",
    "this tuesday",
    "this wednesday",
    "this thursday",
    "this friday",
    "this saturday",
    "this sunday",
    "tonight",
    "tomorrow",
    "meanwhile",
    "in the meantime",
    "interim",
    "next week",
    "next month",
    "next year",
    "these days only",
    "for a few days",
    "for a week",
    "for a while",
    "for two weeks",
    "while the",
    "during the",
    "during this",
    "on vacation",
    "on holiday",
    "as a workaround",
    "workaround",
    "short term",
    "just once",
    "for once",
    "this time",
    "right now",
    "at the moment",
    "provisional",
    "provisionally",
    "the rest of",
];

/// Words for the time of an event: a state holds only then, a change continues to hold.
const DATED: &[&str] =
    &["today", "yesterday", "last week", "last month", "last year", "this morning", "this afternoon", "ago"];

const PLANNED: &[&str] = &[
    "considering",
    "considers",
    "consider",
    "thinking about",
    "thinking of",
    "thinks about",
    "might",
    "maybe",
    "perhaps",
    "plans to",
    "we plan to",
    "planning",
    "planned",
    "hopes to",
    "hope to",
    "going to",
    "evaluating",
    "evaluates",
    "exploring",
    "looking into",
    "looking at",
    "experimenting",
    "trying out",
    "tries out",
    "proposed",
    "proposal",
    "proposes",
    "will",
    "would love to",
    "wants to try",
    "dreams of",
    "undecided",
    "not sure",
    "unsure",
    "probably",
    "possibly",
    "wonders",
    "wondering",
    "wants to move",
    "wants to switch",
    "wants to learn",
    "intends to",
    "could switch",
    "discussing",
    "tempted",
    "someday",
    "eventually",
];

static CHANGING: WordList = WordList::new(
    "\
    moved switched migrated changed relocated transitioned converted upgraded downgraded renamed \
    ported went raised lowered increased decreased reduced bumped shifted swapped transferred \
    rewritten rewrote move switch migrate",
);

/// Returns the duration for which a statement holds, by its words.
pub(in super::super) fn hold(text: &str, words: &[Word]) -> Hold {
    let lower = format!(
        " {} ",
        words
            .iter()
            .map(|word| word.lower.as_str())
            .filter(|word| !matches!(*word, "," | ";"))
            .collect::<Vec<_>>()
            .join(" ")
    );
    let lower = lower
        .replace(" been going to ", " been at ")
        .replace(" since this ", " since ")
        .replace(" since last ", " since ")
        .replace(" extended until ", " extended ")
        .replace(" delayed until ", " delayed ")
        .replace(" postponed until ", " postponed ")
        .replace(" runs until ", " runs ")
        .replace(" valid until ", " valid ");
    let says = |cues: &[&str]| cues.iter().any(|cue| lower.contains(&format!(" {cue} ")));
    if text.trim_end().ends_with('?') && !asks_for(words) {
        Hold::Asked
    } else if says(PLANNED) {
        Hold::Planned
    } else if says(PASSING) {
        Hold::Passing
    } else if says(DATED) {
        Hold::Dated
    } else {
        Hold::Lasting
    }
}

/// Returns true for a request: "Can you ...?", "Could we have ...?".
fn asks_for(words: &[Word]) -> bool {
    let lower = |at: usize| words.get(at).map(|word| word.lower.as_str()).unwrap_or_default();
    let start = usize::from(has("please so and", lower(0)));
    has("can could would will may", lower(start)) && has("i you we", lower(start + 1))
}

/// Returns the change that a statement contains.
pub(in super::super) fn change(words: &[Word]) -> Option<StatedChange> {
    from_to(words).or_else(|| replaced(words)).or_else(|| instead(words))
}

fn at(words: &[Word], from: usize, wanted: &str) -> Option<usize> {
    words.iter().enumerate().skip(from).find(|(_, word)| has(wanted, &word.lower)).map(|(at, _)| at)
}

/// Returns the forms of the content words in `words[from..to]`.
fn forms(words: &[Word], from: usize, to: usize) -> Vec<String> {
    let part = words.get(from..to.min(words.len())).unwrap_or_default();
    part.iter().filter(|word| word.is_content()).map(|word| word.form.clone()).collect()
}

/// Returns the end of a phrase that begins at `from`: at punctuation, a preposition, or another
/// clause.
fn phrase_end(words: &[Word], from: usize) -> usize {
    let ends = |word: &Word| {
        word.class == Class::Break
            || (word.class == Class::Small
                && !matches!(word.form.as_str(), "a" | "of" | "'s")
                && !word.is_content())
    };
    words.iter().enumerate().skip(from).find(|(_, word)| ends(word)).map_or(words.len(), |(at, _)| at)
}

fn without(words: &[Word], parts: &[(usize, usize)]) -> Vec<String> {
    let inside = |at: usize| parts.iter().any(|(from, to)| (*from..*to).contains(&at));
    let kept = words.iter().enumerate().filter(|(at, word)| !inside(*at) && word.is_content());
    kept.map(|(_, word)| word.form.clone()).collect()
}

/// Reads "moved … from A to B", "switched to B from A".
fn from_to(words: &[Word]) -> Option<StatedChange> {
    let verb = words.iter().position(|word| CHANGING.has(&word.lower))?;
    let from = at(words, verb, "from")?;
    let from_end = phrase_end(words, from + 1);
    let to = at(words, verb, "to into")?;
    let to_end = phrase_end(words, to + 1);
    let left = forms(words, from + 1, from_end);
    let right = forms(words, to + 1, to_end);
    (!left.is_empty() && !right.is_empty()).then(|| StatedChange {
        from: left,
        to: right,
        rest: without(words, &[(verb, verb + 1), (from, from_end), (to, to_end)]),
    })
}

/// Reads "A was replaced by B", "replaced A with B", "B replaces A".
fn replaced(words: &[Word]) -> Option<StatedChange> {
    let verb = at(words, 0, "replaced replaces replace superseded supersedes succeeds")?;
    let passive = words.get(..verb).unwrap_or_default().iter().rev().take(3).any(|word| word.form == "is");
    let by = at(words, verb, "by with");
    let behind = forms(words, verb + 1, phrase_end(words, verb + 1));
    let before = forms(words, 0, verb);
    let made = match by {
        Some(by) if passive => {
            let end = phrase_end(words, by + 1);
            StatedChange { from: before, to: forms(words, by + 1, end), rest: without(words, &[(0, end)]) }
        }
        Some(by) => {
            let end = phrase_end(words, by + 1);
            let rest = without(words, &[(verb, end)]);
            StatedChange { from: behind, to: forms(words, by + 1, end), rest }
        }
        None => StatedChange {
            from: behind,
            to: before,
            rest: without(words, &[(0, phrase_end(words, verb + 1))]),
        },
    };
    (!made.from.is_empty() && !made.to.is_empty()).then_some(made)
}

/// Reads "B instead of A".
fn instead(words: &[Word]) -> Option<StatedChange> {
    let mark = at(words, 0, "instead-of in-favor-of")?;
    let end = phrase_end(words, mark + 1);
    let left = words.get(..mark).unwrap_or_default();
    let begin = left
        .iter()
        .rposition(|word| !word.is_content() || super::verbs::holding(&word.form).is_some())
        .map_or(0, |at| at + 1);
    let (before, behind) = (forms(words, begin, mark), forms(words, mark + 1, end));
    if before.is_empty() || behind.is_empty() {
        return None;
    }
    let favors = words.get(mark).is_some_and(|word| word.form == "in-favor-of");
    let (from, to) = if favors { (before, behind) } else { (behind, before) };
    Some(StatedChange { from, to, rest: without(words, &[(begin, end)]) })
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    #[test]
    fn holds() {
        for (text, expect) in [
            ("The API is at https://a.example", Hold::Lasting),
            ("For now main is not protected.", Hold::Passing),
            ("The kitchen closes at 20:00 tonight.", Hold::Passing),
            ("The team is considering Teams", Hold::Planned),
            ("The user listens to jazz while working.", Hold::Lasting),
            ("Does the team use Slack?", Hold::Asked),
        ] {
            assert_eq!(hold(text, &words(text)), expect, "{text}");
        }
    }

    #[test]
    fn changes() {
        let check = |text: &str, from: &str, to: &str, rest: &str| {
            let change = change(&words(text)).unwrap_or_else(|| panic!("{text}"));
            let seen = (change.from.join(" "), change.to.join(" "), change.rest.join(" "));
            assert_eq!(seen, (from.to_owned(), to.to_owned(), rest.to_owned()), "{text}");
        };
        check("The project migrated from Jest to Vitest.", "jest", "vitest", "project");
        check("Black was replaced by Ruff for formatting.", "black", "ruff", "format");
        check("Docs are now built with MkDocs instead of Sphinx.", "sphinx", "mkdocs", "document build");
        assert_eq!(change(&words("The project uses Jest.")), None);
    }
}
