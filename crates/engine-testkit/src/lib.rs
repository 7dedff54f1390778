//! What tests need and the product must not have: a clock that stands still, ids from a seed, a cheap embedder, a model
//! that answers by a script, targets that remember, the conformance suite that every store passes, a simulator that runs an
//! engine over any store, a plain search to measure others by, a real PostgreSQL. Never a dependency of the product.

pub mod clock;
pub mod code_history;
mod code_shelf;
pub mod conformance;
pub mod credentials;
pub mod embedder;
pub mod exposure_samples;
pub mod fact_samples;
pub mod filled;
pub mod ids;
pub mod jumping_clock;
pub mod moving;
pub mod place;
pub mod plain_answers;
pub mod plain_corpus;
pub mod recording_targets;
pub mod samples;
pub mod scripted_model;
pub mod secret_samples;
pub mod simulator;
pub mod succession;
pub mod task_samples;
pub mod within;
pub mod world;

pub use clock::ManualClock;
pub use code_history::CodeHistory;
pub use code_shelf::CodeShelf;
pub use embedder::HashEmbedder;
pub use ids::SeededIds;
pub use jumping_clock::JumpingClock;
pub use place::TestPlace;
pub use recording_targets::RecordingTargets;
pub use scripted_model::{Script, ScriptedModel, ScriptedReply};

/// Places for mirrors on this machine.
pub use loci_git::LocalPlaces;
/// A real PostgreSQL with pgvector.
pub use loci_pgserver as postgres;

/// Waits for a future on this thread: tests have no runtime.
pub fn block_on<F: Future>(future: F) -> F::Output {
    futures::executor::block_on(future)
}
