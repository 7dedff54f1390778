//! The stored answer of a store call. It is kept with the caller's token, so that a repeated call
//! gets an equal answer with the current fact.

use loci_model::facts::verdict::Verification;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::{RecordId, Result};
use serde::{Deserialize, Serialize};

use super::{FactStored, StoreStatus};
use crate::Verified;
use crate::facts::fact_record::{self, Remembered};
use crate::facts::flags;
use crate::reads::answers::FactView;
use crate::repositories::VisibleRepository;

/// The stored answer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FirstStored {
    pub(super) id: RecordId,
    pub(super) status: StoreStatus,
    pub(super) verification: Verification,
    pub(super) similar: Vec<RecordId>,
    pub(super) warnings: Vec<String>,
}

impl FirstStored {
    /// Returns the answer, with the fact read again.
    pub(super) fn into_answer(self, tx: &dyn ReadTx, found: &VisibleRepository) -> Result<FactStored> {
        let repository = &found.repository;
        let fact = tx.facts().get(&repository.memory, &self.id)?;
        let record = tx.records().get(&repository.memory, &self.id)?;
        let (Some(fact), Some(record)) = (fact, record) else { return Err(fact_record::unknown(&self.id)) };
        Ok(FactStored {
            status: self.status,
            view: FactView {
                conflicts_with: flags::conflicts(&fact.detail.flags),
                remembered: Remembered { record, fact },
                repo: repository.key.clone(),
                verification: Some(self.verification.clone()),
                is_source_abandoned: false,
            },
            verification: self.verification,
            similar: self.similar,
            warnings: self.warnings,
        })
    }
}

impl Verified {
    pub(super) async fn stored_before(
        &self,
        found: &VisibleRepository,
        first: FirstStored,
    ) -> Result<FactStored> {
        let found = found.clone();
        self.engine.store().read(move |tx| first.clone().into_answer(tx, &found)).await
    }
}
