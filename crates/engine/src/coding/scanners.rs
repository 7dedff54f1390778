//! Readers of coding memory that read foreign text whole.

use std::hint::black_box;

use super::outcomes;
use crate::scanners::Scanner;
use crate::strategies::learnings;

/// Its readers.
pub(crate) const SCANNERS: &[Scanner] = &[
    Scanner::new("learnings", |text| drop(black_box(learnings::parse(text)))),
    Scanner::new("tasks in a message", |text| drop(black_box(outcomes::task_ids(text)))),
];
