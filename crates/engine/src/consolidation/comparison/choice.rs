//! Choices: “uses X for P”, and a move to another thing that does not name its origin.
//!
//! For example, “The team uses Jest for testing”, then “the team migrated to Vitest”. The move
//! certainly ends the choice if it names the purpose in its words or within the name of the chosen
//! thing. Without a common purpose no rule can decide: if the two are similar, both stay and a
//! conflict is recorded. Pure.

use super::slot::is_timely;
use crate::consolidation::Alike;
use crate::consolidation::relate::Reason;
use crate::consolidation::statement_parser::lists::is_preposition;
use crate::consolidation::statement_parser::verbs::{VerbObjectCount, holding};
use crate::consolidation::statement_parser::{Class, Clause, ParsedStatement, Word};
use crate::consolidation::thresholds::Thresholds;

/// Verbs of a move from one thing to another, as spelled in the text.
const MOVES: &[&str] =
    &["migrated", "moved", "switched", "transitioned", "converted", "changed", "went", "shifted"];
/// Prepositions of a purpose.
const PURPOSES: &[&str] = &["for", "as"];
/// Minimum characters of a purpose's stem, below which a name may contain it by chance.
const STEM_CHARS_MIN: usize = 4;

/// A choice of one thing among several for a purpose.
struct Choice<'a> {
    subject: Vec<&'a str>,
    verb: &'a str,
    object: Vec<&'a str>,
    purpose: Vec<&'a str>,
}

/// A move to another thing from an unnamed origin.
struct ThingMove<'a> {
    subject: Vec<&'a str>,
    to: Vec<&'a Word>,
    /// The other words of the move, without times.
    rest: Vec<&'a str>,
}

/// Returns true if the new statement contains a move that certainly ends the choice of the old one.
pub(in crate::consolidation) fn replaces(
    old: &ParsedStatement,
    new: &ParsedStatement,
    (alike, limits): (Alike, &Thresholds),
) -> bool {
    let Some((choice, moved)) = choice(old).zip(moved(new)) else { return false };
    let near = alike.cosine.is_none_or(|cosine| cosine >= limits.turned);
    near && may_end(&choice, &moved) && names_purpose(&choice, &moved)
}

/// Returns the reason for which the new statement may contradict the choice of the old one, if no
/// rule is certain.
pub(in crate::consolidation) fn doubt(
    old: &ParsedStatement,
    new: &ParsedStatement,
    (alike, limits): (Alike, &Thresholds),
) -> Option<Reason> {
    let choice_of_old = choice(old)?;
    let is_near =
        |from: f32| alike.cosine.map_or(alike.jaccard >= limits.unclear_jaccard, |cosine| cosine >= from);
    if let Some(moved) = moved(new) {
        let from = if choice_of_old.purpose.is_empty() { limits.doubted_bare } else { limits.doubted };
        return (may_end(&choice_of_old, &moved) && is_near(from)).then_some(Reason::MaybeChange);
    }
    let other = choice(new)?;
    let is_one_sided = choice_of_old.purpose.is_empty() != other.purpose.is_empty();
    let is_other = !other.object.iter().any(|form| choice_of_old.object.contains(form));
    let fits = is_one_sided && is_other && choice_of_old.verb == other.verb;
    (fits && choice_of_old.subject == other.subject && is_near(limits.doubted)).then_some(Reason::MaybeValue)
}

/// Returns true if the subject is the same, the thing differs, and the move names nothing else that
/// the choice does not name.
fn may_end(choice: &Choice<'_>, moved: &ThingMove<'_>) -> bool {
    let is_known = |form: &&str| choice.purpose.contains(form) || choice.object.contains(form);
    choice.subject == moved.subject
        && !moved.to.iter().any(|word| choice.object.contains(&word.form.as_str()))
        && moved.rest.iter().all(is_known)
}

/// Returns true if the move names the purpose: in its words, or within the name of the chosen
/// thing, as “Vitest” names tests.
fn names_purpose(choice: &Choice<'_>, moved: &ThingMove<'_>) -> bool {
    let says = |form: &&str| moved.rest.contains(form);
    let is_in_name = |form: &&str| {
        let is_within = |word: &&Word| word.form != **form && word.lower.contains(*form);
        form.chars().count() >= STEM_CHARS_MIN && moved.to.iter().any(is_within)
    };
    !choice.purpose.is_empty() && (choice.purpose.iter().all(says) || choice.purpose.iter().any(is_in_name))
}

/// Returns the choice in a statement: one clause with one object and at most one purpose.
fn choice(reading: &ParsedStatement) -> Option<Choice<'_>> {
    let clause = only_clause(reading)?;
    let verb = clause.verb.as_ref()?;
    if clause.negative
        || clause.past
        || clause.leave
        || holding(&verb.form) != Some(VerbObjectCount::OnePerPurpose)
    {
        return None;
    }
    let behind = clause.words.get(verb.end..)?;
    let opens = |word: &Word| word.class == Class::Small && is_preposition(&word.form);
    let end = behind.iter().position(opens).unwrap_or(behind.len());
    let (object, phrase) = behind.split_at_checked(end)?;
    let purpose = match phrase.split_first() {
        None => &[][..],
        Some((first, purpose)) if PURPOSES.contains(&first.form.as_str()) => purpose,
        Some(_) => return None,
    };
    let object = content(object);
    (!object.is_empty() && !purpose.iter().any(opens)).then(|| Choice {
        subject: subject(clause.subject()),
        verb: &verb.form,
        object,
        purpose: content(purpose),
    })
}

