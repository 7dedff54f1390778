//! Words that speak for or against a rule, as data with one file for each language. The kind and
//! the points of a cue determine its effect.
//!
//! A statement is a rule if it contains an instruction ([`CueKind::Orders`]) and its general cues
//! outweigh its local ones by [`super::classification::POINTS_MIN`] or more. In a form, `CODE`
//! stands for a code span, `VERBS` for the language's verbs. A cue with `unless` does not count if
//! that form also matches, because the expressions have no lookahead.
//!
//! To add a language: its file, and one line in [`LANGUAGES`]. Languages are recognized by their
//! function words, and by their script.

mod chinese;
mod dutch;
mod english;
mod french;
mod german;
mod italian;
mod japanese;
mod korean;
mod portuguese;
mod russian;
mod spanish;

use std::sync::LazyLock;

use regex::Regex;

use super::Reason;
use super::cue_text::{self, CODE};

/// The effect of a cue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CueKind {
    /// It is an instruction, with a degree of generality. The strongest of a statement counts.
    Orders(i32),
    /// It extends beyond the commented place. All of a statement count.
    General(i32),
    /// It refers to the commented place. All of a statement count.
    Local(i32),
    /// The statement is not a rule, for this reason.
    Stops(Reason),
    /// A request in the form of a question, which may still state a rule.
    Requests,
}

/// A named pattern.
#[derive(Debug)]
pub(super) struct Cue {
    pub(super) name: &'static str,
    pub(super) kind: CueKind,
    form: &'static str,
    unless: &'static str,
}

const fn cue(name: &'static str, kind: CueKind, form: &'static str) -> Cue {
    Cue { name, kind, form, unless: "" }
}

impl Cue {
    const fn unless(self, unless: &'static str) -> Self {
        Self { unless, ..self }
    }
}

/// The data of a language in its file.
struct CueWords {
    /// Its code, such as `de`.
    code: &'static str,
    /// Verbs of instructions, for `VERBS` in its forms.
    verbs: &'static str,
    /// The marks of the language: words separated by blanks, or its script.
    told_by: LanguageMark,
    /// Opening words of a statement without meaning of their own.
    leaders: &'static str,
    /// The start of a second clause, which may be a rule of its own.
    clauses: &'static str,
    /// Words that retract an earlier statement.
    takes_back: &'static str,
    cues: &'static [Cue],
}

enum LanguageMark {
    Words(&'static str),
    Script(fn(char) -> bool),
}

static LANGUAGES: &[&CueWords] = &[
    &english::WORDS,
    &german::WORDS,
    &french::WORDS,
    &spanish::WORDS,
    &portuguese::WORDS,
    &italian::WORDS,
    &dutch::WORDS,
    // Japanese precedes Chinese, because it uses both scripts.
    &japanese::WORDS,
    &chinese::WORDS,
    &korean::WORDS,
    &russian::WORDS,
];

/// A compiled language.
pub(super) struct Language {
    pub(super) code: &'static str,
    told_by: &'static LanguageMark,
    words: Vec<&'static str>,
    pub(super) leaders: Regex,
    pub(super) clauses: Option<Regex>,
    takes_back: Regex,
    cues: Vec<Compiled>,
}

struct Compiled {
    cue: &'static Cue,
    form: Regex,
    unless: Option<Regex>,
}

static COMPILED: LazyLock<Vec<Language>> = LazyLock::new(|| LANGUAGES.iter().copied().map(compile).collect());
/// Openings that mark a remark as general, common to all languages because few have them.
static GENERALLY: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"(?i)\b(?:general|generally|future|next time|all of us|everyone|in general|reminder|convention|overall|allgemein\w*|grundsätzlich|nächste mal|générale|rappel|recordatorio|lembrete|geral|promemoria)\b|一般|总的来说|全体|общее|на будущее|일반적인",
    )
});
/// The default language.
static DEFAULT: LazyLock<Language> = LazyLock::new(|| compile(&english::WORDS));

fn compile(words: &'static CueWords) -> Language {
    let form = |form: &str| {
        let form = form.replace("CODE", &CODE.to_string()).replace("VERBS", words.verbs);
        cue_text::compiled(&format!("(?i){form}"))
    };
    let some = |text: &str| (!text.is_empty()).then(|| form(text));
    let cues = words.cues.iter();
    Language {
        code: words.code,
        told_by: &words.told_by,
        words: match words.told_by {
            LanguageMark::Words(list) => list.split_whitespace().collect(),
            LanguageMark::Script(_) => Vec::new(),
        },
        leaders: form(words.leaders),
        clauses: some(words.clauses),
        takes_back: form(words.takes_back),
        cues: cues.map(|cue| Compiled { cue, form: form(cue.form), unless: some(cue.unless) }).collect(),
    }
}

