//! Code on forges, read through their REST APIs. [`forges::Forges`] implements the code port for
//! repositories on a forge. It reads and never writes, and sends requests through `loci-outbound`.
//!
//! One file implements the API of a forge: requests, parsing of responses, meaning of refusals. The
//! other modules are shared. [`config`] defines the hosts; a host never comes from a repository's
//! name. `account` sends requests to one host and caches the responses per token. `remote` reads
//! one repository within the time limit of one call, `trees` lists its files, `renames` compares
//! two listings, and `source` implements the port.
//!
//! [`forges::Forges`] also reads pull requests and their reviews (`reviews`, `review_dialect`), and
//! [`github_hook`] parses the bodies of webhooks. Both use the same representations of users and
//! reviews (`github_shapes`).
//!
//! To add a forge: a file with an `impl Dialect`, one line in `config::DIALECTS`, a variant of
//! [`config::ForgeKind`], and its exchanges in `tests/it`.

mod account;
pub mod config;
mod dialect;
mod failure;
pub mod forges;
mod github;
pub mod github_hook;
mod github_reviews;
mod github_shapes;
mod listing;
mod remote;
mod renames;
mod review_dialect;
mod reviews;
mod same_host;
mod scanners;
mod source;
mod trees;
mod url_part;

pub use scanners::SCANNERS;
