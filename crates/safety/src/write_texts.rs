//! The long texts of a write transaction. Preparing them takes time, during which all other writes
//! would wait. So within a transaction [`prepare`](super::prepare) and [`redact`](super::redact)
//! take the results from here. If a result is missing, they continue with a placeholder, the
//! transaction is rolled back, and it runs again when the result is ready. Short texts are prepared
//! within the transaction.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use loci_model::{Error, Result, limits};

use super::secrets::MASK;
use super::{RedactionMode, SafeText, SafetyPolicy, SecretKind, prepare_here, secrets};

thread_local! {
    /// The texts of the write transaction that runs on this thread.
    static OF_WRITE: RefCell<Option<WriteTexts>> = const { RefCell::new(None) };
}

/// A text whose result a write transaction requests. Without a policy only its secrets are masked.
#[derive(Clone, Copy)]
struct TextAsk<'a> {
    text: &'a str,
    index_text: Option<&'a str>,
    policy: Option<&'a SafetyPolicy>,
}

impl TextAsk<'_> {
    fn bytes(&self) -> usize {
        self.text.len() + self.index_text.map_or(0, str::len)
    }

    /// Returns the hash of the text and the policy, under which the result is found.
    fn number(&self) -> u64 {
        number_of(self.text, self.index_text)
    }

    /// Returns the placeholder result with which the transaction continues until it is rolled back.
    /// Its text is never empty.
    fn placeholder(&self) -> SafeAnswer {
        match self.policy {
            Some(policy) => SafeAnswer::Prepared(Box::new(prepare_here(MASK.to_owned(), None, policy))),
            None => SafeAnswer::Redacted(MASK.to_owned(), Vec::new()),
        }
    }
}

fn number_of(text: &str, index_text: Option<&str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (text, index_text).hash(&mut hasher);
    hasher.finish()
}

/// A long text to be made safe outside of its write transaction.
#[derive(Debug, Clone)]
pub struct LongText {
    text: String,
    index_text: Option<String>,
    policy: Option<SafetyPolicy>,
}

impl LongText {
    fn new(ask: &TextAsk<'_>) -> Self {
        Self {
            text: ask.text.to_owned(),
            index_text: ask.index_text.map(str::to_owned),
            policy: ask.policy.copied(),
        }
    }

    fn answers(&self, ask: &TextAsk<'_>) -> bool {
        self.text == ask.text
            && self.index_text.as_deref() == ask.index_text
            && self.policy.as_ref() == ask.policy
    }

    /// Runs the safety steps on the text, and returns the text with the result.
    pub fn made(self) -> (Self, SafeAnswer) {
        let asked = self.clone();
        let answer = match self.policy {
            Some(policy) => SafeAnswer::Prepared(Box::new(prepare_here(self.text, self.index_text, &policy))),
            None => {
                let (text, kinds) = secrets::redact_here(self.text, RedactionMode::Mask);
                SafeAnswer::Redacted(text, kinds)
            }
        };
        (asked, answer)
    }
}

/// The result of the safety steps on a text.
#[derive(Debug, Clone)]
pub enum SafeAnswer {
    /// The result of every step.
    Prepared(Box<SafeText>),
    /// The result of masking alone, with the kinds of secrets.
    Redacted(String, Vec<SecretKind>),
}

/// The prepared results for a write transaction, and the texts that it still waits for, by hash.
#[derive(Debug, Default)]
pub struct WriteTexts {
    made: BTreeMap<u64, Vec<(LongText, SafeAnswer)>>,
    waiting: BTreeMap<u64, Vec<LongText>>,
    /// The number of bytes of texts that this run of the transaction prepared itself.
    bytes: usize,
}

impl WriteTexts {
    /// Adds prepared results.
    pub fn add(&mut self, made: Vec<(LongText, SafeAnswer)>) {
        for (text, answer) in made {
            let number = number_of(&text.text, text.index_text.as_deref());
            self.made.entry(number).or_default().push((text, answer));
        }
    }

    /// Returns and removes the texts that the last run of the transaction requested without finding
    /// a result.
    pub fn take_waiting(&mut self) -> Vec<LongText> {
        std::mem::take(&mut self.waiting).into_values().flatten().collect()
    }

    /// Returns the prepared result for a text. `None` if the transaction must prepare the text
    /// itself.
    fn get(&mut self, ask: &TextAsk<'_>) -> Option<SafeAnswer> {
        let bytes = self.bytes + ask.bytes();
        let is_short = bytes < limits::WRITE_TEXTS_BYTES_MIN;
        if is_short && self.made.is_empty() {
            self.bytes = bytes;
            return None;
        }
        let number = ask.number();
        let mut made = self.made.get(&number).into_iter().flatten();
        if let Some((_, answer)) = made.find(|(known, _)| known.answers(ask)) {
            return Some(answer.clone());
        }
        if is_short {
            self.bytes = bytes;
            return None;
        }
        let waiting = self.waiting.entry(number).or_default();
        if !waiting.iter().any(|known| known.answers(ask)) {
            waiting.push(LongText::new(ask));
        }
        Some(ask.placeholder())
    }
}

fn get(ask: &TextAsk<'_>) -> Option<SafeAnswer> {
    OF_WRITE.with(|texts| texts.borrow_mut().as_mut()?.get(ask))
}

