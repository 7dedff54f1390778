//! The handling of an agent's feedback on entries by a store.

use loci_client::agent::FeedbackVerdict;

use super::{CaseResult, Subject, demand, question};

const BOAT: &str = "My boat lies in Trieste over the winter";
/// The id of an entry that no store has.
const NO_ENTRY: &str = "mem-00000000-0000-0000-0000-000000000000";

/// Checks that the last rating replaces earlier ones, and that one agent hides nothing.
pub(super) async fn hides_nothing(it: &Subject) -> CaseResult {
    it.write(&[BOAT]).await?;
    let found = it.find(&question("boat in Trieste", 1)).await?;
    let id = found.into_iter().next().and_then(|entry| entry.id).ok_or("no entry with an id was found")?;
    for (verdict, expect) in [
        (FeedbackVerdict::Useful, (1, 0)),
        (FeedbackVerdict::Wrong, (0, 1)),
        (FeedbackVerdict::Wrong, (0, 1)),
    ] {
        let said = it.store.feedback(&id, verdict, Some("as a test")).await;
        let said = said.map_err(|error| format!("feedback: {error}"))?;
        demand((said.useful, said.wrong) == expect && said.in_force, || format!("{verdict:?}: {said:?}"))?;
    }
    let found = it.find(&question("boat in Trieste", 1)).await?;
    demand(found.iter().any(|entry| entry.id.as_ref() == Some(&id)), || {
        "it is not found any more".to_owned()
    })?;
    let unknown = it.store.feedback(NO_ENTRY, FeedbackVerdict::Useful, None).await;
    demand(unknown.is_err(), || format!("there is no such entry: {unknown:?}"))
}

/// Checks that a store without feedback rejects it and does not ignore it.
pub(super) async fn no_feedback(it: &Subject) -> CaseResult {
    let said = it.store.feedback(NO_ENTRY, FeedbackVerdict::Useful, None).await;
    demand(said.is_err(), || format!("nothing is announced, and it is taken: {said:?}"))
}
