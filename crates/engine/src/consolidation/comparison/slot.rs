//! The slot of a value: decides if the verb has one value at a time in the differing range.
//!
//! "lives in X" has one, "likes X" many, "uses X for Y" one for each Y. In doubt the answer is
//! "many": then both statements stay.

use super::compare::{Hunk, complement};
use crate::consolidation::statement_parser::clause::Verb;
use crate::consolidation::statement_parser::exclusive_values::{excludes, is_place_of_running, is_state};
use crate::consolidation::statement_parser::lists::WordList;
use crate::consolidation::statement_parser::verbs::{VerbObjectCount, holding, is_shared_participle};
use crate::consolidation::statement_parser::{Class, Clause, Word, lists};

/// Words for attributes with a single value: a name, a limit, a responsible person.
static ATTRIBUTES: WordList = WordList::new(
    "\
    primari master standby name color address port version limit timeout size deadline owner manag lead leader languag \
    databas region host url path branch locat headquart offic date time day age price cost rent rate \
    salari budget number email phone status state level mode format type valu default password role \
    titl job employ birthday height weight length width durat interv frequenc schedul maintain contact \
    endpoint domain tool framework linter editor runner engin queue broker cach provid registri licens \
    polici strategi convent style encod timezon capit ceo cto president princip director chair teacher \
    physician dentist coach room floor seat goal target threshold maximum minimum quota ttl retent \
    commut hometown destin currenc unit file entri point command prefix suffix extens namespac bucket \
    cluster model backend frontend hobbi sport band dish food drink restaur film book song artist \
    author citi countri airlin hotel brand bank insur gym school univers major subject spous wife \
    husband partner nicknam usernam handl pronoun theme font layout order prioriti sever channel \
    platform hub compil formatt bundler orm framework librari packag shell terminal brows browser os \
    runtim environ provision vendor supplier carrier landlord tenant captain approv review",
);

/// Words that mark a thing as unique.
static SUPERLATIVES: WordList =
    WordList::new("default favorit maximum minimum primari main current prefer offici");

/// Subjects that can be many things at once.
const PEOPLE: &[&str] = &["user", "he", "she", "they", "we", "you"];

/// Relatives and animals, of which there may be several.
static SEVERAL: WordList = WordList::new(
    "\
    sister brother cousin uncl aunt friend child son daughter nephew niec pet dog cat colleagu \
    neighbor neighbour student client custom",
);

/// Prepositions of a purpose or a time.
const PURPOSES: &[&str] = &["for", "as", "when", "while", "before", "after", "during", "to"];

/// A phrase of a complement: its opening grammatical words, and the words after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase<'a> {
    /// Forms, with the preposition first if there is one.
    pub(super) forms: Vec<&'a str>,
    /// Forms of the content words.
    pub(super) said: Vec<&'a str>,
    /// Number of words.
    pub(super) len: usize,
    /// Number of content words.
    pub(super) content: usize,
    /// True if all content words are times or numbers.
    pub(super) timely: bool,
}

/// Returns the phrases of a complement: the object, then one for each preposition.
pub(super) fn phrases(words: &[Word]) -> Vec<Phrase<'_>> {
    let mut phrases: Vec<Phrase<'_>> =
        vec![Phrase { forms: Vec::new(), said: Vec::new(), len: 0, content: 0, timely: true }];
    for word in words {
        let opens = word.class == Class::Small && lists::is_preposition(&word.form);
        if opens {
            phrases.push(Phrase { forms: Vec::new(), said: Vec::new(), len: 0, content: 0, timely: true });
        }
        if let Some(phrase) = phrases.last_mut() {
            phrase.forms.push(&word.form);
            phrase.len += 1;
            phrase.said.extend(word.is_content().then_some(word.form.as_str()));
            phrase.content += usize::from(word.is_content());
            phrase.timely &= !word.is_content() || is_timely(word);
        }
    }
    phrases
}

pub(super) fn is_timely(word: &Word) -> bool {
    word.class == Class::Number
        || lists::is_day_or_month(&word.lower)
        || matches!(
            word.form.as_str(),
            "hour"
                | "minut"
                | "week"
                | "day"
                | "month"
                | "year"
                | "morn"
                | "afternoon"
                | "even"
                | "night"
                | "noon"
                | "midnight"
                | "am"
                | "pm"
                | "utc"
                | "daili"
        )
}

