//! What the demo says and asks: a conversation of three weeks and ten questions, both written for this project.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use loci_api::event::{EventCreate, Extraction, Message, PayloadItem, Role};
use serde::Deserialize;

/// JSON lines of `session`, `time`, `role`, `text`.
const CONVERSATION: &str = include_str!("../../../demo/conversation.jsonl");
/// The questions, with a part of the turn that answers each.
const QUESTIONS: &str = include_str!("../../../demo/questions.json");
/// The one who talks in it.
pub(super) const ACTOR: &str = "ines";

/// Something said.
#[derive(Debug, Deserialize)]
pub(super) struct Turn {
    pub(super) session: String,
    time: String,
    role: Speaker,
    text: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
enum Speaker {
    User,
    Assistant,
}

/// Something asked.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Question {
    pub(super) question: String,
    /// Stands in the turn that answers.
    pub(super) expect: String,
    /// What is hard about it.
    pub(super) note: String,
}

/// The conversation, in its order.
pub(super) fn turns() -> Result<Vec<Turn>> {
    let turns: Result<Vec<Turn>, _> = CONVERSATION.lines().map(serde_json::from_str).collect();
    turns.context("the bundled conversation")
}

/// The questions.
pub(super) fn questions() -> Result<Vec<Question>> {
    serde_json::from_str(QUESTIONS).context("the bundled questions")
}

impl Turn {
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

    /// Otherwise a question could not be answered, or by more than one turn.
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
