//! Verified memory: facts that cite code, and are checked against it before they are served (verified-memory.md).
//!
//! | file | idea |
//! |---|---|
//! | [`verifier`] | finding cited lines again, and what claims say: pure over a source of code |
//! | `repository_name`, `repositories` | names, identity and places of repositories |
//! | `standing` | which memory and directory a call is about |
//! | `code_reading`, `default_tip` | the hop to the code, and the revision of a call; which of several clones decides |
//! | `storing` | a new fact: gates, what is alike, writing |
//! | `verifying`, `settling`, `writing`, `serving` | looking, what it means, writing it down, what is returned |
//! | `recent`, `by_path`, `searching` (with its look at the code, `search_look`), `verify`, `verify_given`, `read_citation`, `refresh`, `invalidate`, `supersede`, `applied`, `history`, `stats`, `mark`, `delete` | the verbs |
//! | `given_sha` | a citation's `sha` as callers give it: a commit, or the file's object |
//! | `given_facts` | the facts that given citations are of, and what looking at these leaves for them |
//! | `looking`, `evidence`, `told`, `tell` | one look at code, wherever it is; what a verifier elsewhere is given, and what it says |
//! | `posted_verdicts` | verdicts from elsewhere compared with the kept ones of their commit |
//! | `assurance` | what a fact is worth to its reader, in the words of every list, prompt and answer |
//! | `withholding` | statements that a reader is not given, and who may read unverified facts |
//! | `cited` | what hydration asks of citations |
//! | `citing` | which records cite code, for doors that verify nothing |
//! | `proposing`, `promoting`, `with_proposed` | citations from text: proposed, confirmed, read along |
//! | `background`, `looking_again` | new commits, expiry; when what could not be read is tried again |
//! | `shown_code` | code as a caller is shown it |
//! | `telemetry` | whether rows say what facts say |
//! | `following` | facts follow records that other doors change |
//!
//! A verb: one file with an `impl Engine` block, its request and answer beside it. No verb reads code inside a write.

mod answers;
mod applied;
mod assurance;
mod background;
mod by_path;
mod cited;
mod citing;
mod code_reading;
mod conflicts;
mod content_hash;
mod default_tip;
mod delete;
mod events;
mod evidence;
mod first_answer;
mod flags;
pub(crate) mod following;
mod given_facts;
mod given_sha;
mod gone;
mod history;
mod holding;
mod hooks;
mod in_parts;
mod invalidate;
pub(crate) mod jobs;
mod locating;
mod looking;
mod looking_again;
mod mark;
mod origins;
mod path_refs;
mod pending_citations;
mod posted_verdicts;
mod product;
mod promoting;
mod prompt;
pub(crate) mod proposing;
mod read_citation;
mod receipts;
mod recent;
mod refresh;
mod remembered;
mod repositories;
mod repository_name;
mod same_repository;
mod search_look;
mod searching;
mod serving;
mod settings;
mod settling;
mod shown_code;
mod standing;
mod stats;
mod storing;
mod supersede;
mod sweep;
mod telemetry;
mod tell;
mod told;
mod verdict_cache;
pub mod verifier;
mod verify;
mod verify_given;
mod verifying;
mod with_proposed;
mod withholding;
mod writing;

pub use answers::{FactList, FactView, Omitted, VerifyMode};
pub use applied::{AppliedOutcome, FactApplied};
pub use by_path::{ByPath, PathMatch};
pub use cited::{Cited, CitedFate};
pub(crate) use cited::{CitedLook, check_revision, facts_among};
pub use code_reading::{Tip, Work, read_place};
pub(crate) use code_reading::{default_here, tip_of};
pub use content_hash::content_hash;
pub(crate) use default_tip::DefaultTip;
pub use evidence::{AskedEvidence, Evidence, EvidencePage, FactsAsked};
pub use history::FactHistory;
pub use invalidate::FactInvalidated;
pub use locating::{bare_id, record_id};
pub use looking::{Look, Seen, Subject, look_at};
pub(crate) use path_refs::{PATH_REFS, PathsLook, as_metadata, path_refs_of};
pub(crate) use pending_citations::mark_pending;
pub(crate) use product::product;
pub use read_citation::CodeLines;
pub use recent::FACTS_MAX;
pub use refresh::{FactRefresh, FactRefreshed};
pub use remembered::Remembered;
pub(crate) use repositories::{Numbered, find_repository, is_named, noticed, numbered, of_number};
pub use repositories::{RepositoryAdd, RepositoryAdded, host_of, knowledge_namespace, name_of};
pub use repository_name::{RepositoryName, local_key};
pub use searching::{FactFilters, FactSearch};
pub use serving::Serving;
pub use settings::VerifiedSettings;
pub use shown_code::ShownCode;
pub use standing::{Standing, check_label};
pub use stats::FactStats;
pub use storing::{FactStored, NewFact, StoreStatus};
pub use supersede::{Correction, FactSuperseded};
pub use telemetry::{TelemetryReport, TelemetryRule, TelemetryViolation};
pub use tell::FactTold;
pub use told::{Told, ToldFact};
pub(crate) use verdict_cache::VerdictCache;
pub use verify::Verified;
pub(crate) use verifying::LINE_CACHE_BYTES;
pub use withholding::Withholding;
