//! Guards that keep two statements separate, however similar they are: another person, the opposite
//! direction, a condition, "also".
//!
//! In doubt, every guard keeps both statements.

use super::gist::{ContentWord, Gist};
use crate::consolidation::statement_parser::exclusive_values::is_place_of_running;
use crate::consolidation::statement_parser::lists::{WordList, has};

/// Relatives and other people who make a statement one about someone else. English, German, French,
/// Spanish; stems.
static PEOPLE: WordList = WordList::new(
    "\
    wife husband spous partner girlfriend boyfriend fianc fiance son daughter child kid babi parent mother dad father mom mum \
    brother sister sibl twin cousin uncl aunt niec nephew grandmoth grandfath grandma grandpa friend \
    neighbor neighbour roommat flatmat colleagu cowork assist \
    intern frau mann sohn tochter mutter vater bruder schwester freund freundin eltern femme mari fils fille \
    mère père frère soeur ami amie esposa esposo hijo hija madre padre hermano hermana amigo amiga",
);

/// Words that open a condition or an exception. English, German, French, Spanish.
static CONDITIONS: WordList =
    WordList::new("if unless when whenever in-case except during while wenn falls si cuando solo nur");

/// Pairs of prepositions for opposite directions.
const WAYS: &[(&str, &str)] = &[("to", "from"), ("into", "from")];

/// Returns true if one of the statements concerns a person whom the other does not name.
pub(super) fn other_person(was: &Gist, is: &Gist) -> bool {
    let strange = |one: &Gist, other: &Gist| {
        one.items().any(|item| PEOPLE.has(item.form()) && !item.denied && !other.has(item.form()))
    };
    strange(is, was) || strange(was, is)
}

/// Returns true for a word that names a person by a relation.
pub(super) fn has_person(item: &ContentWord) -> bool {
    PEOPLE.has(item.form())
}

/// Returns true if the new statement names a person whom the old one does not name.
pub(super) fn new_person(was: &Gist, is: &Gist) -> bool {
    is.items().any(|item| PEOPLE.has(item.form()) && !was.has(item.form()))
}

/// Returns true if the same word has the opposite direction: "to Oslo" and "from Oslo", in either
/// order.
pub(in crate::consolidation) fn other_direction(was: &Gist, is: &Gist) -> bool {
    let turned = |was: &ContentWord, is: &ContentWord| {
        was.form() == is.form()
            && WAYS.iter().any(|(there, back)| {
                (was.behind == *there && is.behind == *back) || (was.behind == *back && is.behind == *there)
            })
    };
    let back = |gist: &Gist| {
        gist.parts.iter().any(|part| {
            let goes = part.words.windows(2).any(|pair| {
                matches!(pair, [back, next] if back.lower == "back" && matches!(next.form.as_str(), "from" | "to" | "home"))
            });
            goes && !["moved", "switched", "pushed", "went"].iter().any(|word| part.says(word))
        })
    };
    was.items().any(|was| is.items().any(|is| turned(was, is))) || back(was) != back(is)
}

/// Returns true if the new statement has a condition or an exception that the old one lacks.
pub(super) fn conditional(was: &Gist, is: &Gist) -> bool {
    CONDITIONS.iter().any(|word| is.says(word) && !was.says(word))
}

/// Returns true if the new statement has another purpose, place or occasion: a word after such a
/// preposition.
pub(super) fn other_purpose(was: &Gist, come: &[&ContentWord]) -> bool {
    static PURPOSES: WordList = WordList::new("for in at on during of from about");
    come.iter().skip(usize::from(come.len() > 1)).chain(come.first()).any(|item| {
        PURPOSES.has(&item.behind)
            && super::gist::sort(&item.word) == super::gist::Sort::Word
            && !was.has(item.form())
            && !(come.len() == 1
                && was.items().any(|old| {
                    (old.behind == item.behind && !come.iter().any(|new| new.form() == old.form()))
                        || (has("for in at on", &old.behind) && has("in at on", &item.behind))
                }))
    })
}

/// Returns true if one statement names the place where something runs, and the other does not name
/// the same.
pub(super) fn runs_elsewhere(was: &Gist, is: &Gist) -> bool {
    let strange = |one: &Gist, other: &Gist| {
        one.items().any(|item| is_place_of_running(item.form()) && !other.has(item.form()))
    };
    strange(is, was) || strange(was, is)
}