/// Returns the prepared result of every safety step for a text, if this thread runs a write
/// transaction.
pub(super) fn prepared(text: &str, index_text: Option<&str>, policy: &SafetyPolicy) -> Option<SafeText> {
    match get(&TextAsk { text, index_text, policy: Some(policy) })? {
        SafeAnswer::Prepared(safe) => Some(*safe),
        SafeAnswer::Redacted(..) => None,
    }
}

/// Returns the prepared result of masking a text, if this thread runs a write transaction.
pub(super) fn redacted(text: &str) -> Option<(String, Vec<SecretKind>)> {
    match get(&TextAsk { text, index_text: None, policy: None })? {
        SafeAnswer::Redacted(text, kinds) => Some((text, kinds)),
        SafeAnswer::Prepared(_) => None,
    }
}

/// A guard that gives the texts of the thread back to their owner, even if the work panics.
struct Lent<'a>(&'a Mutex<WriteTexts>);

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(texts) = OF_WRITE.with(|own| own.borrow_mut().take()) {
            *lock(self.0) = texts;
        }
    }
}

/// Runs a write transaction once, with its prepared texts.
///
/// # Errors
/// The errors of `work`; `Unavailable` if results of texts are still missing. The caller must then
/// roll the transaction back.
pub fn run_with<T>(texts: &Mutex<WriteTexts>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let mut own = std::mem::take(&mut *lock(texts));
    own.waiting.clear();
    own.bytes = 0;
    OF_WRITE.with(|place| *place.borrow_mut() = Some(own));
    let lent = Lent(texts);
    let outcome = work();
    drop(lent);
    if lock(texts).waiting.is_empty() {
        return outcome;
    }
    Err(Error::unavailable("long texts of the write are made safe, and it runs again"))
}

/// Locks the mutex, even after a panic while another thread held it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::{prepare, redact};
    use super::*;

    fn masking() -> SafetyPolicy {
        SafetyPolicy { secrets: RedactionMode::Mask, ..SafetyPolicy::default() }
    }

    fn key() -> String {
        ["AKIA", "IOSFODNN7EXAMPLE"].concat()
    }

    fn long(number: usize) -> String {
        format!("{number} {}\n{}", key(), "It is a long text. ".repeat(8_000))
    }

    /// Prepares the texts that a write waits for, and returns their number.
    fn make(texts: &Mutex<WriteTexts>) -> usize {
        let waiting = lock(texts).take_waiting();
        let count = waiting.len();
        lock(texts).add(waiting.into_iter().map(LongText::made).collect());
        count
    }

    #[test]
    fn a_write_with_long_texts_runs_again_with_what_was_made_of_them() {
        let texts = Mutex::default();
        let (one, other) = (long(1), long(2));
        let work = || {
            let safe = prepare(one.clone(), Some(other.clone()), &masking());
            let masked = redact(other.clone(), RedactionMode::Mask);
            let short = prepare(key(), None, &masking());
            Ok((safe, masked, short))
        };
        assert!(run_with(&texts, work).is_err(), "nothing of it may be kept");
        assert_eq!(make(&texts), 2, "the same text behind other steps is another");
        let found = run_with(&texts, work).unwrap();
        assert_eq!(found, work().unwrap(), "the same as without a write");
        for text in [&found.0.text, &found.1.0, &found.2.text] {
            assert!(text.to_lowercase().contains("[redacted") && !text.contains(&key()));
        }
        assert_eq!(make(&texts), 0);
    }

    #[test]
    fn many_short_texts_are_a_long_one() {
        let texts = Mutex::default();
        let text = |number: usize| format!("{number} {}", "word ".repeat(1_000));
        let made = |number: usize| prepare(text(number), None, &masking()).text.len();
        let work = || Ok((0..30).map(made).sum::<usize>());
        assert!(run_with(&texts, work).is_err());
        assert_eq!(make(&texts), 4, "26 of them, of 5,002 or 5,003 bytes each, are made in the write");
        assert_eq!(run_with(&texts, work).unwrap(), 30 * 5_002 + 20);
    }

    #[test]
    fn a_text_among_many_is_found_by_its_number() {
        let mut texts =
            WriteTexts { bytes: loci_model::limits::WRITE_TEXTS_BYTES_MIN, ..WriteTexts::default() };
        let asked: Vec<String> = (0..2_000).map(|number| format!("member {number}")).collect();
        let all = || asked.iter().map(|text| TextAsk { text, index_text: None, policy: None });
        for ask in all().chain(all()) {
            assert!(texts.get(&ask).is_some());
        }
        assert_eq!(texts.waiting.values().map(Vec::len).max(), Some(1), "none is looked for among all");
        let waiting = texts.take_waiting();
        assert_eq!(waiting.len(), asked.len());
        texts.add(waiting.into_iter().map(LongText::made).collect());
        for ask in all() {
            let answer = texts.get(&ask);
            assert!(matches!(answer, Some(SafeAnswer::Redacted(text, _)) if text == ask.text));
        }
        assert!(texts.take_waiting().is_empty());
    }

    #[test]
    fn nothing_stays_with_the_thread() {
        let texts = Mutex::default();
        let failed = run_with::<()>(&texts, || Err(Error::not_found("it is gone")));
        assert_eq!(failed.unwrap_err().message, "it is gone");
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            run_with::<()>(&texts, || panic!("a write that fails"))
        }));
        assert!(panicked.is_err());
        assert!(!prepare(long(1), None, &masking()).masked.is_empty());
        assert_eq!(make(&texts), 0);
    }
}
