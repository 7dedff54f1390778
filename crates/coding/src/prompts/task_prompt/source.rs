//! The data read from a forge, and its trust.

use std::collections::{BTreeMap, BTreeSet};

use loci_api::coding::hydration::{PromptComment, PromptSource};
use loci_model::{Error, Result, Timestamp, limits};

use crate::tasks::field_checks;

/// The maximum number of sources of one request.
const SOURCES_MAX: usize = 50;
/// The maximum number of comments, and of threads, of one source.
const COMMENTS_MAX: usize = 5_000;

/// The kind of the operator's own text.
const DESCRIPTION: &str = "task_description";
/// Kinds of text that others write on a forge.
const ISSUE: &str = "issue";
pub(super) const PULL_REQUEST: &str = "pull_request";

/// Returns the name of a source in answers.
pub(super) fn name(source: &PromptSource) -> String {
    match source.number {
        Some(number) => format!("{}#{number}", source.kind),
        None => source.kind.clone(),
    }
}

/// Returns all comments of a source.
fn comments(source: &PromptSource) -> impl Iterator<Item = &PromptComment> {
    source.review_threads.iter().flat_map(|thread| &thread.comments).chain(&source.comments)
}

/// Returns all texts of a source.
pub(crate) fn texts(source: &PromptSource) -> impl Iterator<Item = &str> {
    let bodies = comments(source).filter_map(|comment| comment.body.as_deref());
    bodies.chain(source.title.as_deref()).chain(source.body.as_deref())
}

pub(super) fn is_trusted(source: &PromptSource) -> bool {
    source.kind == DESCRIPTION
}

/// Checks the shape of sources.
pub(crate) fn check(sources: &[PromptSource]) -> Result<()> {
    if sources.len() > SOURCES_MAX {
        return Err(Error::invalid("sources", format!("sources must have at most {SOURCES_MAX} items")));
    }
    for source in sources {
        field_checks::name("sources", Some(&source.kind))?;
        if source.comments.len() > COMMENTS_MAX || source.review_threads.len() > COMMENTS_MAX {
            let rule = format!("a source must have at most {COMMENTS_MAX} comments, and as many threads");
            return Err(Error::invalid("sources", rule));
        }
        texts(source).try_for_each(check_text)?;
    }
    check_times(sources)
}

/// Checks the times of the comments in sources.
///
/// # Errors
/// `Invalid` on `sources`.
pub fn check_times(sources: &[PromptSource]) -> Result<()> {
    let said = sources.iter().flat_map(comments);
    said.map(|comment| comment.created_at.as_deref())
        .try_for_each(|at| Timestamp::read("sources", at).map(drop))
}

fn check_text(text: &str) -> Result<()> {
    if text.len() <= limits::SOURCE_TEXT_CHARS_MAX || text.chars().count() <= limits::SOURCE_TEXT_CHARS_MAX {
        return Ok(());
    }
    let max = limits::SOURCE_TEXT_CHARS_MAX;
    let rule = format!("a title, a body or a comment of sources must have at most {max} characters");
    Err(Error::invalid("sources", format!("{rule}: shorten it, or leave the source out")))
}

/// Returns the trust of each kind.
pub(super) fn trust(sources: &[PromptSource]) -> BTreeMap<String, &'static str> {
    let of = |source: &PromptSource| if is_trusted(source) { "trusted" } else { "untrusted-external" };
    sources.iter().map(|source| (source.kind.clone(), of(source))).collect()
}

/// Returns the warnings about unknown kinds.
pub(super) fn unknown(sources: &[PromptSource]) -> Vec<String> {
    let kinds: BTreeSet<&str> = sources.iter().map(|source| source.kind.as_str()).collect();
    let unknown = kinds.into_iter().filter(|kind| ![DESCRIPTION, ISSUE, PULL_REQUEST].contains(kind));
    unknown
        .map(|kind| format!("SOURCE_UNKNOWN: {kind} is no kind of source that is known: it is not trusted"))
        .collect()
}

#[cfg(test)]
mod tests {
    use loci_api::coding::hydration::PromptThread;

    use super::*;

    #[test]
    fn texts_at_the_limit_and_one_past_it() {
        let text = |chars: usize| "é".repeat(chars);
        let comment = |chars: usize| PromptComment { body: Some(text(chars)), ..PromptComment::default() };
        let thread =
            |chars: usize| PromptThread { comments: vec![comment(chars)], ..PromptThread::default() };
        let of = |chars: usize| {
            let source = || PromptSource { kind: ISSUE.to_owned(), ..PromptSource::default() };
            [
                PromptSource { title: Some(text(chars)), ..source() },
                PromptSource { body: Some(text(chars)), ..source() },
                PromptSource { comments: vec![comment(chars)], ..source() },
                PromptSource { review_threads: vec![thread(chars)], ..source() },
            ]
        };
        for source in of(loci_model::limits::SOURCE_TEXT_CHARS_MAX) {
            check(&[source]).unwrap();
        }
        for source in of(loci_model::limits::SOURCE_TEXT_CHARS_MAX + 1) {
            let error = check(&[source]).unwrap_err();
            assert!(error.message.contains("at most 1000000 characters"), "{}", error.message);
        }
    }
}
