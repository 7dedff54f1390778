//! Ranking signals for passages of files: a file with several good passages ranks above a file
//! with only one, and an offset replaces signals that files lack (decision 0036). Both signals
//! are 0 for conversations.

use loci_model::record::RecordKind;

use super::{QuestionView, TurnView};

/// Returns the mean BM25 score of the second and third best passage of the file among the
/// candidates, divided by the unit of lexical scores (`lexical_unit`).
pub(super) fn file(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    if document(question, turn) == 0.0 {
        return 0.0;
    }
    let more = question.file_more.get(&turn.candidate.session).copied().unwrap_or_default();
    more / question.lexical_unit
}

/// Returns 1 for a passage of a file. Its weight replaces the context that turns have and passages
/// lack, so that both fit into one list and one calibration.
pub(super) fn document(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    match turn.candidate.kind {
        RecordKind::Document => 1.0,
        RecordKind::Fact
        | RecordKind::Preference
        | RecordKind::Summary
        | RecordKind::Episode
        | RecordKind::Reflection
        | RecordKind::Rule
        | RecordKind::Investigation => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_case::{SignalCase, bare_candidate, one_view};
    use loci_model::record::RecordKind;

    /// Returns a case with one term in every passage, with frequency `tf`, in the numbered files.
    fn case(passages: &[(u32, u32)]) -> SignalCase {
        let mut case = SignalCase::asking("lighthouse?");
        case.set.statistics.turns = 100;
        case.set.statistics.df = vec![1];
        let passages = passages.iter().enumerate().map(|(place, (file, tf))| {
            let mut candidate = bare_candidate(u32::try_from(place).unwrap());
            candidate.kind = RecordKind::Document;
            candidate.session = *file;
            candidate.views = one_view(*tf);
            candidate
        });
        case.set.candidates = passages.collect();
        case
    }

    #[test]
    fn the_second_and_third_best_passage() {
        // Every length is average: BM25 is idf₁ · tf · 1.9 / (tf + 0.9), the unit 4 · idf₁.
        let share = |tf: f32| tf * 1.9 / (tf + 0.9) / 4.0;
        case(&[(0, 1), (0, 9), (1, 5), (0, 2), (0, 4)]).expect("file", (share(4.0) + share(2.0)) / 2.0);
        case(&[(0, 1), (0, 9), (1, 5)]).expect("file", share(1.0) / 2.0);
        case(&[(0, 1), (1, 5), (1, 7)]).expect("file", 0.0);
    }

    #[test]
    fn talk_is_no_file() {
        let mut case = case(&[(0, 1), (0, 9), (0, 5)]);
        case.expect("document", 1.0);
        for candidate in &mut case.set.candidates {
            candidate.kind = RecordKind::Fact;
        }
        case.expect("document", 0.0);
        case.expect("file", 0.0);
    }
}
