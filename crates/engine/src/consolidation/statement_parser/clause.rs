//! Clauses: the end of a statement's subject, its verb, its negation and its tense.
//!
//! Positions and lists decide, without a grammar. Unclear cases are left open, and then nothing is
//! superseded.

use loci_model::limits;

use super::lists;
use super::verb_positions::VerbPlaces;
use super::verbs;
use super::words::{Class, Word};

/// A clause of a statement: its subject, verb and other words.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Clause {
    /// The words of the clause without negations, articles, unimportant words and punctuation,
    /// and without auxiliary verbs if another verb follows.
    pub(in super::super) words: Vec<Word>,
    /// The number of words before the verb, which form the subject.
    pub(in super::super) subject_end: usize,
    /// The verb of the clause, if one was found.
    pub(in super::super) verb: Option<Verb>,
    /// True if the clause is negated.
    pub(in super::super) negative: bool,
    /// True if the clause permits something: "may", "can".
    pub(in super::super) leave: bool,
    /// True if the clause describes an event in the past.
    pub(in super::super) past: bool,
    /// True if its subject has an article, an owner or several words: "the linter", "Anna's
    /// manager".
    pub(in super::super) definite: bool,
}

/// The verb of a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Verb {
    /// The normalized form of the verb.
    pub(in super::super) form: String,
    /// The verb as the text spells it, in lower case.
    pub(in super::super) lower: String,
    /// True for "is" or a label's colon.
    pub(in super::super) copula: bool,
    /// True for "is" and a participle.
    pub(in super::super) passive: bool,
    /// The index of the first word after the verb.
    pub(in super::super) end: usize,
}

impl Clause {
    /// Returns the subject.
    pub(in super::super) fn subject(&self) -> &[Word] {
        self.words.get(..self.subject_end).unwrap_or_default()
    }

    /// Returns the forms of the content words.
    pub(in super::super) fn content(&self) -> Vec<&str> {
        self.words.iter().filter(|word| word.is_content()).map(|word| word.form.as_str()).collect()
    }
}

/// Returns the clauses of a text, at least one. A clause without a subject gets that of the first.
pub(in super::super) fn clauses(words: &[Word]) -> Vec<Clause> {
    let verbs = VerbPlaces::of(words);
    let mut parts: Vec<Vec<Word>> = Vec::new();
    let mut part: Vec<Word> = Vec::new();
    let mut begin = 0;
    for (at, word) in words.iter().enumerate() {
        let label = word.class == Class::Break && word.form == ":";
        let may_end = (word.class == Class::Break && !label)
            || matches!(word.lower.as_str(), "and" | "but" | "because" | "so" | "who" | "which");
        if may_end && verbs.begins_clause(at + 1) && verbs.has_verb(begin, at) {
            parts.push(std::mem::take(&mut part));
            begin = at + 1;
        } else if word.class != Class::Break || label {
            part.push(word.clone());
        }
    }
    parts.push(part);
    let mut clauses: Vec<Clause> = Vec::new();
    for part in parts.iter().filter(|part| part.iter().any(Word::is_content)) {
        let mut clause = read(part);
        if clause
            .subject()
            .iter()
            .all(|word| !word.is_content() || matches!(word.lower.as_str(), "he" | "she" | "it" | "they"))
            && let Some(first) = clauses.first().filter(|first| !has_long_subject(first))
            && clause.verb.is_some()
        {
            clause = with_subject(first, clause);
        }
        clauses.push(clause);
    }
    if clauses.is_empty() {
        clauses.push(read(words));
    }
    clauses
}

/// Returns true if a subject is too long to be repeated in the following clauses.
pub(super) fn has_long_subject(clause: &Clause) -> bool {
    clause.subject().len() > limits::LENT_SUBJECT_WORDS_MAX
}

/// Returns the words as one clause, ignoring punctuation.
pub(in super::super) fn one_clause(words: &[Word]) -> Clause {
    read(words)
}

/// Returns true for a word that a clause keeps: no negation, article, soft word or punctuation
/// except a label's colon.
pub(super) fn keeps(word: &Word) -> bool {
    match word.class {
        Class::Soft | Class::Negation | Class::Break => word.form == ":",
        Class::Small => !matches!(word.form.as_str(), "a"),
        Class::Plain | Class::Name | Class::Code | Class::Number => true,
    }
}

