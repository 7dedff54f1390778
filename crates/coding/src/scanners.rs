//! Readers of coding memory that read whole foreign texts.
//!
//! To add one: a line in the list of its folder.

use std::hint::black_box;

use loci_api::coding::hydration::{PromptComment, PromptSource};
use loci_engine::scanners::Scanner;
use loci_engine::strategies::learnings;
use loci_text::tokens::Estimator;

use crate::outcomes;
use crate::preferences;
use crate::prompts::task_prompt::{Assembled, PromptLimits, assemble};
use crate::reviews;
use crate::rules::extraction::{ReviewText, extract};

/// Returns all readers.
pub fn scanners() -> Vec<Scanner> {
    [OWN, preferences::SCANNERS, reviews::SCANNERS].concat()
}

const OWN: &[Scanner] = &[
    Scanner::new("learnings", |text| drop(black_box(learnings::parse(text)))),
    Scanner::new("tasks in a message", |text| drop(black_box(outcomes::task_ids(text)))),
    Scanner::new("rules of a review", |text| {
        drop(black_box(extract(&ReviewText::of_comment(1, text.to_owned(), None))));
    }),
    Scanner::new("a prompt's sources", |text| drop(black_box(assembled(text)))),
];

/// Returns a prompt whose sources have each line of a text as a comment, and the whole text as a
/// body.
fn assembled(text: &str) -> Assembled {
    let comment = |line: &str| PromptComment { body: Some(line.to_owned()), ..PromptComment::default() };
    let comments = text.lines().map(comment).collect();
    let source = PromptSource { body: Some(text.to_owned()), comments, ..PromptSource::default() };
    assemble(&[source], &PromptLimits { tokens: 500, estimator: Estimator::Mixed, seed: [7; 16] })
}
