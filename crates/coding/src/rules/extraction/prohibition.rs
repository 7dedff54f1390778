//! A prohibition and the following sentence with the alternative: one rule, kept whole. Pure.
//!
//! “We don't use `any` types in this codebase. Use proper generics.” is one rule. The second
//! sentence alone applies only to its place; after the prohibition it is the other half. Two such
//! rules are equal if their prohibitions are.

use std::sync::LazyLock;

use loci_model::limits;
use regex::Regex;

use super::{canonical_rule, classification, cue_text, prose};

/// Words by which a canonical form forbids.
static FORBIDS: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(r"^(?:avoid|no|stop|vermeid\w*|évite\w*|evit\w*)\b|\bnot\b|\bkeine?[nrsm]?\b")
});
/// Instructions that choose one thing.
static CHOOSES: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(concat!(
        r"^(?:use|prefer|favou?r|choose|pick|go (?:for|with)|stick (?:to|with)|reach for|rely on|verwende\w*|nutzt?|nutze\w*",
        r"|benutz\w*|utilise\w*|préfére\w*|usa|usad|usen|utiliza|utilize|prefira|preferite|usate|gebruik\w*)\b",
    ))
});
/// The minimum number of words of an alternative.
const WORDS_MIN: usize = 2;

/// True if `next` states the alternative to the prohibition `ban`: it is an instruction without
/// local cues, it forbids nothing, and it chooses something or repeats the verb of the prohibition.
pub(super) fn completes(ban: &str, next: &str) -> bool {
    if !forbids(ban) || forbids(next) {
        return false;
    }
    let copy = cue_text::copy(next);
    let Some(verb) = copy.split_whitespace().next() else { return false };
    let repeats = || cue_text::copy(ban).split_whitespace().any(|word| word == verb);
    copy.split_whitespace().count() >= WORDS_MIN
        && classification::is_free_order(&copy, next)
        && (CHOOSES.is_match(&copy) || repeats())
}

/// Returns both sentences as one text; `None` if it exceeds the length of a rule.
pub(super) fn joined(ban: &str, next: &str) -> Option<String> {
    let ban = ban.trim_end();
    let mark = if ban.ends_with(['.', '!', '。']) { "" } else { "." };
    let text = format!("{ban}{mark} {}", next.trim());
    (text.chars().count() <= limits::RULE_TEXT_CHARS_MAX).then_some(text)
}

/// Returns the prohibition of a rule that is kept whole, and any other rule unchanged.
pub(in crate::rules) fn head(text: &str) -> String {
    match prose::statements(text).as_slice() {
        [ban, next] if completes(ban, next) => ban.clone(),
        _ => text.to_owned(),
    }
}

fn forbids(text: &str) -> bool {
    FORBIDS.is_match(&canonical_rule::folded(text))
}

#[cfg(test)]
mod tests {
    use super::super::{ReviewText, canonical, extract};
    use super::*;

    #[test]
    fn what_is_one_rule() {
        let check = |text: &str, expect: &[&str]| {
            let found = extract(&ReviewText::of_comment(1, text, Some("src/a.ts".to_owned())));
            assert_eq!(
                found.rules.iter().map(|rule| rule.text.as_str()).collect::<Vec<_>>(),
                expect,
                "{text}"
            );
        };
        let whole = "We don't use `any` types in this codebase. Use proper generics.";
        check(whole, &[whole]);
        check(
            "We never throw strings. Throw Error objects.",
            &["We never throw strings. Throw Error objects."],
        );
        check(
            "Wir verwenden in diesem Projekt keine any-Typen. Verwendet echte Generics.",
            &["Wir verwenden in diesem Projekt keine any-Typen. Verwendet echte Generics."],
        );
        // A local sentence, a question or an unrelated instruction is not an alternative.
        check("We never use `any` types. Use a string here.", &["We never use `any` types."]);
        check("We never use `any` types. Use what instead?", &["We never use `any` types."]);
        check("We never use `any` types. Add a type to the user.", &["We never use `any` types."]);
        check("We always write tests. Use the fixture below.", &["We always write tests."]);
        // A new paragraph starts a new statement.
        check("We never use `any` types.\n\nUse proper generics.", &["We never use `any` types."]);
        // A sentence that is a rule on its own stays separate.
        check(
            "We never use default exports. Prefer named exports.",
            &["We never use default exports.", "Prefer named exports."],
        );
        let long = format!("We never use {} types in this codebase.", "deeply nested ".repeat(17).trim());
        check(&format!("{long} Use {}.", "generics ".repeat(6).trim()), &[&long]);
    }

    #[test]
    fn the_prohibition_alone_says_which_rule_it_is() {
        let whole = "We don't use `any` types in this codebase. Use proper generics.";
        assert_eq!(canonical(whole), canonical("We don't use `any` types in this codebase."));
        assert_ne!(canonical(whole), canonical("We use `any` types in this codebase."));
        assert_eq!(head("Sort imports. Sort exports."), "Sort imports. Sort exports.");
    }
}
