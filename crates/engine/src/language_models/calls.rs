//! One call of a model that this server reaches, for jobs and for evaluations of prompts. The
//! number of concurrent calls is limited, each has a timeout, and a panicking model blocks nothing.
//! The adapter retries failures of the transport.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use futures::future::{Either, select};
use loci_model::limits;
use loci_model::ports::language_model::{Completion, LanguageModel, ModelError, ModelErrorKind, Reply};

use crate::Engine;

/// The reason for which a call has no reply.
#[derive(Debug)]
pub enum CallFailure {
    /// The model panicked.
    BrokeDown,
    /// The model, or the connection to it, failed.
    Failed(ModelError),
}

/// Calls a model as soon as a permit of this server's pipeline is free.
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
