//! Scanners of operations memory that read whole texts by third parties.

use std::hint::black_box;

use loci_engine::scanners::Scanner;

use super::{capture, quantities};
use crate::contacts::contact_words;
use crate::input::python_literal;
use crate::preferences::declared_file;
use crate::records::record_content;

/// Returns all scanners of the operations product.
pub fn scanners() -> Vec<Scanner> {
    vec![
        Scanner::new("blocks of an answer", |text| {
            black_box(capture::blocks(text).items.len());
        }),
        Scanner::new("prose of an answer", |text| drop(black_box(capture::prose(text)))),
        Scanner::new("contacts of an answer", |text| drop(black_box(capture::proposals(text)))),
        Scanner::new("preferences of a message", |text| {
            let now = loci_model::Timestamp::clamped(0);
            black_box(capture::wishes(text, now).len() + capture::wishes_repeated(text, now).len());
        }),
        Scanner::new("plain facts of an answer", |text| drop(black_box(capture::plain_facts(text, &[])))),
        Scanner::new("actions of an answer", |text| {
            let report = capture::AgentText { by: None, text, calls: &[] };
            black_box(capture::actions(&[report]).1);
        }),
        Scanner::new("contact words", |text| {
            black_box(contact_words::has_contact(text));
        }),
        Scanner::new("declared users", |text| drop(black_box(declared_file::declared_users(text)))),
        Scanner::new("a literal", |text| drop(black_box(python_literal::read(text)))),
        Scanner::new("quantities", |text| drop(black_box(quantities::quantities(text)))),
        Scanner::new("an answer's JSON", |text| drop(black_box(record_content::content(text)))),
    ]
}
