//! Conversations with questions whose evidence is known, one JSON line each. They are read in place
//! and never stored.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result};
use jiff::civil::DateTime;
use serde::Deserialize;

/// The start of a session without a date.
const NO_DATE: &str = "2024-01-01T00:00:00";
/// The seconds between two turns of a session.
const SECONDS_PER_TURN: i64 = 10;

/// One conversation.
#[derive(Debug, Deserialize)]
pub(crate) struct Conversation {
    /// The name of the conversation.
    pub(crate) id: String,
    /// The names of the speakers, if the set has them.
    speakers: Vec<String>,
    /// The date and time of each session.
    sessions: BTreeMap<String, Option<String>>,
    /// The turns in order.
    pub(crate) turns: Vec<Turn>,
    /// The questions about the conversation.
    pub(crate) questions: Vec<Question>,
}

/// One turn.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Turn {
    /// The id of the turn in the conversation.
    pub(crate) id: String,
    /// The session of the turn.
    pub(crate) session: String,
    speaker: String,
    /// `user` or `assistant`.
    pub(crate) role: String,
    text: String,
}

/// One question.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Question {
    /// The category of the question.
    pub(crate) category: String,
    /// The text of the question.
    pub(crate) text: String,
    /// Turns that contain the evidence.
    pub(crate) gold_turns: Vec<String>,
    /// The sessions of these turns.
    pub(crate) gold_sessions: Vec<String>,
}

/// A turn as it is sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SentTurn {
    /// `Speaker: text` if the set has speakers, otherwise the text.
    pub(crate) text: String,
    /// Seconds since the epoch: the date of the session, plus ten seconds per turn.
    pub(crate) seconds: i64,
    /// The position of the turn in its session, from 0.
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
    /// Returns conversations of at most `size` consecutive turns, cut from this one. Each has the
    /// questions whose complete evidence it contains. Those without a question are left out.
    pub(crate) fn cuts(&self, size: usize) -> Vec<Self> {
        let cut = |turns: &[Turn]| {
            let held = |id: &String| turns.iter().any(|turn| turn.id == *id);
            let whole = |question: &&Question| {
                !question.gold_turns.is_empty() && question.gold_turns.iter().all(held)
            };
            Self {
                id: self.id.clone(),
                speakers: self.speakers.clone(),
                sessions: self.sessions.clone(),
                turns: turns.to_vec(),
                questions: self.questions.iter().filter(whole).cloned().collect(),
            }
        };
        let cuts = self.turns.chunks(size.max(1)).map(cut);
        cuts.filter(|cut| !cut.questions.is_empty()).collect()
    }

    /// Returns one conversation with all conversations of a set in sequence. The number of a
    /// conversation becomes the prefix of its turns and sessions.
    pub(crate) fn merged(conversations: &[Self]) -> Self {
        let mut all = Self {
            id: "merged".to_owned(),
            speakers: conversations.first().map(|first| first.speakers.clone()).unwrap_or_default(),
            sessions: BTreeMap::new(),
            turns: Vec::new(),
            questions: Vec::new(),
        };
        for (number, conversation) in conversations.iter().enumerate() {
            let named = |name: &String| format!("{number}-{name}");
            let sessions = conversation.sessions.iter();
            all.sessions.extend(sessions.map(|(session, date)| (named(session), date.clone())));
            all.turns.extend(conversation.turns.iter().map(|turn| Turn {
                id: named(&turn.id),
                session: named(&turn.session),
                ..turn.clone()
            }));
            all.questions.extend(conversation.questions.iter().map(|question| Question {
                gold_turns: question.gold_turns.iter().map(named).collect(),
                gold_sessions: question.gold_sessions.iter().map(named).collect(),
                ..question.clone()
            }));
        }
        all
    }

    /// Returns the turns as they are sent, in order.
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

    #[test]
    fn merged_ones_keep_their_turns_apart() {
        let line = r#"{"id":"c","speakers":["A"],"sessions":{"1":"2023-05-08T13:56:00"},
            "turns":[{"id":"a","session":"1","speaker":"A","role":"user","text":"x"}],
            "questions":[{"category":"1","text":"q","gold_turns":["a"],"gold_sessions":["1"]}]}"#;
        let one = || serde_json::from_str::<Conversation>(line).unwrap();
        let merged = Conversation::merged(&[one(), one()]);
        let ids: Vec<&str> = merged.turns.iter().map(|turn| turn.id.as_str()).collect();
        assert_eq!(ids, ["0-a", "1-a"]);
        assert_eq!(merged.questions[1].gold_turns, ["1-a"]);
        assert_eq!(merged.questions[1].gold_sessions, [merged.turns[1].session.clone()]);
        let sent = merged.sent().unwrap();
        assert_eq!((sent[1].seconds, sent[1].place), (1_683_554_160, 0));
    }

    #[test]
    fn cuts_keep_the_questions_they_can_answer() {
        let line = r#"{"id":"c","speakers":[],"sessions":{"1":null},
            "turns":[{"id":"a","session":"1","speaker":"A","role":"user","text":"1"},
                     {"id":"b","session":"1","speaker":"A","role":"user","text":"2"},
                     {"id":"c","session":"1","speaker":"A","role":"user","text":"3"}],
            "questions":[{"category":"1","text":"both","gold_turns":["b","c"],"gold_sessions":["1"]},
                         {"category":"1","text":"last","gold_turns":["c"],"gold_sessions":["1"]},
                         {"category":"1","text":"none","gold_turns":[],"gold_sessions":[]}]}"#;
        let conversation: Conversation = serde_json::from_str(line).unwrap();
        let check = |size: usize, expect: &[(usize, &[&str])]| {
            let cuts = conversation.cuts(size);
            let questions = |cut: &Conversation| -> Vec<String> {
                cut.questions.iter().map(|question| question.text.clone()).collect()
            };
            let got: Vec<_> = cuts.iter().map(|cut| (cut.turns.len(), questions(cut))).collect();
            let expect: Vec<_> = expect
                .iter()
                .map(|(turns, asked)| {
                    (*turns, asked.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
                })
                .collect();
            assert_eq!(got, expect, "{size}");
        };
        check(2, &[(1, &["last"])]);
        check(3, &[(3, &["both", "last"])]);
        check(0, &[(1, &["last"])]);
    }
}
