//! A ranking signal for all words of the query that one person uses in a session: the person who
//! knows the answer often uses them in several turns, while other signals count the words of
//! other people too (decision 0036).

use loci_model::record::RecordKind;

use super::{QuestionView, TurnView};
use crate::retrieval::question_view::voice;

/// Returns the summed idf of the query's terms that the turn's speaker uses in its session, divided
/// by the lexical unit, over the turns that are ranked together. Frequency does not matter. 0 for
/// files, which have no speaker.
pub(super) fn said(question: &QuestionView<'_>, turn: &TurnView<'_>) -> f32 {
    if turn.candidate.kind == RecordKind::Document {
        return 0.0;
    }
    let among = question.said.get(&voice(turn.candidate)).copied().unwrap_or_default();
    let mut found = among | turn.found;
    let mut sum = 0.0;
    while found != 0 {
        sum += question.idf.get(found.trailing_zeros() as usize).copied().unwrap_or_default();
        found &= found - 1;
    }
    sum / question.lexical_unit
}

#[cfg(test)]
mod tests {
    use super::super::test_case::{SignalCase, bare_candidate};
    use loci_model::event::Role;
    use loci_model::ports::search::{Candidate, ViewCounts, Views};
    use loci_model::record::RecordKind;

    /// Returns a turn of a session with these term frequencies.
    fn turn(session: u32, speaker: &str, tf: [u32; 2]) -> Candidate {
        let own = ViewCounts { length: 10, tf: tf.to_vec() };
        let none = ViewCounts { length: 10, tf: vec![0; 2] };
        Candidate {
            session,
            speaker: Some(speaker.to_owned()),
            views: Views::of([&own, &none, &none, &none]),
            ..bare_candidate(session)
        }
    }

    /// Returns a case with two terms: one in two, the other in nine of 100 turns.
    fn case(turns: Vec<Candidate>) -> SignalCase {
        let mut case = SignalCase::asking("lighthouse keeper?");
        case.set.statistics.turns = 100;
        case.set.statistics.df = vec![2, 9];
        case.set.candidates = turns;
        case
    }

    fn expected(first: bool, second: bool) -> f32 {
        let idf = |df: f32| (1.0 + (100.0 - df + 0.5) / (df + 0.5)).ln();
        let of = |has: bool, df: f32| if has { idf(df) } else { 0.0 };
        (of(first, 2.0) + of(second, 9.0)) / (4.0 * idf(1.0))
    }

    #[test]
    fn words_of_one_voice_in_one_session() {
        let check = |others: Vec<Candidate>, first: bool, second: bool| {
            let turns = std::iter::once(turn(0, "Anna", [3, 0])).chain(others);
            case(turns.collect()).expect("said", expected(first, second));
        };
        check(vec![], true, false);
        check(vec![turn(0, "Anna", [0, 2])], true, true);
        check(vec![turn(0, "Anna", [1, 0])], true, false);
        check(vec![turn(0, "Bob", [0, 2])], true, false);
        check(vec![turn(1, "Anna", [0, 2])], true, false);
        let assistant = Candidate { role: Some(Role::Assistant), ..turn(0, "Anna", [0, 2]) };
        check(vec![assistant], true, false);
    }

    #[test]
    fn a_turn_with_none_of_the_words_has_those_of_its_speaker() {
        case(vec![turn(0, "Anna", [0, 0]), turn(0, "Anna", [0, 1])]).expect("said", expected(false, true));
        case(vec![turn(0, "Anna", [0, 0])]).expect("said", 0.0);
    }

    #[test]
    fn files_say_nothing() {
        let file = Candidate { kind: RecordKind::Document, ..turn(0, "Anna", [1, 1]) };
        case(vec![file]).expect("said", 0.0);
    }
}
