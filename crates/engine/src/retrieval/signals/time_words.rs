//! Ranking signals by which a query that asks for a time prefers turns that name a time.

use super::{QuestionView, TurnView};

/// Returns 1 if the query asks *when* and the turn names a time.
pub(super) fn when_time(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    f32::from(question.question.asks_when && turn.talk().time_expression())
}

/// Returns 1 for a turn with a duration if the query asks *how long*, and 0.5 for a turn with
/// another time.
pub(super) fn long_duration(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    let flags = turn.talk();
    match question.question.asks_how_long {
        true if flags.duration() => 1.0,
        true if flags.time_expression() => 0.5,
        true | false => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;
    use loci_model::record::RecordKind;
    use loci_text::turn_flags;

    #[test]
    fn kinds_of_questions_and_turns() {
        let check = |question: &str, text: &str, when: f32, long: f32| {
            let mut case = SignalCase::asking(question);
            case.set.candidates[0].flags = turn_flags(text).0;
            case.expect("when_time", when);
            case.expect("long_duration", long);
            case.set.candidates[0].kind = RecordKind::Document;
            case.expect("when_time", 0.0);
            case.expect("long_duration", 0.0);
        };
        check("When did it start?", "It began yesterday", 1.0, 0.0);
        check("When did it start?", "It took two hours", 0.0, 0.0);
        check("How long did it take?", "It took two hours", 0.0, 1.0);
        check("How long did it take?", "It ended yesterday", 0.0, 0.5);
        check("How long did it take?", "It ended after two hours yesterday", 0.0, 1.0);
        check("How long did it take?", "It ended", 0.0, 0.0);
        check("What was it?", "It took two hours yesterday", 0.0, 0.0);
    }
}
