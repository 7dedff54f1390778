//! Codes that a response contains if parts of it are missing or if the server treated the request
//! in a special way. Both lists of codes are closed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The codes for missing parts of a response and for special handling of the request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Notices {
    /// Codes for parts of the memory that are missing in the response: `extraction_pending`,
    /// `embedding_pending`, `embedding_unavailable`, `search_cut`, `provisional_cut`.
    #[serde(default)]
    pub degraded: Vec<String>,
    /// Codes for special handling of the request: `query_shortened`, `scope_narrowed`,
    /// `event_over_limit`, `token_replayed` (an earlier request with the same token had the
    /// effect), `budget_reached`, `weights_not_used`, `records_unmoved`, `lone_surrogate_replaced`.
    #[serde(default)]
    pub warnings: Vec<String>,
}
