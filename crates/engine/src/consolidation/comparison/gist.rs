//! The content words of a statement, part by part, each denied or not. They allow a comparison of
//! sentences of different form.
//!
//! Pure. `paraphrase` and `value_change` compare two gists.

use std::collections::BTreeSet;

use super::slot::is_timely;
use crate::consolidation::statement_parser::clause::one_clause;
use crate::consolidation::statement_parser::framing_words::is_framing;
use crate::consolidation::statement_parser::lists::{WordList, has, is_day_or_month, is_preposition};
use crate::consolidation::statement_parser::turns::is_turn;
use crate::consolidation::statement_parser::{Class, Clause, ParsedStatement, Word};

/// Verbs with little meaning apart from their object. English, stems.
static LIGHT: WordList = WordList::new(
    "\
    get keep have make take use live lie sit hold contain run execut put stay remain listen work employ serv \
    happen occur exist book go becom do done come add includ own send",
);

/// Verbs that express a wish or a preference, as far as the reading keeps them.
static ATTITUDES: WordList =
    WordList::new("like prefer love want wish need enjoy require requir favorit favorite");

/// Words that begin another part of a sentence. English, German, French, Spanish.
static JOINTS: WordList = WordList::new(
    "\
    and but because so since which who while though although whereas und aber weil denn et mais parce \
    pero porque",
);

/// Words other than negations that deny the rest of their part.
static DENYING: WordList = WordList::new("without instead-of over than");

/// A content word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::consolidation) struct ContentWord {
    /// The word.
    pub(super) word: Word,
    /// True if it follows a denial in its part.
    pub(in crate::consolidation) denied: bool,
    /// The preposition before it.
    pub(super) behind: String,
    /// True if it belongs to the subject of its part.
    pub(super) subject: bool,
}

impl ContentWord {
    /// Its form.
    pub(in crate::consolidation) fn form(&self) -> &str {
        &self.word.form
    }
}

/// A part of a statement, about the size of a clause.
#[derive(Debug, Clone)]
pub(super) struct StatementPart {
    /// All its words.
    pub(super) words: Vec<Word>,
    /// Its content words.
    pub(super) items: Vec<ContentWord>,
    /// The part as a clause.
    pub(super) clause: Clause,
    /// Positions of its words, sorted by word.
    order: Vec<usize>,
}

impl StatementPart {
    /// Returns true if the part contains that word, as spelled in the text.
    pub(super) fn says(&self, lower: &str) -> bool {
        self.words.iter().any(|word| word.lower == lower)
    }

    /// Returns the first position of a word equal to that one.
    pub(super) fn place(&self, word: &Word) -> Option<usize> {
        let at = |at: &usize| self.words.get(*at);
        let found = self.order.partition_point(|place| at(place).is_some_and(|other| other < word));
        self.order.get(found).copied().filter(|place| at(place) == Some(word))
    }
}

/// The content words of a statement.
#[derive(Debug, Clone)]
pub(in crate::consolidation) struct Gist {
    /// Its parts that have content words.
    pub(super) parts: Vec<StatementPart>,
    /// True if the statement expresses a wish, a preference or an obligation.
    pub(super) attitude: bool,
    /// True if no part has a subject: an imperative, or no sentence.
    pub(in crate::consolidation) bare: bool,
}

impl Gist {
    /// Builds the gist of a reading.
    pub(in crate::consolidation) fn of(reading: &ParsedStatement) -> Self {
        let parts: Vec<StatementPart> =
            split(&reading.words).into_iter().map(part).filter(|part| !part.items.is_empty()).collect();
        let attitude = reading.words.iter().any(|word| {
            (word.is_content() && ATTITUDES.has(&word.form))
                || matches!(word.lower.as_str(), "must" | "should" | "rather" | "shall" | "ought" | "please")
        });
        let bare = reading.clauses.iter().all(|clause| clause.verb.is_none() || clause.subject_end == 0);
        Self { parts, attitude, bare }
    }

    /// Returns all content words.
    pub(in crate::consolidation) fn items(&self) -> impl Iterator<Item = &ContentWord> {
        self.parts.iter().flat_map(|part| part.items.iter())
    }

    /// Returns true if a part denies only its verb: "no longer works".
    pub(super) fn denies_a_verb(&self) -> bool {
        self.parts.iter().any(|part| part.clause.negative && part.items.iter().all(|item| !item.denied))
    }

    /// Returns true if a content word has that form, denied or not.
    pub(super) fn has(&self, form: &str) -> bool {
        self.items().any(|item| item.form() == form)
    }

    /// Returns true if a content word has that form and is not denied.
    pub(super) fn asserts(&self, form: &str) -> bool {
        self.items().any(|item| item.form() == form && !item.denied)
    }

    /// Returns true if any part contains that word, as spelled in the text.
    pub(super) fn says(&self, lower: &str) -> bool {
        self.parts.iter().any(|part| part.says(lower))
    }
}

