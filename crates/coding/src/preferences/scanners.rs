//! Readers of preferences that read whole foreign texts.

use std::hint::black_box;

use loci_engine::safety::Patterns;
use loci_engine::scanners::Scanner;
use loci_engine::strategies::preferences::requester_words::own_words;

use super::named_people::json_in_text::json_places;
use super::named_people::people_in_text::{replaced_in_list, replaced_in_text};
use super::stated_preferences::stated;

/// The readers of this module.
pub(crate) const SCANNERS: &[Scanner] = &[
    Scanner::new("own words", |text| drop(black_box(own_words(text)))),
    Scanner::new("people of a text", |text| {
        drop(black_box(replaced_in_text(text, |mention| {
            black_box(mention);
            None
        })));
    }),
    Scanner::new("JSON of a text", |text| drop(black_box(json_places(text)))),
    Scanner::new("people of a list", |text| {
        drop(black_box(replaced_in_list(text, |name, address| {
            black_box((name, address));
            None
        })));
    }),
    Scanner::new("stated in a description", |text| drop(black_box(stated(text, Patterns::shipped())))),
];
