//! A ranking signal for words of the query that occur in the path of a file.

use loci_text::bm25;

use super::super::turn_view::bm25_score;
use super::{QuestionView, TurnView};

/// Returns the BM25 score of the path, divided by the unit of lexical scores (`lexical_unit`); 0
/// for a candidate without a path.
pub(super) fn path(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    let Some(counts) = &turn.candidate.path else { return 0.0 };
    let average = question.statistics.path_average_length;
    bm25_score(bm25::PATH, (counts.length, &counts.tf), &question.path_idf, average) / question.lexical_unit
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;
    use loci_model::ports::search::ViewCounts;

    #[test]
    fn by_hand() {
        let mut case = SignalCase::asking("lighthouse keeper?");
        case.expect("path", 0.0);
        let statistics = &mut case.set.statistics;
        (statistics.turns, statistics.df) = (100, vec![1, 1]);
        (statistics.paths, statistics.path_df, statistics.path_average_length) = (10, vec![2, 0], 4.0);
        case.set.candidates[0].path = Some(ViewCounts { length: 4, tf: vec![1, 0] });
        let unit = 4.0 * (1.0f32 + 99.5 / 1.5).ln();
        case.expect("path", (1.0f32 + 8.5 / 2.5).ln() / unit);
        case.set.candidates[0].path = Some(ViewCounts { length: 4, tf: vec![0, 0] });
        case.expect("path", 0.0);
    }
}
