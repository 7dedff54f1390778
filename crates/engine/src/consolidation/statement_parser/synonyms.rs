//! Normal forms of words and phrases with the same meaning: spellings, abbreviations, common
//! synonyms. General English and common words of software. A value is never a synonym of another.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lists;
use super::words::{Class, Word};

/// Groups of words; all words of a line get the form of the first.
const GROUPS: &[&str] = &[
    "live reside dwell locate situate",
    "go goes went gone",
    "child children kid kids",
    "film movie",
    "bicycle bike",
    "color colour",
    "favorite favourite",
    "mode theme",
    "concise short brief succinct terse",
    "detailed long lengthy thorough verbose extensive",
    "name call title",
    "answer reply response respond",
    "phone telephone",
    "memory ram",
    "store keep save persist kept",
    "require need necessitate",
    "use utilize utilise",
    "documentation docs doc",
    "repository repo",
    "configuration config",
    "application app",
    "authentication auth",
    "environment env",
    "production prod",
    "development dev",
    "directory folder dir",
    "administrator admin",
    "kubernetes k8s",
    "javascript js",
    "typescript ts",
    "postgresql postgres",
    "maximum max maximal",
    "minimum min minimal",
    "begin start commence began begun",
    "end finish conclude",
    "buy purchase bought",
    "large big",
    "fast quick rapid",
    "photo picture",
    "car automobile",
    "like love enjoy adore",
    "prefer favor favour want wish",
    "manager boss supervisor",
    "job occupation profession",
    "send ship forward transmit sent",
    "remove delete erase",
    "raise throw",
    "permit allow",
    "second sec s secs",
    "minute min. mins",
    "hour hr h hrs",
    "millisecond ms msec",
    "kilobyte kb",
    "megabyte mb",
    "gigabyte gb",
    "terabyte tb",
    "percent %",
    "kilometer km kilometre",
    "kilogram kg kilo kilos",
    "weigh weight weighs",
    "week wk",
    "database db",
    "line lines",
    "variable var",
    "parameter param",
    "library lib",
    "package pkg",
    "specification spec",
    "message msg",
    "number no.",
    "physician doctor",
    "apartment flat",
    "soccer football",
    "vacation holiday",
    "mom mother mum",
    "dad father",
    "spouse partner",
    "colleague coworker",
    "company firm",
    "center centre",
    "program programme",
    "gray grey",
    "test tests",
    "employ hire",
    "teacher educator",
    "daily everyday",
    "implement realise",
    "manual manually hand",
    "automatic automatically automated auto automate",
    "notify alert",
    "login logon signin",
    "team crew",
    "forbid prohibit ban disallow",
    "execute run ran",
    "write written wrote",
    "build built",
    "make made",
    "lead led",
    "pay paid",
    "sell sold",
    "give given gave",
    "take taken took",
    "choose chose chosen",
    "hold held",
    "drive drove driven",
    "drink drank",
    "eat ate eaten",
    "speak spoke spoken",
    "teach taught",
    "meet met",
    "lose lost",
    "tell told",
    "know knew known",
    "scare afraid",
    "person people",
    "deploy rollout",
    "email mail",
    "birthday birthdate birth born",
    "allergy allergic",
    "mobile cell cellphone",
    "show shown",
    "see saw seen",
    "bring brought",
    "draw drew drawn",
    "fall fell fallen",
    "fly flew flown",
    "forget forgot forgotten",
    "get got gotten",
    "grow grew grown",
    "hear heard",
    "hide hid hidden",
    "ride rode ridden",
    "sing sang sung",
    "sleep slept",
    "spend spent",
    "swim swam",
    "throw threw thrown",
    "wake woke woken",
    "wear wore worn",
    "win won",
    "break broke broken",
    "do did done",
    "come came",
    "become became",
    "sit sat",
    "leave depart leaves departs",
];

