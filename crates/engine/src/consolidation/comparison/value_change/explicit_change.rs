//! "X changed to V", "we raised X to V", "switched to V": a change on the old statement's topic, to
//! another value of the same sort.

use super::super::gist::{ContentWord, Gist, Sort, StatementPart, sort};
use super::super::guards::other_purpose;
use super::super::slot::{is_attribute, is_timely};
use crate::consolidation::statement_parser::exclusive_values::excludes;
use crate::consolidation::statement_parser::turns::{change, is_turn};

/// A change: its topic and its new value.
struct ExplicitChange<'a> {
    topic: Vec<&'a ContentWord>,
    value: Vec<&'a ContentWord>,
}

/// Returns true if the part at `at` states a change of the old statement's value. `strange`: the
/// new statement names a person whom the old one does not name.
pub(super) fn is_changed(was: &Gist, is: &Gist, at: usize, strange: bool) -> bool {
    let Some(ExplicitChange { topic, value }) = told(was, is, at) else { return false };
    if !value.iter().any(|item| !was.has(item.form())) || other_purpose(was, &value) {
        return false;
    }
    if strange || is_made_otherwise(was, is, at) || leads_from_elsewhere(was, is, at) {
        return false;
    }
    let left: Vec<&ContentWord> =
        was.items().filter(|item| !topic.iter().any(|topic| topic.form() == item.form())).collect();
    let counted = value.iter().any(|item| sort(&item.word) != Sort::Word && sort(&item.word) != Sort::Code);
    let first: Vec<&ContentWord> = first_phrase(&value);
    let sorts: Vec<Sort> = left.iter().map(|left| sort(&left.word)).collect();
    let comparable = value.iter().any(|value| {
        let own = sort(&value.word);
        left.iter().zip(&sorts).any(|(left, other)| {
            let same = left.form() == value.form() && !counted;
            same || (*other == own && (!counted || own != Sort::Word))
        })
    });
    let opposed = first.iter().any(|value| left.iter().any(|left| excludes(left.form(), value.form())));
    let shares_head = first
        .iter()
        .any(|value| sort(&value.word) == Sort::Word && left.iter().any(|left| left.form() == value.form()));
    if topic.is_empty() {
        return opposed || shares_head;
    }
    let unknown = topic.iter().filter(|item| !was.asserts(item.form())).count();
    let attribute = topic.last().is_some_and(|last| !was.asserts(last.form()) && is_attribute(last.form()));
    let subject = topic.iter().any(|item| {
        !is_timely(&item.word) && was.items().any(|old| old.subject && old.form() == item.form())
    });
    let covered = unknown == 0 || (unknown == 1 && attribute && subject);
    let subject_alone = topic.len() == 1 && !topic.iter().any(|item| is_attribute(item.form()));
    let words_only = value.iter().all(|value| sort(&value.word) == Sort::Word);
    covered && comparable && (!words_only || !subject_alone || opposed || shares_head || is_located(was))
}

/// Returns true for "rewritten in", if the old statement does not state how the thing is made.
fn is_made_otherwise(was: &Gist, is: &Gist, at: usize) -> bool {
    const MAKING: &[&str] = &["rewritten", "rewrote", "ported", "converted", "rebuilt", "reimplemented"];
    let made = |part: &StatementPart| MAKING.iter().any(|verb| part.says(verb));
    let making = |part: &StatementPart| {
        let verb = part.clause.verb.as_ref();
        verb.is_some_and(|verb| {
            matches!(verb.form.as_str(), "write" | "build" | "make" | "implement" | "format")
        })
    };
    is.parts.get(at).is_some_and(made) && !was.parts.iter().any(making)
}

/// Returns true for "from A", if the old statement does not assert A.
fn leads_from_elsewhere(was: &Gist, is: &Gist, at: usize) -> bool {
    is.parts
        .get(at)
        .is_some_and(|part| part.items.iter().any(|item| item.behind == "from" && !was.asserts(item.form())))
}

/// Returns the items up to the next preposition.
fn first_phrase<'a>(value: &[&'a ContentWord]) -> Vec<&'a ContentWord> {
    let behind = |(at, item): &(usize, &&ContentWord)| *at > 0 && !item.behind.is_empty();
    let end = value.iter().enumerate().find(behind).map_or(value.len(), |(at, _)| at);
    value.iter().take(end).copied().collect()
}

fn told<'a>(was: &Gist, is: &'a Gist, at: usize) -> Option<ExplicitChange<'a>> {
    let part = is.parts.get(at)?;
    let (verb, towards) = change(&part.words)?;
    let place = |item: &ContentWord| part.place(&item.word).unwrap_or(usize::MAX);
    let limit = towards.unwrap_or(usize::MAX);
    let inside = |item: &&ContentWord| place(item) > verb && place(item) < limit && !is_turn(&item.word);
    let between: Vec<&ContentWord> = part.items.iter().filter(inside).collect();
    let objects = between.iter().any(|item| item.behind.is_empty());
    // The name changed, not the thing.
    let name = (verb..limit.min(part.words.len()))
        .any(|at| part.words.get(at).is_some_and(|word| matches!(word.lower.as_str(), "name" | "title")));
    if name && !["name", "named", "called", "title"].iter().any(|word| was.says(word)) {
        return None;
    }
    let value = match towards {
        Some(towards) => {
            let behind = |item: &&ContentWord| place(item) > towards && item.behind != "from";
            part.items.iter().filter(behind).collect()
        }
        None if part.says("turned") => {
            between.iter().copied().filter(|item| sort(&item.word) == Sort::Number).collect()
        }
        // "She changed her number, it is V now."
        None => {
            is.parts.get(at + 1).filter(|part| tells_what_is(part)).map(|part| part.items.iter().collect())?
        }
    };
    let before = part.items.iter().filter(|item| place(item) < verb).collect();
    let topic = if objects && !part.says("turned") { between } else { before };
    Some(ExplicitChange { topic, value })
}

fn tells_what_is(part: &StatementPart) -> bool {
    part.clause.verb.as_ref().is_some_and(|verb| verb.copula)
}

/// Returns true if the old statement names a place, a way of making or a name.
fn is_located(was: &Gist) -> bool {
    const PLACING: &[&str] = &["live", "store", "host", "keep", "execut", "manag", "build", "name", "write"];
    was.parts.iter().any(|part| {
        part.clause.verb.as_ref().is_some_and(|verb| verb.copula || PLACING.contains(&verb.form.as_str()))
    })
}
