//! The stored answer for an idempotency token, read before any work on code, so that a repeated
//! call costs no such work. The write checks the token again, so that only one of two concurrent
//! calls is the first.

use loci_engine::calls::idempotency::{ClientToken, recall, replayed};
use loci_model::ports::store::StoreExt;
use loci_model::{MemoryId, Result};
use serde::de::DeserializeOwned;

use crate::Verified;

impl Verified {
    /// Returns the first answer for this token; `None` if there is no answer or no token.
    ///
    /// # Errors
    /// An error if the token was used with other parameters.
    pub(crate) async fn first_answer<T: DeserializeOwned + Send + 'static>(
        &self,
        token: Option<ClientToken>,
        memory: &MemoryId,
        operation: &'static str,
    ) -> Result<Option<T>> {
        if token.is_none() {
            return Ok(None);
        }
        let (memory, now) = (memory.clone(), self.engine.now());
        self.engine
            .store()
            .write(move |tx| replayed(recall(tx, token.as_ref(), Some(&memory), operation, now)?))
            .await
    }
}
