//! Readers of the consolidation of trees that read documents whole.

use std::hint::black_box;

use super::{lines_twice, negations, normal, particulars};
use crate::scanners::Scanner;

/// Its readers.
pub(crate) const SCANNERS: &[Scanner] = &[
    Scanner::new("particulars", |text| drop(black_box(particulars::of(text)))),
    Scanner::new("negations", |text| drop(black_box(negations::of(text)))),
    Scanner::new("lines that stand twice", |text| drop(black_box(lines_twice::without(text)))),
    Scanner::new("a body without its form", |text| drop(black_box(normal::body(text)))),
];
