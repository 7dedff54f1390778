//! Verbs, by the number of objects they have: one at a time ("lives in"), or many ("likes"). Verbs
//! in neither list are recognized by form only, and trusted less.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::exclusive_values::is_state;
use super::lists::WordList;
use super::synonyms::one_form;
use super::words::{Class, Word};

/// The number of objects that a verb has at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum VerbObjectCount {
    /// One in each role: a later one replaces the earlier one.
    One,
    /// One for a stated purpose, occasion or group of values; otherwise several.
    OnePerPurpose,
    /// Any number.
    Many,
}

/// Present verbs with one object per role.
const ONE: &str = "address come wait wake renew scale live work base run listen point store host deploy locate belong report expire end begin start open close \
    stay default live limit set pin cap write build format manage issue return yield respond go route load serve \
    sit sleep last weigh measure handle maintain lead head drive study major happen occur meet \
    log keep render target compile name register bill charge pay ship resolve redirect fail land depart leave arrive \
    rotate retain refresh poll retry trigger schedule publish tag sign encrypt hash serialize encode validate authenticate \
    authorize monitor provision configure define declare document review approve merge squash release version cut live \
    lag average total equal remain hold indent wrap sort order group commute sponsor represent exit";

/// Verbs with one object for a purpose.
const PURPOSE: &str =
    "follow use prefer employ rely choose pick adopt apply have teach train coach test lint check cache";

/// Verbs with any number of objects.
const MANY: &str = "read own need require cost take raise get like speak know visit buy watch attend eat drink contain include depend integrate support call import \
    replicate connect talk travel play sing collect cook practice learn enjoy help see hear find remember mention ask tell \
    say think believe feel hope miss fear respect admire trust avoid recommend suggest accept provide offer expose emit \
    consume subscribe share send receive add append remove fix cause mean show display give get make create generate \
    produce allow forbid permit block prevent ignore skip cover touch affect break change update handle process parse \
    wear bring carry bake plant grow feed groom volunteer donate celebrate invite date marry love hike swim ski climb";

/// Past forms that describe an event, not a state.
static PAST: WordList = WordList::new(
    "\
    ran bought went met saw took gave got made said told found wrote ate drank drove flew came broke \
    spoke sent built won lost sold taught caught felt began chose brought spent fell grew held kept \
    knew led left paid rode sang slept swam threw wore was were had did became thought heard stood \
    understood",
);

/// Participles that do not end in "ed".
static PARTICIPLES: WordList = WordList::new(
    "\
    written built run kept sent done held set cut read known made found given taken chosen put led \
    sold bought driven shown spoken taught hidden drawn paid split hit born",
);

/// Participles after "is" that have several objects.
static PASSIVE_MANY: WordList = WordList::new(
    "\
    replicated caused used imported supported known interested related connected tested affected loved \
    liked followed mentioned shared supposed allowed involved included exposed referenced visited \
    invited allergic trained backed mirrored covered blocked fixed changed updated inspired born \
    surprised worried excited tired",
);

/// Verbs of personal habits with many objects, which a person continues when one program replaces
/// another.
const PERSONAL: &str = "\
    like speak know visit read watch attend play sing learn say think recommend mention";

static PERSONAL_FORMS: LazyLock<HashSet<String>> =
    LazyLock::new(|| PERSONAL.split_ascii_whitespace().map(one_form).collect());

static HOLDINGS: LazyLock<HashMap<String, VerbObjectCount>> = LazyLock::new(|| {
    let lists = [
        (MANY, VerbObjectCount::Many),
        (PURPOSE, VerbObjectCount::OnePerPurpose),
        (ONE, VerbObjectCount::One),
    ];
    let mut holdings = HashMap::new();
    for (words, holding) in lists {
        for word in words.split_whitespace() {
            holdings.insert(one_form(word), holding);
        }
    }
    holdings
});

/// Returns the number of objects for a verb form; `None` for an unknown verb.
pub(in super::super) fn holding(form: &str) -> Option<VerbObjectCount> {
    HOLDINGS.get(form).copied()
}

/// Returns true for a verb whose object is not affected by a replacement elsewhere.
pub(in super::super) fn is_personal(form: &str) -> bool {
    PERSONAL_FORMS.contains(form)
}

/// Returns true for a finite form of a known verb: the stem, or the form in "s".
pub(super) fn is_verb(word: &Word) -> bool {
    const NOUNS: &[&str] = &["ing", "tion", "sion", "ment", "ance", "ence", "ity", "ness"];
    word.class == Class::Plain
        && !word.is_noun
        && !NOUNS.iter().any(|end| word.lower.ends_with(end))
        && HOLDINGS.contains_key(&word.form)
}

/// Returns true for a participle after "is".
pub(super) fn is_participle(word: &Word) -> bool {
    word.class == Class::Plain
        && !is_state(&word.form)
        && (word.lower.ends_with("ed") || PARTICIPLES.has(&word.lower))
}

/// Returns true for a participle that has several objects.
pub(in super::super) fn is_shared_participle(lower: &str) -> bool {
    PASSIVE_MANY.has(lower)
}

/// Returns true for a word that describes an event in the past.
pub(super) fn is_past(lower: &str) -> bool {
    PAST.has(lower)
        || (lower.len() > 4
            && lower.ends_with("ed")
            && !matches!(lower, "need" | "speed" | "feed" | "exceed" | "embed" | "indeed"))
}
