//! The closed classes of English: words of grammar, negations, number words, the calendar. Lists of the language, not of a
//! subject.

/// Prepositions and conjunctions that begin a phrase.
const PREPOSITIONS: &str = "\
    in on at to for from with without by as via through into onto over under before after during while \
    when whenever if unless because since until till per between within against behind near above \
    below than towards about instead-of inside outside using across beyond despite except";

/// Words of grammar beside prepositions.
const SMALL: &str = "\
    a an the this that these those of and or but nor i me you he she it we they him her us them my \
    your his its our their mine yours is are was were be been being am has have had having do does did \
    will would shall should can could may might must ought who whom whose which what where why how \
    there here so then such each every any some all both either 's up out off down let";

/// Words that a comparison may leave out.
const SOFT: &str = "\
    really very also still currently now just already always usually generally normally typically \
    actually please quite too well nowadays presently definitely simply basically certainly apparently \
    indeed therefore thus however ever much lot anymore longer regularly strongly mainly mostly \
    exclusively again instead back";

const NEGATIONS: &[&str] = &["not", "never", "no", "cannot", "neither", "none", "nobody", "nothing", "n't"];

/// What has the force of "must", and what leaves the choice.
pub(super) const DUTIES: &[&str] = &["must", "should", "shall", "ought"];
/// See [`DUTIES`].
pub(super) const LEAVE: &[&str] = &["may", "can", "could", "might"];

const DAYS: &str = "\
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun";
const MONTHS: &str = "\
    january february march april may june july august september october november december jan feb mar \
    apr jun jul aug sep sept oct nov dec";

/// True when a list of words, separated by spaces, has that word.
pub(in super::super) fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|member| member == word)
}

/// True for a preposition, or a conjunction that opens a phrase.
pub(in super::super) fn is_preposition(form: &str) -> bool {
    has(PREPOSITIONS, form)
}

/// True for a day or a month, also in the plural and in short.
pub(in super::super) fn is_day_or_month(lower: &str) -> bool {
    let single = lower.strip_suffix('s').unwrap_or(lower);
    has(DAYS, single) || has(DAYS, lower) || has(MONTHS, lower)
}

/// True for the name of a month.
pub(in super::super) fn is_month(lower: &str) -> bool {
    has(MONTHS, lower)
}

pub(super) fn is_small(word: &str) -> bool {
    has(SMALL, word) || is_preposition(word)
}

pub(super) fn is_soft(word: &str) -> bool {
    has(SOFT, word)
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
