//! `facts_tell`: stores verdicts that a caller found elsewhere, without serving a fact. A check in
//! CI reports its verdicts this way.

use std::collections::HashSet;

use loci_api::verified::verdict::VerdictTold;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{RecordId, Result};

use super::reported_verdicts::ReportedVerdicts;
use crate::Verified;
use crate::facts::events::Scene;
use crate::facts::fact_record::join;
use crate::facts::lookup::bare_id;
use crate::facts::receipts;
use crate::repositories::find;
use crate::verification::state_change::Origin;
use loci_engine::calls::call_context::CallContext;

impl Verified {
    /// Stores each verdict as an event under the caller's name. No verdict changes a state.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Invalid` for malformed verdicts.
    pub async fn facts_tell(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        told: ReportedVerdicts,
    ) -> Result<Vec<VerdictTold>> {
        let memory = self.memory_of_repository(caller, standing, repo).await?;
        let (asking, name, wanted) = (caller.clone(), repo.to_owned(), told.records());
        let (place, records) = (memory.clone(), wanted.clone());
        let (repository, facts) = self
            .engine
            .store()
            .read(move |tx| {
                existing(tx, &place)?;
                let found = find(tx, &asking, &place, &name, Capability::Read)?;
                let mut facts = tx.facts().get_many(&place, &records)?;
                facts.retain(|fact| fact.repository == found.repository.id && !fact.proposed);
                Ok((found.repository.clone(), join(tx, &place, &found.view, facts)?))
            })
            .await?;
        let looked = self.look_posted(caller, standing, &repository, &told, &facts).await?;
        // A verdict on other content does not count, and a worse cached verdict takes precedence.
        let is_taken = |one: &crate::verification::verdicts::Checked| {
            one.is_new && one.verification.verdict.is_conclusive()
        };
        let taken = looked.checked.iter().zip(&facts).filter(|(one, _)| is_taken(one));
        let names: Vec<RecordId> = taken.map(|(_, fact)| fact.record.id.clone()).collect();
        let mut kept = looked.clone();
        kept.checked.retain(is_taken);
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.engine.now())
            .at_revision(told.reference(), told.commit());
        let verified = self.clone();
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &scene.memory)?;
                verified.write_checked(tx, &memory, &scene, &names, &kept, Origin::Told)?;
                let written: HashSet<&RecordId> = names.iter().collect();
                let newest = |record: &RecordId| {
                    tx.fact_events().newest(&memory.id, record, receipts::VERIFICATIONS, scene.at, None)
                };
                let one = |record: &RecordId| {
                    let newest = if written.contains(record) { newest(record)? } else { None };
                    let verification_id = newest.map(|event| event.id);
                    Ok(VerdictTold { memory_id: bare_id(record).to_owned(), verification_id })
                };
                wanted.iter().map(one).collect()
            })
            .await
    }
}
