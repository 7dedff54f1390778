//! Properties of any two texts: no panic, the same result every time, a text is its own duplicate,
//! and disjoint scopes never conflict.

use loci_model::Timestamp;
use loci_model::record::statement_time::StatementTime;
use loci_model::record::{RecordKind, TrustTier};
use proptest::prelude::*;

use super::relate::{Relation, Statement, relate};
use super::{Alike, Thresholds};

fn statement<'a>(text: &'a str, scope: Option<&'a str>, hour: i64) -> Statement<'a> {
    Statement {
        text,
        kind: RecordKind::Fact,
        scope,
        tier: TrustTier::default(),
        told: StatementTime::at(Timestamp::from_millis(1_780_000_000_000 + hour * 3_600_000).unwrap()),
    }
}

/// Arbitrary texts, and texts of the words that rules examine.
fn texts() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "the", "user", "no", "longer", "not", "any", "more", "from", "now", "on", "switched", "to", "is",
        "gone", ":", ",", "instead", "of", "Bern", "8080", "`a.rs`", "my", "sister", "quit", "at", "7", "pm",
        "ne", "plus", "says", "since", "January", "and", "but", "lives", "uses", "13:", "too", ".", "store",
        "new", "name",
    ]);
    prop_oneof![any::<String>(), prop::collection::vec(words, 0..14).prop_map(|words| words.join(" "))]
}

proptest! {
    #[test]
    fn any_two_texts(old in texts(), new in texts(), cosine in 0.0f32..=1.0) {
        let limits = Thresholds::default();
        let alike = Alike { jaccard: cosine, cosine: Some(cosine) };
        let first = relate(&statement(&new, None, 1), &statement(&old, None, 0), alike, &limits);
        let again = relate(&statement(&new, None, 1), &statement(&old, None, 0), alike, &limits);
        prop_assert_eq!(first, again);
        let apart = relate(&statement(&new, Some("a/**"), 1), &statement(&old, Some("b/**"), 0), alike, &limits);
        prop_assert_eq!(apart.0, Relation::Coexists);
    }

    #[test]
    fn a_text_and_itself(text in texts()) {
        let alike = Alike { jaccard: 1.0, cosine: Some(1.0) };
        let found = relate(
            &statement(&text, None, 1), &statement(&text, None, 0), alike, &Thresholds::default()
        );
        prop_assert_eq!(found.0, Relation::Duplicate);
    }
}
