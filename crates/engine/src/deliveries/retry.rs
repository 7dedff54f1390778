//! `delivery_retry`: retries an outgoing delivery that waits or was given up.

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{DeliveryId, Error, MemoryId, Result};

use crate::memories::existing;
use crate::{Engine, access};

impl Engine {
    /// Makes an outgoing delivery due now and resets its number of tries. A delivery that was
    /// given up is sent before later deliveries with the same order key.
    ///
    /// # Errors `Denied` without administration of the memory; `NotFound` for an unknown memory
    /// or delivery, and for a delivery that was already sent.
    pub async fn delivery_retry(&self, caller: &Principal, memory: &MemoryId, id: &DeliveryId) -> Result<()> {
        access::require_whole(caller, memory, Capability::Admin)?;
        let (memory, id, now) = (memory.clone(), id.clone(), self.clock.now());
        self.store
            .write(move |tx| {
                existing(tx, &memory)?;
                if tx.deliveries_mut().retry(&memory, &id, now)? {
                    Ok(())
                } else {
                    Err(Error::not_found("no delivery of that id waits or was given up: list them"))
                }
            })
            .await?;
        self.wake.call();
        Ok(())
    }
}
