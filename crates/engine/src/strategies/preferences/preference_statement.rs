//! Statements of preference in a sentence: their kind, their object, and the key under which a
//! later statement supersedes them.
//!
//! English patterns for statements of a person about themselves in the present. Wishes ("I'd like a
//! coffee"), the past and questions are no preferences. It makes no record.

use std::sync::LazyLock;

use loci_text::terms;
use regex::{Captures, Regex};

/// Maximum number of terms in a key.
const KEY_TERMS_MAX: usize = 6;
/// Maximum length of a key in bytes.
const KEY_BYTES_MAX: usize = 80;

/// A statement of a person's preference, found in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The words of the sentence that state the preference, verbatim.
    pub said: String,
    /// The key of the preference: a later statement with the same key supersedes this one.
    pub key: String,
    /// True if the words state a change.
    pub changed: bool,
}

/// The way to derive the key of a statement from its object.
#[derive(Debug, Clone, Copy)]
enum Keying {
    /// The object's terms; liking and disliking the same thing share the key.
    Taste,
    /// The two things compared, or else the purpose of the preference, or else the kind of thing
    /// (its last word): one of these can be preferred at a time.
    Choice,
    /// The two things compared; no statement without a comparison.
    Pair,
    /// The group `topic`.
    Topic(&'static str),
    /// One at a time, for any object.
    One(&'static str),
    /// The object's terms, in a separate family.
    Object(&'static str),
}

struct Pattern {
    keying: Keying,
    form: Regex,
}

/// Adverbs between "I" and the verb.
const ADVERBS: &str = r"(?:\s+(?:really|absolutely|generally|usually|always|still|also|now|just|actually|truly|strongly|definitely|personally|do|mostly|particularly|especially|quite|currently|typically|much|so|both|kind of|sort of))*";

/// Patterns in order of precedence: the first one that matches a clause applies. `ADV` stands for
/// [`ADVERBS`], `OBJ` for the rest of the clause.
const FORMS: [(Keying, &str); 21] = [
    (Keying::Pair, r"\bI(?:'ve| have)?ADV\s+(?:switched|moved|changed) from\s+OBJ"),
    (
        Keying::Topic("favourite"),
        r"\bmy(?:\s+(?:new|all-time|absolute|current))?\s+(?:favou?rite|preferred|go-to)\s+(?P<topic>[^,.;]+?)\s+(?:is|are)\s+OBJ",
    ),
    (
        Keying::Topic("favourite"),
        r"(?P<object>[^,.;]+?)\s+(?:is|are)ADV\s+my\s+(?:(?:new|all-time|absolute|current)\s+)?(?:favou?rite|preferred|go-to)\s+(?P<topic>[^,.;]+)",
    ),
    (Keying::Choice, r"\bI(?:'d)?ADV\s+(?:prefer|rather)\s+OBJ"),
    (
        Keying::Pair,
        r"\bI(?:'d| would)?ADV\s+(?:rather|use|code in|program in|write in|write|work with|work in|drink|eat|choose|pick|go with|opt for|take|like|love|enjoy|want)\s+(?P<object>.+\b(?:rather than|instead of|over|more than|better than)\b.+)",
    ),
    (Keying::Pair, r"^(?P<object>.+\bis\s+better\s+than\b.+)\bfor me\b"),
    (Keying::Taste, r"\bI\s+used\s+to\s+(?:like|love|enjoy|prefer|hate|dislike|eat|drink)\s+OBJ"),
    (
        Keying::Taste,
        r"\bI(?:'m| am)ADV\s+(?:not\s+)?(?:(?:a|any)\s+)?(?:(?:big|huge|great|real)\s+)?(?:fan of|into|fond of|keen on|partial to|crazy about)\s+OBJ",
    ),
    (
        Keying::Taste,
        r"\bIADV\s+(?:don't|do not|no longer|can't|cannot|never)ADV\s+(?:like|love|enjoy|care for|stand|bear|eat|drink|listen to|watch)\s+OBJ",
    ),
    (Keying::Taste, r"\bIADV\s+(?:like|love|enjoy|adore|hate|dislike|detest|loathe|avoid)\s+OBJ"),
    (Keying::Object("allergy"), r"\bI(?:'m| am)ADV\s+(?:allergic|intolerant|sensitive)\s+to\s+OBJ"),
    (Keying::Object("allergy"), r"\bI have an?\s+(?P<object>[a-z ]+?)\s+(?:allergy|intolerance)\b"),
    (
        Keying::One("diet"),
        r"\bI(?:'m| am|'ve become| have become)ADV\s+(?:an?\s+)?(?:strict\s+)?(?P<object>vegetarian|vegan|pescatarian|omnivore)\b",
    ),
    (
        Keying::Object("diet"),
        r"\bI(?:'m| am)ADV\s+(?:an?\s+)?(?P<object>lactose intolerant|gluten[- ]free|coeliac|celiac|halal|kosher|teetotal(?:er)?|diabetic)\b",
    ),
    (Keying::Object("diet"), r"\bI(?:'m on| follow| keep)\s+an?\s+(?P<object>[a-z -]+?)\s+diet\b"),
    (Keying::One("name"), r"\bcall me\s+(?P<object>(?-i:\p{Lu})[\p{L}'-]+)"),
    (Keying::One("name"), r"\bI go by\s+(?P<object>(?-i:\p{Lu})[\p{L}'-]+)"),
    (Keying::One("pronouns"), r"\bmy pronouns are\s+OBJ"),
    (Keying::Object("rule"), r"(?:^|\bplease,?\s+|\bkindly\s+)(?:always|never|don't ever|do not ever)\s+OBJ"),
    (
        Keying::Object("rule"),
        r"(?:\bfrom now on,?\s+|\bin (?:the )?future,?\s+|\bplease\s+(?:use|avoid|stick to|answer|respond|reply|speak|talk|keep|don't use|do not use)\s+)OBJ",
    ),
    (Keying::Object("habit"), r"\bI\s+(?:always|never|usually|typically|tend to)\s+OBJ"),
];

/// Objects that refer to something outside the sentence.
static VAGUE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^(?:it|that|this|these|those|you|him|her|them|your|his|their|what|everything|nothing|something|been|had|was|were|said|thought|knew|saw|heard|went|got|did|meant|told|asked|wanted|the (?:idea|sound|thought|way you))\b",
    )
});
/// The end of a clause's object.
static OBJECT_END: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)[.;!?\n(]|,?\s+(?:because|since|so that|so please|as it|as they|which|although|though|when it comes|even if|but|and (?:I|my|please))\b|\s[-–—]\s",
    )
});
/// Words of time or degree at an object's end.
static OBJECT_TAIL: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)[\s,]+(?:now|nowadays|these days|any ?more|any longer|a lot|very much|so much|the most|the best|too|as well|lately|instead|actually|please|again|by the way|most of the time)$",
    )
});
/// Words between two things compared.
static COMPARED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?i)\s+(?:is better than|better than|more than|rather than|instead of|over|than|to)\s+")
});
/// The purpose of a preference.
static PURPOSE: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?i)\s+(?:for|when|while|during|at|on|in)\s+(.+)$"));
/// Words that state a change.
static CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:no longer|any ?more|any longer|now|nowadays|these days|actually|instead|switched|moved from|changed|from now on|used to|become|lately|recently)\b",
    )
});
/// A second clause in the first person.
static CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)[,;]?\s+(?:but|and|while|whereas|although|though|yet)\s+(?:please\s+)?(?:also\s+)?(?:I\b|my\b|call\b|always\b|never\b)|;\s+",
    )
});

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    FORMS
        .iter()
        .map(|(keying, form)| {
            let source = form.replace("ADV", ADVERBS).replace("OBJ", "(?P<object>.+)");
            Pattern { keying: *keying, form: compiled(&format!("(?i){source}")) }
        })
        .collect()
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Returns the statements of one sentence, in order.
pub fn statements(sentence: &str) -> Vec<Statement> {
    let plain = sentence.trim().replace('’', "'");
    if plain.ends_with('?') || plain.is_empty() {
        return Vec::new();
    }
    clauses(&plain).into_iter().filter_map(statement).collect()
}

