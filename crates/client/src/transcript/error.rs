//! The error of reading a transcript. It does NOT quote the line: transcripts contain personal
//! data.

use std::io;

/// A position of a transcript that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line}{}: {rule}; {remedy}", within.as_ref().map(|place| format!(", {place}")).unwrap_or_default())]
pub struct TranscriptError {
    /// The line of the source, from 1.
    pub line: usize,
    /// The conversation and the message with the error, by number, title and id, if the line does
    /// not identify them.
    pub within: Option<String>,
    /// The violated rule. It names members and positions, never values.
    pub rule: String,
    /// The remedy.
    pub remedy: String,
    /// The input error. Nothing can be read after it.
    #[source]
    pub cause: Option<io::Error>,
}

impl TranscriptError {
    pub(super) fn new(line: usize, rule: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { line, within: None, rule: rule.into(), remedy: remedy.into(), cause: None }
    }

    /// Adds the conversation or the message to the error's position.
    pub(super) fn within(mut self, place: &str) -> Self {
        self.within = Some(match self.within {
            Some(inner) => format!("{place}, {inner}"),
            None => place.to_owned(),
        });
        self
    }

    pub(super) fn input(line: usize, cause: io::Error) -> Self {
        Self {
            line,
            within: None,
            rule: format!("the input could not be read ({})", cause.kind()),
            remedy: "nothing after this line was read; check the file and import it again".to_owned(),
            cause: Some(cause),
        }
    }

    /// Returns the error of text that is not JSON. It contains only the position, because serde's
    /// own message may quote the text.
    pub(super) fn not_json(line: usize, error: &serde_json::Error) -> Self {
        let what = match error.classify() {
            serde_json::error::Category::Eof => "the JSON ends too early",
            serde_json::error::Category::Io
            | serde_json::error::Category::Syntax
            | serde_json::error::Category::Data => "this is not JSON",
        };
        Self::new(
            line,
            format!("{what} (at column {})", error.column()),
            "repair or remove the line, or choose another --transcript-format",
        )
    }
}
