//! `citing_code`: selects the records that cite code, for interfaces that serve records unverified.
//! Nothing is verified here.

use std::collections::BTreeMap;

use loci_engine::access;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::{MemoryId, RecordId, Result};

use crate::Verified;
use crate::facts::fact_record::Remembered;

impl Verified {
    /// Returns the given records that cite code, stored or proposed, with the scope keys of their
    /// repositories. A record whose text another interface changed counts as an ordinary record.
    ///
    /// # Errors
    /// `NotFound` if the memory is not visible to the caller.
    pub async fn citing_code(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        records: Vec<Record>,
    ) -> Result<BTreeMap<RecordId, String>> {
        access::record_view(caller, memory, Capability::Read)?;
        let memory = memory.clone();
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let mut citing = BTreeMap::new();
                for record in &records {
                    let Some(fact) = tx.facts().get(&memory, &record.id)? else { continue };
                    let repository = tx.repositories().get(&memory, &fact.repository)?;
                    let key = repository.map_or_else(|| fact.repository.to_string(), |found| found.key);
                    if (Remembered { record: record.clone(), fact }).is_whole() {
                        citing.insert(record.id.clone(), key);
                    }
                }
                Ok(citing)
            })
            .await
    }
}
