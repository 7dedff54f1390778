//! A ranking signal that compares a date in the query with the day of a turn.
//! `loci_text::question_date` finds the date and defines the values.

use super::{QuestionView, TurnView};

/// Returns 0 to 1; 0 if the query names no date or the turn has no time.
pub(super) fn date(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    match question.question.date {
        Some(date) if turn.candidate.has_time => date.value(turn.candidate.time.date()),
        Some(_) | None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_case::SignalCase;
    use loci_model::Timestamp;

    #[test]
    fn days_months_years() {
        let check = |question: &str, time: &str, expect: f32| {
            let mut case = SignalCase::asking(question);
            case.set.candidates[0].time = Timestamp::parse(time).unwrap();
            case.set.candidates[0].has_time = true;
            case.expect("date", expect);
            case.set.candidates[0].has_time = false;
            case.expect("date", 0.0);
        };
        check("What happened on 7 May 2023?", "2023-05-09T23:00:00Z", 1.0);
        check("What happened on 7 May 2023?", "2023-05-07", (-2.0f32 / 7.0).exp());
        check("What happened on 7 May?", "2021-05-16", (-7.0f32 / 7.0).exp());
        check("What happened on 30 February 2023?", "2023-03-01", 0.0);
        check("What happened in June 2023?", "2023-06-30", 1.0);
        check("What happened in June 2023?", "2023-07-01", 0.5);
        check("What happened in June 2023?", "2023-05-31", 0.1);
        check("What happened in January?", "2022-12-31", 0.0);
        check("What happened in 2023?", "2023-12-31", 1.0);
        check("What happened in 2023?", "2024-01-01", 0.0);
        check("What happened?", "2023-05-09", 0.0);
    }
}
