//! A ranking signal for answers: a person's short answer is about the question before it, as
//! "Since March!" after "How long have you had the boat?" is about the boat (decision 0036). The
//! value is the amount by which that question is closer to the query than the answer itself.

use loci_model::event::Role;
use loci_model::record::RecordKind;

use super::{QuestionView, TurnView};

/// Returns 0 to about 0.7. The value is 0 without vectors, and unless a person's turn follows a
/// short question that is closer to the query. Answers of assistants are long enough to be found
/// by their own words.
pub(super) fn answer(_: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    let candidate = turn.candidate;
    let a_person = matches!(candidate.role, Some(Role::User) | None);
    match (candidate.question_before, candidate.dense) {
        (Some(before), Some(own)) if a_person && candidate.kind != RecordKind::Document => {
            (before - own).max(0.0)
        }
        (Some(_), Some(_)) | (None, _) | (_, None) => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;
    use loci_model::event::Role;
    use loci_model::record::RecordKind;

    #[test]
    fn a_persons_answer_takes_over_what_the_question_adds() {
        let check = |before: Option<f32>, own: Option<f32>, role: Option<Role>, expect: f32| {
            let mut case = SignalCase::asking("lighthouse?");
            let candidate = &mut case.set.candidates[0];
            (candidate.question_before, candidate.dense, candidate.role) = (before, own, role);
            case.expect("answer", expect);
            case.set.candidates[0].kind = RecordKind::Document;
            case.expect("answer", 0.0);
        };
        check(Some(0.75), Some(0.25), Some(Role::User), 0.5);
        check(Some(0.75), Some(-0.25), None, 1.0);
        check(Some(0.25), Some(0.75), Some(Role::User), 0.0);
        check(Some(0.75), Some(0.25), Some(Role::Assistant), 0.0);
        check(Some(0.75), Some(0.25), Some(Role::Tool), 0.0);
        check(None, Some(0.25), Some(Role::User), 0.0);
        check(Some(0.75), None, Some(Role::User), 0.0);
        check(None, None, None, 0.0);
    }
}
