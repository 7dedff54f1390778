//! Ranking signals for the author of a turn: most queries are about statements of people, unless
//! they ask for the assistant's own words (decision 0036).

use loci_model::event::Role;

use super::{QuestionView, TurnView};

/// Returns 1 for a turn whose role is known and is not the user's, otherwise 0.
pub(super) fn assistant(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    match turn.candidate.role {
        Some(Role::Assistant | Role::Tool | Role::Other) => 1.0,
        Some(Role::User) | None => 0.0,
    }
}

/// Returns the value of the signal `assistant` if the query addresses the assistant, otherwise 0.
pub(super) fn assistant_you(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    if question.question.speaks_to_assistant { assistant(question, turn) } else { 0.0 }
}

/// Returns the value of the signal `assistant` if the query neither addresses the assistant nor
/// is about its author, otherwise 0. The answer to such a query may be an explanation by the
/// assistant (decision 0036).
pub(super) fn assistant_topic(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    let personal = question.question.speaks_to_assistant || question.first_person;
    if personal { 0.0 } else { assistant(question, turn) }
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;
    use loci_model::event::Role;

    #[test]
    fn roles() {
        let check = |question: &str, role: Option<Role>, assistant: f32, you: f32| {
            let mut case = SignalCase::asking(question);
            case.set.candidates[0].role = role;
            case.expect("assistant", assistant);
            case.expect("assistant_you", you);
        };
        let topic = |question: &str, role: Option<Role>, expect: f32| {
            let mut case = SignalCase::asking(question);
            case.set.candidates[0].role = role;
            case.expect("assistant_topic", expect);
        };
        topic("How deep are tulips planted?", Some(Role::Assistant), 1.0);
        topic("How deep are tulips planted?", Some(Role::User), 0.0);
        topic("How deep are tulips planted?", None, 0.0);
        topic("How deep did I plant tulips?", Some(Role::Assistant), 0.0);
        topic("how deep are our tulips?", Some(Role::Assistant), 0.0);
        topic("How deep did you plant tulips?", Some(Role::Assistant), 0.0);
        check("What did I plant?", Some(Role::Assistant), 1.0, 0.0);
        check("What did you recommend?", Some(Role::Assistant), 1.0, 1.0);
        check("What did you recommend?", Some(Role::Tool), 1.0, 1.0);
        check("What did you recommend?", Some(Role::Other), 1.0, 1.0);
        check("What did you recommend?", Some(Role::User), 0.0, 0.0);
        check("What did you recommend?", None, 0.0, 0.0);
    }
}
