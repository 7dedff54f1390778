//! What becomes no rule, whoever says it and however general it is (coding-agent-memory.md §12.1): unsafe text, protected topics, and what
//! is said to programs. A plain tool name is no reason to refuse, but a person must agree first.
//!
//! | file | idea |
//! |---|---|
//! | `unsafe_text` | addresses, commands, encoded text, roles; and tools by their names |
//! | `protected_topics` | what no review may change, and ways around checks |
//! | `addressed` | what is said to the program that reads it |
//!
//! A form here errs on the side of refusing: a rule that is lost can be stored by hand.

mod addressed;
mod protected_topics;
mod unsafe_text;

use std::sync::LazyLock;

use regex::Regex;

use super::{Reason, matching, prose};
use crate::safety::injection;

/// A form of something, with its name.
struct Form {
    /// For people.
    name: &'static str,
    form: &'static str,
}

/// The forms of a table, compiled.
struct Forms(LazyLock<Vec<(&'static str, Regex)>>);

impl Forms {
    const fn of(make: fn() -> Vec<(&'static str, Regex)>) -> Self {
        Self(LazyLock::new(make))
    }

    /// The name of the first that is in a text.
    fn first(&self, text: &str) -> Option<&'static str> {
        self.0.iter().find(|(_, form)| form.is_match(text)).map(|(name, _)| *name)
    }
}

fn compile(table: &'static [Form]) -> Vec<(&'static str, Regex)> {
    table.iter().map(|one| (one.name, matching::compiled(&format!("(?i){}", one.form)))).collect()
}

/// What speaks against a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refusal {
    /// It becomes no rule.
    pub reason: Option<Reason>,
    /// What it names that is refused, for people.
    pub what: Option<&'static str>,
    /// It becomes one when a person agrees.
    pub approval: Option<&'static str>,
}

impl Refusal {
    fn of(reason: Reason, what: &'static str) -> Self {
        Self { reason: Some(reason), what: Some(what), approval: None }
    }
}

/// What speaks against the text of a rule, wherever it comes from.
pub fn refusal(text: &str) -> Refusal {
    // Marks within code are marks of code.
    let spelled = spelling(text);
    if injection::score(text).score >= injection::QUARANTINED {
        return Refusal::of(Reason::Injection, "looks like instructions");
    }
    if let Some(what) = addressed::found(&spelled) {
        return Refusal::of(Reason::Injection, what);
    }
    if let Some(what) = unsafe_text::found(text).or_else(|| unsafe_text::found(&spelled)) {
        return Refusal::of(Reason::Unsafe, what);
    }
    let topic = protected_topics::found(&spelled);
    if let Some(what) = topic.refused {
        return Refusal::of(Reason::ProtectedTopic, what);
    }
    let approval =
        topic.approval.or_else(|| unsafe_text::names_tool(text).then_some("approval: names a tool"));
    Refusal { approval, ..Refusal::default() }
}

/// Why nothing of a comment is taken: one sentence of it is meant to mislead, so the others are not believed either.
pub(super) fn of_whole(text: &str, score: f32) -> Option<Reason> {
    if score >= injection::QUARANTINED {
        return Some(Reason::Injection);
    }
    let said = spelling(&prose::statements(text).join(" \n"));
    if addressed::found(&said).is_some() {
        return Some(Reason::Injection);
    }
    if unsafe_text::is_attack(&said) {
        return Some(Reason::Unsafe);
    }
    protected_topics::weakens(&said).then_some(Reason::ProtectedTopic)
}

/// One spelling for what looks the same; code is read along.
fn spelling(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization;
    let plain: String = text.nfkc().map(|c| if matches!(c, '‘' | '’') { '\'' } else { c }).collect();
    plain.replace(['`', '*'], "")
}
