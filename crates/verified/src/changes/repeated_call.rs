//! What a token answered before, asked ahead of work that reads code: a repetition costs no look at it. The write itself asks
//! again, so that of two at once one is the first.

use loci_engine::calls::idempotency::{ClientToken, recall, replayed};
use loci_model::ports::store::StoreExt;
use loci_model::{MemoryId, Result};
use serde::de::DeserializeOwned;

use crate::Verified;

impl Verified {
    /// The first answer to this token; `None` where there is none, or no token.
    ///
    /// # Errors
    /// Where the token was used with other parameters.
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
