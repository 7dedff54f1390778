//! The citation check of a hydration: which of some records cite code, the result at the task's
//! revision, and storing it once it is known which records were shown. Hydration decides what it
//! serves, but it never shows a withheld fact.

use loci_model::facts::repository::Repository;
use loci_model::facts::support::Support;
use loci_model::facts::verdict::{Unverifiable, Verdict};
use loci_model::memory::Memory;
use loci_model::ports::code::CodeError;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::principal::Principal;
use loci_model::record::Record;
use loci_model::{RecordId, Result, Timestamp};

use crate::Verified;
use crate::facts::events::Scene;
use crate::facts::fact_record::Remembered;
use crate::facts::flags;
use crate::reads::answers::FactView;
use crate::remote_verification::reported_verdicts::ReportedVerdicts;
use crate::repositories::code_access::{HEAD, check_ref};
use crate::verification::verdicts::CodeVerdicts;
use loci_engine::calls::call_context::CallContext;

/// The state of the code that a record cites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CitedFate {
    /// Unchanged.
    Valid,
    /// Changed.
    Drifted,
    /// Not verifiable now.
    Unverifiable,
    /// Gone.
    Gone,
    /// Contradicted by a false claim.
    Contradicted,
}

impl CitedFate {
    /// Returns the state's name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Drifted => "drifted",
            Self::Unverifiable => "unverifiable",
            Self::Gone => "gone",
            Self::Contradicted => "contradicted",
        }
    }

    fn of(verdict: Option<Verdict>) -> Self {
        match verdict {
            Some(Verdict::Valid) => Self::Valid,
            Some(Verdict::Drifted) => Self::Drifted,
            Some(Verdict::Gone) => Self::Gone,
            Some(Verdict::Contradicted) => Self::Contradicted,
            Some(Verdict::Unverifiable) | None => Self::Unverifiable,
        }
    }
}

/// The citation state of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationState {
    /// The state of the code.
    pub fate: CitedFate,
    /// The support of the code for the record; `None` if the code was not read.
    pub support: Option<Support>,
    /// True if the citations are only proposed: they were found from the text.
    pub is_proposed: bool,
    /// True if another fact contradicts it.
    pub is_disputed: bool,
    /// The place of the code, and its assurance, in words.
    pub label: String,
    /// The time of the last confirmation.
    pub confirmed_at: Timestamp,
    /// The time of the last valid verification; now, if the code is valid now.
    pub verified_at: Option<Timestamp>,
}

/// A look at the citations of some facts whose result is not stored yet.
#[derive(Debug, Clone)]
pub struct CitedLook {
    names: Vec<RecordId>,
    looked: CodeVerdicts,
    scene: Scene,
    /// The state of each fact, in order.
    pub cited: Vec<(RecordId, CitationState)>,
    /// The facts in the form of operations that return facts.
    pub views: Vec<FactView>,
    /// The commit that was read.
    pub commit: Option<String>,
    /// Warnings about code that could not be read.
    pub warnings: Vec<String>,
}

/// Returns the given records that are facts of a repository, stored or proposed. A record whose
/// text another interface changed is excluded.
pub fn facts_among(tx: &dyn ReadTx, repository: &Repository, records: &[Record]) -> Result<Vec<Remembered>> {
    let ids: Vec<RecordId> = records.iter().map(|record| record.id.clone()).collect();
    let facts = tx.facts().get_many(&repository.memory, &ids)?;
    let own = facts.into_iter().filter(|fact| fact.repository == repository.id);
    let joined = own.filter_map(|fact| {
        let record = records.iter().find(|record| record.id == fact.record)?.clone();
        Some(Remembered { record, fact })
    });
    Ok(joined.filter(Remembered::is_whole).collect())
}

/// Checks the revision that a request names.
///
/// # Errors
/// `Invalid`.
pub fn check_revision(reference: &str) -> Result<()> {
    check_ref(reference)
}

