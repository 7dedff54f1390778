//! Corrections of one place in the code: stored as examples next to the episode of the pull
//! request's task, for lookup only, and never shown to other tasks as rules. Without a known task,
//! no example is stored.

use std::collections::BTreeSet;

use loci_engine::records::NewRecord;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::state_transition::StateTransition;
use loci_engine::records::text_digest::digest;
use loci_engine::safety::Tally;
use loci_model::ports::store::Tx;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::provenance::Provenance;
use loci_model::record::{RecordOrigin, RecordState};
use loci_model::tasks::review::Review;
use loci_model::{ActorId, Namespace, RecordId, Result};

use super::state_transition::WITHDRAWN;
use super::support_update::Corrections;
use crate::learnings::learning_write::SCHEMA_VERSION;

/// The subtype of examples.
const EXAMPLE: &str = "example";

/// The review and actor of the examples, with the means to write them.
pub(super) struct ExampleWriter<'a> {
    pub(super) building: &'a Building<'a>,
    pub(super) review: &'a Review,
    pub(super) actor: &'a ActorId,
}

/// Writes the examples of a review, which replace its former ones. Returns their ids.
pub(super) fn put(
    tx: &mut dyn Tx,
    given: &ExampleWriter<'_>,
    (corrections, ids): Corrections<'_>,
    before: &BTreeSet<RecordId>,
    found: &mut Tally,
) -> Result<Vec<RecordId>> {
    let ExampleWriter { building, review, actor } = *given;
    let memory = &building.memory.id;
    let task = review.task.as_ref().map(|id| tx.tasks().get(memory, id)).transpose()?.flatten();
    let known: Vec<RecordId> = before.iter().cloned().collect();
    let mut old = tx.records().get_many(memory, &known)?;
    old.retain(|record| record.state == RecordState::Active);
    let mut now = Vec::new();
    if let Some(task) = task.filter(|task| task.actor == *actor) {
        let namespace = Namespace::parse(format!("/{}/episodes/{}/", task.actor, task.session))?;
        for (correction, id) in corrections.iter().zip(ids) {
            let mut metadata = metadata(review, task.id.as_str(), actor);
            let comment = correction.comment_ids.first();
            let comment = comment.map(|id| MetadataValue::String(id.to_string()));
            metadata.extend(comment.map(|id| ("comment".to_owned(), id)));
            let new = NewRecord {
                subtype: Some(EXAMPLE.to_owned()),
                path: correction.path.clone(),
                metadata,
                ..NewRecord::fact(
                    String::new(),
                    vec![namespace.clone()],
                    correction.text.clone(),
                    review.submitted_at,
                )
            };
            let provenance = Provenance {
                actor: Some(task.actor.clone()),
                session: Some(task.session.clone()),
                ..Provenance::default()
            };
            let from = Origin { provenance, origin: RecordOrigin::Extracted, index_text: None };
            let (mut record, safe) = building.build(&new, id, from)?;
            if let Some(same) = old.iter().position(|one| one.text == record.text && one.path == record.path)
            {
                now.push(old.swap_remove(same).id);
                continue;
            }
            let hash = MetadataValue::String(digest(&record.text));
            record.metadata.insert("content_sha256".to_owned(), hash);
            found.add(&safe);
            building.insert(tx, &record)?;
            now.push(record.id);
        }
    }
    let changing = StateTransition { memory: building.memory, by: building.by, at: building.now };
    for gone in &old {
        changing.set_state(tx, gone, RecordState::Invalid, WITHDRAWN)?;
    }
    Ok(now)
}

fn metadata(review: &Review, task: &str, actor: &ActorId) -> Metadata {
    let text = |text: &str| MetadataValue::String(text.to_owned());
    let mut metadata = Metadata::from([
        ("schema_version".to_owned(), text(SCHEMA_VERSION)),
        ("task_id".to_owned(), text(task)),
        ("repo".to_owned(), text(actor.as_str())),
        ("type".to_owned(), text("review_feedback")),
        ("source_type".to_owned(), text("review_feedback")),
        ("pr".to_owned(), text(&review.pr.to_string())),
        ("reviewer".to_owned(), text(&review.reviewer.login)),
    ]);
    let url = review.url.as_deref().map(|url| ("pr_url".to_owned(), text(url)));
    metadata.extend(url);
    metadata
}
