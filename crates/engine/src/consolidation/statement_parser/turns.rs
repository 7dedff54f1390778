//! Words for an end or a change. English, with common ones of German, French and Spanish.
//!
//! Lists only: `value_change` determines their effect on an old statement.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::lists::{WordList, has};
use super::words::{Class, Word};

/// Verbs that end their object, or in the passive their subject. As spelled, in lower case.
static ENDS: WordList = WordList::new(
    "\
    quit stopped stop stops gave given dropped drop drops cancelled canceled cancel removed remove deleted left sold \
    ended expired abandoned scrapped discontinued retired decommissioned dissolved terminated resigned \
    unsubscribed dismissed disbanded ditched dumped uninstalled revoked withdrew withdrawn lost swapped replaced discharged traded exchanged closed shut finished \
    gekündigt aufgehört abgeschafft arrêté quitté supprimé dejé dejó eliminado cancelado",
);

/// Those of the verbs that end their subject without a form of "be".
static ENDS_ITSELF: WordList = WordList::new("ended expired retired resigned dissolved closed");

/// Words after "is" that mark a thing as ended. As spelled, in lower case.
static GONE: WordList = WordList::new("gone over out history obsolete dead weg vorbei");

/// Phrases with which a person ends something.
const ENDING: &[&str] = &[
    "given up",
    "gave up",
    "give up",
    "got rid of",
    "get rid of",
    "stepped down",
    "switched off",
    "turned off",
    "phased out",
    "broke up",
    "split up",
    "shut down",
    "closed down",
    "taken down",
    "handed over",
    "signed off",
    "opted out",
    "done with",
    "through with",
    "thrown out",
    "moved out",
];

/// First words of `ENDING`.
static ENDING_FIRST: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| ENDING.iter().filter_map(|phrase| phrase.split(' ').next()).collect());

/// Verbs of change: something gets another value. As spelled, in lower case.
static CHANGES: WordList = WordList::new(
    "\
    moved move moves switched switch changed change changes migrated migrate relocated upgraded upgrade downgraded \
    converted transitioned renamed rename raised raise raises increased increase lowered lower reduced reduce \
    decreased cut delayed extended extend shortened postponed rescheduled reschedule rebooked pushed shifted bumped doubled \
    halved promoted transferred reassigned assigned swapped replaced replace set updated update went turned became rewritten rewrote ported rebuilt reimplemented \
    grew grown risen rose fell dropped brought adjusted \
    umgezogen gewechselt geändert verschoben erhöht gesenkt umgestellt \
    déménagé changé passé déplacé augmenté mudé mudó cambié cambió cambiado pasado subido",
);

/// Words that open the new value after a verb of change. English, German, French, Spanish.
static TOWARDS: WordList =
    WordList::new("to into onto until by with auf nach zu zum zur à au en vers a al hasta");

/// The kind of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum End {
    /// "no longer X", "not X any more".
    Denied,
    /// "dropped X", "quit X".
    Object,
    /// "X is gone", "X was cancelled".
    Subject,
}

/// Returns the kind of an end and the position of its verb, if the words of a clause state one.
pub(in super::super) fn end(words: &[Word]) -> Option<(End, usize)> {
    let is = |word: &Word| matches!(word.form.as_str(), "is" | "got" | "has") || word.lower == "got";
    let more = |word: &Word| matches!(word.lower.as_str(), "anymore" | "mehr" | "plus" | "más");
    let denied = words.iter().position(|word| {
        word.class == Class::Negation
            || matches!(
                word.lower.as_str(),
                "nicht" | "kein" | "keine" | "keinen" | "ne" | "n'" | "ya" | "without"
            )
    });
    if let Some(at) = denied
        && (words.iter().any(more)
            || (words.get(at).is_some_and(|word| word.lower == "ya")
                && words.get(at + 1).is_some_and(|word| word.lower == "no")))
    {
        return Some((End::Denied, at));
    }
    let phrase = |at: usize| {
        ENDING.iter().any(|phrase| {
            phrase
                .split(' ')
                .enumerate()
                .all(|(step, part)| words.get(at + step).is_some_and(|word| word.lower == part))
        })
    };
    let at = (0..words.len()).find(|at| {
        let word = words.get(*at);
        let verb = word.is_some_and(|word| {
            !matches!(word.class, Class::Code | Class::Name) && ENDS.has(&word.lower) && !word.is_noun
        });
        let gone = word.is_some_and(|word| GONE.has(&word.lower))
            && *at > 0
            && words.get(at - 1).is_some_and(|before| before.form == "is" || before.class == Class::Soft);
        verb || gone || phrase(*at)
    })?;
    let lower = words.get(at).map(|word| word.lower.as_str()).unwrap_or_default();
    let before = words.get(..at).unwrap_or_default();
    let passive = before.iter().rev().take(3).any(is) && before.iter().any(|word| word.form == "is");
    let own =
        ENDS_ITSELF.has(lower) && words.get(at + 1).is_none_or(|next| !next.is_content() && next.form != "a");
    // "has left X", "has been cancelled".
    if GONE.has(lower) || passive || own { Some((End::Subject, at)) } else { Some((End::Object, at)) }
}

/// Returns the position of a verb of change in the words of a clause, and the position of its new
/// value.
pub(in super::super) fn change(words: &[Word]) -> Option<(usize, Option<usize>)> {
    let at = words.iter().position(|word| {
        !matches!(word.class, Class::Code | Class::Name) && !word.is_noun && CHANGES.has(&word.lower)
    })?;
    let made = words.get(at).is_some_and(|word| has("rewritten rewrote rebuilt reimplemented", &word.lower));
    let towards = words
        .iter()
        .enumerate()
        .skip(at + 1)
        .find(|(_, word)| TOWARDS.has(&word.lower) || (made && word.lower == "in"));
    Some((at, towards.map(|(at, _)| at)))
}

/// Returns true for a word that states an end or a change.
pub(in super::super) fn is_turn(word: &Word) -> bool {
    !matches!(word.class, Class::Code | Class::Name)
        && (ENDS.has(&word.lower)
            || GONE.has(&word.lower)
            || CHANGES.has(&word.lower)
            || ENDING_FIRST.contains(word.lower.as_str()))
}
