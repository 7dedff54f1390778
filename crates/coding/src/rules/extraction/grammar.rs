//! Parses a model's answer about the rules of a review: lines of a strict form, each with its
//! source. A line with another form, or with a source outside of the review, is discarded and
//! counted: a model that invents the source of a rule may have invented the rule. The remaining
//! lines pass the same checks as a rule that is extracted without a model.

use loci_engine::safety::injection;
use loci_engine::strategies::learnings::{place_of, scope_of};
use loci_model::time::DAY_MS;
use loci_model::{Timestamp, limits};

use super::{
    Correction, ExtractedRule, Extraction, Reason, RefusedStatement, ReviewText, ReviewTextPart,
    canonical_rule, impact, prose, refusals, score_of, stored_form,
};

/// The answer of a model that found no rules.
pub(super) const NOTHING: &str = "NO_RULES_EXTRACTED";
/// The text before a line's source.
const SOURCE: &str = " [Source: ";
/// The maximum number of digits of a number.
const DIGITS_MAX: usize = 19;
/// The approval reason of a text that looks like instructions.
const READS_LIKE_INSTRUCTIONS: &str = "approval: looks like instructions";

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Rule,
    Example,
}

/// The parts of a line.
#[derive(Debug, PartialEq, Eq)]
struct LineParts<'a> {
    kind: LineKind,
    scope: Option<&'a str>,
    text: &'a str,
    source: Source<'a>,
}

#[derive(Debug, PartialEq, Eq)]
struct Source<'a> {
    pr: u64,
    reviewer: &'a str,
    date: &'a str,
    comments: Vec<u64>,
}

/// Parses a model's answer about a review.
pub fn parse(reply: &str, review: &ReviewText, now: Timestamp) -> Extraction {
    let mut found = Extraction::default();
    if reply.trim() == NOTHING {
        return found;
    }
    for line in reply.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        let line = line_of(line).filter(|line| is_of(&line.source, review, now));
        match line.and_then(|line| Some((cited(&line.source, review)?, line))) {
            Some((said, line)) => take(&mut found, review, &said, &line),
            None => found.discarded_lines = found.discarded_lines.saturating_add(1),
        }
    }
    found
}

/// Returns the number of valid lines; `None` if there are none and the answer does not state that
/// there are no rules.
pub(super) fn lines(reply: &str) -> Option<usize> {
    let count = reply.lines().map(str::trim_end).filter(|line| line_of(line).is_some()).count();
    (count > 0 || reply.trim() == NOTHING).then_some(count)
}

/// Parses a line; `None` if it is invalid.
fn line_of(line: &str) -> Option<LineParts<'_>> {
    let (kind, rest) = match line.strip_prefix("RULE: ") {
        Some(rest) => (LineKind::Rule, rest),
        None => (LineKind::Example, line.strip_prefix("EXAMPLE: ")?),
    };
    let at = rest.rfind(SOURCE)?;
    let source = source_of(rest.get(at + SOURCE.len()..)?.strip_suffix(']')?)?;
    let said = rest.get(..at)?;
    let (scope, text) = match said.strip_prefix('[').and_then(|inner| inner.split_once("]: ")) {
        Some((scope, text)) => (Some(scope), text),
        None => (None, said),
    };
    let text = text.trim();
    (!text.is_empty() && !text.contains("[Source:")).then_some(LineParts { kind, scope, text, source })
}

fn source_of(text: &str) -> Option<Source<'_>> {
    let mut parts = text.split(", ");
    let pr = number(parts.next()?.strip_prefix("PR #")?)?;
    let reviewer = parts.next()?.strip_prefix("Reviewer: @").filter(|login| is_login(login))?;
    let date = parts.next()?.strip_prefix("Extracted: ").filter(|date| is_date(date))?;
    let comments = match parts.next() {
        Some(ids) => {
            let ids = ids.strip_prefix("Comments: ")?;
            ids.split(' ').map(number).collect::<Option<Vec<u64>>>()?
        }
        None => Vec::new(),
    };
    parts.next().is_none().then_some(Source { pr, reviewer, date, comments })
}

