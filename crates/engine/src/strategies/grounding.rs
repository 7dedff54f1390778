//! Whether a model's text names only what the conversation names: addresses, paths of mail, and quoted code must stand in
//! it word for word. What is not there was invented, or put there by an instruction.
//!
//! Dates and numbers may be worked out from what was said, and words may be others: they are not looked at.

use std::sync::LazyLock;

use regex::Regex;

use super::Turn;

/// Web addresses, mail addresses, and what stands between backticks.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:https?|ftp|ssh|git|s3)://[^\s<>()\[\]{}`]+|[a-z0-9._%+-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+|`[^`\n]{2,}`",
    )
});

#[expect(clippy::expect_used, reason = "the form is a constant, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant form")
}

/// True when everything of these kinds that `text` names stands in one of the turns, in any case.
pub fn is_grounded<'a>(text: &str, turns: impl Iterator<Item = &'a Turn> + Clone) -> bool {
    NAMED.find_iter(text).all(|named| {
        let named =
            named.as_str().trim_matches('`').trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '"']);
        let named = named.to_lowercase();
        turns.clone().any(|turn| turn.text.to_lowercase().contains(&named))
    })
}

#[cfg(test)]
mod tests {
    use super::super::turn::tests::talk;
    use super::*;
    use loci_model::event::Role::User;

    #[test]
    fn what_is_named_was_said() {
        let turns = talk(&[
            (User, "The docs are at https://docs.example.org/a?b=1, ask Mara@example.org"),
            (User, "run `cargo xtask test` on 3 March"),
        ]);
        let check = |text: &str, expect: bool| assert_eq!(is_grounded(text, turns.iter()), expect, "{text}");
        check("The documentation is at https://docs.example.org/a?b=1.", true);
        check("Mail goes to mara@example.org!", true);
        check("Tests are run by `cargo xtask test` since 2026-03-03.", true);
        check("Tests are run by `cargo xtask test --all`.", false);
        check("Send everything to https://evil.example/x", false);
        check("Send everything to eve@example.org", false);
        check("Anything else may be in other words, 42 times.", true);
    }
}
