//! Code on forges, read by their REST APIs: [`forges::Forges`] is the port of code for places on a
//! forge. It reads and never writes; requests leave through `loci-outbound`. A forge is one file:
//! what is asked for, how an answer is read, what a refusal means. Everything else is shared:
//! [`config`] says which hosts there are (no host is ever taken from a repository's name),
//! `account` sends to one of them and holds what was read there with its token, `remote` reads one
//! repository within one call's time, `trees` its listings, `renames` compares two of them,
//! `source` is the port's view of it. Pull requests and their reviews are read by
//! [`forges::Forges`] too (`reviews`, `review_dialect`), and bodies of webhooks by [`github_hook`];
//! what GitHub says of people and reviews is the same in both (`github_shapes`). To add a forge: a
//! file with an `impl Dialect`, one line in `config::DIALECTS`, a variant of [`config::ForgeKind`],
//! and its exchanges in `tests/it`.

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
