//! The table of signals: every number that the one sum weighs (retrieval.md §6).
//!
//! A signal is a pure function from the question and a turn to about −1…1.5, 0 when what it reads is missing. Their
//! weights are in `weights.json`; the sum is `ranking`.
//!
//! To add a signal: a file with its function and its tests, one row here, its weight (0 at first) in `weights.json`,
//! training (retrieval.md §9, §12). At most 30.

mod answer;
mod assistant;
mod date;
mod dense;
mod file;
mod lexical;
mod path;
mod phrase;
mod said;
mod speaker;
mod talk;
#[cfg(test)]
pub(super) mod test_case;
mod time_words;

use super::question_view::QuestionView;
use super::turn_view::TurnView;

/// How many signals there are.
pub const SIGNAL_COUNT: usize = 23;

/// A name, and the function that gives a turn its value.
#[derive(Debug, Clone, Copy)]
pub struct Signal {
    /// Its name in `weights.json` and in explanations.
    pub name: &'static str,
    pub(super) value: fn(&QuestionView<'_>, &TurnView<'_>) -> f32,
}

const fn row(name: &'static str, value: fn(&QuestionView<'_>, &TurnView<'_>) -> f32) -> Signal {
    Signal { name, value }
}

/// All signals, in the order of retrieval.md §6, then those of decision 0036.
pub const SIGNALS: [Signal; SIGNAL_COUNT] = [
    row("lex_turn", lexical::turn),
    row("lex_window", lexical::window),
    row("lex_pair", lexical::pair),
    row("lex_session", lexical::session),
    row("phrase", phrase::phrase),
    row("dense", dense::turn),
    row("dense_window", dense::window),
    row("speaker", speaker::speaker),
    row("assistant", assistant::assistant),
    row("assistant_you", assistant::assistant_you),
    row("date", date::date),
    row("when_time", time_words::when_time),
    row("long_duration", time_words::long_duration),
    row("question", talk::question),
    row("entities", talk::entities),
    row("number", talk::number),
    row("first_person", talk::first_person),
    row("path", path::path),
    row("answer", answer::answer),
    row("assistant_topic", assistant::assistant_topic),
    row("file", file::file),
    row("document", file::document),
    row("said", said::said),
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
