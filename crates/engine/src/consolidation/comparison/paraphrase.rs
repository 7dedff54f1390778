//! Paraphrases: the content of the new statement is that of the old one, or a part of it that
//! stands alone.
//!
//! The comparison uses content words, independent of their order and sentence.

use super::gist::{ContentWord, Gist};
use super::guards::other_direction;
use crate::consolidation::Alike;
use crate::consolidation::statement_parser::lists::{WordList, has};
use crate::consolidation::statement_parser::{Class, ParsedStatement};
use crate::consolidation::thresholds::Thresholds;

/// Prepositions of phrases that a paraphrase may omit. English.
static LEAVES_OUT: WordList = WordList::new("as at in since from by with named per");

/// Nouns that only name the sort of a value. English, stems.
static FILLERS: WordList = WordList::new("year number date amount total measur valu unit");

/// Words that narrow or widen a statement.
static RESTRICTS: WordList = WordList::new(
    "\
    only except most at-most at-least at-latest at-earliest almost nearly half rarely seldom \
    often sometimes occasionally main other former previous next first last",
);

/// Returns true if the new statement adds nothing to the old one.
pub(in crate::consolidation) fn retells(
    old: &ParsedStatement,
    new: &ParsedStatement,
    (was, is): (&Gist, &Gist),
    (alike, limits): (Alike, &Thresholds),
) -> bool {
    if was.items().next().is_none() || is.items().next().is_none() || !comparable(old, new, was, is) {
        return false;
    }
    let inside = |item: &ContentWord, other: &Gist| {
        let alike = |other: &ContentWord| other.form() == item.form() || of_one_root(other, item);
        other.items().any(|other| alike(other) && other.denied == item.denied)
    };
    let filler = |item: &ContentWord| FILLERS.has(item.form()) && item.word.class == Class::Plain;
    if !is.items().all(|item| inside(item, was) || filler(item))
        || is.items().all(filler)
        || !joined_alike(was, is)
    {
        return false;
    }
    let left: Vec<&ContentWord> = was.items().filter(|item| !inside(item, is)).collect();
    let verbs = |reading: &ParsedStatement| -> Vec<String> {
        reading
            .clauses
            .iter()
            .filter_map(|clause| clause.verb.as_ref())
            .map(|verb| verb.form.clone())
            .collect()
    };
    let one = is.items().count() == 1 && verbs(old) != verbs(new);
    let floor = if one { limits.retold_word } else { limits.retold };
    let near = alike.cosine.map_or(alike.jaccard >= limits.retold_jaccard, |cosine| cosine >= floor);
    let changes = old.change.is_some() || new.change.is_some();
    near && (left.is_empty() || (!changes && is.items().count() > 1 && may_leave_out(was, &left)))
}

/// Returns true for words of one root that differ in a noun ending: "teach", "teacher".
fn of_one_root(one: &ContentWord, other: &ContentWord) -> bool {
    static ENDINGS: WordList =
        WordList::new("er or r ship hood ity ibl abl ment ion ation al ing ist anc enc eri");
    if one.word.class != Class::Plain || other.word.class != Class::Plain {
        return false;
    }
    let (short, long) = if one.form().len() < other.form().len() {
        (one.form(), other.form())
    } else {
        (other.form(), one.form())
    };
    let root = short.trim_end_matches(['e', 'i', 'y']);
    let ending = long.strip_prefix(root).map(|rest| rest.trim_start_matches(['e', 'i', 'y']));
    root.len() > 3 && ending.is_some_and(|ending| ENDINGS.has(ending))
}

/// Returns true if the two differ in content words only, not in another respect that separates
/// them.
fn comparable(old: &ParsedStatement, new: &ParsedStatement, was: &Gist, is: &Gist) -> bool {
    let leaves = |reading: &ParsedStatement| reading.clauses.iter().any(|clause| clause.leave);
    let small = |gist: &Gist, list: &WordList| {
        let mut found: Vec<String> = gist
            .parts
            .iter()
            .flat_map(|part| &part.words)
            .filter(|word| list.has(&word.lower) || list.has(&word.form))
            .map(|word| word.form.clone())
            .collect();
        found.sort();
        found.dedup();
        found
    };
    static TURNING: WordList =
        WordList::new("before after above below under until till unless inside outside except only if when");
    static OWNERS: WordList = WordList::new("his her their he she they");
    let wants = was.attitude == is.attitude || was.bare || is.bare;
    let told = |gist: &Gist| gist.parts.iter().any(|part| part.clause.past);
    leaves(old) == leaves(new)
        && wants
        && told(was) == told(is)
        && !new.cues.also
        && small(was, &TURNING) == small(is, &TURNING)
        && small(is, &OWNERS).iter().all(|form| small(was, &OWNERS).contains(form))
        && small(was, &RESTRICTS) == small(is, &RESTRICTS)
        && was.denies_a_verb() == is.denies_a_verb()
        && !other_direction(was, is)
        && !(was.acts_otherwise(is) && same_order(was, is))
}