/// Returns the clauses in the first person; a sentence with one stays whole.
fn clauses(sentence: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut from = 0;
    for cut in CLAUSE.find_iter(sentence) {
        clauses.extend(sentence.get(from..cut.start()));
        let joint = cut.as_str().trim_start_matches([',', ';']).trim_start();
        let word = joint.find(char::is_whitespace).map_or(0, |at| at + 1);
        // The clause continues with the word after the conjunction.
        let skipped = if cut.as_str().trim() == ";" { cut.len() } else { cut.len() - joint.len() + word };
        from = cut.start() + skipped;
    }
    clauses.extend(sentence.get(from..));
    clauses.into_iter().map(str::trim).filter(|clause| !clause.is_empty()).collect()
}

fn statement(clause: &str) -> Option<Statement> {
    PATTERNS.iter().find_map(|pattern| {
        let found = pattern.form.captures(clause)?;
        let key = key(pattern.keying, &found)?;
        let said = clause.trim_end_matches([',', ';', ' ']).to_owned();
        Some(Statement { said, key, changed: CHANGE.is_match(clause) })
    })
}

fn key(keying: Keying, found: &Captures<'_>) -> Option<String> {
    let object = object(found.name("object")?.as_str());
    if object.is_empty() || VAGUE.is_match(object) {
        return None;
    }
    match keying {
        Keying::Taste => slug("taste", &terms(object)),
        Keying::Choice => choice_key(object),
        Keying::Pair => pair_key(object),
        Keying::Topic(family) => slug(family, &terms(found.name("topic")?.as_str())),
        Keying::One(family) => Some(family.to_owned()),
        Keying::Object(family) => slug(family, &terms(object)),
    }
}

