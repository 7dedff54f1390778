//! Who wrote the turn: people ask for what people said, unless they ask the assistant for its own words (retrieval.md §6,
//! features 9 and 10).

use loci_model::event::Role;

use super::{QuestionView, TurnView};

/// 1 for a turn whose role is known and not the user's.
pub(super) fn assistant(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    match turn.candidate.role {
        Some(Role::Assistant | Role::Tool | Role::Other) => 1.0,
        Some(Role::User) | None => 0.0,
    }
}

/// The same where the question speaks to the assistant, else 0.
pub(super) fn assistant_you(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    if question.question.speaks_to_assistant { assistant(question, turn) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::test_case::Case;
    use loci_model::event::Role;

    #[test]
    fn roles() {
        let check = |question: &str, role: Option<Role>, assistant: f32, you: f32| {
            let mut case = Case::asking(question);
            case.set.candidates[0].role = role;
            case.expect("assistant", assistant);
            case.expect("assistant_you", you);
        };
        check("What did I plant?", Some(Role::Assistant), 1.0, 0.0);
        check("What did you recommend?", Some(Role::Assistant), 1.0, 1.0);
        check("What did you recommend?", Some(Role::Tool), 1.0, 1.0);
        check("What did you recommend?", Some(Role::Other), 1.0, 1.0);
        check("What did you recommend?", Some(Role::User), 0.0, 0.0);
        check("What did you recommend?", None, 0.0, 0.0);
    }
}