fn read(part: &[Word]) -> Clause {
    let negations = part.iter().filter(|word| word.class == Class::Negation).count();
    // "do not ..., never": two negation words with one meaning.
    let twice = negations == 2 && part.iter().any(|word| matches!(word.lower.as_str(), "never" | "nothing"));
    let definite = part
        .first()
        .is_some_and(|word| matches!(word.lower.as_str(), "the" | "our" | "their" | "his" | "her" | "its"));
    let mut words: Vec<Word> = part.iter().filter(|word| keeps(word)).cloned().collect();
    front_last(&mut words);
    let leave =
        words.iter().any(|word| word.class == Class::Small && lists::LEAVE.contains(&word.lower.as_str()));
    let duty =
        words.iter().any(|word| word.class == Class::Small && lists::DUTIES.contains(&word.lower.as_str()));
    words.retain(|word| {
        let modal =
            lists::LEAVE.contains(&word.lower.as_str()) || lists::DUTIES.contains(&word.lower.as_str());
        !(word.class == Class::Small && modal) && word.form != "does"
    });
    let found = verb_at(&words);
    let (verb, subject_end) = match found {
        Some((at, verb)) => (Some(verb), at),
        None => (None, 0),
    };
    let past = verb.as_ref().is_some_and(|verb| !verb.passive && !verb.copula && verbs::is_past(&verb.lower))
        || words.get(subject_end).is_some_and(|word| matches!(word.lower.as_str(), "was" | "were" | "had"))
        || (verb.is_none() && words.iter().any(|word| verbs::is_past(&word.lower)));
    let owned = words.get(..subject_end).unwrap_or_default().iter().any(|word| word.form == "'s");
    Clause {
        words,
        subject_end,
        verb,
        negative: negations % 2 == 1 || twice,
        leave: leave && !duty,
        past,
        definite: definite || owned,
    }
}

/// Moves a leading phrase to the end: "On Mondays the museum is closed" becomes "The museum is
/// closed on Mondays".
fn front_last(words: &mut [Word]) {
    let is_preposition = |word: &Word| word.class == Class::Small && lists::is_preposition(&word.form);
    if words.first().is_none_or(|word| !is_preposition(word)) {
        return;
    }
    let Some((verb, _)) = verb_at(words) else { return };
    // The phrase is one word after the preposition, or a longer name or date. The rest must contain
    // a subject.
    let mut end = 2;
    while end < verb
        && words.get(end).is_some_and(|word| word.class == Class::Number || word.class == Class::Code)
    {
        end += 1;
    }
    if end < verb {
        words.rotate_left(end);
    }
}

/// Returns the verb and its position.
fn verb_at(words: &[Word]) -> Option<(usize, Verb)> {
    known_verb_at(words).or_else(|| unknown_verb(words).map(|at| (at, plain_verb(words, at))))
}

/// Returns a verb of the lists. "is", "has" and a label's colon before a relative clause take
/// precedence.
pub(super) fn known_verb_at(words: &[Word]) -> Option<(usize, Verb)> {
    let end = words.iter().skip(1).position(is_relative).map_or(words.len(), |at| at + 1);
    let main = words.get(..end).unwrap_or_default();
    if let Some(at) = main.iter().position(|word| is_copula(word) || is_has(word)) {
        return Some((at, with_auxiliary(words, at, main.get(at).is_some_and(is_copula))));
    }
    let could = |at: usize| {
        main.get(at).is_some_and(|word| {
            (verbs::is_verb(word) || (at > 0 && is_past_verb(word))) && !follows_noun_opener(words, at)
        })
    };
    let numbered = is_numbered(main.get(1), main.get(2));
    let first = (usize::from(numbered)..main.len()).find(|at| could(*at))?;
    // A plural noun that could be a verb yields to the verb after it: "tests run", "HTTP calls go".
    let adjective = |at: usize| {
        let before_noun = main.get(at + 1).is_some_and(Word::is_content);
        main.get(at).is_some_and(|word| word.lower.ends_with("ed")) && before_noun
    };
    let behind = (first + 1..main.len().min(first + if first == 0 { 4 } else { 2 }))
        .find(|at| could(*at) && !adjective(*at));
    // "Log level defaults to": the later word has the form of a verb and is followed by words that
    // only follow a verb.
    const NOUNS: &[&str] = &["test", "check", "cach", "lint", "build", "releas", "log", "version", "tag"];
    let third = |at: usize| {
        let opens = words.get(at + 1).is_some_and(|next| next.class == Class::Small);
        let is_third = words
            .get(at)
            .is_some_and(|word| word.lower.ends_with('s') && !NOUNS.contains(&word.form.as_str()));
        is_third && if first > 0 { at == first + 1 } else { at > 1 && opens }
    };
    let at = behind.filter(|at| looks_plural(words, first) || third(*at)).unwrap_or(first);
    Some((at, plain_verb(words, at)))
}

/// Returns true for a word that opens a relative clause or a condition.
pub(super) fn is_relative(word: &Word) -> bool {
    matches!(word.lower.as_str(), "that" | "which" | "who" | "when" | "while" | "if" | "because")
}

/// Returns true for "is" and a label's colon.
pub(super) fn is_copula(word: &Word) -> bool {
    word.form == ":" || (word.class == Class::Small && word.form == "is")
}

/// Returns true for "has" and its forms.
pub(super) fn is_has(word: &Word) -> bool {
    word.class == Class::Small && word.form == "has"
}

/// Returns true for the past form of a verb after a subject.
pub(super) fn is_past_verb(word: &Word) -> bool {
    word.class == Class::Plain && verbs::is_past(&word.lower)
}