/// Returns true if the range in which two clauses differ has one value at a time. Their subjects
/// and verbs are the same.
pub(super) fn holds_one(old: &Clause, new: &Clause, hunk: &Hunk) -> bool {
    let (Some(verb), Some(new_verb)) = (&old.verb, &new.verb) else { return false };
    let was = old.words.get(hunk.old.clone()).unwrap_or_default();
    let is = new.words.get(hunk.new.clone()).unwrap_or_default();
    if is_elsewhere(old, new, was, is) {
        return true;
    }
    if small(was) != small(is) || lists_several(old) || lists_several(new) {
        return false;
    }
    let opens = |word: &Word| word.class == Class::Small && lists::is_preposition(&word.form);
    if !timely(was) && was.iter().chain(is).any(opens) {
        return false;
    }
    if was.iter().chain(is).any(|word| is_place_of_running(&word.form) && word.is_content()) {
        return false;
    }
    let Some(place) = place(complement(old), hunk.old.start.saturating_sub(verb.end), hunk.old.len()) else {
        return false;
    };
    // "fails on warnings": each of these words is a separate occasion.
    static OCCASIONS: WordList =
        WordList::new("fail retri clear fire trigger warn panic crash restart alert reload invalid");
    let dated = was.iter().any(|word| lists::is_day_or_month(&word.lower) || word.form.contains(':'));
    if place.preposition == "on" && !dated && OCCASIONS.has(&verb.form) {
        return false;
    }
    if mixes_time(was, is) && lists::has("in on at", place.preposition) {
        return false;
    }
    // "uploads three times", "downloads five times": another thing with its number.
    let counts_a_thing = |words: &[Word]| {
        let mut said = words.iter().filter(|word| word.is_content());
        let thing = said.next().is_some_and(|word| word.class == Class::Plain && !is_timely(word));
        thing && said.any(|word| word.class == Class::Number)
    };
    if counts_a_thing(was) && counts_a_thing(is) {
        return false;
    }
    let differing = Differing {
        was,
        is,
        counted: numbers_alone(was) && numbers_alone(is),
        opposed: was.iter().any(|was| is.iter().any(|is| excludes(&was.form, &is.form))),
    };
    if !place.is_value {
        return is_later_value(verb, &place, &differing);
    }
    if verb.copula {
        let turns = lists::has("to from with for about into like of", place.preposition);
        return verb.form == ":"
            || (new_verb.copula && (!turns || differing.counted) && attribute(old, &differing));
    }
    by_verb(old, verb, &place, &differing)
}

/// The differing words of two clauses.
struct Differing<'a> {
    was: &'a [Word],
    is: &'a [Word],
    /// True for numbers of the same thing.
    counted: bool,
    /// True for two values of a group of which one holds at a time.
    opposed: bool,
}

impl Differing<'_> {
    /// Returns true if `so` accepts all content words.
    fn all(&self, so: impl Fn(&Word) -> bool) -> bool {
        self.was.iter().chain(self.is).filter(|word| word.is_content()).all(so)
    }
}

/// Returns true if a value after a verb other than "is" has one value at a time.
fn by_verb(old: &Clause, verb: &Verb, place: &DifferencePosition<'_>, differing: &Differing<'_>) -> bool {
    let Differing { was, counted, opposed, .. } = *differing;
    if verb.form == "has" {
        return counted || (opposed && differing.all(|word| is_state(&word.form)));
    }
    if verb.passive {
        // "scared of", "excited about": several values.
        let of_many = matches!(place.preposition, "of" | "about");
        // "is called X" names the subject, "is called by X" does not.
        let shared =
            is_shared_participle(&verb.lower) || (verb.lower == "called" && !place.preposition.is_empty());
        return counted || !(of_many || shared);
    }
    let dated = differing.all(|word| lists::is_month(&word.lower));
    match holding(&verb.form) {
        // "runs on X" names one place, "runs X" may name several things; "keep X short" concerns X.
        Some(VerbObjectCount::One) if verb.form == "execut" && place.preposition.is_empty() => {
            counted || opposed
        }
        Some(VerbObjectCount::One) if old.subject().is_empty() && place.goes_on => counted || opposed,
        Some(VerbObjectCount::One) => true,
        Some(VerbObjectCount::OnePerPurpose) => counted || opposed || place.has_purpose || is_activity(old),
        Some(VerbObjectCount::Many) => counted,
        None => {
            let clocked = place.timely && was.iter().any(|word| word.class == Class::Number);
            counted || opposed || clocked || dated
        }
    }
}

