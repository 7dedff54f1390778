//! Ports for tests: a manual clock, ids from a seed, a cheap embedder, a scripted model, recording
//! targets, code without git, a vault without encryption; and samples with all members filled in.
//! It depends on no engine and no store. Never a dependency of the product.

pub mod clock;
pub mod code_history;
mod code_shelf;
pub mod credentials;
pub mod embedder;
pub mod exposure_samples;
pub mod fact_samples;
pub mod ids;
pub mod jumping_clock;
mod open_vault;
pub mod recording_targets;
pub mod samples;
pub mod scripted_model;
pub mod secret_samples;
pub mod store_wrapper;
pub mod task_samples;
mod ticking_clock;

pub use clock::ManualClock;
pub use code_history::CodeHistory;
pub use code_shelf::CodeShelf;
pub use embedder::HashEmbedder;
pub use ids::SeededIds;
pub use jumping_clock::JumpingClock;
pub use open_vault::OpenVault;
pub use recording_targets::RecordingTargets;
pub use scripted_model::{Script, ScriptedModel, ScriptedReply};
pub use ticking_clock::TickingClock;

/// Waits for a future on this thread: tests have no runtime.
pub fn block_on<F: Future>(future: F) -> F::Output {
    futures::executor::block_on(future)
}
