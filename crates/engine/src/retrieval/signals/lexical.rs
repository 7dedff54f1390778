//! Ranking signals for words that the query and a turn have in common, by BM25 in four views: the
//! turn, the turn in its context, the turn with the preceding one, and the whole session.

use loci_model::ports::search::LexicalView;

use super::{QuestionView, TurnView};

/// The value below which a maximum score counts as 0, so that no score is divided by it.
const NOTHING: f32 = 1e-9;

/// Returns the BM25 score of the turn, divided by the unit of lexical scores (`lexical_unit`).
pub(super) fn turn(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    turn.score(LexicalView::Turn) / question.lexical_unit
}

/// Returns the BM25 score of the turn in its context, divided by the unit of lexical scores. The
/// value is 0 for files, because the text around a passage is not a conversation about it.
pub(super) fn window(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    turn.talk_score(LexicalView::Window) / question.lexical_unit
}

/// Returns the BM25 score of the turn with the preceding one, divided by the maximum over all
/// candidates; 0 for files.
pub(super) fn pair(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    relative(turn.talk_score(LexicalView::Pair), question.pair_max)
}

/// Returns the BM25 score of the turn's session, divided by the maximum over all sessions with a
/// candidate; 0 for files.
pub(super) fn session(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    relative(turn.talk_score(LexicalView::Session), question.session_max)
}

fn relative(score: f32, max: f32) -> f32 {
    if max <= NOTHING { 0.0 } else { score / max }
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;
    use loci_model::ports::search::{Candidate, ViewCounts, Views};

    /// Sets the counts of one term by view; every view has 10 terms.
    fn count(candidate: &mut Candidate, tf: [u32; 4]) {
        let views = tf.map(|tf| ViewCounts { length: 10, tf: vec![tf] });
        candidate.views = Views::of(views.each_ref());
    }

    /// Returns a case with one term in two of 100 turns; every view has 10 terms, the average.
    fn case() -> SignalCase {
        let mut case = SignalCase::asking("lighthouse?");
        case.set.statistics.turns = 100;
        case.set.statistics.df = vec![2];
        for view in &mut case.set.statistics.views {
            view.average_length = 10.0;
        }
        count(&mut case.set.candidates[0], [0; 4]);
        case
    }

    #[test]
    fn scores_by_hand() {
        let idf = (1.0f32 + 98.5 / 2.5).ln();
        let unit = 4.0 * (1.0f32 + 99.5 / 1.5).ln();
        let mut case = case();
        count(&mut case.set.candidates[0], [1, 0, 3, 0]);
        case.expect("lex_turn", idf / unit);
        case.expect("lex_window", idf * 3.0 * 1.9 / 3.9 / unit);
        case.expect("lex_pair", 0.0);
        case.expect("lex_session", 0.0);
    }

    #[test]
    fn relative_to_the_best_candidate() {
        let mut case = case();
        let mut other = case.set.candidates[0].clone();
        count(&mut case.set.candidates[0], [0, 1, 0, 1]);
        count(&mut other, [0, 2, 0, 4]);
        case.set.candidates.push(other);
        case.expect("lex_pair", 1.0 / (2.0 * 1.9 / 2.9));
        case.expect("lex_session", 1.0 / (4.0 * 2.2 / 5.2));
    }

    #[test]
    fn a_term_that_no_turn_has_scores_nothing() {
        let mut case = case();
        case.set.statistics.df = vec![0];
        count(&mut case.set.candidates[0], [3; 4]);
        for name in ["lex_turn", "lex_window", "lex_pair", "lex_session"] {
            case.expect(name, 0.0);
        }
    }

    #[test]
    fn an_empty_scope_and_a_single_turn() {
        let mut case = case();
        case.set.statistics.turns = 0;
        case.set.statistics.df = vec![0];
        case.expect("lex_turn", 0.0);
        case.set.statistics.turns = 1;
        case.set.statistics.df = vec![1];
        count(&mut case.set.candidates[0], [1, 0, 0, 0]);
        case.expect("lex_turn", (1.0f32 + 0.5 / 1.5).ln() / 4.0);
    }
}
