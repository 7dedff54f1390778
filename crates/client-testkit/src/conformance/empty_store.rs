//! The behaviour of an empty store.

use super::{CaseResult, Subject, demand, question};

pub(super) async fn is_ready(it: &Subject) -> CaseResult {
    // A second initialization succeeds, too: managers share stores.
    it.store.initialize().await.map_err(|error| error.to_string())?;
    demand(!it.store.name().trim().is_empty(), || "it has no name".to_owned())
}

pub(super) async fn finds_nothing(it: &Subject) -> CaseResult {
    let found = it.find(&question("where does the user live", 5)).await?;
    demand(found.is_empty(), || format!("{found:?}"))
}

pub(super) async fn announces_no_writes(it: &Subject) -> CaseResult {
    let can = it.store.capabilities();
    demand(!can.writable && !can.add && !can.add_messages, || format!("{can:?}"))?;
    demand(it.store.extraction().is_none(), || "it extracts".to_owned())
}