/// Returns the move in a statement: “SUBJECT migrated to X”, without an origin.
fn moved(reading: &ParsedStatement) -> Option<ThingMove<'_>> {
    let words = only_clause(reading)?.words.as_slice();
    let verb = words.iter().position(|word| MOVES.contains(&word.lower.as_str()))?;
    let to = words.get(verb + 1).filter(|word| matches!(word.lower.as_str(), "to" | "onto"))?;
    let behind = words.get(verb + 2..)?;
    if to.class != Class::Small || behind.iter().any(|word| word.lower == "from") {
        return None;
    }
    let opens = |word: &Word| word.class == Class::Small && is_preposition(&word.form);
    let end = behind.iter().position(|word| opens(word) || is_timely(word)).unwrap_or(behind.len());
    let (to, rest) = behind.split_at_checked(end)?;
    let to: Vec<&Word> = to.iter().filter(|word| word.is_content()).collect();
    (!to.is_empty()).then(|| ThingMove {
        subject: subject(words.get(..verb).unwrap_or_default()),
        to,
        rest: rest.iter().filter(|word| word.is_content() && !is_timely(word)).map(form).collect(),
    })
}

/// Returns the single clause of a statement that lists nothing.
fn only_clause(reading: &ParsedStatement) -> Option<&Clause> {
    let [clause] = reading.clauses.as_slice() else { return None };
    let lists = |word: &Word| matches!(word.lower.as_str(), "and" | "or" | "both" | "either");
    (!clause.negative && !clause.words.iter().any(lists)).then_some(clause)
}

/// Returns the sorted forms of a subject without auxiliaries; “we” and an imperative have the same
/// forms.
fn subject(words: &[Word]) -> Vec<&str> {
    let is_said =
        |word: &&Word| !matches!(word.form.as_str(), "we" | "has" | "have" | "is" | "already" | "now");
    let mut forms: Vec<&str> = words.iter().filter(is_said).map(form).collect();
    forms.sort_unstable();
    forms
}

fn content(words: &[Word]) -> Vec<&str> {
    words.iter().filter(|word| word.is_content()).map(form).collect()
}

fn form(word: &Word) -> &str {
    &word.form
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(cosine: Option<f32>) -> Alike {
        Alike { jaccard: 0.17, cosine }
    }

    #[test]
    fn moves_that_are_certain() {
        let check = |old: &str, new: &str, expect: bool| {
            let found = replaces(
                &ParsedStatement::of(old),
                &ParsedStatement::of(new),
                (alike(Some(0.42)), &Thresholds::default()),
            );
            assert_eq!(found, expect, "{old} | {new}");
        };
        check("the team uses Jest for testing", "the team migrated to Vitest", true);
        check("The team uses Jest for testing.", "The team has migrated to Vitest.", true);
        check("We use Jest for testing", "We migrated to Vitest", true);
        check("The team uses Jest for testing.", "The team switched to Mocha for testing.", true);
        check("The team uses Karma as its test runner.", "The team moved to Vitest.", true);
        // The purpose differs, or is missing.
        check("The team uses Slack for chat", "The team migrated to Vitest", false);
        check("The team uses Jest for testing.", "The team migrated to Mocha.", false);
        check("The team uses Jest for testing.", "The team migrated to Vitest for the frontend.", false);
        // Another subject moved, or the statement contains several choices.
        check("The team uses Jest for testing", "The platform group migrated to Vitest", false);
        check("He uses Jest for testing", "She migrated to Vitest", false);
        check("The team uses Jest for testing and Slack for chat", "The team migrated to Vitest", false);
        check("The team uses Jest for testing", "The team migrated to Vitest and Slack", false);
        check("The team does not use Jest for testing", "The team migrated to Vitest", false);
        check("The team uses Jest for testing", "The team has not migrated to Vitest", false);
        check("The team uses Vitest for testing", "The team migrated to Vitest", false);
    }

    #[test]
    fn what_is_in_doubt() {
        let check = |old: &str, new: &str, cosine: Option<f32>, expect: Option<Reason>| {
            let found = doubt(
                &ParsedStatement::of(old),
                &ParsedStatement::of(new),
                (alike(cosine), &Thresholds::default()),
            );
            assert_eq!(found, expect, "{old} | {new}");
        };
        let (changed, valued) = (Some(Reason::MaybeChange), Some(Reason::MaybeValue));
        check("The team uses Jest for testing.", "The team migrated to Mocha.", Some(0.42), changed);
        check("The API uses REST", "The API migrated to GraphQL", Some(0.3), changed);
        check("Use Redux for state management", "Use React Context", Some(0.42), valued);
        check("Use React Context", "Use Redux for state management", Some(0.42), valued);
        // The statements are not similar.
        check("The team uses Slack for chat", "The team migrated to Vitest", Some(0.24), None);
        check("The team uses Jest for testing.", "The team migrated to Mocha.", None, None);
        check("Use Redux for state management", "Use Prettier", Some(0.08), None);
        // Neither statement names a purpose: several things may be in use.
        check("Use Redux", "Use Prettier", Some(0.6), None);
        check("Use Redux for state management", "Use Redux", Some(0.9), None);
        check("Use Redux for state management", "Prefer React Context", Some(0.42), None);
    }
}
