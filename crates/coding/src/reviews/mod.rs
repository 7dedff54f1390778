//! Reviews, pull requests, pushes and checks, as forges tell of them: how they come in, and what
//! becomes of them before anything is learned.
//!
//! | file | idea |
//! |---|---|
//! | `receiving` | a delivery is stored once, and its unit asked for |
//! | `masking` | secrets leave what is stored |
//! | `hook_deliveries` | deliveries, listed and tried again |
//! | `handling` | the job: what came for one unit, dealt with together |
//! | `gathering` | what is known of a pull request's reviews, from its forge or from what came |
//! | `assembling` | a review out of its parts: pure |
//! | `intake` | what counts where a repository says nothing |
//! | `left_out` | from which reviews nothing is learned, and why: pure |
//! | `authority` | what people may do, asked for once an hour |
//! | `owners` | who owns which files |
//! | `pulling` | all reviews of a pull request, read from its forge |
//! | `polling`, `backfilling` | what has changed since the last time, and what was before |
//! | `landed` | what came onto the default branch since the last time |
//! | `taking` | a review as any forge could tell it |
//! | `handing_on` | whoever learns from it |
//! | `blanking` | words that were purged go from the reviews that hold them |
//!
//! Everything here may happen twice and has its effect once: a delivery is noted as done behind its effects, and those are written under
//! the forge's own numbers.

mod assembling;
mod authority;
mod backfilling;
mod blanking;
mod gathering;
mod handing_on;
mod handling;
mod hook_deliveries;
mod intake;
mod landed;
mod left_out;
mod masking;
mod owners;
mod polling;
mod pulling;
mod receiving;
mod scanners;
mod taking;

pub(crate) use authority::KnownRole;
pub(super) use authority::overridden;
pub use backfilling::BackfillAsked;
pub(crate) use blanking::{blank, blanked, of_actor, of_keys, texts_of};
pub use hook_deliveries::HookState;
pub use intake::intake_of;
pub use receiving::HookDelivery;
pub(crate) use scanners::SCANNERS;
pub use taking::NewReview;
