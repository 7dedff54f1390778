//! Readers of coding memory that read foreign text whole.

use std::hint::black_box;

use loci_text::tokens::Estimator;

use crate::outcomes;
use crate::prompts::task_prompt::{Assembled, PromptLimits, Source, SourceComment, assemble};
use crate::rules::extracting::{ReviewText, extract};
use loci_engine::scanners::Scanner;
use loci_engine::strategies::learnings;

/// Its readers.
pub const SCANNERS: &[Scanner] = &[
    Scanner::new("learnings", |text| drop(black_box(learnings::parse(text)))),
    Scanner::new("tasks in a message", |text| drop(black_box(outcomes::task_ids(text)))),
    Scanner::new("rules of a review", |text| {
        drop(black_box(extract(&ReviewText::of_comment(1, text.to_owned(), None))));
    }),
    Scanner::new("a prompt's sources", |text| drop(black_box(assembled(text)))),
];

/// A prompt whose sources have each line of a text as a comment, and the whole as a body.
fn assembled(text: &str) -> Assembled {
    let comment = |line: &str| SourceComment { body: line.to_owned(), ..SourceComment::default() };
    let comments = text.lines().map(comment).collect();
    let source = Source { body: Some(text.to_owned()), comments, ..Source::default() };
    assemble(&[source], &PromptLimits { tokens: 500, estimator: Estimator::Mixed, seed: [7; 16] })
}
