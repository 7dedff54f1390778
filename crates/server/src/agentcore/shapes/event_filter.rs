//! Filters of ListEvents.

use loci_model::event::filter::EventFilter;
use serde::Deserialize;

use crate::agentcore::constraints::Refusal;
use crate::agentcore::errors::AgentCoreFailure;

/// `FilterInput`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FilterShape {
    pub(crate) branch: Option<BranchFilterShape>,
    pub(crate) event_metadata: Option<Vec<ConditionShape>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BranchFilterShape {
    pub(crate) name: String,
    pub(crate) include_parent_branches: Option<bool>,
}

/// `EventFilter`.
#[derive(Debug, Deserialize)]
pub(crate) struct ConditionShape {
    left: LeftShape,
    operator: String,
    right: Option<RightShape>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeftShape {
    metadata_key: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RightShape {
    metadata_value: Option<super::event::MetadataShape>,
}

/// Returns the conditions, each with the right side that its operator needs.
pub(crate) fn conditions(given: Option<Vec<ConditionShape>>) -> Result<Vec<EventFilter>, AgentCoreFailure> {
    given.unwrap_or_default().into_iter().enumerate().map(|(at, shape)| condition(at, shape)).collect()
}

fn condition(at: usize, shape: ConditionShape) -> Result<EventFilter, AgentCoreFailure> {
    let key = shape.left.metadata_key.unwrap_or_default();
    let right = shape.right.and_then(|right| right.metadata_value).and_then(|value| value.into_text());
    let name = format!("filter.eventMetadata[{at}].right");
    match (shape.operator.as_str(), right) {
        ("EQUALS_TO", Some(value)) => Ok(EventFilter::Equals(key, value)),
        ("EXISTS", None) => Ok(EventFilter::Exists(key)),
        ("NOT_EXISTS", None) => Ok(EventFilter::NotExists(key)),
        ("EQUALS_TO", None) => {
            Err(Refusal::field(&name, "operator EQUALS_TO needs a right side: give right.metadataValue")
                .into())
        }
        (_, _) => {
            Err(Refusal::field(&name, "operators EXISTS and NOT_EXISTS take no right side: leave right out")
                .into())
        }
    }
}
