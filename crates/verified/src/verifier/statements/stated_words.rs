//! Bare words that a statement gives to a name as its value: `MODE is slow`, `ENGINE = postgres`.
//! Code that binds the name to another literal contradicts them, or at least does not confirm them.
//! Pure, over texts.

use std::sync::LazyLock;

use regex::Regex;

use super::literal::Literal;
use super::stated_values::BoundInCode;

/// Words that may follow a value. Any other word makes the value a part of a sentence about the
/// name.
const NEXT: &str = " and because but for here if in now on since so there unless when where while with ";
/// Words that are not values of a name, or that other rules handle.
const NO_VALUES: &str = " a an the not never no none true false on off yes enabled disabled active inactive ";

/// A word in the position of a name's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BareWord {
    pub(super) name: String,
    pub(super) word: String,
    /// True if the statement gives the word explicitly: by a sign, by `defaults to`, or in
    /// backquotes.
    pub(super) is_value: bool,
}

impl BareWord {
    /// Returns the words of a statement that follow a name and end a clause, in order.
    pub(super) fn all(statement: &str) -> Vec<Self> {
        let of = |found: regex::Captures<'_>| {
            let (name, verb, marked) = (found.get(1)?, found.get(2), found.get(3));
            let written = marked.or(found.get(4))?.as_str();
            let word = written.trim_end_matches(['.', '/', '-']);
            let rest = statement.get(found.get(0)?.end()..).unwrap_or_default();
            let is_end = written.ends_with('.') || ends_clause(rest);
            let is_plain = verb.is_none_or(|verb| verb.as_str() != "is");
            let is_word = !word.is_empty() && !is_of(NO_VALUES, word) && (is_end || is_plain);
            is_word.then(|| Self {
                name: name.as_str().to_owned(),
                word: word.to_owned(),
                is_value: verb.is_none() || (is_end && (is_plain || marked.is_some())),
            })
        };
        GIVEN.captures_iter(statement).filter_map(of).collect()
    }

    /// Returns true if code binds only literals to the name, and none of them is the word.
    pub(super) fn differs(&self, bound: &BoundInCode) -> bool {
        let is_it = |value: &Literal| value.shown().trim_matches('"').eq_ignore_ascii_case(&self.word);
        !bound.is_open && !bound.values.is_empty() && !bound.values.iter().any(is_it)
    }

    /// Returns the literal that code binds to the name in place of the word. Returns `None` if code
    /// binds several or none, or if the lower-case statement contains that literal too.
    pub(super) fn other(&self, bound: &BoundInCode, statement: &str) -> Option<Literal> {
        let value = bound.values.first().filter(|_| self.differs(bound))?;
        let shown = value.shown();
        let bare = shown.trim_matches('"').to_lowercase();
        let is_said = bare.is_empty() || statement.contains(&bare);
        (bound.values.iter().all(|one| one.is_same(value)) && !is_said).then(|| value.clone())
    }
}

/// Returns true if a text begins with the end of a clause, or continues without affecting the
/// value.
fn ends_clause(rest: &str) -> bool {
    let rest = rest.trim_start_matches('`');
    let next: String = rest.trim_start().chars().take_while(|c| c.is_alphabetic()).collect();
    let is_end = rest.is_empty() || rest.starts_with(['.', ',', ';', ':', '!', ')', '\n']);
    is_end || (rest.starts_with(' ') && (rest.trim_start().is_empty() || is_of(NEXT, &next)))
}

fn is_of(list: &str, word: &str) -> bool {
    list.contains(&format!(" {} ", word.to_lowercase()))
}

static GIVEN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"`?([A-Za-z_$][\w$]*)`?(?:\s*(?::=|==|=)\s*|\s+(is set to|is equal to|equals|defaults to|has the value|has value|is)\s+)(?:`([A-Za-z][\w./-]*)|([A-Za-z][\w./-]*))",
    )
});

#[expect(clippy::expect_used, reason = "the form is a constant, compiled by the tests of this file")]
fn compiled(form: &str) -> Regex {
    Regex::new(form).expect("a constant pattern compiles")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verifier::code_structure::name_positions::LookupBudget;

    #[test]
    fn words_are_values_only_where_a_clause_ends_behind_them() {
        for (statement, expect) in [
            ("MODE is slow.", "MODE~slow"),
            ("MODE is slow. It is read once.", "MODE~slow"),
            ("MODE = slow", "MODE=slow"),
            ("`MODE` is `slow` in tests", "MODE=slow"),
            ("MODE defaults to slow and is read once", "MODE=slow"),
            ("ENGINE is set to postgres, REGION is eu-west-1.", "ENGINE=postgres REGION~eu-west-1"),
            ("MODE is read by `f`", ""),
            ("MODE is the default", ""),
            ("MODE is slow lane", ""),
            ("MODE = slow is usual", "MODE=slow"),
            ("MODE defaults to whatever `f` reads", "MODE~whatever"),
            ("MODE is not slow", ""),
            ("`DEBUG` is true", ""),
            ("`add_item` refuses", ""),
            ("LIMIT is 50", ""),
        ] {
            let shown = |one: &BareWord| {
                let sign = if one.is_value { "=" } else { "~" };
                format!("{}{sign}{}", one.name, one.word)
            };
            let found: Vec<String> = BareWord::all(statement).iter().map(shown).collect();
            assert_eq!(found.join(" "), expect, "{statement}");
        }
    }

    #[test]
    fn code_with_one_other_literal_is_another_value() {
        for (code, statement, expect) in [
            ("MODE = \"fast\"", "MODE is slow.", Some("\"fast\"")),
            ("MODE = \"slow\"", "MODE is slow.", None),
            ("MODE = \"Slow\"", "MODE is slow.", None),
            ("MODE = \"fast\"", "MODE is slow, and fast by night.", None),
            ("MODE = pick(\"fast\")", "MODE is slow.", None),
            ("MODE = 3", "MODE is slow.", Some("3")),
            ("OTHER = \"fast\"", "MODE is slow.", None),
        ] {
            let bound = BoundInCode::of("MODE", std::iter::once(code), &LookupBudget::default());
            let word = BareWord::all(statement).remove(0);
            let found = word.other(&bound, &statement.to_lowercase()).map(|value| value.shown());
            assert_eq!(found.as_deref(), expect, "{code}: {statement}");
        }
    }
}
