//! Calls a language model over the network, for jobs and for evaluations of prompts. The number
//! of concurrent calls is limited, each call has a timeout, and a panic in a model's adapter is
//! caught. The adapter itself retries failures of the transport.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use futures::future::{Either, select};
use loci_model::limits;
use loci_model::ports::language_model::{Completion, LanguageModel, ModelError, ModelErrorKind, Reply};

use crate::Engine;

/// The reason why a call to a language model returned no reply.
#[derive(Debug)]
pub enum CallFailure {
    /// The adapter of the model panicked.
    BrokeDown,
    /// The model, or the connection to it, reported this error.
    Failed(ModelError),
}

/// Calls a language model when the limit on concurrent calls permits it.
pub async fn call(
    engine: &Engine,
    model: &dyn LanguageModel,
    completion: &Completion,
) -> Result<Reply, CallFailure> {
    let _place = engine.model_calls.take().await;
    let call = AssertUnwindSafe(model.complete(completion)).catch_unwind();
    match select(std::pin::pin!(call), engine.clock.sleep(limits::MODEL_CALL_MS_MAX)).await {
        Either::Left((Ok(answered), _)) => answered.map_err(CallFailure::Failed),
        Either::Left((Err(_), _)) => Err(CallFailure::BrokeDown),
        Either::Right(_) => {
            let message = "the model did not answer in time";
            Err(CallFailure::Failed(ModelError::new(ModelErrorKind::Timeout, message)))
        }
    }
}
