//! The content of the demo: a conversation of three weeks and ten questions, both written for this
//! project.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use loci_api::event::{EventCreate, Extraction, Message, PayloadItem, Role};
use serde::Deserialize;

/// JSON lines of `session`, `time`, `role`, `text`.
const CONVERSATION: &str = include_str!("../../../demo/conversation.jsonl");
/// The questions, each with a part of its answering turn.
const QUESTIONS: &str = include_str!("../../../demo/questions.json");
/// The actor of the conversation.
pub(super) const ACTOR: &str = "ines";

/// A turn of the conversation.
#[derive(Debug, Deserialize)]
pub(in crate::commands) struct Turn {
    pub(in crate::commands) session: String,
    pub(in crate::commands) time: String,
    role: Speaker,
    pub(in crate::commands) text: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Speaker {
    User,
    Assistant,
}

/// A question.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Question {
    pub(super) question: String,
    /// Text that occurs in the answering turn.
    pub(super) expect: String,
    /// A remark about why the question is difficult.
    pub(super) note: String,
}

/// The conversation, in its order.
pub(in crate::commands) fn turns() -> Result<Vec<Turn>> {
    let turns: Result<Vec<Turn>, _> = CONVERSATION.lines().map(serde_json::from_str).collect();
    turns.context("the bundled conversation")
}

/// Returns the questions.
pub(super) fn questions() -> Result<Vec<Question>> {
    serde_json::from_str(QUESTIONS).context("the bundled questions")
}

impl Turn {
    /// The speaker in a transcript.
    pub(in crate::commands) fn speaker(&self) -> &'static str {
        match self.role {
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
        }
    }

    /// The turn as an event at its own time.
    pub(super) fn event(&self) -> EventCreate {
        let role = match self.role {
            Speaker::User => Role::User,
            Speaker::Assistant => Role::Assistant,
        };
        EventCreate {
            actor: ACTOR.to_owned(),
            session: Some(self.session.clone()),
            time: Some(self.time.clone()),
            payload: vec![PayloadItem::Message(Message { role, text: self.text.clone() })],
            branch: None,
            metadata: BTreeMap::new(),
            extraction: Extraction::Extract,
            namespace_variables: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise a question would have no answer, or more than one.
    #[test]
    fn one_turn_answers_each_question() {
        let turns = turns().unwrap();
        assert!(turns.len() >= 300, "{} turns", turns.len());
        assert!(turns.windows(2).all(|pair| pair[0].time <= pair[1].time), "the turns are in order");
        let questions = questions().unwrap();
        assert_eq!(questions.len(), 10);
        for question in questions {
            let answers = turns.iter().filter(|turn| turn.text.contains(&question.expect)).count();
            assert_eq!(answers, 1, "{}", question.question);
        }
    }
}
