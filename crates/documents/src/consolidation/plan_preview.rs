//! The snapshot of a tree as a plan would change it, limited to paths and texts. It is used for
//! reports, for diffs before the change and for further planning. Nothing is written.

use std::collections::BTreeMap;

use loci_engine::consolidation::plan::{Action, Words};
use loci_engine::consolidation::relate::rank;
use loci_engine::consolidation::snapshot::{PlanDocument, Snapshot, reference_key};
use loci_engine::document_text::frontmatter::{Parted, parse};
use sha2::{Digest, Sha256};

/// Returns the snapshot after these actions. An action that names missing documents has no effect.
#[must_use]
pub fn after(snapshot: &Snapshot, actions: &[&Action]) -> Snapshot {
    let mut documents: BTreeMap<String, PlanDocument> =
        snapshot.documents.iter().map(|one| (reference_key(&one.reference), one.clone())).collect();
    for action in actions {
        apply(&mut documents, action);
    }
    let documents = documents.into_values().collect();
    Snapshot { sequence: snapshot.sequence, documents, taken: snapshot.taken.clone() }
}

fn apply(documents: &mut BTreeMap<String, PlanDocument>, action: &Action) {
    match action {
        Action::Merge { sources, target, words, .. } => {
            let merged: Vec<PlanDocument> =
                sources.iter().filter_map(|source| documents.remove(&reference_key(source))).collect();
            if let Some(one) = merged_marks(&merged, target) {
                documents.insert(reference_key(target), with_words(one, words));
            }
        }
        Action::Update { path, words, .. } => {
            if let Some(document) = documents.remove(&reference_key(path)) {
                documents.insert(reference_key(path), with_words(document, words));
            }
        }
        Action::Move { from, to, .. } => {
            if let Some(document) = documents.remove(&reference_key(from)) {
                documents.insert(reference_key(to), PlanDocument { reference: to.clone(), ..document });
            }
        }
        Action::Supersede { path, .. } | Action::Archive { path, .. } => {
            documents.remove(&reference_key(path));
        }
        Action::Create { path, words, derived_from, .. } => {
            let source = derived_from.iter().find_map(|source| documents.get(&reference_key(source)));
            if let Some(source) = source.cloned() {
                let new = PlanDocument {
                    reference: path.clone(),
                    title: None,
                    key: None,
                    pinned: false,
                    uses: 0,
                    ..source
                };
                documents.insert(reference_key(path), with_words(new, words));
            }
        }
    }
}

/// Returns the document that merging produces: the target, or the oldest source, with all tags, the
/// highest trust and the earliest observation time of the sources.
#[must_use]
pub fn merged_marks(sources: &[PlanDocument], target: &str) -> Option<PlanDocument> {
    let oldest = sources.iter().min_by_key(|one| (one.observed_at, one.sequence, one.reference.clone()))?;
    let own =
        sources.iter().find(|one| reference_key(&one.reference) == reference_key(target)).unwrap_or(oldest);
    let mut tags: Vec<String> = sources.iter().flat_map(|one| one.tags.iter().cloned()).collect();
    tags.sort();
    tags.dedup();
    let tier = sources.iter().map(|one| one.tier).max_by_key(|tier| rank(*tier))?;
    let uses = sources.iter().map(|one| one.uses).fold(0, u64::saturating_add);
    Some(PlanDocument {
        reference: target.to_owned(),
        tags,
        tier,
        uses,
        pinned: sources.iter().any(|one| one.pinned),
        observed_at: oldest.observed_at,
        ..own.clone()
    })
}

fn with_words(document: PlanDocument, words: &Words) -> PlanDocument {
    let parted = words.content.as_deref().and_then(|content| parse(content).ok());
    let (title, description, body) = match parted {
        Some(Parted { frontmatter: Some(frontmatter), body }) => (
            frontmatter.text("title").map(str::to_owned),
            frontmatter.text("description").map(str::to_owned),
            Some(body.to_owned()),
        ),
        _ => (words.title.clone(), words.description.clone(), words.body.clone()),
    };
    let text = body.unwrap_or_else(|| document.text.clone());
    PlanDocument {
        hash: Sha256::digest(&text).into(),
        title: title.or_else(|| document.title.clone()),
        description: description.or_else(|| document.description.clone()),
        text,
        ..document
    }
}
