//! The table of signals: every value in the weighted sum (decision 0027).
//!
//! A signal is a pure function from the query and a turn to about −1…1.5, and 0 if its input is
//! missing. `weights.json` contains the weights; `ranking` computes the sum.
//!
//! To add a signal, add a file with its function and its tests, its `mod` line and one row here.
//! Its weight is 0 until training writes one to `weights.json` (decision 0027). At most 30 signals
//! are allowed.

mod answer;
mod assistant;
mod date;
mod dense;
mod file;
mod lexical;
mod path;
mod phrase;
mod speaker;
mod speaker_terms;
mod talk;
#[cfg(test)]
pub(super) mod test_case;
mod time_words;

use super::question_view::QuestionView;
use super::turn_view::TurnView;

/// Number of signals.
pub const SIGNAL_COUNT: usize = SIGNALS.len();

/// A ranking signal: a function that returns a number about a query and a passage.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// The name of the signal in `weights.json` and in explanations.
    pub name: &'static str,
    /// A description of the signal for people.
    pub words: &'static str,
    pub(super) value: Value,
}

type Value = fn(&QuestionView<'_>, &TurnView<'_>) -> f32;

const fn row(name: &'static str, value: Value, words: &'static str) -> Signal {
    Signal { name, words, value }
}

/// All signals, in the order of explanations.
pub const SIGNALS: &[Signal] = &[
    row("lex_turn", lexical::turn, "words of the question"),
    row("lex_window", lexical::window, "words in the turns around it"),
    row("lex_pair", lexical::pair, "words in it and the turn it answers"),
    row("lex_session", lexical::session, "words in its session"),
    row("phrase", phrase::phrase, "the same phrase"),
    row("dense", dense::turn, "meaning"),
    row("dense_window", dense::window, "meaning with the turns around it"),
    row("speaker", speaker::speaker, "words of the person asked about"),
    row("assistant", assistant::assistant, "words of the assistant"),
    row("assistant_you", assistant::assistant_you, "a question to the assistant about itself"),
    row("date", date::date, "the date asked about"),
    row("when_time", time_words::when_time, "a time, for a question of when"),
    row("long_duration", time_words::long_duration, "a span, for a question of how long"),
    row("question", talk::question, "a question itself"),
    row("entities", talk::entities, "names of people and places"),
    row("number", talk::number, "a number"),
    row("first_person", talk::first_person, "words in the first person"),
    row("path", path::path, "its path"),
    row("answer", answer::answer, "an answer to a similar question"),
    row("assistant_topic", assistant::assistant_topic, "an explanation by the assistant"),
    row("file", file::file, "other matches in the same file"),
    row("document", file::document, "a file"),
    row("said", speaker_terms::said, "other matches by the same speaker"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_few() {
        let mut names: Vec<_> = SIGNALS.iter().map(|signal| signal.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SIGNAL_COUNT);
        const { assert!(SIGNAL_COUNT <= 30) };
    }
}
