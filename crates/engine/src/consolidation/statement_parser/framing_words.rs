//! Framing of a statement, apart from its content: politeness, openers, words that mark something
//! as new. English, with the words of change and of grammar in German, French and Spanish.
//!
//! Nothing here decides; `value_change` evaluates the cues.

use super::lists::{PhraseList, WordList, has};
use super::words::{Class, Word};

/// Cues of a statement on its own novelty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Cues {
    /// True for "now", "from now on", "these days", "as of today".
    pub(in super::super) now: bool,
    /// True for "correction", "actually", "I meant".
    pub(in super::super) corrected: bool,
    /// True for "instead", "rather".
    pub(in super::super) instead: bool,
    /// True for "also", "too", "another", "both".
    pub(in super::super) also: bool,
}

/// Phrases that open or close a sentence without content. English.
static OPENERS: PhraseList = PhraseList::new(&[
    "just so you know",
    "by the way",
    "for the record",
    "for your information",
    "for what it is worth",
    "to be clear",
    "please note that",
    "please note",
    "note that",
    "please remember that",
    "remember that",
    "keep in mind that",
    "bear in mind that",
    "i must tell you that",
    "as you know",
    "as i said",
    "as mentioned",
    "like i said",
    "i think that",
    "it turns out that",
    "it turns out",
    "turns out that",
    "turns out",
    "good news",
    "quick update",
    "small update",
    "i want you to",
    "prefer you to",
    "could you please",
    "could you",
    "can i get",
    "can i have",
    "could i get",
    "could i have",
    "can we have",
    "can you please",
    "can you",
    "would you please",
    "would you",
    "you can",
    "you may",
    "make sure to",
    "make sure that",
    "make sure",
    "be sure to",
    "you will find",
    "you find",
    "if possible",
    "if you can",
    "for me",
    "thank you",
    "thanks",
    "fyi",
    "btw",
    "sorry",
    "update",
    "oh",
    "well",
    "hey",
    "hi",
]);

/// Phrases that mark something as new. English, German, French, Spanish.
static NOW: PhraseList = PhraseList::new(&[
    "from now on",
    "from now",
    "from today on",
    "from today",
    "as of today",
    "as of now",
    "as of this week",
    "as of this month",
    "as of last week",
    "as of last month",
    "starting now",
    "starting today",
    "effective immediately",
    "going forward",
    "in the future",
    "in future",
    "since this week",
    "since last week",
    "since this month",
    "since last month",
    "since today",
    "since yesterday",
    "since recently",
    "these days",
    "nowadays",
    "by now",
    "down to",
    "meanwhile",
    "now",
    "lately",
    "recently",
    "ab jetzt",
    "ab sofort",
    "von nun an",
    "von jetzt an",
    "jetzt",
    "inzwischen",
    "mittlerweile",
    "neuerdings",
    "nun",
    "désormais",
    "dorénavant",
    "maintenant",
    "à partir de maintenant",
    "a partir de ahora",
    "de ahora en adelante",
    "ahora",
    "actualmente",
]);

static CORRECTED: PhraseList = PhraseList::new(&[
    "correction",
    "actually",
    "i meant",
    "to correct myself",
    "i was wrong",
    "my mistake",
    "in fact",
    "korrektur",
    "eigentlich",
    "en fait",
    "en realidad",
    "corrección",
]);

static INSTEAD: PhraseList = PhraseList::new(&["instead", "stattdessen", "à la place", "en su lugar"]);

static ALSO: PhraseList = PhraseList::new(&[
    "also",
    "as well",
    "another",
    "additional",
    "additionally",
    "in addition",
    "besides",
    "both",
    "extra",
    "as before",
    "on top of that",
    "not only",
    "a second",
    "a third",
    "one more",
    "auch",
    "zusätzlich",
    "ebenfalls",
    "außerdem",
    "noch ein",
    "noch eine",
    "aussi",
    "également",
    "en plus",
    "también",
    "además",
    "otro",
    "otra",
    "either",
    "likewise",
    "still",
]);

/// Words that a comparison of content ignores. English.
static FRAMING: WordList = WordList::new(
    "\
    please prefer like love want wish need thing way kind sort note know think guess believe say tell \
    call name title support happy glad fine just dear okay ok hope decide mean enough suffici rid give post role posit see show favorit anything something everything suit fit consider rather \
    general typical usual normal simple new",
);

/// Grammatical words. German, French, Spanish.
static GRAMMAR: WordList = WordList::new(
    "\
    der die das den dem des ein eine einen einem einer ich wir er sie es mein meine meinen meiner unser \
    unsere ist sind war bin hat habe haben wird werden und oder mit für von zu zum zur im am auf bei nach \
    mehr nicht kein keine keinen bitte benutzer nutzer \
    le la les l un une des du de je nous il elle mon ma mes notre nos est sont suis ai avons et ou avec pour \
    dans sur à au aux en ne pas plus que qui se s j d n utilisateur utilisatrice veuillez \
    el los las una unos yo nosotros él ella mi mis nuestro nuestra es son soy está estoy ha he y o con para \
    por del al su sus usuario usuaria favor me no ya",
);

