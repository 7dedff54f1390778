//! Pieces of sources that are kept or dropped whole: a head with its body, a comment, a thread.

use loci_api::coding::hydration::{PromptComment, PromptSource, PromptThread};
use loci_engine::retrieval::render::{contained, line_marks};
use loci_model::Timestamp;
use loci_text::tokens::Estimator;

use super::source::{PULL_REQUEST, is_trusted};

/// The kind of a piece. The kinds that may be dropped are ordered accordingly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PieceKind {
    IssueComment,
    PullRequestComment,
    Thread,
    Body,
}

impl PieceKind {
    /// Returns the kind if such a piece may be dropped whole.
    pub(super) fn goes(self) -> Option<Self> {
        (self != Self::Body).then_some(self)
    }
}

/// A piece of the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    /// The index of its source.
    pub(super) source: usize,
    /// Its position in reading order.
    pub(super) place: usize,
    /// The time of its statement, in milliseconds; the minimum if unknown.
    pub(super) at_ms: i64,
    pub(super) is_trusted: bool,
    /// Its text, safe for the prompt.
    pub(super) text: String,
    /// Its tokens, including the line end.
    pub(super) tokens: u32,
}

impl Piece {
    /// Returns the piece with its text cut to a number of tokens; empty if the mark does not fit.
    pub(super) fn cut_to(&self, tokens: u32, mark: &str, estimator: Estimator) -> Self {
        let mut chars =
            usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(4).min(self.text.chars().count());
        while chars > 0 {
            let kept: String = self.text.chars().take(chars).collect();
            let text = format!("{}{mark}", kept.trim_end());
            let cost = cost(&text, estimator);
            if cost <= tokens {
                return Self { text, tokens: cost, ..self.clone() };
            }
            chars = chars * 7 / 8;
        }
        Self { text: String::new(), tokens: 0, ..self.clone() }
    }
}

/// Returns all pieces, in reading order.
pub(super) fn pieces(sources: &[PromptSource], estimator: Estimator) -> Vec<Piece> {
    let mut all = Vec::new();
    for (nth, source) in sources.iter().enumerate() {
        let mut add = |kind, at_ms, text: String| {
            let text = text.trim().to_owned();
            if !text.is_empty() {
                let (tokens, is_trusted) = (cost(&text, estimator), is_trusted(source));
                all.push(Piece { kind, source: nth, place: all.len(), at_ms, is_trusted, text, tokens });
            }
        };
        add(PieceKind::Body, i64::MIN, body(source));
        let is_pr = source.kind == PULL_REQUEST;
        let kind = if is_pr { PieceKind::PullRequestComment } else { PieceKind::IssueComment };
        let mut comments: Vec<&PromptComment> = source.comments.iter().collect();
        // Sorted by time; the sort is stable.
        comments.sort_by_key(|comment| at_ms(comment));
        for comment in comments {
            add(kind, at_ms(comment), said("Comment", comment));
        }
        let mut threads: Vec<&PromptThread> = source.review_threads.iter().collect();
        threads.sort_by_key(|thread| thread.comments.first().map_or(i64::MIN, at_ms));
        for thread in threads {
            add(PieceKind::Thread, thread.comments.first().map_or(i64::MIN, at_ms), threaded(thread));
        }
    }
    all
}

/// Returns the tokens of a text and the line end after it.
fn cost(text: &str, estimator: Estimator) -> u32 {
    estimator.estimate(&format!("{text}\n"))
}

/// Returns the time of a comment, which is already checked.
fn at(comment: &PromptComment) -> Option<Timestamp> {
    comment.created_at.as_deref().and_then(|at| Timestamp::parse(at).ok())
}

fn at_ms(comment: &PromptComment) -> i64 {
    at(comment).map_or(i64::MIN, |at| at.millis())
}

fn body(source: &PromptSource) -> String {
    let body = source.body.as_deref().unwrap_or_default();
    if is_trusted(source) {
        return contained(&format!("{}\n{}", one_line(source.title.as_deref()), body.trim()));
    }
    let title = contained(&one_line(source.title.as_deref()));
    let body = indented(body);
    let about = in_mark(Some(&source.kind)).replace('_', " ");
    let number = source.number.map(|number| format!(" #{number}")).unwrap_or_default();
    format!("[{about}{number}] {title}\n{body}")
}

fn said(what: &str, comment: &PromptComment) -> String {
    let body = indented(comment.body.as_deref().unwrap_or_default());
    if body.is_empty() {
        return String::new();
    }
    let author = in_mark(comment.author.as_deref());
    let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
    let at = at(comment).map(|at| format!(", {}", at.to_rfc3339())).unwrap_or_default();
    format!("[{what}{by}{at}]\n{body}")
}

fn threaded(thread: &PromptThread) -> String {
    let comments: Vec<String> = thread
        .comments
        .iter()
        .map(|comment| said("Review comment", comment))
        .filter(|text| !text.is_empty())
        .collect();
    if comments.is_empty() {
        return String::new();
    }
    let path = in_mark(thread.path.as_deref());
    let about = if path.is_empty() { String::new() } else { format!(" on {path}") };
    format!("[Review thread{about}]\n{}", comments.join("\n"))
}

/// Returns external text, with each line indented deeper than the marks of this system, so that a
/// forged mark does not count.
fn indented(text: &str) -> String {
    line_marks::indented(&contained(text))
}

/// Returns a name as a part of a mark, which the name cannot close.
fn in_mark(text: Option<&str>) -> String {
    line_marks::in_mark(&contained(&one_line(text)))
}

fn one_line(text: Option<&str>) -> String {
    text.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}