/// Phrases in lower case and their replacements: words, with a negation if the first is `!`.
const PHRASES: &[(&str, &str)] = &[
    ("no longer than", "at-most"),
    ("no more than", "at-most"),
    ("not more than", "at-most"),
    ("no later than", "at-latest"),
    ("no earlier than", "at-earliest"),
    ("no less than", "at-least"),
    ("no fewer than", "at-least"),
    ("no longer", "! anymore"),
    ("no more", "! anymore"),
    ("not anymore", "! anymore"),
    ("any more", "anymore"),
    ("any longer", "anymore"),
    ("can not stand", "! like"),
    ("can not bear", "! like"),
    ("tired of", "! anymore"),
    ("sick of", "! anymore"),
    ("fed up with", "! anymore"),
    ("bored of", "! anymore"),
    ("off the table", "gone"),
    ("pull request", "pr"),
    ("pull requests", "pr"),
    ("merge request", "mr"),
    ("merge requests", "mr"),
    ("back end", "backend"),
    ("front end", "frontend"),
    ("home town", "hometown"),
    ("time zone", "timezone"),
    ("code base", "codebase"),
    ("data base", "database"),
    ("e mail", "email"),
    ("end to end", "e2e"),
    ("instead of", "instead-of"),
    ("rather than", "instead-of"),
    ("in favour of", "in-favor-of"),
    ("in favor of", "in-favor-of"),
    ("is based in", "live in"),
    ("are based in", "live in"),
    ("am based in", "live in"),
    ("has to", "must"),
    ("have to", "must"),
    ("needs to", "must"),
    ("need to", "must"),
    ("need not", "must !"),
    ("ought to", "should"),
    ("would rather", "prefer"),
    ("would like", "prefer"),
    ("would prefer", "prefer"),
    ("by hand", "manual"),
    ("plain text", "plaintext"),
    ("looking for", "seek"),
    ("in charge of", "responsible for"),
    ("turned on", "enabled"),
    ("turned off", "disabled"),
    ("switched on", "enabled"),
    ("switched off", "disabled"),
    ("on site", "onsite"),
    ("every day", "daily"),
    ("each day", "daily"),
    ("works as a", "is a"),
    ("works as an", "is a"),
    ("working as a", "is a"),
    ("working as an", "is a"),
];

/// Indexes of the phrases that begin with a word.
static PHRASES_BY_FIRST: LazyLock<HashMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut by_first: HashMap<&'static str, Vec<usize>> = HashMap::new();
    for (at, (phrase, _)) in PHRASES.iter().enumerate() {
        by_first.entry(phrase.split(' ').next().unwrap_or_default()).or_default().push(at);
    }
    by_first
});

/// Verbs that negate the following words.
const DENYING: &[(&str, &str)] = &[
    ("dislike", "like"),
    ("dislikes", "like"),
    ("hate", "like"),
    ("hates", "like"),
    ("detest", "like"),
    ("detests", "like"),
    ("loathe", "like"),
    ("loathes", "like"),
    ("disliked", "like"),
    ("hated", "like"),
    ("lacks", "has"),
    ("lack", "has"),
    ("unsubscribed", "subscrib"),
    ("unsubscribes", "subscrib"),
];

/// Verbs that end the following activity.
const ENDING: &[&str] = &["stopped", "stop", "stops", "quit", "quits", "ceased", "ceases"];

static FORMS: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let mut forms = HashMap::new();
    for group in GROUPS {
        let mut members = group.split(' ');
        let Some(first) = members.next() else { continue };
        let form = stem(first);
        for member in members.chain([first]) {
            forms.insert(member.to_owned(), form.clone());
            forms.entry(stem(member)).or_insert_with(|| form.clone());
        }
    }
    forms
});

fn stem(word: &str) -> String {
    let mut terms = loci_text::terms(word);
    match (terms.pop(), terms.is_empty()) {
        (Some(stem), true) => stem,
        _ => word.to_owned(),
    }
}

/// Returns the form of one word in lower case.
pub(super) fn one_form(lower: &str) -> String {
    if let Some(form) = FORMS.get(lower) {
        return form.clone();
    }
    let stem = stem(lower);
    FORMS.get(&stem).cloned().unwrap_or(stem)
}

/// Replaces phrases by their normal form, expands negating verbs, and negates activities that
/// ended.
pub(super) fn folded(words: Vec<Word>) -> Vec<Word> {
    let mut folded: Vec<Word> = Vec::with_capacity(words.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if let Some((used, made)) = phrase(words.get(at..).unwrap_or_default()) {
            folded.extend(made);
            at += used;
            continue;
        }
        at += 1;
        let next = words.get(at).map(|word| word.lower.as_str()).unwrap_or_default();
        if let Some((_, verb)) = DENYING.iter().find(|(verb, _)| *verb == word.lower) {
            folded.push(Word::new("not", Class::Negation));
            folded.push(Word { form: (*verb).to_owned(), ..word.clone() });
        } else if (ENDING.contains(&word.lower.as_str()) && next.ends_with("ing"))
            || is_former(&folded, word, next)
        {
            folded.push(Word { lower: word.lower.clone(), ..Word::new("not", Class::Negation) });
            at += usize::from(word.lower == "used");
        } else {
            folded.push(word.clone());
        }
    }
    better_liked(&mut folded);
    switched(&mut folded);
    folded
}