/// Returns true if a thing has another place or a member another group: "is on the third floor",
/// "is in the basement".
fn is_elsewhere(old: &Clause, new: &Clause, was: &[Word], is: &[Word]) -> bool {
    static PLACES: WordList = WordList::new("in on at behind near under inside outside");
    let copula = |clause: &Clause| clause.verb.as_ref().is_some_and(|verb| verb.copula && verb.form != ":");
    let phrase = |clause: &'_ Clause| {
        let phrases = phrases(complement(clause));
        let said: Vec<&Phrase<'_>> = phrases.iter().filter(|phrase| phrase.content > 0).collect();
        match said.as_slice() {
            [only] => only.forms.first().is_some_and(|form| PLACES.has(form)) && !only.timely,
            _ => false,
        }
    };
    let names = |words: &[Word]| words.iter().any(|word| is_place_of_running(&word.form));
    copula(old)
        && copula(new)
        && phrase(old)
        && phrase(new)
        && !names(was)
        && !names(is)
        && !lists_several(old)
        && !lists_several(new)
}

/// Returns true if a word after the first content phrase is still the value: a clock time or a
/// date, the address or employer after "at", a preferred form.
fn is_later_value(verb: &Verb, place: &DifferencePosition<'_>, differing: &Differing<'_>) -> bool {
    let single = !matches!(holding(&verb.form), Some(VerbObjectCount::Many));
    let one = matches!(holding(&verb.form), Some(VerbObjectCount::One)) && !verb.passive;
    let counted = differing.counted;
    (place.is_time && single)
        || (counted && place.timely && single && (verb.copula || verb.passive))
        || (counted && !place.timely)
        || (verb.copula && place.preposition == "at" && differing.all(Word::is_hard))
        || (one
            && place.last
            && !place.timely
            && lists::has("in on at with to by via from", place.preposition))
        || (verb.form == "prefer" && place.last && lists::has("in as with by via", place.preposition))
}

/// The position of a difference in a complement.
struct DifferencePosition<'a> {
    /// True if it is in the first content phrase.
    is_value: bool,
    /// True if it and all phrases before it are times.
    is_time: bool,
    /// True if a later phrase names a purpose.
    has_purpose: bool,
    /// True if its phrase is a time.
    timely: bool,
    /// The preposition of its phrase.
    preposition: &'a str,
    /// True if no phrase follows it.
    last: bool,
    /// True if its phrase has more content words after it.
    goes_on: bool,
}

fn place(words: &[Word], offset: usize, len: usize) -> Option<DifferencePosition<'_>> {
    let phrases = phrases(words);
    let mut begin = 0;
    let mut before: Vec<&Phrase<'_>> = Vec::new();
    for (at, phrase) in phrases.iter().enumerate() {
        if offset < begin + phrase.len {
            let is_value = before.iter().all(|phrase| phrase.content == 0);
            let is_time = phrase.timely && before.iter().all(|phrase| phrase.timely);
            let for_what = |phrase: &Phrase<'_>| {
                phrase.content > 0 && phrase.forms.first().is_some_and(|form| PURPOSES.contains(form))
            };
            let has_purpose = phrases.iter().skip(at + 1).any(for_what);
            let first = words.get(begin).filter(|word| word.class == Class::Small);
            return Some(DifferencePosition {
                is_value,
                is_time,
                has_purpose,
                timely: phrase.timely,
                preposition: first.map(|word| word.form.as_str()).unwrap_or_default(),
                last: at + 1 == phrases.len(),
                goes_on: words
                    .get(offset + len..begin + phrase.len)
                    .is_some_and(|rest| rest.iter().any(Word::is_content)),
            });
        }
        begin += phrase.len;
        before.push(phrase);
    }
    None
}

fn small(words: &[Word]) -> Vec<&str> {
    words
        .iter()
        .filter(|word| word.class == Class::Small && word.form != "'s")
        .map(|word| word.form.as_str())
        .collect()
}