fn number(text: &str) -> Option<u64> {
    let is_number = (1..=DIGITS_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

fn is_login(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'[' | b']'))
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text
            .bytes()
            .enumerate()
            .all(|(at, b)| if matches!(at, 4 | 7) { b == b'-' } else { b.is_ascii_digit() })
}

/// True if a source names this review and the present day.
fn is_of(source: &Source<'_>, review: &ReviewText, now: Timestamp) -> bool {
    let day = |time: Timestamp| time.millis().div_euclid(DAY_MS);
    let at = Timestamp::parse(&format!("{}T00:00:00Z", source.date));
    source.pr == review.pr
        && source.reviewer.eq_ignore_ascii_case(&review.reviewer)
        && at.is_ok_and(|at| (day(at) - day(now)).abs() <= 1)
}

/// Returns the reviewer's own texts that a source names: comments, or the review's text if it names
/// none. `None` if it names text of another author, which has no weight.
fn cited<'a>(source: &Source<'_>, review: &'a ReviewText) -> Option<Vec<&'a ReviewTextPart>> {
    let said = |id: Option<u64>| review.said.iter().find(|said| said.id == id);
    if source.comments.is_empty() {
        return said(None).map(|own| vec![own]);
    }
    source.comments.iter().map(|id| said(Some(*id))).collect()
}

/// Returns the highest score of the cited texts, or the reason to reject them, as in the extraction
/// without a model.
fn score_of_cited(review: &ReviewText, said: &[&ReviewTextPart]) -> Result<f32, Reason> {
    said.iter().try_fold(0.0_f32, |highest, said| {
        score_of(review, said, &prose::without_hidden(&said.body)).map(|score| highest.max(score))
    })
}

fn take(found: &mut Extraction, review: &ReviewText, said: &[&ReviewTextPart], line: &LineParts<'_>) {
    let comment_ids = line.source.comments.clone();
    // Hidden characters are removed before all checks.
    let text = stored_form::one_line(&prose::without_hidden(line.text));
    let chars = text.chars().count();
    let refuse = |found: &mut Extraction, reason: Reason| {
        let excerpt = stored_form::cut(&text, limits::REFUSED_EXCERPT_CHARS_MAX);
        found.refused.push(RefusedStatement { reason, comment_ids: comment_ids.clone(), excerpt });
    };
    if !(limits::RULE_TEXT_CHARS_MIN..=limits::RULE_TEXT_CHARS_MAX).contains(&chars) {
        return refuse(found, Reason::Length);
    }
    let score = match score_of_cited(review, said) {
        Ok(score) => score,
        Err(reason) => return refuse(found, reason),
    };
    let refusal = refusals::refusal(&text);
    if let Some(reason) = refusal.reason {
        return refuse(found, reason);
    }
    let scope = match line.scope.map(scope) {
        Some(None) => return refuse(found, Reason::OneOff),
        Some(named) => named,
        None => None,
    };
    if line.kind == LineKind::Example {
        return found.examples.push(Correction { text, path: scope, comment_ids });
    }
    if found.rules.len() >= limits::RULES_OF_REVIEW_MAX {
        return refuse(found, Reason::TooMany);
    }
    let canonical = canonical_rule::canonical(&text);
    if found.rules.iter().any(|rule| rule.canonical == canonical && rule.scope == scope) {
        return;
    }
    let injection = injection::score(&text).score.max(score);
    let reads_like = injection >= injection::FLAGGED;
    let approvals = refusal.approval.into_iter().chain(reads_like.then_some(READS_LIKE_INSTRUCTIONS));
    let why: Vec<String> = std::iter::once("a model says so").chain(approvals).map(str::to_owned).collect();
    found.rules.push(ExtractedRule {
        impact: impact::impact_of(&text),
        needs_approval: why.len() > 1,
        canonical,
        scope,
        comment_ids,
        injection,
        why,
        text,
    });
}

/// Returns a scope in its normal form; `None` if it is not a path, pattern or module.
fn scope(named: &str) -> Option<String> {
    let named = named.trim();
    if refusals::refusal(named).reason.is_some() {
        return None;
    }
    scope_of(named)
        .or_else(|| named.contains(['/', '*']).then(|| place_of(named)))
        .filter(|_| !named.contains(' ') || named.ends_with(" module"))
}

#[cfg(test)]
#[path = "grammar_tests.rs"]
mod tests;