/// Returns true if the content words have the same order: then their verbs make the difference.
fn same_order(was: &Gist, is: &Gist) -> bool {
    was.items().zip(is.items()).all(|(was, is)| was.form() == is.form())
}

/// Returns true if words that share a part in one statement also share a part in the other.
fn joined_alike(was: &Gist, is: &Gist) -> bool {
    let full = |gist: &Gist| gist.parts.iter().filter(|part| part.items.len() > 1).count();
    if full(was) < 2 || full(is) < 2 {
        return true;
    }
    is.parts.iter().all(|part| {
        was.parts.iter().any(|other| {
            part.items.iter().all(|item| other.items.iter().any(|other| other.form() == item.form()))
        })
    })
}

/// Returns true if the omitted words are whole parts or phrases that the new statement need not
/// repeat.
fn may_leave_out(was: &Gist, left: &[&ContentWord]) -> bool {
    // For each part, a flag per item that is true if the item is omitted.
    let left_out: Vec<Vec<bool>> =
        was.parts.iter().map(|part| part.items.iter().map(|item| left.contains(&item)).collect()).collect();
    let whole_part = |item: &ContentWord| {
        let parts = was.parts.iter().zip(&left_out).skip(1);
        parts.filter(|(_, left)| left.iter().all(|left| *left)).any(|(part, _)| part.items.contains(item))
    };
    let phrase = |item: &ContentWord| {
        was.parts.iter().zip(&left_out).any(|(part, left)| {
            let Some(at) = part.items.iter().position(|other| other == item) else { return false };
            let head = part.items.iter().take(at + 1).rposition(|item| !item.behind.is_empty());
            head.is_some_and(|head| {
                let end = part
                    .items
                    .iter()
                    .enumerate()
                    .skip(head + 1)
                    .find(|(_, item)| !item.behind.is_empty())
                    .map_or(part.items.len(), |(at, _)| at);
                let whole = part.items.get(head..end).unwrap_or_default();
                let named = whole.iter().any(|item| item.word.class == Class::Name)
                    || whole.first().is_some_and(|first| has("as since named per", &first.behind));
                named
                    && left.get(head..end).is_some_and(|left| left.iter().all(|left| *left))
                    && !whole.iter().any(|item| super::slot::is_timely(&item.word))
                    && whole.first().is_some_and(|first| LEAVES_OUT.has(&first.behind))
                    && !part.clause.negative
            })
        })
    };
    let hospital = |item: &ContentWord| item.word.class == Class::Plain && GENERIC.contains(&item.form());
    left.iter().all(|item| whole_part(item) || phrase(item) || hospital(item))
}

/// Nouns that only name the category of a name. English, stems.
const GENERIC: &[&str] =
    &["hospit", "compani", "citi", "town", "street", "restaur", "hotel", "function", "modul"];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str, expect: bool) {
        let alike = Alike { jaccard: 0.5, cosine: Some(0.9) };
        let (known, told) = (ParsedStatement::of(old), ParsedStatement::of(new));
        let gists = (&Gist::of(&known), &Gist::of(&told));
        let found = retells(&known, &told, gists, (alike, &Thresholds::default()));
        assert_eq!(found, expect, "{old} | {new}");
    }

    #[test]
    fn other_sentences() {
        check("I don't eat fish.", "Please remember that I don't eat fish.", true);
        check(
            "I was born in Porto and grew up in Braga.",
            "I grew up in Braga, but I was born in Porto.",
            true,
        );
        check(
            "I was born in Porto and grew up in Braga.",
            "I was born in Braga and grew up in Porto.",
            false,
        );
        check("My manager is called Priya Raman.", "Priya Raman is my manager.", true);
        check("The museum is closed on Mondays.", "The museum is closed.", false);
        check("I live in Kassel.", "I work in Kassel.", false);
        check("Our TV works.", "Our TV no longer works.", false);
        check("I take the ferry to Oslo.", "I take the ferry from Oslo.", false);
    }
}
