//! Self-managed strategies: triggers with their defaults, topic and bucket.

use loci_model::memory::strategy::{SelfManaged, Trigger};
use serde::{Deserialize, Serialize};

use crate::agentcore::constraints::Refusal;
use crate::agentcore::errors::AgentCoreFailure;

/// The default number of messages that trigger a notification, if the request specifies no trigger.
const MESSAGES_DEFAULT: u32 = 6;
const TOKENS_DEFAULT: u32 = 5000;
const IDLE_SECONDS_DEFAULT: u32 = 20;
/// The default number of earlier messages that are sent along.
pub(crate) const HISTORY_DEFAULT: u32 = 4;

/// `TriggerCondition`: exactly one member set.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TriggerShape {
    #[serde(skip_serializing_if = "Option::is_none")]
    message_based_trigger: Option<MessageShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token_based_trigger: Option<TokenShape>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_based_trigger: Option<TimeShape>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageShape {
    message_count: Option<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenShape {
    token_count: Option<u32>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TimeShape {
    idle_session_timeout: Option<u32>,
}

/// `InvocationConfiguration`; both members are required on create.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InvocationShape {
    pub(crate) topic_arn: Option<String>,
    pub(crate) payload_delivery_bucket_name: Option<String>,
}

/// `SelfManagedConfiguration`, in and out.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SelfManagedShape {
    pub(crate) trigger_conditions: Option<Vec<TriggerShape>>,
    pub(crate) invocation_configuration: Option<InvocationShape>,
    #[serde(rename = "historicalContextWindowSize")]
    pub(crate) history_context_window_size: Option<u32>,
}

/// Returns one trigger of each kind: the given one, else the default. A kind given twice is
/// rejected.
pub(crate) fn triggers(given: Vec<TriggerShape>) -> Result<Vec<Trigger>, AgentCoreFailure> {
    let mut messages = None;
    let mut tokens = None;
    let mut idle = None;
    for shape in given {
        let twice = match (shape.message_based_trigger, shape.token_based_trigger, shape.time_based_trigger) {
            (Some(found), _, _) => messages.replace(found.message_count.unwrap_or(MESSAGES_DEFAULT)),
            (_, Some(found), _) => tokens.replace(found.token_count.unwrap_or(TOKENS_DEFAULT)),
            (_, _, Some(found)) => idle.replace(found.idle_session_timeout.unwrap_or(IDLE_SECONDS_DEFAULT)),
            (None, None, None) => None,
        };
        if twice.is_some() {
            return Err(Refusal::field(
                "triggerConditions",
                "triggerConditions names one kind of trigger twice: give each kind once",
            )
            .into());
        }
    }
    Ok(vec![
        Trigger::Messages(messages.unwrap_or(MESSAGES_DEFAULT)),
        Trigger::Tokens(tokens.unwrap_or(TOKENS_DEFAULT)),
        Trigger::IdleSeconds(idle.unwrap_or(IDLE_SECONDS_DEFAULT)),
    ])
}

impl SelfManagedShape {
    /// Returns the whole configuration of a new strategy.
    pub(crate) fn into_new(self) -> Result<SelfManaged, AgentCoreFailure> {
        let invocation = self.invocation_configuration.unwrap_or_default();
        Ok(SelfManaged {
            triggers: triggers(self.trigger_conditions.unwrap_or_default())?,
            topic_arn: invocation.topic_arn.unwrap_or_default(),
            payload_bucket: invocation.payload_delivery_bucket_name.unwrap_or_default(),
            history_messages: self.history_context_window_size.unwrap_or(HISTORY_DEFAULT),
        })
    }

    /// Returns the shape for a response.
    pub(crate) fn of(configured: &SelfManaged) -> Self {
        let shape = |trigger: &Trigger| match trigger {
            Trigger::Messages(count) => TriggerShape {
                message_based_trigger: Some(MessageShape { message_count: Some(*count) }),
                ..TriggerShape::default()
            },
            Trigger::Tokens(count) => TriggerShape {
                token_based_trigger: Some(TokenShape { token_count: Some(*count) }),
                ..TriggerShape::default()
            },
            Trigger::IdleSeconds(seconds) => TriggerShape {
                time_based_trigger: Some(TimeShape { idle_session_timeout: Some(*seconds) }),
                ..TriggerShape::default()
            },
        };
        Self {
            trigger_conditions: Some(configured.triggers.iter().map(shape).collect()),
            invocation_configuration: Some(InvocationShape {
                topic_arn: Some(configured.topic_arn.clone()),
                payload_delivery_bucket_name: Some(configured.payload_bucket.clone()),
            }),
            history_context_window_size: Some(configured.history_messages),
        }
    }
}
