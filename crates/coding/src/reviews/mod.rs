//! Reviews, pull requests, pushes and checks from forges: their intake, and their processing before
//! rules are extracted.
//!
//! | file | idea |
//! |---|---|
//! | `receiving` | stores a delivery once, and requests the job of its unit |
//! | `masking` | masks secrets before storage |
//! | `hook_deliveries` | lists and retries deliveries |
//! | `handling` | the job: processes all events of one unit together |
//! | `gathering` | the data of a pull request's reviews, from its forge or from events |
//! | `assembling` | assembles a review from its parts: pure |
//! | `intake` | the default settings of a repository |
//! | `left_out` | the reasons to extract nothing from a review: pure |
//! | `authority` | the roles of people, requested once an hour |
//! | `owners` | the owners of files |
//! | `pulling` | reads all reviews of a pull request from its forge |
//! | `polling`, `backfilling` | changes since the last poll, and reviews from the past |
//! | `landed` | commits on the default branch since the last poll |
//! | `taking` | a review that a client submits |
//! | `handing_on` | forwards reviews and events to the modules that use them |
//! | `blanking` | removes purged texts from stored reviews |
//!
//! All operations here are idempotent: a delivery is marked as done after its effects, which are
//! written under the forge's own numbers.

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
