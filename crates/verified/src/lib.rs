//! Verified memory: facts that cite code, and are verified against it before they are served.
//!
//! | folder | idea |
//! |---|---|
//! | [`verifier`] | finding cited lines again, and evaluating claims: pure over a code source |
//! | `repositories` | names, identity and places of repositories, access to their code, tips |
//! | `new_facts` | a new fact: gates, similar facts, its write |
//! | `facts` | stored facts: records, identity, flags, conflicts, events |
//! | `verification` | a look at the code, the resulting change of state, its write |
//! | `serving_policy` | the policy for served facts, and the words for their assurance |
//! | `reads`, `changes` | the operations |
//! | `given_citations` | citations that a caller gives |
//! | `remote_verification` | evidence for a verifier elsewhere, and its reported verdicts |
//! | `record_citations` | citations of other records: in text, proposed, confirmed, hydrated |
//! | `call_scope` | the memory of a call |
//! | `background`, `sweep`, `jobs` | new commits, expiry, and the jobs |
//! | `telemetry` | the check that events agree with facts |
//!
//! To add an operation, write a file with an `impl Verified` block and the types of its request and
//! answer. No operation reads code inside a write.

mod background;
mod call_scope;
mod changes;
pub mod facts;
mod given_citations;
mod hooks;
pub mod jobs;
mod new_facts;
mod product;
mod reads;
pub mod record_citations;
mod remote_verification;
mod repositories;
mod repository_hooks;
mod scanners;
mod serving_policy;
mod settings;
mod sweep;
mod telemetry;
mod verification;
pub mod verifier;

pub use changes::fact_use::{AppliedOutcome, FactApplied};
pub use changes::invalidate::FactInvalidated;
pub use changes::refresh::{FactRefresh, FactRefreshed};
pub use changes::supersede::{Correction, FactSuperseded};
pub use facts::content_hash::content_hash;
pub use facts::fact_record::Remembered;
pub use facts::lookup::{bare_id, record_id};
pub use new_facts::{FactStored, NewFact, StoreStatus};
pub use product::VerifiedParts;
pub use reads::answers::{FactList, FactView, VerifyMode};
pub use reads::by_path::{ByPath, PathMatch};
pub use reads::history::FactHistory;
pub use reads::recent_facts::FACTS_MAX;
pub use reads::search::{FactFilters, FactSearch};
pub use reads::stats::FactStats;
pub use reads::verify::VerifyAnswer;
pub use record_citations::hydration_check::{CitationState, CitedFate};
pub use record_citations::hydration_check::{CitedLook, check_revision, facts_among};
pub use record_citations::path_refs::{PATH_REFS, PathsLook, as_metadata, path_refs_of};
pub use record_citations::pending_citations::mark_pending;
pub use remote_verification::evidence::{AskedEvidence, Evidence, EvidencePage, FactsAsked};
pub use remote_verification::reported_verdicts::{ReportedFactVerdict, ReportedVerdicts};
pub use repositories::code_access::{RepositoryCodeWork, Tip, read_place};
pub use repositories::code_access::{default_here, tip_of};
pub use repositories::default_tip::DefaultTip;
pub use repositories::repository_name::{RepositoryName, local_key};
pub use repositories::{NumberRelation, find_repository, is_named, noticed, numbered, of_number};
pub use repositories::{RepositoryAdded, host_of, knowledge_namespace, name_of};
pub use repository_hooks::RepositoryHooks;
pub use scanners::scanners;
pub use serving_policy::fact_shapes::{citation_check, ids, shown_support};
pub use serving_policy::served_facts::FactReadOptions;
pub use serving_policy::withheld_statements::WithholdingPolicy;
pub use settings::VerifiedSettings;
pub use telemetry::{TelemetryReport, TelemetryRule, TelemetryViolation};
pub use verification::code_check::{CodeCheck, FactCheck, Subject, look_at};

use std::sync::Arc;

use loci_engine::Engine;

/// Verified memory over an engine: cheap to clone, shared by all interfaces.
#[derive(Clone)]
pub struct Verified {
    pub(crate) engine: Engine,
    pub(crate) parts: VerifiedParts,
}

impl Verified {
    /// Returns verified memory over an engine with which its parts were registered.
    pub fn new(engine: Engine, parts: &VerifiedParts) -> Self {
        Self { engine, parts: parts.clone() }
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the active settings.
    pub fn settings(&self) -> &Arc<VerifiedSettings> {
        &self.parts.settings
    }

    /// Returns the parts of this handle.
    pub fn parts(&self) -> &VerifiedParts {
        &self.parts
    }

    /// Returns a handle for work in which a question is embedded once, for any number of searches.
    #[must_use]
    pub fn asking_once(&self) -> Self {
        Self { engine: self.engine.asking_once(), parts: self.parts.clone() }
    }
}
