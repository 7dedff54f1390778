//! A list of the engine's parsers that read a whole untrusted text. A separate program measures
//! how long each takes for adversarial texts; the server itself does not use the list.
//!
//! To add one, add a line to the list of its folder. Every parser of untrusted text belongs here.

use std::collections::BTreeMap;
use std::hint::black_box;

use crate::consolidation;
use crate::document_text::path::DocumentPath;
use crate::safety::{self, RedactionMode, secrets};
use crate::strategies::episodes::episode_form;
use crate::strategies::model_questions::{grounding, reply_json};
use crate::strategies::preferences::{preference, preference_statement};
use crate::strategies::summaries::{summary_topics, topic_markup};
use crate::strategies::task_event::ReportedTask;
use crate::strategies::turns::unwrapped_message;

/// A parser of untrusted text, for the measurement of its cost.
#[derive(Debug, Clone, Copy)]
pub struct Scanner {
    /// The name of the parser.
    pub name: &'static str,
    /// A function that parses a text and discards the result.
    pub read: fn(&str),
}

impl Scanner {
    /// Creates a named parser.
    pub const fn new(name: &'static str, read: fn(&str)) -> Self {
        Self { name, read }
    }
}

/// Returns all parsers of untrusted text.
pub fn all() -> Vec<Scanner> {
    let folders = [SAFETY, STRATEGIES, FILES, OTHERS, consolidation::SCANNERS];
    folders.concat()
}

const SAFETY: &[Scanner] = &[
    Scanner::new("secrets", |text| drop(black_box(secrets::redact(text.to_owned(), RedactionMode::Mask)))),
    Scanner::new("injection", |text| drop(black_box(safety::score(text)))),
    Scanner::new("sanitise", |text| drop(black_box(safety::sanitise(text)))),
    Scanner::new("for a model", |text| drop(black_box(safety::for_model(text)))),
    Scanner::new("shown code", |text| drop(black_box(safety::shown_code(text)))),
];

const STRATEGIES: &[Scanner] = &[
    Scanner::new("preference statements", |text| drop(black_box(preference_statement::statements(text)))),
    Scanner::new("preferences stated", |text| drop(black_box(preference::stated(text)))),
    Scanner::new("unwrapping", |text| drop(black_box(unwrapped_message::unwrap(text)))),
    Scanner::new("topic markup", |text| drop(black_box(topic_markup::read(text)))),
    Scanner::new("shortened", |text| drop(black_box(summary_topics::shortened(text)))),
    Scanner::new("episode form", |text| drop(black_box(episode_form::Episode::read(text)))),
    Scanner::new("a task's report", |text| {
        drop(black_box(ReportedTask::read(&BTreeMap::new(), text, false)))
    }),
    Scanner::new("grounding", |text| {
        black_box(grounding::is_grounded(text, &["a", "b"]));
    }),
    Scanner::new("a reply's JSON", |text| {
        black_box(reply_json::bare(text).len());
    }),
];

const FILES: &[Scanner] = &[
    Scanner::new("frontmatter", |text| {
        drop(black_box(crate::document_text::frontmatter::parse(text).map(|_| ())))
    }),
    Scanner::new("a searched frontmatter", |text| {
        black_box(crate::document_text::frontmatter::searched(&format!("---\n{text}\n---\n")).is_some());
    }),
    Scanner::new("title", |text| drop(black_box(crate::document_text::derived_names::derived_title(text)))),
    Scanner::new("description", |text| {
        drop(black_box(crate::document_text::derived_names::derived_description(text)))
    }),
    Scanner::new("folded", |text| drop(black_box(crate::document_text::case_folding::folded(text)))),
    Scanner::new("slug", |text| drop(black_box(crate::document_text::slug::slug(text)))),
    Scanner::new("document path", |text| drop(black_box(DocumentPath::parse(text)))),
];

const OTHERS: &[Scanner] = &[
    Scanner::new("a plan", |text| drop(black_box(crate::consolidation::plan::Plan::read(text)))),
    Scanner::new("a fence around", |text| drop(black_box(crate::retrieval::render::contained(text)))),
];
