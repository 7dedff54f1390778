//! Proposed citations of extracted records.
//!
//! If the text of an extracted record names files, lines or symbols of its repository, the record
//! gets proposed citations (flag `auto_cited`). Facts come from agents, not from extraction: no
//! tool returns a proposal, and it changes no state. It becomes a fact when a caller stores or
//! refreshes it (`promotion`).
//!
//! A record belongs to a repository by its namespace `/{owner}/{name}/knowledge/`, which extraction
//! derives from the actor. An event that names another `repo` in its metadata excludes the record.
//! The commit is that of the metadata (`commit`), else the tip of the default branch. A record
//! without a repository gets no proposal.

use std::sync::Arc;

use loci_engine::memories::existing;
use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::fact::{Fact, FactCounters, FactDetail, FactEvent, FactEventKind, FactSource};
use loci_model::facts::repository::Repository;
use loci_model::job::{DueRule, Job, NewJob};
use loci_model::ports::code::{CodeError, CodeResult, CodeSource};
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::Principal;
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::{JobId, MemoryId, Namespace, RecordId, Result, Timestamp};

use super::{path_refs, pending_citations};
use crate::Verified;
use crate::facts::events::{Scene, details};
use crate::facts::flags;
use crate::facts::lookup::bare_id;
use crate::new_facts::{FACT_CHARS_MAX, check_secrets};
use crate::repositories::code_access::{Tip, tip_of};
use crate::repositories::{knowledge_namespace, named};
use crate::verification::state_write;
use crate::verification::verdicts::scope_of;
use crate::verifier::{self, AnchorError, Information, PathRef, Verifier, has_mentions, information};
use crate::{RepositoryName, content_hash};
use loci_engine::calls::call_context::CallContext;

/// The prefix of a job's key, before the record's id.
const JOB_KEY: &str = "cite:";
/// The metadata keys of events for the repository and the commit at which they were recorded.
const REPO: &str = "repo";
const COMMIT: &str = "commit";
/// The number of a record's newest sources whose metadata is read.
const SOURCES_MAX: usize = 3;
/// The minimum delay before unreadable code is read again, in milliseconds.
const AGAIN_MS: i64 = 600_000;

/// A record with its repository and commit.
#[derive(Clone)]
struct RecordAtCommit {
    record: Record,
    repository: Repository,
    commit: Option<String>,
}

/// The citations found.
#[derive(Clone)]
struct FoundCitations {
    tip: Tip,
    citations: Vec<Citation>,
    flags: Vec<String>,
    /// The files that the text names alone, if they were not looked up before.
    named: Vec<PathRef>,
}

/// Enqueues the citation job of a newly extracted record, if it can have citations.
pub fn ask(tx: &mut dyn Tx, record: &Record, now: Timestamp) -> Result<()> {
    ask_as(tx, record, JobId::parse(bare_id(&record.id))?, now)
}

/// Returns true if a record can have citations, judged by its kind and its text.
pub fn is_wanted(record: &Record) -> bool {
    // Most memories have no repository. Their records are excluded by the namespace alone.
    key_of(&record.namespace).is_some() && is_citable(record) && has_mentions(&record.text)
}

/// Enqueues the citation job under this id.
pub(super) fn ask_as(tx: &mut dyn Tx, record: &Record, id: JobId, now: Timestamp) -> Result<()> {
    if !is_wanted(record) {
        return Ok(());
    }
    if repository_of(tx, &record.memory, &record.namespace)?.is_none() {
        return Ok(());
    }
    let job = NewJob {
        id,
        memory: record.memory.clone(),
        kind: crate::jobs::cite::KIND,
        unique_key: format!("{JOB_KEY}{}", record.id),
        strategy: record.strategy.clone(),
        actor: None,
        session: None,
        due: now,
        due_rule: DueRule::Earlier,
    };
    tx.jobs_mut().enqueue(&job, now).map(drop)
}

impl Verified {
    /// Proposes citations for the record that a job names. Returns the time of the next attempt if
    /// the code cannot be read now.
    pub(crate) async fn propose_citations(&self, job: &Job) -> Result<Option<Timestamp>> {
        let id = job.unique_key.strip_prefix(JOB_KEY).unwrap_or_default();
        let Ok(id) = RecordId::parse(id) else { return Ok(None) };
        let (memory, now) = (job.memory.clone(), self.engine.now());
        let tied = self.engine.store().read(move |tx| tied(tx, &memory, &id, now)).await?;
        let Some(tied) = tied else { return Ok(None) };
        let cited = match self.cite(&tied).await {
            Ok(cited) => cited,
            Err(error) => {
                let waits = || pending_citations::again_at(&tied.record, &tied.repository, now);
                return Ok(again_at(&error, now).or_else(waits));
            }
        };
        if cited.citations.is_empty() && !pending_citations::is_pending(&tied.record) {
            return Ok(None);
        }
        let verified = self.clone();
        self.engine.store().write(move |tx| verified.write_proposal(tx, &tied, &cited)).await.map(|()| None)
    }

