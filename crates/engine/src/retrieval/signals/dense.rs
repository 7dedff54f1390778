//! Ranking signals for semantic similarity: the cosine of the query's vector with the vector of a
//! turn, and with that of the turn in its context.

use super::{QuestionView, TurnView};

/// Returns the cosine of the vectors of the query and the turn; 0 without a vector.
pub(super) fn turn(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    turn.candidate.dense.unwrap_or_default()
}

/// Returns the cosine of the vectors of the query and the turn in its context; 0 without a
/// vector.
pub(super) fn window(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    turn.candidate.dense_window.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;

    #[test]
    fn as_given_or_nothing() {
        let mut case = SignalCase::asking("lighthouse?");
        case.expect("dense", 0.0);
        case.expect("dense_window", 0.0);
        case.set.candidates[0].dense = Some(-0.25);
        case.set.candidates[0].dense_window = Some(0.75);
        case.expect("dense", -0.25);
        case.expect("dense_window", 0.75);
    }
}
