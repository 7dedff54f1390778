//! What tests need and the product must not have: a clock that stands still, ids from a seed, a cheap embedder, a model
//! that answers by a script, targets that remember, the conformance suite that every store passes, a plain search to
//! measure others by. Never a dependency of the product.

pub mod clock;
pub mod conformance;
pub mod embedder;
pub mod ids;
pub mod jumping_clock;
pub mod plain_corpus;
pub mod recording_targets;
pub mod samples;
pub mod scripted_model;
pub mod world;

pub use clock::ManualClock;
pub use embedder::HashEmbedder;
pub use ids::SeededIds;
pub use jumping_clock::JumpingClock;
pub use recording_targets::RecordingTargets;
pub use scripted_model::{Script, ScriptedModel, ScriptedReply};

/// Waits for a future on this thread: tests have no runtime.
pub fn block_on<F: Future>(future: F) -> F::Output {
    futures::executor::block_on(future)
}
