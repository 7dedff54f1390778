//! The closed classes of English: words of grammar, negations, number words, the calendar. Lists of the language, not of a
//! subject.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::words::Word;

/// A closed list of words, separated by spaces. It is split once, on the first question.
pub(in super::super) struct WordList {
    text: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

impl WordList {
    /// A list of those words.
    pub(in super::super) const fn new(text: &'static str) -> Self {
        Self { text, words: OnceLock::new() }
    }

    /// True when the list has that word.
    pub(in super::super) fn has(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.iter().collect()).contains(word)
    }

    /// Its words, in their order.
    pub(in super::super) fn iter(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.text.split_ascii_whitespace()
    }
}

/// A closed list of phrases, found by their first word.
pub(in super::super) struct PhraseList {
    phrases: &'static [&'static str],
    by_first: OnceLock<HashMap<&'static str, Vec<&'static str>>>,
}

impl PhraseList {
    /// A list of those phrases, the words of each separated by one space.
    pub(in super::super) const fn new(phrases: &'static [&'static str]) -> Self {
        Self { phrases, by_first: OnceLock::new() }
    }

    /// Returns how many words the longest phrase takes that begins here; 0 where none does.
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

/// Returns how many words a phrase takes that begins here.
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

/// Words of grammar beside prepositions.
static SMALL: WordList = WordList::new(
    "\
    a an the this that these those of and or but nor i me you he she it we they him her us them my \
    your his its our their mine yours is are was were be been being am has have had having do does did \
    will would shall should can could may might must ought who whom whose which what where why how \
    there here so then such each every any some all both either 's up out off down let",
);

/// Words that a comparison may leave out.
static SOFT: WordList = WordList::new(
    "\
    really very also still currently now just already always usually generally normally typically \
    actually please quite too well nowadays presently definitely simply basically certainly apparently \
    indeed therefore thus however ever much lot anymore longer regularly strongly mainly mostly \
    exclusively again instead back",
);

const NEGATIONS: &[&str] = &["not", "never", "no", "cannot", "neither", "none", "nobody", "nothing", "n't"];

/// What has the force of "must", and what leaves the choice.
pub(super) const DUTIES: &[&str] = &["must", "should", "shall", "ought"];
/// See [`DUTIES`].
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

/// True when a handful of words, separated by spaces, has that word. A longer list is a
/// [`WordList`].
pub(in super::super) fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|member| member == word)
}

/// True for a preposition, or a conjunction that opens a phrase.
pub(in super::super) fn is_preposition(form: &str) -> bool {
    PREPOSITIONS.has(form)
}

/// True for a day or a month, also in the plural and in short.
pub(in super::super) fn is_day_or_month(lower: &str) -> bool {
    let single = lower.strip_suffix('s').unwrap_or(lower);
    DAYS.has(single) || DAYS.has(lower) || MONTHS.has(lower)
}

/// True for the name of a month.
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

/// Days and months, also in the plural; `may` is a verb here.
pub(super) fn is_calendar(word: &str) -> bool {
    word != "may" && is_day_or_month(word)
}

/// The words of a contraction.
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