/// The sort of a value, which distinguishes the values of one slot from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A day, a month, a time of the day.
    Time,
    /// Any other number.
    Number,
    /// A path, an address, code.
    Code,
    /// A word or a name.
    Word,
}

/// Returns the sort of a word.
pub(super) fn sort(word: &Word) -> Sort {
    if is_day_or_month(&word.lower) || (word.class == Class::Number && word.form.contains(':')) {
        return Sort::Time;
    }
    match word.class {
        Class::Number => Sort::Number,
        Class::Code => Sort::Code,
        Class::Small | Class::Soft | Class::Plain | Class::Name | Class::Negation | Class::Break => {
            if is_timely(word) {
                Sort::Time
            } else {
                Sort::Word
            }
        }
    }
}

/// Returns true for a verb with little meaning apart from its object.
pub(super) fn is_light(word: &Word) -> bool {
    word.class == Class::Plain && (LIGHT.has(&word.form) || LIGHT.has(&word.lower))
}

/// Light verbs of place or manner, in groups of one meaning. English, stems.
const MANNERS: &[&str] =
    &["live lie sit hold contain exist", "work employ serv", "listen run execut", "happen occur", "book"];

impl Gist {
    /// Returns true if both have light verbs of different meanings: "live in", "work in".
    pub(super) fn acts_otherwise(&self, other: &Self) -> bool {
        let manners = |gist: &Self| -> Vec<usize> {
            let words = gist.parts.iter().flat_map(|part| &part.words);
            let plain = words.filter(|word| word.class == Class::Plain);
            plain.filter_map(|word| MANNERS.iter().position(|group| has(group, &word.form))).collect()
        };
        let (own, others) = (manners(self), manners(other));
        !own.is_empty() && !others.is_empty() && !own.iter().any(|one| others.contains(one))
    }
}

/// Splits a sentence into parts.
fn split(words: &[Word]) -> Vec<Vec<Word>> {
    let mut parts = vec![Vec::new()];
    // True if the last part has a word for an end or a change.
    let mut told = false;
    for word in words {
        let label = word.form == ":" && word.class == Class::Break && !told;
        let joint = word.class != Class::Code && JOINTS.has(&word.lower);
        if joint || (word.class == Class::Break && !label) {
            parts.push(Vec::new());
            told = false;
        }
        if let Some(part) = parts.last_mut()
            && (label || word.class != Class::Break)
        {
            part.push(word.clone());
            told |= is_turn(word);
        }
    }
    parts
}

fn part(words: Vec<Word>) -> StatementPart {
    let clause = one_clause(&words);
    let subject: BTreeSet<&str> = clause
        .subject()
        .iter()
        .filter(|word| clause.verb.is_some() && word.is_content())
        .map(|word| word.form.as_str())
        .collect();
    let mut items = Vec::new();
    let mut denied = false;
    let mut behind = String::new();
    for (at, word) in words.iter().enumerate() {
        // "at work" is a noun.
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let ends_there = word.form == "work"
            && words.get(at + 1).is_none_or(|next| !next.is_content() && !is_preposition(&next.form));
        let noun = word.is_noun
            || before.is_some_and(|before| {
                before.class == Class::Small
                    && is_preposition(&before.form)
                    && (before.form != "to" || ends_there)
            });
        let over = word.form == "over" && words.get(at + 1).is_some_and(|next| next.form == "to");
        denied |= word.class == Class::Negation || (DENYING.has(&word.form) && !over);
        if word.class == Class::Small && is_preposition(&word.form) {
            behind.clone_from(&word.form);
        }
        // "phone calls": the first word carries the meaning.
        let said = matches!(word.lower.as_str(), "call" | "calls") && before.is_some_and(Word::is_content);
        if word.is_content() && !said && !is_framing(word) && (noun || !is_light(word)) {
            let subject = subject.contains(word.form.as_str());
            items.push(ContentWord {
                word: word.clone(),
                denied,
                behind: std::mem::take(&mut behind),
                subject,
            });
        }
    }
    let mut order: Vec<usize> = (0..words.len()).collect();
    order.sort_by(|left, right| words.get(*left).cmp(&words.get(*right)));
    StatementPart { words, items, clause, order }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_sentences() {
        let check = |text: &str, expect: &[&str]| {
            let parts = split(&ParsedStatement::of(text).words);
            let seen: Vec<String> = parts
                .iter()
                .map(|part| part.iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" "))
                .collect();
            assert_eq!(seen, expect, "{text}");
        };
        check("The retries: 3", &["the retries : 3"]);
        check("We moved the parser: it reads", &["we moved the parser", "it reads"]);
        check("We moved it, and the port: 3", &["we moved it", "", "and the port : 3"]);
    }

    #[test]
    fn places_of_words() {
        let gist = Gist::of(&ParsedStatement::of("The tea of the tea house is green tea"));
        let part = gist.parts.first().unwrap();
        for word in &part.words {
            assert_eq!(part.place(word), part.words.iter().position(|other| other == word), "{word:?}");
        }
        assert_eq!(part.place(ParsedStatement::of("wine").words.first().unwrap()), None);
    }
}
