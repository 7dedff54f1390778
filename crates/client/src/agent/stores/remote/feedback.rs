//! Feedback of an agent on an entry of a memory on a server. It is limited to the entries that
//! searches of the store can return.

use loci_api::record::feedback::{FeedbackBy, FeedbackVerdict, RecordFeedback};

use super::errors::store_error;
use super::tools::Scope;
use crate::agent::error::StoreError;
use crate::agent::store::FeedbackStanding;
use crate::namespace;

const WHAT: &str = "the entry cannot be judged";
/// The state of records that searches return.
const IN_FORCE: &str = "active";

/// Sends the feedback. An entry outside of the store's namespace counts as not found, as in a
/// search.
pub(super) async fn give(
    scope: Scope<'_>,
    id: &str,
    verdict: FeedbackVerdict,
    reason: Option<&str>,
) -> Result<FeedbackStanding, StoreError> {
    if !scope.writable || scope.has_filters {
        let rule = "feedback needs a store that is writable and has no conditions of its own";
        return Err(StoreError::permanent(rule));
    }
    let unknown = || StoreError::permanent(format!("there is no entry {id}"));
    let found = scope.client.record_get(scope.memory, id).await;
    let record = found
        .map_err(|error| if error.status() == Some(404) { unknown() } else { store_error(WHAT, error) })?;
    let is_in_place = if scope.is_subtree { namespace::is_within } else { namespace::is_same };
    if !is_in_place(&record.namespace, scope.namespace) {
        return Err(unknown());
    }
    // The feedback counts as an agent's, regardless of the rights of the process.
    let said = RecordFeedback { verdict, reason: reason.map(str::to_owned), by: Some(FeedbackBy::Agent) };
    let standing = scope.client.record_feedback(scope.memory, id, &said).await;
    let standing = standing.map_err(|error| store_error(WHAT, error))?;
    let in_force = standing.state == IN_FORCE;
    Ok(FeedbackStanding { useful: standing.useful, wrong: standing.wrong, in_force })
}