    /// Finds the places that the text names, and creates their anchors.
    async fn cite(&self, tied: &RecordAtCommit) -> CodeResult<FoundCitations> {
        let (text, commit) = (tied.record.text.clone(), tied.commit.clone());
        let (default, scope) = (tied.repository.default_ref.clone(), scope_of(&tied.repository));
        let verified = self.clone();
        // The metadata of a learning already lists the files that it names alone.
        let with_beginnings = !path_refs::keeps_path_refs(&tied.record);
        let is_pending = pending_citations::is_pending(&tied.record);
        let work = move |source: &dyn CodeSource| {
            let tip = tip_of(source, commit.as_deref(), default.as_deref())?;
            let places = |verifier: &Verifier<'_>| verifier.propose(&text, commit.is_some(), with_beginnings);
            let named = match tip.commit().filter(|_| is_pending) {
                Some(commit) => verifier::path_refs(&text, &source.files(&tip.revision)?, commit),
                None => Vec::new(),
            };
            Ok(FoundCitations { named, ..verified.anchor_named(source, tip, &scope, &text, places)? })
        };
        self.on_code(&tied.repository, &CallContext::default(), Arc::new(work)).await
    }

    fn anchor_named(
        &self,
        source: &dyn CodeSource,
        tip: Tip,
        scope: &str,
        text: &str,
        places: impl FnOnce(&Verifier<'_>) -> CodeResult<Vec<LineRange>>,
    ) -> CodeResult<FoundCitations> {
        let verifier = self.verifier(source, &tip, scope);
        let mut cited = FoundCitations {
            tip: tip.clone(),
            citations: Vec::new(),
            flags: vec![flags::AUTO_CITED.to_owned()],
            named: Vec::new(),
        };
        for place in places(&verifier)? {
            let made = match verifier.anchor(&place, text, self.parts.settings.store_snippet) {
                Ok(made) => made,
                Err(AnchorError::Unreadable(error)) => return Err(error),
                // The place cannot be cited; only a proposal is lost.
                Err(
                    AnchorError::Path(_)
                    | AnchorError::Range
                    | AnchorError::Span
                    | AnchorError::Missing
                    | AnchorError::OutOfRange { .. }
                    | AnchorError::Blank
                    | AnchorError::SymlinkEscape,
                ) => continue,
            };
            let says_enough = information(&made, cited.citations.len(), text, &[]) != Information::TooLow;
            if !says_enough || check_secrets(&[&made.content]).is_err() {
                continue;
            }
            let found = [(made.lfs, flags::LFS), (made.symlink, flags::SYMLINK)];
            let found = found.into_iter().filter(|(is_so, _)| *is_so).map(|(_, flag)| flag.to_owned());
            flags::add(&mut cited.flags, found);
            cited.citations.push(Citation { anchor: made.anchor, current: None, earlier_paths: Vec::new() });
        }
        if cited.citations.iter().all(|citation| citation.anchor.grounded.is_empty()) {
            flags::add(&mut cited.flags, [flags::UNGROUNDED.to_owned()]);
        }
        Ok(cited)
    }

    /// Stores a proposal for its record, unless the record has changed meanwhile or is a fact
    /// already.
    fn write_proposal(&self, tx: &mut dyn Tx, tied: &RecordAtCommit, cited: &FoundCitations) -> Result<()> {
        let (record, repository) = (&tied.record, &tied.repository);
        let now = self.engine.now();
        let current = tx.records().get(&record.memory, &record.id)?;
        let holds = current.is_some_and(|one| one.state == record.state && one.version == record.version);
        let is_known = tx.repositories().get(&record.memory, &repository.id)?.is_some();
        if !holds || !is_known || tx.facts().get(&record.memory, &record.id)?.is_some() {
            return Ok(());
        }
        if pending_citations::is_pending(record) {
            let memory = existing(tx, &record.memory)?;
            pending_citations::settle(tx, &memory, record, &cited.named, now)?;
        }
        if cited.citations.is_empty() {
            return Ok(());
        }
        let standing = CallContext {
            session: record.provenance.session.as_ref().map(ToString::to_string),
            ..CallContext::default()
        };
        let scene = Scene::new(&Principal::engine(), &standing, &record.memory, &repository.id, now)
            .at_revision(&cited.tip.reference, cited.tip.commit());
        let event = FactEvent {
            cause: Some(record.state.as_str().to_owned()),
            details: details(&serde_json::json!({ "proposed": true }))?,
            ..scene.event(self.engine.ids().as_ref(), FactEventKind::Created, Some(&record.id))
        };
        state_write::fact(tx, &proposal(record, repository, cited, &scene), &[event])
    }
}

fn proposal(record: &Record, repository: &Repository, cited: &FoundCitations, scene: &Scene) -> Fact {
    Fact {
        memory: record.memory.clone(),
        record: record.id.clone(),
        repository: repository.id.clone(),
        content_hash: content_hash("", &record.text),
        status: record.state,
        proposed: true,
        refreshed_at: scene.at,
        created_at: scene.at,
        last_used_at: None,
        expires_at: Timestamp::LATEST, // It lives as long as its record.
        counters: FactCounters::default(),
        detail: FactDetail {
            citations: cited.citations.clone(),
            claims: Vec::new(),
            source: FactSource {
                created_by: None,
                principal: scene.principal.clone(),
                agent: None,
                session: scene.session.clone(),
                reference: scene.reference.clone(),
                commit: scene.commit,
                kind: Some(if cited.tip.is_default { "merged" } else { "branch" }.to_owned()),
            },
            flags: cited.flags.clone(),
            last_verified: None,
            support: None,
            gone: None,
            invalidated: None,
        },
    }
}

/// Returns true for an active extracted statement within the length of a fact. A question is no
/// statement.
fn is_citable(record: &Record) -> bool {
    record.kind == RecordKind::Fact
        && record.state == RecordState::Active
        && record.origin == RecordOrigin::Extracted
        && record.text.chars().count() <= FACT_CHARS_MAX
        && !record.text.trim_end().ends_with('?')
}

/// Returns the record with its repository and commit, if it still needs citations.
fn tied(tx: &dyn ReadTx, memory: &MemoryId, id: &RecordId, now: Timestamp) -> Result<Option<RecordAtCommit>> {
    let record = tx.records().get(memory, id)?.filter(is_citable);
    let Some(record) = record else { return Ok(None) };
    if tx.facts().get(memory, id)?.is_some() {
        return Ok(None);
    }
    let Some(repository) = repository_of(tx, memory, &record.namespace)? else { return Ok(None) };
    let (Some(actor), Some(session)) = (&record.provenance.actor, &record.provenance.session) else {
        return Ok(Some(RecordAtCommit { record, repository, commit: None }));
    };
    // A report names its commit itself; for extraction, the events that it read name it.
    let mut commit = match record.metadata.get(COMMIT) {
        Some(MetadataValue::String(commit)) if is_commit(commit) => Some(commit.clone()),
        Some(_) | None => None,
    };
    for source in record.provenance.sources.iter().rev().take(SOURCES_MAX) {
        let Some(event) = tx.events().source(memory, actor, session, &source.event, now)? else { continue };
        if let Some(name) = event.metadata.get(REPO)
            && !is_name_of(tx, &repository, name)?
        {
            return Ok(None);
        }
        commit = commit.or_else(|| event.metadata.get(COMMIT).filter(|text| is_commit(text)).cloned());
    }
    Ok(Some(RecordAtCommit { record, repository, commit }))
}

fn is_commit(text: &str) -> bool {
    (7..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Returns the repository key in a knowledge namespace.
fn key_of(namespace: &Namespace) -> Option<String> {
    namespace.normal().trim_matches('/').strip_suffix("/knowledge").map(str::to_owned)
}

/// Returns the repository of a knowledge namespace.
fn repository_of(tx: &dyn ReadTx, memory: &MemoryId, namespace: &Namespace) -> Result<Option<Repository>> {
    let Some(key) = key_of(namespace) else { return Ok(None) };
    if RepositoryName::parse(&key).is_err() {
        return Ok(None); // No name of a repository.
    }
    for repository in named(tx, memory, &key)? {
        if knowledge_namespace(&repository)?.normal() == namespace.normal() {
            return Ok(Some(repository));
        }
    }
    Ok(None)
}

fn is_name_of(tx: &dyn ReadTx, repository: &Repository, name: &str) -> Result<bool> {
    if RepositoryName::parse(name).is_err() {
        return Ok(false);
    }
    Ok(named(tx, &repository.memory, name)?.iter().any(|one| one.id == repository.id))
}

/// Returns the time of the next attempt, if there is one.
fn again_at(error: &CodeError, now: Timestamp) -> Option<Timestamp> {
    let wanted = error.retry_after_ms.map_or(0, |millis| i64::try_from(millis).unwrap_or(i64::MAX));
    error.why.is_out_of_reach().then(|| now.plus_millis(wanted.max(AGAIN_MS)))
}
