//! A ranking signal that compares the speaker of a turn with the names in the query. The value is
//! 0 for a turn without a known speaker.

use super::{QuestionView, TurnView};

/// Returns 1 if the query names the speaker of the turn, −1 if it names only others, and 0 if it
/// names nobody or the speaker is unknown.
pub(super) fn speaker(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    let named = &question.question.named;
    match &turn.candidate.speaker {
        Some(speaker) if named.contains(speaker) => 1.0,
        Some(_) if !named.is_empty() => -1.0,
        Some(_) | None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;

    #[test]
    fn named_or_not() {
        let check = |question: &str, speaker: Option<&str>, expect: f32| {
            let mut case = SignalCase::asking_among(question, &["Anna", "Bob"]);
            case.set.candidates[0].speaker = speaker.map(str::to_owned);
            case.expect("speaker", expect);
        };
        check("What did Anna paint?", Some("Anna"), 1.0);
        check("What did anna's brother paint?", Some("Anna"), 1.0);
        check("What did Anna paint?", Some("Bob"), -1.0);
        check("What did Anna and Bob paint?", Some("Bob"), 1.0);
        check("What did Anna paint?", None, 0.0);
        check("What did she paint?", Some("Anna"), 0.0);
        check("What did Carl paint?", Some("Anna"), 0.0);
    }
}
