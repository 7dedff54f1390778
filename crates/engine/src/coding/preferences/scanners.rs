//! Readers of preferences that read foreign text whole.

use std::hint::black_box;

use super::own_words::own_words;
use super::stated::stated;
use crate::safety::Patterns;
use crate::scanners::Scanner;

/// Its readers.
pub(crate) const SCANNERS: &[Scanner] = &[
    Scanner::new("own words", |text| drop(black_box(own_words(text)))),
    Scanner::new("stated in a description", |text| drop(black_box(stated(text, Patterns::shipped())))),
];
