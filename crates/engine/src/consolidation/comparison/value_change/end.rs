//! "no longer X", "quit X", "X is gone": the end of something that the old statement asserts.

use super::super::gist::{ContentWord, Gist, StatementPart};
use super::super::guards::has_person;
use super::super::slot::is_timely;
use crate::consolidation::statement_parser::lists::has;
use crate::consolidation::statement_parser::turns::{End, end, is_turn};
use crate::consolidation::statement_parser::{Class, Word};

/// Returns true for a list: one of its things may end while the others stay.
pub(super) fn lists_several(was: &Gist) -> bool {
    let joins = |part: &StatementPart| {
        part.words.iter().any(|word| matches!(word.lower.as_str(), "or" | "both" | "either"))
    };
    was.parts.iter().any(joins) || was.parts.len() > 2
}

/// Returns true if a part states the end of the old statement's content.
pub(super) fn is_ended(was: &Gist, part: &StatementPart) -> bool {
    let Some((kind, at)) = end(&part.words) else { return false };
    let timely = timely_behind(&part.words);
    let ends = |(word, timely): (&Word, &bool)| kind != End::Denied && ends_object(word, *timely);
    let until = part
        .words
        .iter()
        .zip(&timely)
        .skip(at + 1)
        .position(ends)
        .map_or(part.words.len(), |place| at + 1 + place);
    let within = |item: &&ContentWord| part.place(&item.word).is_some_and(|place| place < until);
    let mut named: Vec<&ContentWord> =
        part.items.iter().filter(within).filter(|item| !is_turn(&item.word)).collect();
    // "They cancelled my appointment": it is gone, no matter who cancelled it.
    let behind = part.words.get(at + 1..).unwrap_or_default();
    let mine = behind.iter().any(|word| matches!(word.lower.as_str(), "i" | "our" | "us" | "me"));
    if kind == End::Object && mine && named.iter().any(|item| !item.subject) {
        named.retain(|item| !item.subject || has_person(item));
    }
    let names = |item: &ContentWord| named.iter().any(|named| named.form() == item.form());
    if kind == End::Denied && named.len() == 1 && named.iter().any(|item| is_aside(was, item)) {
        return false;
    }
    let object = named.iter().any(|item| kind != End::Object || !item.subject);
    let specific = named.iter().any(|item| !is_timely(&item.word)) || was.items().all(names);
    // If one of several names ends, the others stay.
    let others =
        was.items().filter(|item| !names(item) && item.word.class == Class::Name && !item.subject).count();
    let alone = kind == End::Subject && others > 0 && named.len() < 2 && was.items().count() > 3;
    object && specific && !alone && named.iter().all(|item| was.asserts(item.form()))
}

/// Returns true if the old statement has that word only as a circumstance, or as a modifier of
/// another thing.
fn is_aside(was: &Gist, named: &ContentWord) -> bool {
    was.parts.iter().any(|part| {
        part.items.iter().enumerate().any(|(at, item)| {
            if item.form() != named.form() {
                return false;
            }
            let other = part.items.get(at + 1);
            let modifies = other.is_some_and(|next| {
                let place = |item: &ContentWord| part.place(&item.word);
                next.behind.is_empty()
                    && next.word.class == Class::Plain
                    && place(item).zip(place(next)).is_some_and(|(item, next)| item + 1 == next)
            });
            let circumstance = !item.behind.is_empty() && named.behind.is_empty() && part.items.len() > 1;
            modifies && !item.subject || circumstance
        })
    })
}

/// Returns true for each word if the next content word after it is a time.
fn timely_behind(words: &[Word]) -> Vec<bool> {
    let mut behind = Vec::with_capacity(words.len());
    let mut timely = false;
    for word in words.iter().rev() {
        behind.push(timely);
        if word.is_content() {
            timely = is_timely(word);
        }
    }
    behind.reverse();
    behind
}

/// Returns true for a word that begins a phrase after the object: of time, reason, recipient or
/// purpose. `timely`: the next content word is a time.
fn ends_object(first: &Word, timely: bool) -> bool {
    let small = first.class == Class::Small;
    (small && has("in on at", &first.form) && timely)
        || (small && has("since after because for during before to by with instead-of", &first.form))
        || first.form == "in-favor-of"
        || has("yesterday today last this recently", &first.lower)
}
