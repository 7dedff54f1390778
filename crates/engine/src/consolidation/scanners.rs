//! Readers of consolidation that read foreign text whole. The cost of two long statements
//! together is bounded by `word_pairs`.

use std::hint::black_box;

use loci_model::Timestamp;
use loci_model::record::statement_time::Telling;
use loci_model::record::{RecordKind, TrustTier};

use super::relate::{ReadStatement, Statement, relate};
use super::{Alike, Thresholds};
use crate::scanners::Scanner;

/// Its readers.
pub(crate) const SCANNERS: &[Scanner] = &[
    Scanner::new("a gist", |text| drop(black_box(ReadStatement::of(statement(text))))),
    Scanner::new("a relation", |text| {
        let known = "We no longer use the old parser for 9 en when the build moved to Leipzig.";
        black_box(relate(&statement(text), &statement(known), NEAR, &Thresholds::default()));
        black_box(relate(&statement(known), &statement(text), NEAR, &Thresholds::default()));
    }),
];

/// A likeness so great that no rule is left out.
const NEAR: Alike = Alike { jaccard: 1.0, cosine: Some(1.0) };

fn statement(text: &str) -> Statement<'_> {
    let told = Telling::at(Timestamp::EPOCH);
    Statement { text, kind: RecordKind::Fact, scope: None, tier: TrustTier::Agent, told }
}
