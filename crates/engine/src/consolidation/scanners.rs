//! Parsers of consolidation that read untrusted text as a whole. `word_pairs` bounds the cost of
//! comparing two long statements.

use std::hint::black_box;

use loci_model::Timestamp;
use loci_model::record::statement_time::StatementTime;
use loci_model::record::{RecordKind, TrustTier};

use super::relate::{ReadStatement, Statement, relate};
use super::{Alike, Thresholds};
use crate::scanners::Scanner;

/// The parsers.
pub(crate) const SCANNERS: &[Scanner] = &[
    Scanner::new("a gist", |text| drop(black_box(ReadStatement::of(statement(text))))),
    Scanner::new("a relation", |text| {
        let known = "We no longer use the old parser for 9 en when the build moved to Leipzig.";
        black_box(relate(&statement(text), &statement(known), NEAR, &Thresholds::default()));
        black_box(relate(&statement(known), &statement(text), NEAR, &Thresholds::default()));
    }),
];

/// Maximum similarity, so that no rule is skipped.
const NEAR: Alike = Alike { jaccard: 1.0, cosine: Some(1.0) };

fn statement(text: &str) -> Statement<'_> {
    let told = StatementTime::at(Timestamp::EPOCH);
    Statement { text, kind: RecordKind::Fact, scope: None, tier: TrustTier::Agent, told }
}