/// Returns the object of a clause, without the words after it.
fn object(rest: &str) -> &str {
    let end = OBJECT_END.find(rest).map_or(rest.len(), |found| found.start());
    let mut object = rest.get(..end).unwrap_or(rest).trim();
    while let Some(tail) = OBJECT_TAIL.find(object) {
        object = object.get(..tail.start()).unwrap_or_default().trim();
    }
    object.trim_matches([',', ' ', '"', '\''])
}

fn choice_key(object: &str) -> Option<String> {
    if let Some(pair) = pair_key(object) {
        return Some(pair);
    }
    if let Some(purpose) = PURPOSE.captures(object).and_then(|found| found.get(1)) {
        return slug("choice", &terms(purpose.as_str()));
    }
    let words = terms(object);
    const WIDE: [&str; 10] =
        ["food", "thing", "stuff", "peopl", "way", "one", "person", "work", "time", "product"];
    match words.as_slice() {
        [.., before, last] if WIDE.contains(&last.as_str()) => {
            slug("choice", &[before.clone(), last.clone()])
        }
        [.., last] => slug("choice", std::slice::from_ref(last)),
        [] => None,
    }
}

/// Returns two things compared in alphabetical order, so that the key is the same for either
/// preference.
fn pair_key(object: &str) -> Option<String> {
    let infinitive = object.starts_with("to ");
    let between = COMPARED.find_iter(object).find(|found| !infinitive || found.as_str().trim() != "to")?;
    let left = terms(object.get(..between.start())?);
    let right = terms(object.get(between.end()..)?);
    let mut pair = [left.last()?.clone(), right.iter().take(2).next_back()?.clone()];
    pair.sort();
    slug("choice", &pair)
}