impl Verified {
    /// Verifies the citations of facts, by cached verdicts if there are any. Unreadable code and a
    /// missing revision yield unverifiable, with the reason.
    pub async fn look_cited(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repository: &Repository,
        reference: Option<&str>,
        facts: Vec<Remembered>,
    ) -> Result<CitedLook> {
        let reference = self.revision_of(repository, standing, reference).await;
        let reference = reference.as_deref();
        let looked = match self.tip(repository, standing, reference).await {
            Ok(tip) => self.look_from(repository, standing, reference, &facts, Some(tip)).await?,
            Err(error) => CodeVerdicts::blind(error, repository, None, &facts)?,
        };
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.engine.now());
        Ok(seen(repository, scene, reference, facts, looked))
    }

    /// Verifies the citations of facts by the verdicts that the caller reports.
    pub async fn look_told(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repository: &Repository,
        told: &ReportedVerdicts,
        facts: Vec<Remembered>,
    ) -> Result<CitedLook> {
        let looked = self.look_posted(caller, standing, repository, told, &facts).await?;
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.engine.now());
        Ok(seen(repository, scene, Some(told.reference()), facts, looked))
    }

    /// Returns a look whose citations are unverifiable because the time ran out.
    pub fn no_time_to_look(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repository: &Repository,
        reference: Option<&str>,
        facts: Vec<Remembered>,
    ) -> Result<CitedLook> {
        let error = CodeError::new(Unverifiable::Deadline, "there was no time left to look at the code");
        let looked = CodeVerdicts::blind(error, repository, None, &facts)?;
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.engine.now());
        Ok(seen(repository, scene, reference, facts, looked))
    }

    /// Stores the result of a look, and the facts that were shown.
    pub fn write_cited(
        &self,
        tx: &mut dyn Tx,
        memory: &Memory,
        look: &CitedLook,
        shown: &[RecordId],
    ) -> Result<()> {
        let served: Vec<RecordId> = shown.iter().filter(|id| look.names.contains(id)).cloned().collect();
        self.note_served(tx, memory, &look.scene, (look.names.as_slice(), &look.looked), &served)
    }
}

fn seen(
    repository: &Repository,
    scene: Scene,
    reference: Option<&str>,
    facts: Vec<Remembered>,
    looked: CodeVerdicts,
) -> CitedLook {
    let commit = looked.tip.as_ref().and_then(|tip| tip.commit());
    let warnings = looked.error.iter().map(|error| {
        let (detail, why) = (&error.detail, error.why.as_str());
        format!("CITATIONS_UNVERIFIED: {detail} ({why})")
    });
    let warnings = warnings.collect();
    let names = facts.iter().map(|fact| fact.record.id.clone()).collect();
    let now = scene.at;
    let of = |(place, remembered): (usize, Remembered)| {
        let verification = looked.checked.get(place).map(|one| one.verification.clone());
        let (id, detail) = (remembered.record.id.clone(), &remembered.fact.detail);
        let conflicts_with = flags::conflicts(&detail.flags);
        let confirmed_at = remembered.fact.refreshed_at;
        let before = detail.last_verified.as_ref().filter(|last| last.verdict == Verdict::Valid);
        let (is_proposed, is_disputed) = (remembered.fact.proposed, !conflicts_with.is_empty());
        let fate = CitedFate::of(verification.as_ref().map(|verification| verification.verdict));
        let holds_now = (fate == CitedFate::Valid).then_some(now);
        let verified_at = holds_now.or(before.map(|last| last.at));
        let view = FactView {
            remembered,
            repo: repository.key.clone(),
            verification,
            conflicts_with,
            is_source_abandoned: false,
        };
        let label = view.label();
        let support = view.support().map(|report| report.support);
        let cited =
            CitationState { fate, support, is_proposed, is_disputed, label, confirmed_at, verified_at };
        ((id, cited), view)
    };
    let (cited, views) = facts.into_iter().enumerate().map(of).unzip();
    let scene = scene.at_revision(reference.unwrap_or(HEAD), commit);
    CitedLook {
        names,
        looked,
        scene,
        cited,
        views,
        commit: commit.map(|commit| commit.to_string()),
        warnings,
    }
}
