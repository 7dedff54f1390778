//! Exchanges: a question to a language model and its answer, kept until the job that asks has written its result.
//!
//! An exchange holds what people said: it is erased with the job, the strategy, the actor or the memory it belongs to.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::memory::prompt::PromptId;
use crate::words::closed_words;
use crate::{ExchangeId, JobId, MemoryId, Timestamp};

closed_words! {
    /// What is asked for. The words are the kinds of pull mode.
    Step {
        /// What a conversation says that is worth keeping.
        Extract = "extract",
        /// A session in short.
        Summarise = "summarise",
        /// What becomes of new records beside those there are.
        Consolidate = "consolidate",
        /// What several episodes teach.
        Reflect = "reflect",
        /// Which rules follow from a review.
        ReviewRules = "review_rules",
        /// What of a part of a tree of documents is to be put in order.
        TreePlan = "tree_plan",
        /// What the prose of an agent's answer says of services.
        AgentResponse = "agent_response",
    }
}

closed_words! {
    /// Where an exchange stands.
    ExchangeState {
        /// Waits for whoever will answer.
        Open = "open",
        /// Someone has come for it.
        Leased = "leased",
        /// The answer is here.
        Answered = "answered",
        /// Nobody could answer.
        Failed = "failed",
    }
}

/// Tokens of a question and its answer, as the model counts them; 0 where it does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Of the question.
    pub input_tokens: u64,
    /// Of the answer.
    pub output_tokens: u64,
}

/// An answer as it came.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReply {
    /// What was answered.
    pub text: String,
    /// The model, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What it cost in tokens.
    #[serde(default)]
    pub usage: Usage,
}

impl fmt::Debug for StoredReply {
    /// Content is sensitive: only its size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredReply")
            .field("text_bytes", &self.text.len())
            .field("model", &self.model)
            .field("usage", &self.usage)
            .finish_non_exhaustive()
    }
}

/// A question, and its answer where there is one.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The id; in pull mode, the job's id on the door.
    pub id: ExchangeId,
    /// The memory.
    pub memory: MemoryId,
    /// The job that asks.
    pub job: JobId,
    /// What is asked for.
    pub step: Step,
    /// Digest of everything that is asked: one job asks the same question once.
    pub digest: [u8; 32],
    /// The prompt.
    pub prompt: PromptId,
    /// The model to ask, where the strategy names one.
    pub model: Option<String>,
    /// The instructions.
    pub system: String,
    /// What they are about.
    pub input: String,
    /// The form of the answer, for people and for the caller's own agent.
    pub grammar: String,
    /// Where it stands.
    pub state: ExchangeState,
    /// Who has come for it last.
    pub leased_by: Option<String>,
    /// Until when it is theirs, while leased.
    pub lease_until: Option<Timestamp>,
    /// How often it is asked by now, from 1: after an answer that only the job could refuse, it is asked again with what
    /// was wrong.
    pub turn: u32,
    /// How often someone came for it.
    pub attempts: u32,
    /// The answer; of a failed one, what the last who gave it up said.
    pub reply: Option<StoredReply>,
    /// When it was asked.
    pub created_at: Timestamp,
}

impl fmt::Debug for Exchange {
    /// Content is sensitive: only what identifies the exchange is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("id", &self.id)
            .field("memory", &self.memory)
            .field("job", &self.job)
            .field("step", &self.step)
            .field("prompt", &self.prompt)
            .field("state", &self.state)
            .field("turn", &self.turn)
            .field("attempts", &self.attempts)
            .field("input_bytes", &self.input.len())
            .finish_non_exhaustive()
    }
}
