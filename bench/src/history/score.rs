//! Recall and reciprocal rank of lists of files.

use loci_engine::retrieval::weights::Weights;
use serde::Serialize;

/// The order of files.
pub(super) enum Order {
    /// The engine's sum for the best passage of a file.
    Sum(Box<Weights>),
    /// BM25 of the whole file. No signal contains it, because the engine uses the session's score
    /// only for conversations.
    WholeFile,
}

/// A ranking with its name.
pub(super) struct Ranking {
    pub(super) name: &'static str,
    pub(super) order: Order,
    /// True if it uses the vector of the query.
    pub(super) vectors: bool,
}

/// Sums over the queries.
#[derive(Debug, Default, Serialize)]
pub(super) struct Scores {
    questions: usize,
    /// Recall at 5, recall at 10, and the reciprocal rank of the first file of the gold set.
    sums: [f64; 3],
}

impl Scores {
    /// Adds one list, best first.
    pub(super) fn add(&mut self, files: &[String], gold: &[&str]) {
        let within = |cut: usize| {
            let found = files.iter().take(cut).filter(|file| gold.contains(&file.as_str())).count();
            found as f64 / gold.len().max(1) as f64
        };
        let first = files.iter().position(|file| gold.contains(&file.as_str()));
        let found = [within(5), within(10), first.map_or(0.0, |at| 1.0 / (at + 1) as f64)];
        self.sums = std::array::from_fn(|at| self.sums[at] + found[at]);
        self.questions += 1;
    }

    /// Returns the means over the queries.
    pub(super) fn means(&self) -> [f64; 3] {
        self.sums.map(|sum| sum / self.questions.max(1) as f64)
    }
}

impl std::fmt::Display for Scores {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [five, ten, rank] = self.means().map(|value| value * 100.0);
        write!(f, "R@5 {five:.1}  R@10 {ten:.1}  MRR {rank:.1}  ({} commits)", self.questions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let files: Vec<String> = "abcdefgh".chars().map(String::from).collect();
        let mut scores = Scores::default();
        scores.add(&files, &["b", "f"]);
        scores.add(&files, &["x"]);
        assert_eq!(scores.means(), [0.25, 0.5, 0.25]);
    }
}
