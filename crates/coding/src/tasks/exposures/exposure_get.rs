//! `exposure_get`: what one call showed a task.

use loci_engine::calls::standing::Standing;
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::exposure::Exposure;
use loci_model::{Error, ExposureId, Result};

use crate::Coding;
use crate::tasks::task_namespaces;

impl Coding {
    /// The exposure of this id.
    ///
    /// # Errors
    /// `NotFound` where there is none, or none that the caller may see.
    pub async fn exposure_get(
        &self,
        caller: &Principal,
        standing: &Standing,
        id: &ExposureId,
    ) -> Result<Exposure> {
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, id) = (caller.clone(), id.clone());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let found = tx.exposures().get(&memory, &id)?.filter(|exposure| {
                    let of = (&exposure.actor, &exposure.session);
                    task_namespaces::require(&caller, &memory, of, Capability::Read).is_ok()
                });
                let missing = || Error::not_found(format!("there is no exposure {id} here"));
                found.ok_or_else(|| missing().on("exposure_id"))
            })
            .await
    }
}
