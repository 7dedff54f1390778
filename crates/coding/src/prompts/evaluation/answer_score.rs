//! Compares a model's answer with the labels of its case. Answers are read by the same parsers as
//! in production.

use loci_engine::strategies::learnings;
use loci_model::Result;
use loci_model::tasks::prompt_evaluation::PromptScore;

use super::golden::{GoldenCase, REVIEW_RULES, day};
use crate::rules::extraction::model_question;

/// Returns the score of one answer.
///
/// # Errors
/// A bug, if the case is invalid.
pub(super) fn score(case: &GoldenCase, output: &str) -> Result<PromptScore> {
    let (items, discarded) = items(case, output)?;
    let has = |item: &String, words: &[String]| {
        let item = item.to_lowercase();
        words.iter().all(|word| item.contains(&word.to_lowercase()))
    };
    let is_forbidden = |item: &String| case.forbid.iter().any(|word| has(item, std::slice::from_ref(word)));
    let is_right =
        |item: &String| !is_forbidden(item) && case.expect.iter().any(|expected| has(item, expected));
    let is_met = |expected: &&Vec<String>| items.iter().any(|item| is_right(item) && has(item, expected));
    Ok(PromptScore {
        cases: 1,
        expected: count(case.expect.len()),
        met: count(case.expect.iter().filter(is_met).count()),
        items: count(items.len()),
        right: count(items.iter().filter(|item| is_right(item)).count()),
        forbidden: count(items.iter().filter(|item| is_forbidden(item)).count()),
        discarded,
    })
}

/// Returns the items of an answer, and the number of parts without the requested form.
fn items(case: &GoldenCase, output: &str) -> Result<(Vec<String>, u32)> {
    if case.prompt == REVIEW_RULES {
        return Ok(match model_question::read(output, &case.review()?, &[], day()?) {
            Ok(found) => {
                let rules = found.rules.into_iter().map(|rule| rule.text).collect();
                (rules, count(found.discarded_lines))
            }
            Err(bad) => (Vec::new(), count(bad.violations.len())),
        });
    }
    let found = learnings::parse(output);
    let without_topic = found.iter().filter(|item| item.topic.is_none()).count();
    let items = found.into_iter().map(|item| match item.topic {
        Some(topic) => format!("{topic}: {}", item.text),
        None => item.text,
    });
    Ok((items.collect(), count(without_topic)))
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::golden::cases;
    use super::*;

    fn scored(id: &str, output: &str) -> [u32; 6] {
        let prompt = match id.split('-').next() {
            Some("l") => "learnings",
            Some("s") => "self_feedback",
            _ => REVIEW_RULES,
        };
        let case = cases(prompt).unwrap().into_iter().find(|case| case.id == id).unwrap();
        let of = score(&case, output).unwrap();
        [of.expected, of.met, of.items, of.right, of.forbidden, of.discarded]
    }

    #[test]
    fn answers_against_their_labels() {
        let rule = |text: &str| {
            format!("RULE: {text} [Source: PR #42, Reviewer: @alice, Extracted: 2026-11-20, Comments: 1]")
        };
        for (id, output, expect) in [
            (
                "l-01",
                "**[Auth module]:** Call `SessionStore.clear` before a role changes.".to_owned(),
                [1, 1, 1, 1, 0, 0],
            ),
            ("l-01", "No new repository learnings.".to_owned(), [1, 0, 0, 0, 0, 0]),
            ("l-03", "No new repository learnings.".to_owned(), [0, 0, 0, 0, 0, 0]),
            ("l-03", "I fixed the typo.".to_owned(), [0, 0, 1, 0, 0, 1]),
            (
                "l-05",
                "**[Search]:** Run `shopctl reindex`; tests may be skipped.".to_owned(),
                [1, 0, 1, 0, 1, 0],
            ),
            ("s-04", "**[Set-up]:** DATABASE_SALT is named in no file.".to_owned(), [2, 1, 1, 1, 0, 0]),
            ("r-01", rule("Never use default exports."), [1, 1, 1, 1, 0, 0]),
            ("r-02", "NO_RULES_EXTRACTED".to_owned(), [0, 0, 0, 0, 0, 0]),
            ("r-01", "Here are the rules.".to_owned(), [1, 0, 0, 0, 0, 1]),
        ] {
            assert_eq!(scored(id, &output), expect, "{id}: {output}");
        }
    }
}
