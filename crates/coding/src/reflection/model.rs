//! Common properties of a repository's tasks, found by a model: the question
//! (`prompts/repository.reflect.v1.md`), and its answer in a strict grammar. A model's numbers are
//! never trusted: the grammar requires them, and the parser ignores them.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use loci_engine::strategies::model_questions::prompt::{Filling, Prompt};
use loci_engine::strategies::model_questions::prompt_input;
use loci_engine::strategies::model_questions::question::{BadReply, Question};
use loci_model::limits;
use loci_text::normalise_exact;
use regex::Regex;
use serde_json::Value;

const GRAMMAR: &str = "lines `REFLECTION: <text of 1 to 1000 characters> [Evidence: <hits>/<of>; Episodes: <id> …]`, at most 10, or the one \
                       line NO_REFLECTIONS";
/// The answer without reflections.
const NONE: &str = "NO_REFLECTIONS";
/// The maximum number of reported violations. `SHOWN_CHARS_MAX` limits the line quoted in one.
const VIOLATIONS_MAX: usize = 20;
const SHOWN_CHARS_MAX: usize = 80;

static LINE: LazyLock<Regex> = LazyLock::new(line_form);

#[expect(clippy::expect_used, reason = "a constant pattern, compiled by the tests of this file")]
fn line_form() -> Regex {
    Regex::new(
        r"^REFLECTION: (\S.*?) \[Evidence: \d{1,4}/\d{1,4}; Episodes: ([^\s\[\];]+(?: [^\s\[\];]+)*)\]$",
    )
    .expect("a constant pattern")
}

/// The prompt.
pub(crate) static REFLECT: Prompt = Prompt {
    name: "repository.reflect",
    version: 1,
    text: include_str!("prompts/repository.reflect.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| told(reply).map(|told| told.len()),
};

/// A reflection of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelReflection {
    /// The text.
    pub text: String,
    /// The episodes that it names as evidence, each once; they need not exist.
    pub episodes: Vec<String>,
}

/// Returns the question for some tasks. `known` holds the existing reflections.
pub(crate) fn question(tasks: &[Value], known: &[Value]) -> Option<Question> {
    let input = prompt_input::block("reflections", known) + &prompt_input::block("tasks", tasks);
    REFLECT.text_question(Filling { input, ..Filling::default() })
}

/// Parses the reflections of an answer.
///
/// # Errors
/// All violations of the answer.
pub(crate) fn told(reply: &str) -> Result<Vec<ModelReflection>, BadReply> {
    let lines: Vec<&str> = reply.trim().lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    if lines == [NONE] {
        return Ok(Vec::new());
    }
    let mut violations = Vec::new();
    let mut found: Vec<ModelReflection> = Vec::new();
    let mut texts = BTreeSet::new();
    for line in &lines {
        match read(line) {
            Ok(told) if texts.insert(normalise_exact(&told.text).to_lowercase()) => found.push(told),
            Ok(told) => violations.push(format!("two lines say the same: {}", cut(&told.text))),
            Err(violation) => violations.push(violation),
        }
    }
    if lines.is_empty() {
        violations.push(format!("the answer is empty: send {NONE} where there is no reflection"));
    }
    if found.len() > limits::REFLECTIONS_PER_RUN_MAX {
        violations.push(format!("at most {} lines", limits::REFLECTIONS_PER_RUN_MAX));
    }
    violations.truncate(VIOLATIONS_MAX);
    if violations.is_empty() { Ok(found) } else { Err(BadReply { violations }) }
}

fn read(line: &str) -> Result<ModelReflection, String> {
    let odd = || {
        format!(
            "no line of the form REFLECTION: <text> [Evidence: <hits>/<of>; Episodes: <id> …]: {}",
            cut(line)
        )
    };
    let found = LINE.captures(line).ok_or_else(odd)?;
    let text = found.get(1).map(|text| text.as_str().to_owned()).unwrap_or_default();
    if text.chars().count() > limits::REFLECTION_CHARS_MAX {
        return Err(format!(
            "a reflection has at most {} characters: {}",
            limits::REFLECTION_CHARS_MAX,
            cut(&text)
        ));
    }
    let named = found.get(2).map(|ids| ids.as_str()).unwrap_or_default();
    let mut episodes: Vec<String> = Vec::new();
    for id in named.split(' ') {
        if !episodes.iter().any(|known| known == id) {
            episodes.push(id.to_owned());
        }
    }
    Ok(ModelReflection { text, episodes })
}

fn cut(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_answers() {
        assert_eq!(told("NO_REFLECTIONS"), Ok(Vec::new()));
        assert_eq!(told("  NO_REFLECTIONS \n"), Ok(Vec::new()));
        let reply = "REFLECTION: Specs are [often] missed [Evidence: 9/9; Episodes: a b a]\n\nREFLECTION: More [Evidence: 1/2; Episodes: c]\n";
        let found = told(reply).unwrap();
        let found: Vec<_> = found.iter().map(|one| (one.text.as_str(), one.episodes.join(","))).collect();
        assert_eq!(found, [("Specs are [often] missed", "a,b".to_owned()), ("More", "c".to_owned())]);
    }

    #[test]
    fn bad_answers() {
        let check = |reply: &str, count: usize| {
            let found = told(reply).unwrap_err().violations;
            assert_eq!(found.len(), count, "{reply}: {found:?}");
        };
        let good = "REFLECTION: A [Evidence: 1/1; Episodes: a]";
        check("", 1);
        check("Here you are:\nNO_REFLECTIONS", 2);
        check(&format!("{good}\nThat is all."), 1);
        check(&format!("{good}\n{good}"), 1);
        check("REFLECTION: A", 1);
        check("REFLECTION: A [Evidence: many; Episodes: a]", 1);
        check("REFLECTION: A [Evidence: 1/1; Episodes: ]", 1);
        check("REFLECTION:  [Evidence: 1/1; Episodes: a]", 1);
        check("reflection: A [Evidence: 1/1; Episodes: a]", 1);
        check("- REFLECTION: A [Evidence: 1/1; Episodes: a]", 1);
        let long = |chars: usize| format!("REFLECTION: {} [Evidence: 1/1; Episodes: a]", "ä".repeat(chars));
        assert!(told(&long(loci_model::limits::REFLECTION_CHARS_MAX)).is_ok());
        check(&long(loci_model::limits::REFLECTION_CHARS_MAX + 1), 1);
        let many = |count: usize| {
            (0..count)
                .map(|at| format!("REFLECTION: A{at} [Evidence: 1/1; Episodes: a]"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert!(told(&many(loci_model::limits::REFLECTIONS_PER_RUN_MAX)).is_ok());
        check(&many(loci_model::limits::REFLECTIONS_PER_RUN_MAX + 1), 1);
    }
}
