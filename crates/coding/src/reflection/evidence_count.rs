//! Determines if enough tasks support a reflection, counted here regardless of its source. Pure.

use std::collections::BTreeSet;

use loci_engine::strategies::episodes::reflection_model::is_enough;
use loci_model::RecordId;
use loci_model::record::Record;
use loci_model::record::derivation::Evidence;

use super::evidence::{TaskEvidence, TaskPattern};

/// A finding with verified counts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct VerifiedFinding {
    pub(super) key: String,
    /// The text, with its counts.
    pub(super) text: String,
    pub(super) evidence: Evidence,
    pub(super) episodes: Vec<RecordId>,
    pub(super) is_enough: bool,
}

/// Counts the evidence again: unknown episodes do not count, and repeated ones count once.
pub(super) fn counted(found: TaskPattern, ground: &TaskEvidence, min_episodes: u32) -> VerifiedFinding {
    let there: BTreeSet<&RecordId> = ground.works.iter().map(|work| &work.episode).collect();
    let of: BTreeSet<&RecordId> = found.of.iter().filter(|id| there.contains(id)).collect();
    let hits: BTreeSet<&RecordId> = found.hits.iter().filter(|id| of.contains(id)).collect();
    let count = |set: &BTreeSet<&RecordId>| u32::try_from(set.len()).unwrap_or(u32::MAX);
    let evidence = Evidence { hits: count(&hits), of: count(&of), predicate: found.predicate };
    let is_enough = is_enough(&evidence, min_episodes);
    let text = format!("{} ({} of the last {} tasks)", found.text, evidence.hits, evidence.of);
    // In the order of the tasks.
    let order = ground.works.iter().map(|work| &work.episode).filter(|id| hits.contains(id));
    VerifiedFinding { key: found.key, text, episodes: order.cloned().collect(), evidence, is_enough }
}

/// Returns the key of a model's reflection. A repetition with other counts has the same key.
pub(super) fn key_of_told(text: &str) -> String {
    let words: Vec<String> =
        loci_text::terms(text).into_iter().filter(|word| !word.chars().any(|c| c.is_ascii_digit())).collect();
    let digest = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(words.join(" ")));
    format!("told/{}", digest.get(..16).unwrap_or_default())
}

/// Returns a model's reflection as a finding, counted over all tasks with a report.
pub(super) fn of_told(text: &str, episodes: &[String], ground: &TaskEvidence) -> TaskPattern {
    let is_named = |work: &super::evidence::EndedTask| episodes.iter().any(|id| id == work.episode.as_str());
    let said =
        (key_of_told(text), text.to_owned(), "bears it out, as a model that read them says".to_owned());
    TaskPattern::counted(said, ground.told(), is_named)
}

/// Returns a known reflection without a new finding, counted over its own episodes.
pub(super) fn of_known(known: &Record, ground: &TaskEvidence) -> TaskPattern {
    let key = known.subtype.as_deref().and_then(|subtype| subtype.strip_prefix(super::SUBTYPE));
    let predicate = known.making.as_ref().and_then(|making| making.evidence.as_ref());
    let predicate = predicate.map(|evidence| evidence.predicate.clone()).unwrap_or_default();
    let said = (key.unwrap_or_default().to_owned(), known.text.clone(), predicate);
    TaskPattern::counted(said, ground.told(), |work| known.derived_from.contains(&work.episode))
}

#[cfg(test)]
mod tests {
    use super::super::evidence::EndedTask;
    use super::super::generators::tests::work;
    use super::*;

    fn ground(count: u8) -> TaskEvidence {
        TaskEvidence {
            works: (1..=count).map(|number| work(number, &[])).collect(),
            ..TaskEvidence::default()
        }
    }

    #[test]
    fn a72_counts_are_the_engine_s() {
        let ground = ground(8);
        let id = |number: u8| work(number, &[]).episode;
        let check = |hits: &[u8], of: &[u8], expect: (u32, u32, bool)| {
            let ids = |numbers: &[u8]| numbers.iter().map(|number| id(*number)).collect::<Vec<_>>();
            let (key, text, predicate) = ("k".to_owned(), "It is so.".to_owned(), "was so".to_owned());
            let found = TaskPattern { key, text, predicate, hits: ids(hits), of: ids(of) };
            let counted = counted(found, &ground, 3);
            let Evidence { hits: counted_hits, of: counted_of, .. } = counted.evidence;
            assert_eq!((counted_hits, counted_of, counted.is_enough), expect, "{hits:?} {of:?}");
        };
        check(&[1, 2, 3], &[1, 2, 3, 4, 5], (3, 5, true));
        check(&[1, 2], &[1, 2], (2, 2, false));
        check(&[1, 2, 3], &[1, 2, 3, 4, 5, 6, 7], (3, 7, true));
        check(&[1, 2, 3], &[1, 2, 3, 4, 5, 6, 7, 8], (3, 8, false));
        check(&[1, 1, 1, 2], &[1, 2], (2, 2, false));
        check(&[1, 2, 99], &[1, 2, 99], (2, 2, false));
        check(&[1, 2, 8], &[1, 2, 3], (2, 3, false));
    }

    #[test]
    fn a_model_s_numbers_are_not_read() {
        let mut ground = ground(5);
        ground.works[4] = EndedTask { is_minimal: true, ..work(5, &[]) };
        let id = |number: u8| work(number, &[]).episode.to_string();
        let found = of_told("Specs are missed.", &[id(1), id(2), id(5), "invented".to_owned()], &ground);
        assert_eq!((found.hits.len(), found.of.len()), (2, 4), "fallback episodes bear nothing out");
        assert_eq!(key_of_told("Specs are missed in 3 of 5"), key_of_told("specs  are missed in 4 of 9"));
    }
}
