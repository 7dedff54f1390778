//! Conversations with questions whose evidence is known: one JSON line each. Read in place, never kept.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result};
use jiff::civil::DateTime;
use serde::Deserialize;

/// When a session without a date took place.
const NO_DATE: &str = "2024-01-01T00:00:00";
/// Between two turns of a session.
const SECONDS_PER_TURN: i64 = 10;

/// One conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct Conversation {
    /// Its name.
    pub(crate) id: String,
    /// Names of the people, where the set names them.
    speakers: Vec<String>,
    /// Date and time of each session.
    sessions: BTreeMap<String, Option<String>>,
    /// In order.
    pub(crate) turns: Vec<Turn>,
    /// What is asked of it.
    pub(crate) questions: Vec<Question>,
}

/// One turn.
#[derive(Debug, Deserialize)]
pub(crate) struct Turn {
    /// Its name in the conversation.
    pub(crate) id: String,
    /// Its session.
    pub(crate) session: String,
    speaker: String,
    /// `user` or `assistant`.
    pub(crate) role: String,
    text: String,
}

/// One question.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    /// What kind it is.
    pub(crate) category: String,
    /// As asked.
    pub(crate) text: String,
    /// Turns that hold the evidence.
    pub(crate) gold_turns: Vec<String>,
    /// Their sessions.
    pub(crate) gold_sessions: Vec<String>,
}

/// A turn as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SentTurn {
    /// `Speaker: text` where the set names people, else the text.
    pub(crate) text: String,
    /// Seconds since the epoch: the session's date, ten seconds a turn.
    pub(crate) seconds: i64,
    /// The turn's place in its session, from 0.
    pub(crate) place: i64,
}

/// Reads a set.
pub(crate) fn read(path: &Path) -> Result<Vec<Conversation>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line).with_context(|| format!("{}, line {}", path.display(), number + 1))
        })
        .collect()
}

impl Conversation {
    /// The turns as they are sent, in order.
    pub(crate) fn sent(&self) -> Result<Vec<SentTurn>> {
        let mut places: HashMap<&str, i64> = HashMap::new();
        let mut sent = Vec::with_capacity(self.turns.len());
        for turn in &self.turns {
            let place = places.entry(turn.session.as_str()).or_default();
            let date = self.sessions.get(&turn.session).cloned().flatten();
            let start: DateTime = date.as_deref().unwrap_or(NO_DATE).parse()?;
            let start = start.to_zoned(jiff::tz::TimeZone::UTC)?.timestamp().as_second();
            let text = if self.speakers.is_empty() {
                turn.text.clone()
            } else {
                format!("{}: {}", turn.speaker, turn.text)
            };
            sent.push(SentTurn { text, seconds: start + SECONDS_PER_TURN * *place, place: *place });
            *place += 1;
        }
        Ok(sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_as_sent() {
        let line = r#"{"id":"c","dataset":"d","speakers":["Ann","Bo"],"sessions":{"1":"2023-05-08T13:56:00","2":null},
            "turns":[{"id":"a","session":"1","speaker":"Ann","role":"user","text":"Hi"},
                     {"id":"b","session":"1","speaker":"Bo","role":"user","text":"Ho"},
                     {"id":"c","session":"2","speaker":"Bo","role":"user","text":"Hey"}],"questions":[]}"#;
        let mut conversation: Conversation = serde_json::from_str(line).unwrap();
        let sent = conversation.sent().unwrap();
        let got: Vec<_> = sent.iter().map(|turn| (turn.text.as_str(), turn.seconds, turn.place)).collect();
        let expect =
            [("Ann: Hi", 1_683_554_160, 0), ("Bo: Ho", 1_683_554_170, 1), ("Bo: Hey", 1_704_067_200, 0)];
        assert_eq!(got, expect);
        conversation.speakers.clear();
        assert_eq!(conversation.sent().unwrap()[0].text, "Hi");
    }
}
