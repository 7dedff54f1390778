//! The operations and results of a run, line by line. Lines of two stores are equal for the same
//! seed. Scores of searches are kept separately, because their last digits may differ.

use loci_model::RecordId;
use sha2::{Digest as _, Sha256};

/// The maximum difference of the scores of two hits that two stores may return in different
/// order.
const SCORE_TOLERANCE: f32 = 0.02;

/// The result of a search in a simulation, best hit first.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// The index of the search's line in the transcript.
    pub line: usize,
    /// The records that the search found, with their scores.
    pub hits: Vec<(RecordId, f32)>,
}

/// The transcript of a simulation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    lines: Vec<String>,
    rankings: Vec<Ranking>,
}

impl Transcript {
    pub(super) fn note(&mut self, line: String) {
        self.lines.push(line);
    }

    pub(super) fn note_ranking(&mut self, hits: Vec<(RecordId, f32)>) {
        self.rankings.push(Ranking { line: self.lines.len().saturating_sub(1), hits });
    }

    /// Returns all lines without the rankings.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Returns all searches.
    pub fn rankings(&self) -> &[Ranking] {
        &self.rankings
    }

    /// Returns a digest of all lines.
    pub fn digest(&self) -> String {
        let mut hasher = Sha256::new();
        for line in &self.lines {
            hasher.update(line);
            hasher.update(b"\n");
        }
        hex::encode(hasher.finalize())
    }

    /// Returns a readable first difference to another run of the same seed; `None` if there is
    /// none. Rankings are equal if the scores at every position are, and if only records with such
    /// scores are swapped.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let lines = self.lines.len().max(other.lines.len());
        for at in 0..lines {
            let (left, right) = (self.lines.get(at), other.lines.get(at));
            if left != right {
                let before = self.lines.get(at.saturating_sub(3)..at).unwrap_or_default().join("\n");
                return Some(format!("line {at}, after\n{before}\none:   {left:?}\nother: {right:?}"));
            }
        }
        if self.rankings.len() != other.rankings.len() {
            return Some(format!("{} searches and {}", self.rankings.len(), other.rankings.len()));
        }
        let mut pairs = self.rankings.iter().zip(&other.rankings);
        pairs.find_map(|(one, other)| {
            let why = differs(&one.hits, &other.hits)?;
            let line = self.lines.get(one.line).map_or("", String::as_str);
            Some(format!("{line}\n{why}\none:   {:?}\nother: {:?}", one.hits, other.hits))
        })
    }
}

fn differs(one: &[(RecordId, f32)], other: &[(RecordId, f32)]) -> Option<String> {
    if one.len() != other.len() {
        return Some(format!("{} hits and {}", one.len(), other.len()));
    }
    let close = |left: f32, right: f32| (left - right).abs() <= SCORE_TOLERANCE;
    for (place, ((id, score), (_, there))) in one.iter().zip(other).enumerate() {
        if !close(*score, *there) {
            return Some(format!("the scores at place {place}"));
        }
        match other.iter().find(|(found, _)| found == id) {
            Some((_, elsewhere)) if close(*score, *elsewhere) => {}
            Some(_) => return Some(format!("{id} has another score")),
            // The last hits may have been swapped with records that are not among the hits.
            None if one.last().is_some_and(|(_, last)| close(*score, *last)) => {}
            None => return Some(format!("{id} was found once only")),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(hits: &[(u128, f32)]) -> Transcript {
        let mut transcript = Transcript::default();
        transcript.note("search".to_owned());
        transcript.note_ranking(hits.iter().map(|(id, score)| (RecordId::of_uuid(*id), *score)).collect());
        transcript
    }

    #[test]
    fn close_scores_may_change_places() {
        let check = |one: &[(u128, f32)], other: &[(u128, f32)], same: bool| {
            let found = ranking(one).difference(&ranking(other));
            assert_eq!(found.is_none(), same, "{found:?}");
        };
        check(&[(1, 0.9), (2, 0.5)], &[(1, 0.9), (2, 0.5)], true);
        check(&[(1, 0.9), (2, 0.5)], &[(1, 0.905), (2, 0.495)], true);
        check(&[(1, 0.51), (2, 0.5)], &[(2, 0.51), (1, 0.505)], true);
        check(&[(1, 0.9), (2, 0.5)], &[(2, 0.9), (1, 0.5)], false);
        check(&[(1, 0.9), (2, 0.5)], &[(1, 0.9), (3, 0.5)], true);
        check(&[(1, 0.9), (2, 0.5)], &[(3, 0.9), (2, 0.5)], false);
        check(&[(1, 0.9)], &[(1, 0.9), (2, 0.5)], false);
        check(&[(1, 0.9), (2, 0.5)], &[(1, 0.8), (2, 0.5)], false);
    }

    #[test]
    fn the_first_line_that_differs_is_told() {
        let (mut one, mut other) = (ranking(&[]), ranking(&[]));
        assert_eq!(one.digest(), other.digest());
        one.note("a".to_owned());
        other.note("b".to_owned());
        assert_ne!(one.digest(), other.digest());
        assert!(one.difference(&other).is_some_and(|said| said.starts_with("line 1, after\nsearch")));
    }
}
