//! Turns a proposal into a fact. If a record of equal text has proposed citations, it becomes the
//! fact. The caller's citations replace the proposed ones, which no caller had confirmed.

use loci_model::facts::fact::Fact;
use loci_model::ports::store::Tx;
use loci_model::record::RecordState;
use loci_model::{JobId, RecordId, Result};

use super::fact_write::FactWrite;
use crate::content_hash;
use crate::facts::conflicts;
use crate::record_citations::promotion::{PromotionRequest, promote};

impl FactWrite<'_> {
    /// Turns the first proposal with this text into a fact. Returns `None` if there is none, or if
    /// a person must decide on the text.
    pub(super) fn take_up(&self, tx: &mut dyn Tx, job: &JobId) -> Result<Option<(RecordId, Vec<String>)>> {
        let repository = &self.place.found.repository.id;
        let hash = content_hash("", &self.text.fact);
        let mut same = tx.facts().with_content(&self.memory.id, repository, &hash)?;
        same.retain(|fact: &Fact| fact.proposed && fact.status == RecordState::Active);
        let Some(mut fact) = same.into_iter().min_by_key(|fact| (fact.created_at, fact.record.clone()))
        else {
            return Ok(None);
        };
        let record = tx.records().get(&self.memory.id, &fact.record)?;
        let Some(record) = record.filter(|record| self.place.found.view.admits(record)) else {
            return Ok(None);
        };
        let mut warnings = Vec::new();
        let safe = self.safe(&mut warnings);
        if safe.state != RecordState::Active || content_hash("", &record.text) != hash {
            return Ok(None);
        }
        let told = PromotionRequest { subject: self.text.subject.clone(), reason: self.text.reason.clone() };
        promote(tx, self.memory, &record, &mut fact, told, self.scene, job)?;
        fact.detail.citations = self.passed.citations.clone();
        fact.detail.claims = self.text.claims.clone();
        fact.detail.source = self.source();
        fact.detail.flags = self.flags(&safe, &mut warnings);
        let id = fact.record.clone();
        self.note_confirmed(tx, fact)?;
        conflicts::note(tx, self, &id)?;
        Ok(Some((id, warnings)))
    }
}
