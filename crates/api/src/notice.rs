//! What an answer says when it is less than it could be: codes from closed lists.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Members of every answer that can be degraded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Notices {
    /// `extraction_pending`, `embedding_pending`, `embedding_unavailable`, `search_cut`, `provisional_cut`.
    #[serde(default)]
    pub degraded: Vec<String>,
    /// `query_shortened`, `scope_narrowed`, `event_over_limit`, `token_replayed`, `budget_reached`,
    /// `weights_not_used`.
    #[serde(default)]
    pub warnings: Vec<String>,
}
