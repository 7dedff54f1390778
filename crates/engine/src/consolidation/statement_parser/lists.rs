//! Closed classes of English: grammatical words, negations, number words, the calendar. The lists
//! belong to the language, not to a subject.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::words::Word;

/// A closed list of words, separated by spaces. It is split once, at its first use.
pub(in super::super) struct WordList {
    text: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

impl WordList {
    /// Creates a list of those words.
    pub(in super::super) const fn new(text: &'static str) -> Self {
        Self { text, words: OnceLock::new() }
    }

    /// Returns true if the list contains that word.
    pub(in super::super) fn has(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.iter().collect()).contains(word)
    }

    /// Returns its words in their order.
    pub(in super::super) fn iter(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.text.split_ascii_whitespace()
    }
}

/// A closed list of phrases, indexed by their first word.
pub(in super::super) struct PhraseList {
    phrases: &'static [&'static str],
    by_first: OnceLock<HashMap<&'static str, Vec<&'static str>>>,
}

impl PhraseList {
    /// Creates a list of those phrases, each with its words separated by one space.
    pub(in super::super) const fn new(phrases: &'static [&'static str]) -> Self {
        Self { phrases, by_first: OnceLock::new() }
    }

    /// Returns the number of words of the longest phrase that begins here; 0 if none does.
    pub(in super::super) fn longest(&self, words: &[Word]) -> usize {
        let Some(first) = words.first() else { return 0 };
        let by_lower = self.beginning_with(&first.lower);
        let by_form: &[&'static str] =
            if first.form == first.lower { &[] } else { self.beginning_with(&first.form) };
        by_lower.iter().chain(by_form).filter_map(|phrase| fits(phrase, words)).max().unwrap_or(0)
    }

    fn beginning_with(&self, word: &str) -> &[&'static str] {
        let by_first = self.by_first.get_or_init(|| {
            let mut by_first: HashMap<&'static str, Vec<&'static str>> = HashMap::new();
            for phrase in self.phrases {
                by_first.entry(phrase.split(' ').next().unwrap_or_default()).or_default().push(phrase);
            }
            by_first
        });
        by_first.get(word).map(Vec::as_slice).unwrap_or_default()
    }
}

/// Returns the number of words if the phrase begins here.
fn fits(phrase: &str, words: &[Word]) -> Option<usize> {
    let mut at = 0;
    for part in phrase.split(' ') {
        if words.get(at).is_none_or(|word| word.lower != part && word.form != part) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// Prepositions and conjunctions that begin a phrase.
static PREPOSITIONS: WordList = WordList::new(
    "\
    in on at to for from with without by as via through into onto over under before after during while \
    when whenever if unless because since until till per between within against behind near above \
    below than towards about instead-of inside outside using across beyond despite except",
);

/// Grammatical words other than prepositions.
static SMALL: WordList = WordList::new(
    "\
    a an the this that these those of and or but nor i me you he she it we they him her us them my \
    your his its our their mine yours is are was were be been being am has have had having do does did \
    will would shall should can could may might must ought who whom whose which what where why how \
    there here so then such each every any some all both either 's up out off down let",
);

/// Words that a comparison may ignore.
static SOFT: WordList = WordList::new(
    "\
    really very also still currently now just already always usually generally normally typically \
    actually please quite too well nowadays presently definitely simply basically certainly apparently \
    indeed therefore thus however ever much lot anymore longer regularly strongly mainly mostly \
    exclusively again instead back",
);

const NEGATIONS: &[&str] = &["not", "never", "no", "cannot", "neither", "none", "nobody", "nothing", "n't"];

/// Words with the meaning of "must".
pub(super) const DUTIES: &[&str] = &["must", "should", "shall", "ought"];
/// Words that permit something.
pub(super) const LEAVE: &[&str] = &["may", "can", "could", "might"];

static DAYS: WordList = WordList::new(
    "\
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun",
);
static MONTHS: WordList = WordList::new(
    "\
    january february march april may june july august september october november december jan feb mar \
    apr jun jul aug sep sept oct nov dec",
);

/// Returns true if a short list, separated by spaces, contains that word. A longer list is a
/// [`WordList`].
pub(in super::super) fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|member| member == word)
}

/// Returns true for a preposition, or a conjunction that opens a phrase.
pub(in super::super) fn is_preposition(form: &str) -> bool {
    PREPOSITIONS.has(form)
}

/// Returns true for a day or a month, also in the plural or abbreviated.
pub(in super::super) fn is_day_or_month(lower: &str) -> bool {
    let single = lower.strip_suffix('s').unwrap_or(lower);
    DAYS.has(single) || DAYS.has(lower) || MONTHS.has(lower)
}

/// Returns true for the name of a month.
pub(in super::super) fn is_month(lower: &str) -> bool {
    MONTHS.has(lower)
}

pub(super) fn is_small(word: &str) -> bool {
    SMALL.has(word) || is_preposition(word)
}

pub(super) fn is_soft(word: &str) -> bool {
    SOFT.has(word)
}

pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}

/// Returns true for days and months, also in the plural; `may` counts as a verb here.
pub(super) fn is_calendar(word: &str) -> bool {
    word != "may" && is_day_or_month(word)
}

/// Returns the words of a contraction.
pub(super) fn contraction(lower: &str) -> Option<Vec<&str>> {
    let known = match lower {
        "can't" => Some(vec!["can", "not"]),
        "cannot" => Some(vec!["can", "not"]),
        "won't" => Some(vec!["will", "not"]),
        "shan't" => Some(vec!["shall", "not"]),
        "it's" => Some(vec!["it", "is"]),
        "that's" => Some(vec!["that", "is"]),
        "he's" => Some(vec!["he", "is"]),
        "she's" => Some(vec!["she", "is"]),
        "there's" => Some(vec!["there", "is"]),
        "i'm" => Some(vec!["i", "am"]),
        "my" => Some(vec!["i", "'s"]),
        _ => None,
    };
    if known.is_some() {
        return known;
    }
    if let Some(verb) = lower.strip_suffix("n't") {
        return Some(vec![verb, "not"]);
    }
    for (ending, word) in [("'re", "are"), ("'ve", "have"), ("'ll", "will"), ("'d", "would")] {
        if let Some(stem) = lower.strip_suffix(ending) {
            return Some(vec![stem, word]);
        }
    }
    None
}
