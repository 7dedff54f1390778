//! Reviews, pull requests, pushes and checks from forges: their intake, and their processing before
//! rules are extracted.
//!
//! | file | idea |
//! |---|---|
//! | `hook_receive` | stores a delivery once, and requests the job of its unit |
//! | `secret_masking` | masks secrets before storage |
//! | `hook_deliveries` | lists and retries deliveries |
//! | `hook_job` | the job: processes all events of one unit together |
//! | `review_data` | the data of a pull request's reviews, from its forge or from events |
//! | `review_assembly` | assembles a review from its parts: pure |
//! | `intake` | the default settings of a repository |
//! | `skip_reasons` | the reasons to extract nothing from a review: pure |
//! | `authority` | the roles of people, requested once an hour |
//! | `owners` | the owners of files |
//! | `pull` | reads all reviews of a pull request from its forge |
//! | `review_poll`, `backfill` | changes since the last poll, and reviews from the past |
//! | `revert_poll` | commits on the default branch since the last poll |
//! | `submission` | a review that a client submits |
//! | `dispatch` | forwards reviews and events to the modules that use them |
//! | `purged_texts` | removes purged texts from stored reviews |
//!
//! All operations here are idempotent: a delivery is marked as done after its effects, which are
//! written under the forge's own numbers.

mod authority;
mod backfill;
mod dispatch;
mod hook_deliveries;
mod hook_job;
mod hook_receive;
mod intake;
mod owners;
mod pull;
mod purged_texts;
mod revert_poll;
mod review_assembly;
mod review_data;
mod review_poll;
mod scanners;
mod secret_masking;
mod skip_reasons;
mod submission;

pub(crate) use authority::KnownRole;
pub(super) use authority::overridden;
pub use backfill::BackfillAsked;
pub use hook_deliveries::HookState;
pub use hook_receive::HookDelivery;
pub use intake::intake_of;
pub(crate) use purged_texts::{blank, blanked, of_actor, of_keys, texts_of};
pub(crate) use scanners::SCANNERS;
pub use submission::NewReview;