/// Returns true for a former state: "used to" before a verb, but not after "is".
fn is_former(before: &[Word], word: &Word, next: &str) -> bool {
    word.lower == "used"
        && next == "to"
        && before.iter().rev().find(|word| word.class != Class::Soft).is_none_or(|before| before.form != "is")
}

fn phrase(words: &[Word]) -> Option<(usize, Vec<Word>)> {
    let first = words.first()?;
    let beginning_with = |word: &str| PHRASES_BY_FIRST.get(word).map(Vec::as_slice).unwrap_or_default();
    let denied: &[usize] = if first.class == Class::Negation { beginning_with("not") } else { &[] };
    let mut places: Vec<usize> = beginning_with(&first.lower).iter().chain(denied).copied().collect();
    // The first phrase of the list takes precedence.
    places.sort_unstable();
    places.into_iter().filter_map(|at| PHRASES.get(at)).find_map(|(phrase, made)| {
        let mut used = 0;
        for part in phrase.split(' ') {
            let word = words.get(used)?;
            let fits = word.lower == part
                || (word.class == Class::Negation && matches!(part, "not") && word.form == part);
            if !fits || word.class == Class::Break {
                return None;
            }
            used += 1;
        }
        Some((used, made.split(' ').filter(|part| !part.is_empty()).map(made_word).collect()))
    })
}

fn made_word(part: &str) -> Word {
    if part == "!" {
        return Word {
            form: "not".to_owned(),
            lower: "not".to_owned(),
            class: Class::Negation,
            is_noun: false,
            is_definite: false,
        };
    }
    if lists::is_soft(part) {
        return Word::new(part, Class::Soft);
    }
    if lists::is_small(part) || part == "in-favor-of" {
        let form = if matches!(part, "is" | "are") { "is" } else { part };
        return Word {
            form: form.to_owned(),
            lower: part.to_owned(),
            class: Class::Small,
            is_noun: false,
            is_definite: false,
        };
    }
    Word {
        form: one_form(part),
        lower: part.to_owned(),
        class: Class::Plain,
        is_noun: false,
        is_definite: false,
    }
}

/// Marks the particle of "is on" and "is off" as a state, unless the next word makes it a
/// preposition.
fn switched(words: &mut [Word]) {
    // Index of the last word that is not soft.
    let mut before: Option<usize> = None;
    for at in 0..words.len() {
        let opens = words
            .get(at + 1)
            .is_some_and(|next| next.is_content() || next.form == "a" || lists::is_preposition(&next.form));
        let behind =
            before.and_then(|at| words.get(at)).is_some_and(|word| matches!(word.form.as_str(), "is" | ":"));
        if let Some(word) = words.get_mut(at)
            && matches!(word.lower.as_str(), "on" | "off" | "up" | "down")
            && !opens
            && behind
        {
            word.class = Class::Plain;
        }
        if words.get(at).is_some_and(|word| word.class != Class::Soft) {
            before = Some(at);
        }
    }
}

/// Normalizes preferences: "likes tea better" becomes "prefers tea"; "prefers tea to coffee"
/// becomes "prefers tea over coffee".
fn better_liked(words: &mut Vec<Word>) {
    let verb = words.iter().position(|word| matches!(word.form.as_str(), "like" | "prefer"));
    let Some(verb) = verb else { return };
    let better = words
        .iter()
        .skip(verb)
        .position(|word| matches!(word.lower.as_str(), "better" | "more" | "most" | "best"));
    if let Some(better) = better {
        words.remove(verb + better);
        if let Some(word) = words.get_mut(verb) {
            "prefer".clone_into(&mut word.form);
        }
    }
    if words.get(verb).is_some_and(|word| word.form == "prefer") {
        for at in verb + 2..words.len() {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            let behind_noun = before
                .is_some_and(|before| before.is_content() && super::verbs::holding(&before.form).is_none());
            let verb_follows = words.get(at + 1).is_some_and(|next| {
                super::verbs::holding(&next.form).is_some()
                    || matches!(next.form.as_str(), "has" | "is" | "does")
            });
            if let Some(word) = words.get_mut(at)
                && matches!(word.form.as_str(), "to" | "than" | "instead-of")
                && behind_noun
                && !verb_follows
            {
                "over".clone_into(&mut word.form);
            }
        }
    }
}