/// Returns true for the second and third word of a clause that begins with a noun and its number:
/// "Store 14 sells".
pub(super) fn is_numbered(second: Option<&Word>, third: Option<&Word>) -> bool {
    second.is_some_and(|word| word.class == Class::Number)
        && third.is_some_and(|word| word.class == Class::Plain && word.lower.ends_with('s'))
}

/// Returns the position of a word in "s" after a singular subject, if there is no known verb.
fn unknown_verb(words: &[Word]) -> Option<usize> {
    (1..words.len()).find(|at| {
        let before = words.get(at - 1);
        let is_third = |word: &Word| {
            word.class == Class::Plain
                && !word.is_noun
                && word.lower.len() > 3
                && word.lower.ends_with('s')
                && !["ss", "us", "is"].iter().any(|end| word.lower.ends_with(end))
        };
        words.get(*at).is_some_and(is_third)
            && before.is_some_and(|before| before.is_content() && !is_plural(before))
    })
}

/// Returns true if the word ends in "s" but its stem does not: "tests", not "Prometheus".
fn is_plural(word: &Word) -> bool {
    word.lower.ends_with('s') && !word.form.ends_with('s')
}

fn looks_plural(words: &[Word], at: usize) -> bool {
    words.get(at).is_some_and(|word| word.lower.ends_with('s'))
}

/// Returns true if the word follows an owner, a preposition or "of", and is therefore a noun.
fn follows_noun_opener(words: &[Word], at: usize) -> bool {
    at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(opens_noun)
}

/// Returns true for a word that a noun follows.
pub(super) fn opens_noun(word: &Word) -> bool {
    word.class == Class::Small
        && (matches!(
            word.form.as_str(),
            "'s" | "of" | "this" | "that" | "your" | "its" | "our" | "their" | "his" | "her"
        ) || (lists::is_preposition(&word.form) && word.form != "to"))
}

fn plain_verb(words: &[Word], at: usize) -> Verb {
    let (form, lower) = words.get(at).map(|word| (word.form.clone(), word.lower.clone())).unwrap_or_default();
    Verb { form, lower, copula: false, passive: false, end: at + 1 }
}

fn with_auxiliary(words: &[Word], at: usize, copula: bool) -> Verb {
    let mut end = at + 1;
    let mut passive = false;
    let mut found = words.get(at).cloned().unwrap_or_else(|| Word::new("is", Class::Small));
    while let Some(word) = words.get(end).filter(|_| found.form != ":") {
        let auxiliary = word.class == Class::Small && matches!(word.form.as_str(), "is" | "has" | "being");
        if auxiliary {
            found = word.clone();
            end += 1;
            continue;
        }
        let participle = verbs::is_participle(word);
        let continuous =
            word.class == Class::Plain && word.lower.ends_with("ing") && verbs::holding(&word.form).is_some();
        if participle || continuous {
            passive = participle && (copula || found.form == "is");
            found = word.clone();
            end += 1;
        }
        break;
    }
    let copula = found.class == Class::Small && found.form != "has" || found.form == ":";
    Verb { form: found.form, lower: found.lower, copula, passive, end }
}

/// Returns a clause with the subject of another.
fn with_subject(first: &Clause, clause: Clause) -> Clause {
    let subject: Vec<Word> = first.subject().to_vec();
    let shift = subject.len();
    let kept: Vec<Word> = clause.words.iter().skip(clause.subject_end).cloned().collect();
    let moved = shift as isize - clause.subject_end as isize;
    let verb = clause.verb.map(|verb| Verb { end: verb.end.saturating_add_signed(moved), ..verb });
    Clause {
        words: subject.into_iter().chain(kept).collect(),
        subject_end: shift,
        verb,
        definite: first.definite,
        ..clause
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn check(text: &str, expect: &[(&str, &str, bool)]) {
        let seen: Vec<(String, String, bool)> = clauses(&words(text))
            .iter()
            .map(|clause| {
                let subject =
                    clause.subject().iter().map(|word| word.form.as_str()).collect::<Vec<_>>().join(" ");
                (
                    subject,
                    clause.verb.as_ref().map(|verb| verb.form.clone()).unwrap_or_default(),
                    clause.negative,
                )
            })
            .collect();
        let seen: Vec<(&str, &str, bool)> = seen
            .iter()
            .map(|(subject, verb, negative)| (subject.as_str(), verb.as_str(), *negative))
            .collect();
        assert_eq!(seen, expect, "{text}");
    }

    #[test]
    fn subjects_and_verbs() {
        check("The user lives in Bern.", &[("user", "live", false)]);
        check("Tests run with Jest.", &[("test", "execut", false)]);
        check("Code is formatted with Black", &[("code", "format", false)]);
        check("Anna's manager is Peter", &[("anna 's manag", "is", false)]);
        check("We no longer use npm, use pnpm instead.", &[("we", "use", true), ("we", "use", false)]);
        check(
            "The user is no longer vegan and eats fish now.",
            &[("user", "is", true), ("user", "eat", false)],
        );
        check("Retries: 3", &[("retri", ":", false)]);
        check("On Mondays the museum is closed.", &[("museum", "is", false)]);
    }
}