impl Language {
    /// Returns the cues of a statement, in the order of the table. The copy is that of `cue_text`.
    pub(super) fn found<'a>(&'a self, copy: &'a str) -> impl Iterator<Item = &'static Cue> + 'a {
        let holds = |one: &&Compiled| {
            one.form.is_match(copy) && !one.unless.as_ref().is_some_and(|unless| unless.is_match(copy))
        };
        self.cues.iter().filter(holds).map(|one| one.cue)
    }
}

/// True for an opening that marks a statement as general.
pub(super) fn opens_generally(opening: &str) -> bool {
    GENERALLY.is_match(opening)
}

/// Returns the possible languages of a text: usually one, or several with the same number of words.
pub(super) fn of_text(text: &str) -> Vec<&'static Language> {
    let told = told(text);
    if told.is_empty() { vec![&DEFAULT] } else { told }
}

/// Returns the languages of a statement within a text: those possible for both, else those of the
/// statement, else those of the text.
pub(super) fn of_statement(statement: &str, of_text: &[&'static Language]) -> Vec<&'static Language> {
    let told = told(statement);
    let is_of = |one: &&&'static Language| of_text.iter().any(|other| other.code == one.code);
    let both: Vec<&'static Language> = told.iter().filter(is_of).copied().collect();
    match (both.is_empty(), told.is_empty()) {
        (false, _) => both,
        (true, false) => told,
        (true, true) => of_text.to_vec(),
    }
}

fn told(text: &str) -> Vec<&'static Language> {
    let copy = cue_text::copy(text);
    let by_script = COMPILED.iter().find(|language| match language.told_by {
        LanguageMark::Script(is_of) => is_script(&copy, *is_of),
        LanguageMark::Words(_) => false,
    });
    by_script.map_or_else(|| by_words(&copy), |language| vec![language])
}

/// True if enough letters belong to a script. Names in code are Latin in all languages.
fn is_script(copy: &str, is_of: fn(char) -> bool) -> bool {
    let letters = copy.chars().filter(|c| c.is_alphabetic());
    let (all, of) = letters.fold((0_usize, 0_usize), |(all, of), c| (all + 1, of + usize::from(is_of(c))));
    of >= 2 && of * 8 >= all
}

/// Returns the languages with the most words in a text.
fn by_words(copy: &str) -> Vec<&'static Language> {
    let said: Vec<&str> =
        copy.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| !word.is_empty()).collect();
    let count = |language: &Language| said.iter().filter(|word| language.words.contains(word)).count();
    let counted: Vec<_> = COMPILED.iter().map(|language| (count(language), language)).collect();
    let most = counted.iter().map(|(count, _)| *count).max().unwrap_or(0);
    counted
        .into_iter()
        .filter(|(count, _)| most > 0 && *count == most)
        .map(|(_, language)| language)
        .collect()
}

/// True for a text that retracts an earlier statement.
pub(super) fn takes_back(text: &str) -> bool {
    let copy = cue_text::copy(text);
    of_text(text).iter().any(|language| language.takes_back.is_match(&copy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_compiles_and_names_are_of_one_table() {
        assert_eq!(COMPILED.len(), LANGUAGES.len());
        for language in COMPILED.iter() {
            assert!(language.cues.len() > 5, "{}", language.code);
        }
    }

    #[test]
    fn languages_are_told() {
        let check = |text: &str, expect: &str| {
            assert_eq!(of_text(text).iter().map(|one| one.code).collect::<Vec<_>>(), [expect], "{text}")
        };
        check("please always use const", "en");
        check("bitte immer const verwenden, das ist bei uns so üblich", "de");
        check("merci de toujours utiliser const dans ce projet", "fr");
        check("por favor, usa siempre const en este proyecto", "es");
        check("por favor, use sempre const neste projeto, não use var", "pt");
        check("usiamo sempre const in questo progetto, non usare var", "it");
        check("gebruik altijd const in deze codebase, niet var", "nl");
        check("请始终使用 `const`", "zh");
        check("常に `const` を使ってください", "ja");
        check("항상 `const`를 사용하세요", "ko");
        check("Всегда используйте const", "ru");
        check("const", "en");
    }
}
