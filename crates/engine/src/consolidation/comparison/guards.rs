//! What keeps two statements apart, however alike they are: another person, the other direction, a condition, "also".
//!
//! Every guard errs to the side of keeping both.

use super::gist::{Gist, Item};
use crate::consolidation::reading::exclusive::is_place_of_running;
use crate::consolidation::reading::lists::{WordList, has};

/// Relatives and others by whom a statement is about someone else. English, German, French, Spanish; stems.
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

/// Prepositions of one direction and of the other.
const WAYS: &[(&str, &str)] = &[("to", "from"), ("into", "from")];

/// True when one of them is about a person whom the other does not name.
pub(super) fn other_person(was: &Gist, is: &Gist) -> bool {
    let strange = |one: &Gist, other: &Gist| {
        one.items().any(|item| PEOPLE.has(item.form()) && !item.denied && !other.has(item.form()))
    };
    strange(is, was) || strange(was, is)
}

/// True for a word that names a person by a relation.
pub(super) fn has_person(item: &Item) -> bool {
    PEOPLE.has(item.form())
}

/// True when the new one brings a person whom the old one does not name.
pub(super) fn new_person(was: &Gist, is: &Gist) -> bool {
    is.items().any(|item| PEOPLE.has(item.form()) && !was.has(item.form()))
}

/// True when the same goes the other way, "to Oslo" and "from Oslo", or back.
pub(in crate::consolidation) fn other_direction(was: &Gist, is: &Gist) -> bool {
    let turned = |was: &Item, is: &Item| {
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

/// True when the new one sets a condition or an exception that the old one has not.
pub(super) fn conditional(was: &Gist, is: &Gist) -> bool {
    CONDITIONS.iter().any(|word| is.says(word) && !was.says(word))
}

/// True when something is said for another purpose, place or occasion: behind a preposition that opens nothing there.
pub(super) fn other_purpose(was: &Gist, come: &[&Item]) -> bool {
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

/// True when one of them says where something runs, and the other does not say the same.
pub(super) fn runs_elsewhere(was: &Gist, is: &Gist) -> bool {
    let strange = |one: &Gist, other: &Gist| {
        one.items().any(|item| is_place_of_running(item.form()) && !other.has(item.form()))
    };
    strange(is, was) || strange(was, is)
}