fn slug(family: &str, words: &[String]) -> Option<String> {
    if words.is_empty() {
        return None;
    }
    let mut key = format!("{family}/");
    for (at, word) in words.iter().take(KEY_TERMS_MAX).enumerate() {
        if key.len() + word.len() + 1 > KEY_BYTES_MAX {
            break;
        }
        if at > 0 {
            key.push('-');
        }
        key.push_str(word);
    }
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sentence: &str, expect: &[(&str, &str, bool)]) {
        let found = statements(sentence);
        let found: Vec<_> =
            found.iter().map(|one| (one.said.as_str(), one.key.as_str(), one.changed)).collect();
        assert_eq!(found, expect, "{sentence}");
    }

    /// Checks a sentence that is one verbatim statement.
    fn whole(sentence: &str, key: &str) {
        let found = statements(sentence);
        assert_eq!(found.first().map(|one| one.key.as_str()), Some(key), "{sentence}");
        assert_eq!((found.len(), found[0].said.as_str()), (1, sentence), "{sentence}");
    }

    #[test]
    fn tastes() {
        whole("I like sushi with tuna", "taste/sushi-tuna");
        whole("I really love hiking in the Alps.", "taste/hike-alp");
        whole("I don't like sushi with tuna.", "taste/sushi-tuna");
        whole("I hate pop-up windows!", "taste/pop-window");
        whole("I'm a big fan of jazz", "taste/jazz");
        whole("I am not into horror films", "taste/horror-film");
        whole("I never drink coffee", "taste/coffe");
        check(
            "I can’t stand olives because they are bitter",
            &[("I can't stand olives because they are bitter", "taste/oliv", false)],
        );
        check("I no longer like sushi.", &[("I no longer like sushi.", "taste/sushi", true)]);
        check("I used to love techno", &[("I used to love techno", "taste/techno", true)]);
    }

    #[test]
    fn choices() {
        whole("I prefer dark mode", "choice/mode");
        whole("I prefer light mode", "choice/mode");
        whole("I prefer Python over Java.", "choice/java-python");
        whole("I'd rather use Java than Python", "choice/java-python");
        whole("I use vim rather than emacs", "choice/emac-vim");
        whole("I prefer tea to coffee", "choice/coffe-tea");
        whole("I prefer to work at night", "choice/night");
        whole("I prefer aisle seats for flights", "choice/flight");
        whole("I prefer spicy food", "choice/spici-food");
        check(
            "I've switched from vim to emacs",
            &[("I've switched from vim to emacs", "choice/emac-vim", true)],
        );
        check("Now I prefer light mode instead", &[("Now I prefer light mode instead", "choice/mode", true)]);
    }

    #[test]
    fn favourites_diets_names_rules() {
        whole("My favourite colour is blue", "favourite/colour");
        whole("my favorite programming language is Rust", "favourite/program-languag");
        whole("Blue is my favourite colour", "favourite/colour");
        whole("I'm allergic to peanuts", "allergy/peanut");
        whole("I have a peanut allergy", "allergy/peanut");
        whole("I am vegetarian", "diet");
        whole("I'm lactose intolerant", "diet/lactos-intoler");
        whole("Please call me Bob", "name");
        whole("Always answer in German", "rule/answer-german");
        whole("Please use metric units", "rule/metric-unit");
        whole("From now on answer briefly".trim(), "rule/answer-briefli");
        whole("I usually work in the evening", "habit/work-even");
    }

    #[test]
    fn several_in_a_sentence() {
        check(
            "I like sushi, but I hate pizza and my favourite drink is tea.",
            &[
                ("I like sushi", "taste/sushi", false),
                ("I hate pizza", "taste/pizza", false),
                ("my favourite drink is tea.", "favourite/drink", false),
            ],
        );
    }

    #[test]
    fn no_preferences() {
        for sentence in [
            "Do you know what I like?",
            "I like it",
            "I like that idea",
            "I'd like a coffee",
            "I would like to book a flight",
            "I like your answer",
            "I never said that",
            "I've never been there",
            "Please write a poem",
            "call me later",
            "He likes pizza",
            "The build always fails",
            "My brother's car is blue",
            "",
        ] {
            check(sentence, &[]);
        }
    }

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(PATTERNS.len(), FORMS.len());
        for pattern in [&VAGUE, &OBJECT_END, &OBJECT_TAIL, &COMPARED, &PURPOSE, &CHANGE, &CLAUSE] {
            assert!(!pattern.as_str().is_empty());
        }
    }
}