/// Returns the words without framing phrases, and the cues of those phrases.
pub(in super::super) fn unframed(words: &[Word]) -> (Vec<Word>, Cues) {
    let words = &with_grammar(words);
    let mut kept: Vec<Word> = Vec::with_capacity(words.len());
    let mut cues = Cues::default();
    let mut at = reported(words);
    while let Some(word) = words.get(at) {
        let rest = words.get(at..).unwrap_or_default();
        let last = rest.get(1).is_none_or(|next| next.class == Class::Break);
        cues.also |= ALSO.longest(rest) > 0 || (word.lower == "too" && last);
        let (now, corrected, instead) = (NOW.longest(rest), CORRECTED.longest(rest), INSTEAD.longest(rest));
        let opener = OPENERS.longest(rest);
        let since = since(words, at);
        cues.now |= now > 0 || since > 0 || has("since seit depuis desde", &word.lower);
        cues.corrected |= corrected > 0;
        cues.instead |= instead > 0 || matches!(word.form.as_str(), "instead-of" | "in-favor-of");
        let skipped = since.max(now).max(corrected).max(instead).max(opener);
        if skipped > 0 {
            at += skipped;
            // Punctuation after an opener belongs to it.
            let marked = words.get(at).is_some_and(|next| next.class == Class::Break);
            at += usize::from(marked && kept.is_empty());
        } else {
            kept.push(word.clone());
            at += 1;
        }
    }
    if kept.iter().any(Word::is_content) { (kept, cues) } else { (words.clone(), cues) }
}

/// Words that occur in no English sentence. German, French, Spanish.
static FOREIGN: WordList = WordList::new(
    "\
    der das ist ich mein meine nicht und für wir ein eine le je mon ma est et pour nous une les el los es mi y \
    para una yo del se en ya chez",
);

/// Words that occur in most English sentences.
static ENGLISH: WordList = WordList::new("the is are my i to of and for we our it with not was");

/// Returns the words; if the sentence is not English, marks its grammatical words as such.
fn with_grammar(words: &[Word]) -> Vec<Word> {
    let count = |list: &WordList| words.iter().filter(|word| list.has(&word.lower)).count();
    let foreign = count(&FOREIGN) > count(&ENGLISH);
    let read = |word: &Word| {
        static DENIALS: WordList =
            WordList::new("nicht kein keine keinen keiner nie niemals ne jamais nunca");
        if foreign && DENIALS.has(&word.lower) {
            return Word { lower: word.lower.clone(), ..Word::new("not", Class::Negation) };
        }
        let grammar = foreign && matches!(word.class, Class::Plain | Class::Name) && GRAMMAR.has(&word.lower);
        if grammar { Word { class: Class::Small, ..word.clone() } } else { word.clone() }
    };
    words.iter().map(read).collect()
}

/// Returns the number of words that attribute the following statement to a person: "The vet
/// mentioned", "Anna confirmed that".
fn reported(words: &[Word]) -> usize {
    static SAYING: WordList = WordList::new("says said told tells mentioned confirmed wrote informed");
    let Some(verb) = words.iter().take(4).position(|word| SAYING.has(&word.lower)) else { return 0 };
    let mut end = verb + 1;
    while words.get(end).is_some_and(|word| has("i me us we that him her", &word.lower)) {
        end += 1;
    }
    let states = words.get(end).is_some_and(|next| {
        next.form == "a"
            || next.form == "user"
            || next.class == Class::Name
            || has("our his her their", &next.lower)
    });
    let plain =
        words.iter().take(verb).all(|word| word.class != Class::Break && word.class != Class::Negation);
    if verb > 0 && states && plain { end } else { 0 }
}

/// Returns the number of words of a date that opens or closes a sentence: "from January", "starting
/// Monday".
fn since(words: &[Word], at: usize) -> usize {
    if !words.get(at).is_some_and(|word| has("from starting beginning since ab", &word.lower)) {
        return 0;
    }
    let day = |at: usize| words.get(at).is_some_and(|word| super::lists::is_day_or_month(&word.lower));
    let number = |at: usize| words.get(at).is_some_and(|word| word.class == Class::Number);
    let mut end = at + 1;
    end += usize::from(words.get(end).is_some_and(|word| word.lower == "in") && day(end + 1));
    let begin = end;
    while day(end) || (number(end) && (day(end - 1) || day(end + 1))) {
        end += 1;
    }
    let on = words.get(end).is_some_and(|word| matches!(word.lower.as_str(), "on" | "onwards"));
    end += usize::from(on && end > begin);
    let range = words.get(end).is_some_and(|word| has("to until till through", &word.lower));
    let edge = at == 0 || words.get(end).is_none_or(|word| word.class == Class::Break);
    if edge && !range && end > begin { end - at } else { 0 }
}

/// Returns true for a word that a comparison of content ignores.
pub(in super::super) fn is_framing(word: &Word) -> bool {
    word.class == Class::Plain
        && word.lower != "calls"
        && (matches!(word.lower.as_str(), "user" | "i" | "me")
            || FRAMING.has(&word.form)
            || FRAMING.has(&word.lower))
}
