//! What was read of a forge, and how far it is trusted.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::{Error, Result, Timestamp, limits};

use crate::tasks::field_checks;

/// Sources of one request.
const SOURCES_MAX: usize = 50;
/// Comments and threads of one source.
const COMMENTS_MAX: usize = 5_000;

/// The kind of what whoever runs agents says themselves.
const DESCRIPTION: &str = "task_description";
/// Kinds of what others write at a forge.
const ISSUE: &str = "issue";
pub(super) const PULL_REQUEST: &str = "pull_request";

/// Something that a task is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Source {
    /// `issue`, `pull_request`, `task_description`; anything else is of outside, too.
    pub kind: String,
    /// Its number at the forge.
    pub number: Option<u64>,
    /// What it is called.
    pub title: Option<String>,
    /// What it says.
    pub body: Option<String>,
    /// What was said to it, in any order.
    pub comments: Vec<SourceComment>,
    /// What was said to its lines, each thread in its order.
    pub review_threads: Vec<SourceThread>,
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceComment {
    /// Who.
    pub author: Option<String>,
    /// What.
    pub body: String,
    /// When; what has no time is older than what has one.
    pub at: Option<Timestamp>,
}

/// What was said to some lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceThread {
    /// The file.
    pub path: Option<String>,
    /// The comments, in their order.
    pub comments: Vec<SourceComment>,
}

impl Source {
    /// As answers name it.
    pub fn name(&self) -> String {
        match self.number {
            Some(number) => format!("{}#{number}", self.kind),
            None => self.kind.clone(),
        }
    }

    /// Every text of it.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let said = self.review_threads.iter().flat_map(|thread| &thread.comments).chain(&self.comments);
        let bodies = said.map(|comment| comment.body.as_str());
        bodies.chain(self.title.as_deref()).chain(self.body.as_deref())
    }

    pub(super) fn is_trusted(&self) -> bool {
        self.kind == DESCRIPTION
    }
}

/// Checks the shape of sources.
pub(crate) fn check(sources: &[Source]) -> Result<()> {
    if sources.len() > SOURCES_MAX {
        return Err(Error::invalid("sources", format!("sources must have at most {SOURCES_MAX} items")));
    }
    for source in sources {
        field_checks::name("sources", Some(&source.kind))?;
        if source.comments.len() > COMMENTS_MAX || source.review_threads.len() > COMMENTS_MAX {
            let rule = format!("a source must have at most {COMMENTS_MAX} comments, and as many threads");
            return Err(Error::invalid("sources", rule));
        }
        source.texts().try_for_each(check_text)?;
    }
    Ok(())
}

fn check_text(text: &str) -> Result<()> {
    if text.len() <= limits::SOURCE_TEXT_CHARS_MAX || text.chars().count() <= limits::SOURCE_TEXT_CHARS_MAX {
        return Ok(());
    }
    let max = limits::SOURCE_TEXT_CHARS_MAX;
    let rule = format!("a title, a body or a comment of sources must have at most {max} characters");
    Err(Error::invalid("sources", format!("{rule}: shorten it, or leave the source out")))
}

/// How far each kind is trusted.
pub(super) fn trust(sources: &[Source]) -> BTreeMap<String, &'static str> {
    let of = |source: &Source| if source.is_trusted() { "trusted" } else { "untrusted-external" };
    sources.iter().map(|source| (source.kind.clone(), of(source))).collect()
}

/// What is to be said of kinds that are not known.
pub(super) fn unknown(sources: &[Source]) -> Vec<String> {
    let kinds: BTreeSet<&str> = sources.iter().map(|source| source.kind.as_str()).collect();
    let unknown = kinds.into_iter().filter(|kind| ![DESCRIPTION, ISSUE, PULL_REQUEST].contains(kind));
    unknown
        .map(|kind| format!("SOURCE_UNKNOWN: {kind} is no kind of source that is known: it is not trusted"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_at_the_limit_and_one_past_it() {
        let text = |chars: usize| "é".repeat(chars);
        let comment = |chars: usize| SourceComment { body: text(chars), ..SourceComment::default() };
        let thread =
            |chars: usize| SourceThread { comments: vec![comment(chars)], ..SourceThread::default() };
        let of = |chars: usize| {
            let source = || Source { kind: ISSUE.to_owned(), ..Source::default() };
            [
                Source { title: Some(text(chars)), ..source() },
                Source { body: Some(text(chars)), ..source() },
                Source { comments: vec![comment(chars)], ..source() },
                Source { review_threads: vec![thread(chars)], ..source() },
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