/// Returns true for a list: in "Jest and Vitest", neither replaces the other.
fn lists_several(clause: &Clause) -> bool {
    // "between 2 and 8" is one range.
    let ranges = complement(clause).iter().any(|word| word.form == "between");
    !ranges && lists_several_words(complement(clause))
}

fn lists_several_words(words: &[Word]) -> bool {
    words.iter().any(|word| matches!(word.lower.as_str(), "and" | "or" | "both" | "either"))
}

/// Returns true for a time against another sort: "runs on Mondays", "runs on Linux".
fn mixes_time(was: &[Word], is: &[Word]) -> bool {
    timely(was) != timely(is)
}

fn timely(words: &[Word]) -> bool {
    words.iter().filter(|word| word.is_content()).all(is_timely)
}

fn numbers_alone(words: &[Word]) -> bool {
    words.iter().all(|word| word.class == Class::Number || word.class == Class::Small)
}

/// Returns true if the subject is the purpose: "Logging uses X", "Authentication uses X".
fn is_activity(clause: &Clause) -> bool {
    clause.subject().iter().rfind(|word| word.is_content()).is_some_and(|word| {
        ["ing", "tion", "sion", "ment", "tests", "suite", "pipeline"]
            .iter()
            .any(|end| word.lower.ends_with(end))
    })
}

/// Returns true for "The X of Y is Z": a name, a number, or another attribute with a single value.
fn attribute(clause: &Clause, differing: &Differing<'_>) -> bool {
    let subject = clause.subject();
    let Some(head) = subject.iter().rfind(|word| word.is_content()) else { return differing.opposed };
    let head_phrase = head_of(subject);
    let several = clause.verb.as_ref().is_some_and(|verb| verb.lower == "are");
    let is_person = subject.iter().filter(|word| word.is_content()).count() == 1
        && (PEOPLE.contains(&head.form.as_str()) || (!clause.definite && !several));
    if differing.opposed || differing.all(is_timely) {
        return true;
    }
    if is_person || SEVERAL.has(head_phrase) {
        return false;
    }
    let named = |words: &[Word]| words.iter().any(Word::is_hard);
    let superlative = subject.iter().any(|word| SUPERLATIVES.has(&word.form));
    superlative
        || ATTRIBUTES.has(head_phrase)
        || ((clause.definite || several) && named(differing.was) && named(differing.is))
}

/// Returns true for a complement that has one subject, if only the subject differs: "X is the main
/// editor", "X owns the service".
pub(super) fn has_one_subject(old: &Clause, new: &Clause) -> bool {
    let (Some(verb), Some(new_verb)) = (&old.verb, &new.verb) else { return false };
    let said = complement(old);
    let forms = |words: &[Word]| words.iter().map(|word| word.form.clone()).collect::<Vec<_>>();
    if forms(said) != forms(complement(new)) || verb.form != new_verb.form || verb.passive || new_verb.passive
    {
        return false;
    }
    let definite = said.first().is_some_and(|word| word.is_definite)
        && complement(new).first().is_some_and(|word| word.is_definite);
    let single = |words: &[Word]| {
        let phrases = phrases(words);
        phrases.len() == 1 && !lists_several_words(words)
    };
    let runs = |words: &[Word]| words.iter().any(|word| is_place_of_running(&word.form));
    definite
        && single(old.subject())
        && single(new.subject())
        && !runs(old.subject())
        && !runs(new.subject())
        && (verb.copula && ATTRIBUTES.has(head_of(said))
            || matches!(verb.form.as_str(), "own" | "lead" | "captain" | "chair" | "head"))
}

/// Returns true for an attribute with a single value: a name, a limit, a responsible person.
pub(super) fn is_attribute(form: &str) -> bool {
    ATTRIBUTES.has(form)
}

/// Returns the head noun of a subject: the last one before "of", "for" or another preposition.
fn head_of(subject: &[Word]) -> &str {
    let end = subject
        .iter()
        .position(|word| {
            word.class == Class::Small && (word.form == "of" || lists::is_preposition(&word.form))
        })
        .filter(|end| *end > 0)
        .unwrap_or(subject.len());
    let head = subject.get(..end).unwrap_or_default().iter().rfind(|word| word.is_content());
    head.map(|word| word.form.as_str()).unwrap_or_default()
}
