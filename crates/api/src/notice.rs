//! Codes from closed lists that report a degraded response or a warning.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Members of every response that can be degraded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Notices {
    /// Codes for parts that did not contribute to the response: `extraction_pending`,
    /// `embedding_pending`, `embedding_unavailable`, `search_cut`, `provisional_cut`.
    #[serde(default)]
    pub degraded: Vec<String>,
    /// Codes for special handling of the request: `query_shortened`, `scope_narrowed`,
    /// `event_over_limit`, `token_replayed`, `budget_reached`, `weights_not_used`,
    /// `records_unmoved`, `lone_surrogate_replaced`.
    #[serde(default)]
    pub warnings: Vec<String>,
}
