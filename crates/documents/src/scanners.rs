//! Scanners that read whole texts of documents that others wrote.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use crate::consolidation::{duplicate_lines, literal_tokens, negations, normal_form};
use crate::{document, document_history};

/// Returns all scanners of the documents product.
pub fn scanners() -> Vec<Scanner> {
    vec![
        Scanner::new("particulars", |text| drop(black_box(literal_tokens::of(text)))),
        Scanner::new("negations", |text| drop(black_box(negations::of(text)))),
        Scanner::new("lines that stand twice", |text| drop(black_box(duplicate_lines::without(text)))),
        Scanner::new("a body without its form", |text| drop(black_box(normal_form::body(text)))),
        Scanner::new("a diff of documents", |text| {
            let turned: String = text.split_inclusive('\n').rev().collect();
            black_box(document_history::diff::of_files(text, &turned, Some("a"), Some("b")).len());
        }),
        Scanner::new("places of a text", |text| {
            let half = text.get(..text.len() / 2).unwrap_or(text);
            black_box(document::text_edits::places(text, half));
            black_box(document::text_edits::places(text, text.get(..1).unwrap_or(text)));
        }),
    ]
}
