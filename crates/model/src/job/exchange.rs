//! Exchanges: a request to a language model and its response, kept until the requesting job has
//! written its result.
//!
//! An exchange holds content of people. It is erased with the job, the strategy, the actor or the
//! memory it belongs to.

use serde::{Deserialize, Serialize};
use std::fmt;

use crate::memory::prompt::PromptId;
use crate::words::closed_words;
use crate::{ExchangeId, JobId, MemoryId, Timestamp};

closed_words! {
    /// The step of a job that an exchange serves. The words are the kinds of pull mode.
    Step {
        /// Extracts memories from a conversation.
        Extract = "extract",
        /// Summarises a session.
        Summarise = "summarise",
        /// Consolidates new records with existing ones.
        Consolidate = "consolidate",
        /// Derives reflections from several episodes.
        Reflect = "reflect",
        /// Derives rules from a review.
        ReviewRules = "review_rules",
        /// Plans the consolidation of a part of a tree of documents.
        TreePlan = "tree_plan",
        /// Extracts knowledge about services from the prose of an agent's response.
        AgentResponse = "agent_response",
    }
}

closed_words! {
    /// The state of an exchange.
    ExchangeState {
        /// No client has leased the request yet.
        Open = "open",
        /// A client has leased the request and may answer it.
        Leased = "leased",
        /// The response is stored.
        Answered = "answered",
        /// No client could answer the request.
        Failed = "failed",
    }
}

/// Tokens of a request and its response, as the model counts them; 0 if it does not report them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Number of tokens of the request.
    pub input_tokens: u64,
    /// Number of tokens of the response.
    pub output_tokens: u64,
}

/// A response as it arrived.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredReply {
    /// The text of the model's response.
    pub text: String,
    /// The name of the model, as the model reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The number of tokens that the response used.
    #[serde(default)]
    pub usage: Usage,
}

impl fmt::Debug for StoredReply {
    /// Content is sensitive, so only its size is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredReply")
            .field("text_bytes", &self.text.len())
            .field("model", &self.model)
            .field("usage", &self.usage)
            .finish_non_exhaustive()
    }
}

/// A request, with its response if there is one.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The id; in pull mode, the API's id of the job.
    pub id: ExchangeId,
    /// The memory that the exchange belongs to.
    pub memory: MemoryId,
    /// The job that needs the response.
    pub job: JobId,
    /// The step of the job that needs the response.
    pub step: Step,
    /// Digest of the whole request: one job sends the same request once.
    pub digest: [u8; 32],
    /// The name and version of the prompt.
    pub prompt: PromptId,
    /// The requested model, if the strategy names one.
    pub model: Option<String>,
    /// The system prompt: the instructions for the model.
    pub system: String,
    /// The user prompt: the text that the model reads by the instructions.
    pub input: String,
    /// The form of the response, for people and for the caller's own agent.
    pub grammar: String,
    /// The state of the exchange; see [`ExchangeState`].
    pub state: ExchangeState,
    /// The last client that leased the exchange.
    pub leased_by: Option<String>,
    /// The end of the lease, while leased.
    pub lease_until: Option<Timestamp>,
    /// Number of requests so far, from 1. After a response that only the job could reject, the
    /// request is repeated with the error.
    pub turn: u32,
    /// Number of times that a client leased the request so far.
    pub attempts: u32,
    /// The response; for a failed exchange, the last message of a client that gave it up.
    pub reply: Option<StoredReply>,
    /// The time at which the exchange was requested.
    pub created_at: Timestamp,
}

impl fmt::Debug for Exchange {
    /// Content is sensitive, so only the identifying fields are shown.
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
