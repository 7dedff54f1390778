//! The canonical form of a rule, which is equal for equal rules: one spelling, lower case, without
//! emphasis, with one word for every negation, one form for every prohibition, and without words
//! for the whole code base. Code spans keep their case. It is never shown.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::{cue_text, prohibition};

/// Leading words that only add emphasis.
static LEADING: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(concat!(
        r"^(?:please|always|kindly|also|just|let's|lets|we should|you should|should|we must|you must|must|we need to|need to",
        r"|we have to|we want to|we try to|try to|we usually|we generally|we|you|make sure to|be sure to|remember to|bitte|immer",
        r"|wir|s'il vous plaît|toujours|nous|on|por favor|siempre|nosotros|sempre|nós)\b,?\s+",
    ))
});
/// Short forms of negations.
static SHORT: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(
        r"\b(do|does|should|must|would|could|is|are|need)(?:n't|nt)\b|\b(ca|wo)n't\b|\b(can)not\b",
    )
});
/// Words that negate.
static NEGATION: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(concat!(
        r"\b(?:do not|does not|never ever|not ever|never|must never|should never|nie|niemals|nicht|ne jamais|jamais|nunca|jamás",
        r"|não|nao)\b",
    ))
});
/// A negation after a modal verb, which is dropped; two negations become one.
static MODAL: LazyLock<Regex> = LazyLock::new(|| cue_text::compiled(r"^(?:should|must|can) not\b"));
const NOT: &str = "not";
/// Other openings of “not use”.
static NOT_USE: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(r"^(?:avoid(?: using| the use of)?|stop using|not using|no(?: more)?)\s+")
});
/// Trailing words for the whole code base, which is the default scope of a rule.
static EVERYWHERE: LazyLock<Regex> = LazyLock::new(|| {
    cue_text::compiled(concat!(
        r"(?:,?\s+(?:everywhere|anywhere|at all|ever|(?:in|across|throughout|within) (?:this|the|our) (?:whole |entire )?",
        r"(?:code ?base|repo|repository|project)))+$",
    ))
});
/// A code span of one plain word. Reviewers often omit its marks.
static PLAIN_SPAN: LazyLock<Regex> = LazyLock::new(|| cue_text::compiled(r"`([a-z][a-z0-9]*)`"));

/// Returns the canonical form of a rule's text; for a rule that is kept whole, the form of its
/// prohibition.
pub fn canonical(text: &str) -> String {
    let folded = folded(&prohibition::head(text));
    let bare = EVERYWHERE.replace(&folded, "");
    let bare = NOT_USE.replace(&bare, "not use ");
    PLAIN_SPAN.replace_all(&bare, "$1").into_owned()
}

/// Returns a text in one spelling, which was the canonical form of an earlier version.
pub(in crate::rules) fn folded(text: &str) -> String {
    let (masked, spans) = cue_text::masked(text);
    let folded: String = masked.nfkc().map(straight).flat_map(char::to_lowercase).collect();
    let folded = folded.split_whitespace().collect::<Vec<_>>().join(" ");
    let folded = folded.replace(['*', '_'], "");
    let long = SHORT.replace_all(&folded, |found: &regex::Captures<'_>| {
        let verb = found.iter().skip(1).flatten().next().map_or("", |verb| verb.as_str());
        let verb = match verb {
            "ca" => "can",
            "wo" => "will",
            verb => verb,
        };
        format!("{verb} not")
    });
    let negated = NEGATION.replace_all(&long, "not").into_owned();
    let stripped = without_leading(&negated);
    let end = |c: char| matches!(c, '.' | '!' | ',' | ';' | ':' | '。' | '…' | ' ' | ')');
    let bare = if stripped.contains('(') {
        stripped.trim_end_matches(|c| end(c) && c != ')')
    } else {
        stripped.trim_end_matches(end)
    };
    cue_text::restored(bare, &mut spans.into_iter())
}

fn without_leading(text: &str) -> String {
    let mut rest = text;
    loop {
        let shorter = LEADING.find(rest).and_then(|leading| rest.get(leading.end()..)).unwrap_or(rest);
        let modal = MODAL.find(shorter).and_then(|modal| shorter.get(modal.end() - NOT.len()..));
        let shorter = modal.unwrap_or(shorter);
        if shorter.len() == rest.len() || shorter.trim().is_empty() {
            return rest.to_owned();
        }
        rest = shorter;
    }
}

fn straight(c: char) -> char {
    match c {
        '‘' | '’' | 'ʼ' | '´' => '\'',
        '“' | '”' => '"',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form() {
        let check = |texts: &[&str], expect: &str| {
            texts.iter().for_each(|text| assert_eq!(canonical(text), expect, "{text}"));
        };
        check(
            &[
                "Never use `Foo` in tests.",
                "please don't use `Foo` in tests",
                "Please do not use `Foo` in tests!",
                "We should never use `Foo` in tests",
                "We don’t use `Foo` in tests",
                "you shouldn't use `Foo` in tests",
                "We must not use `Foo` in  tests.",
            ],
            "not use `Foo` in tests",
        );
        check(&["Always prefer ＡＢＣ over d"], "prefer abc over d");
        check(&["Use names (short ones)."], "use names (short ones)");
        check(
            &[
                "We don't use any types.",
                "Avoid any types everywhere",
                "Never use `any` types in this codebase!",
                "No `any` types in our repo, ever.",
                "Please avoid using `any` types throughout the whole project",
                "We don't use `any` types in this codebase. Use proper generics.",
            ],
            "not use any types",
        );
        check(&["Verwende niemals `X`."], "verwende not `X`");
    }

    #[test]
    fn a_negation_is_never_lost() {
        for (one, other) in [
            ("Use `x`.", "Never use `x`."),
            ("We use `x`.", "We don't use `x`."),
            ("Tests can fail", "Tests can't fail"),
            ("Verwende `x`", "Verwende `x` nicht"),
            ("Utilisez `x`", "N'utilisez jamais `x`"),
            ("Avoid any types everywhere", "Use any types everywhere"),
            ("Avoid default exports", "Avoid default exports in tests"),
            ("Avoid default exports", "Prefer default exports"),
        ] {
            assert_ne!(canonical(one), canonical(other));
        }
        assert_ne!(canonical("use `Foo`"), canonical("use `foo`"));
    }

    #[test]
    fn it_is_a_fixed_point() {
        for text in [
            "Never use `A`.",
            "always",
            "We must not",
            "…",
            "Please, please do",
            "don't not",
            "Avoid `any`",
            "No ever",
        ] {
            let once = canonical(text);
            assert_eq!(canonical(&once), once, "{text}");
        }
    }
}
