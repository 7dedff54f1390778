//! The confirmation of proposed citations. The record becomes a fact: its text stays, and it gets a
//! subject. From then on the tools return it.

use loci_engine::records::batch;
use loci_engine::records::changes::{self, RecordStateChange};
use loci_model::facts::fact::Fact;
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::record::Record;
use loci_model::{Error, JobId, Result};

use crate::content_hash;
use crate::facts::events::Scene;
use crate::facts::flags;
use crate::new_facts::{SUBJECT_CHARS_MAX, check_subject};

const REASON: &str = "its proposed citations were confirmed";

/// The subject and the reason that a caller supplies at the confirmation.
pub(crate) struct PromotionRequest {
    pub(crate) subject: String,
    pub(crate) reason: Option<String>,
}

impl PromotionRequest {
    /// Returns the default: the first cited symbol or file as the subject.
    pub(crate) fn of(fact: &Fact) -> Self {
        let first = fact.detail.citations.first().map(|citation| &citation.anchor);
        let symbol = first.and_then(|anchor| anchor.symbol.clone());
        let path = || first.map_or_else(String::new, |anchor| anchor.place.path.clone());
        let subject = symbol.unwrap_or_else(path).chars().take(SUBJECT_CHARS_MAX).collect();
        Self { subject, reason: None }
    }
}

/// Turns a proposal into a fact. The caller writes the fact row.
///
/// # Errors
/// `Conflict` if an equal fact is stored already; `Invalid` if the subject is empty in normal form.
pub(crate) fn promote(
    tx: &mut dyn Tx,
    memory: &Memory,
    record: &Record,
    fact: &mut Fact,
    told: PromotionRequest,
    scene: &Scene,
    job: &JobId,
) -> Result<()> {
    check_subject(&told.subject)?;
    let hash = content_hash(&told.subject, &record.text);
    if let Some(same) = tx.facts().active_with(&memory.id, &fact.repository, &hash)? {
        return Err(Error::conflict(format!("the same fact is stored already: {same}")).on("memory_id"));
    }
    let mut next = record.clone();
    next.index_text = Some(format!("{}. {}", told.subject, record.text));
    next.title = Some(told.subject);
    next.description = told.reason.or(next.description);
    next.citations = Some(fact.repository.to_string());
    next.version += 1;
    next.updated_at = scene.at;
    tx.records_mut().put_version(&next)?;
    let (from, to, by) = (Some(record.state), record.state, &scene.principal);
    changes::note_state(
        tx,
        memory,
        &RecordStateChange { record: &next, from, to, reason: REASON, by, at: scene.at },
    )?;
    batch::ask_for_vectors(tx, &memory.id, job, scene.at)?;
    fact.content_hash = hash;
    fact.proposed = false;
    fact.detail.flags.retain(|flag| flag != flags::AUTO_CITED);
    fact.expires_at = scene.at; // Whoever confirms says until when it lives.
    Ok(())
}
