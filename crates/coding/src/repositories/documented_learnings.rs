//! Expires learnings and rules that a repository now documents: those that its instructions, its
//! README or the configuration of its linters contain at the next tip of the default branch. Facts
//! stored with citations, self-feedback, and records that a person restored are kept. If the
//! documents cannot be read, nothing expires.

use std::sync::Arc;

use loci_engine::calls::call_context::CallContext;
use loci_engine::memories::existing;
use loci_engine::records::{DOCUMENTED, KEPT_DOCUMENTED, state_transition::StateTransition};
use loci_engine::strategies::learnings::KNOWLEDGE;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ports::code::{CodeResult, CodeSource};
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt, Tx};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordState};
use loci_model::{Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp};
use loci_verified::tip_of;

use super::docs::RepositoryDocs;
use crate::Coding;
use crate::learnings::learning_write::SELF_FEEDBACK;
use crate::rules::rules_list::rules_of;
use crate::tasks::task_namespaces;

/// The number of records that one page reads.
const PAGE: usize = 100;
/// The number of records of one write, which limits the delay of other calls.
const WRITTEN: usize = 20;
/// The author of these record changes, in telemetry.
const BY: &str = "loci";

/// The records that are compared with the documents.
#[derive(Debug, Clone, Copy)]
enum Among {
    Learnings,
    Rules,
}

/// A page of records, and the cursor after it.
struct Page {
    records: Vec<Record>,
    next: Option<(Timestamp, RecordId)>,
}

impl Coding {
    /// Expires the records that a repository's documents contain at the tip of its default branch.
    /// Returns false if the code is out of reach for now and must be read again. Missing objects,
    /// as in a partial clone, wait for the next tip. A second run at one tip changes nothing.
    pub(crate) async fn expire_documented(&self, repository: &Repository, tip: ObjectId) -> Result<bool> {
        let mut docs = None;
        for among in [Among::Learnings, Among::Rules] {
            let mut after = None;
            loop {
                let page = self.undocumented(repository, among, after).await?;
                // Most repositories have no records to compare, so their documents are not read.
                if !page.records.is_empty() {
                    let docs = match &docs {
                        Some(docs) => docs,
                        None => match self.docs_at(repository, tip).await {
                            Ok(read) => &*docs.insert(read),
                            Err(error) => return Ok(!error.why.is_out_of_reach()),
                        },
                    };
                    let said = page.records.into_iter().filter(|record| docs.say(&record.text)).collect();
                    self.expire_all(repository, said).await?;
                }
                match page.next {
                    Some(next) => after = Some(next),
                    None => break,
                }
            }
        }
        Ok(true)
    }

    /// Reads the documents of a repository at a commit.
    async fn docs_at(&self, repository: &Repository, tip: ObjectId) -> CodeResult<RepositoryDocs> {
        let work = move |source: &dyn CodeSource| {
            RepositoryDocs::read(source, &tip_of(source, Some(&tip.to_string()), None)?)
        };
        let read = self.verified.on_code(repository, &CallContext::default(), Arc::new(work)).await;
        read.inspect_err(|error| {
            let (repo, why) = (&repository.key, error.why.as_str());
            tracing::warn!(%repo, why, "what a repository says could not be compared with what is remembered");
        })
    }

    async fn undocumented(
        &self,
        repository: &Repository,
        among: Among,
        after: Option<(Timestamp, RecordId)>,
    ) -> Result<Page> {
        let (repository, now) = (repository.clone(), self.engine.now());
        self.engine.store().read(move |tx| page(tx, &repository, among, after.clone(), now)).await
    }

    async fn expire_all(&self, repository: &Repository, said: Vec<Record>) -> Result<()> {
        for part in said.chunks(WRITTEN) {
            let (part, memory, at) = (part.to_vec(), repository.memory.clone(), self.engine.now());
            self.engine
                .store()
                .write(move |tx| {
                    let memory = existing(tx, &memory)?;
                    let changing = StateTransition { memory: &memory, by: BY, at };
                    part.iter().try_for_each(|record| expire(tx, &changing, record))
                })
                .await?;
        }
        Ok(())
    }
}

fn expire(tx: &mut dyn Tx, changing: &StateTransition<'_>, seen: &Record) -> Result<()> {
    let current = tx.records().get(&seen.memory, &seen.id)?;
    let holds = |one: &Record| one.state == RecordState::Active && one.version == seen.version;
    let Some(current) = current.filter(holds) else { return Ok(()) };
    if is_stored_fact(tx, &current)? {
        return Ok(());
    }
    changing.set_state(tx, &current, RecordState::Expired, DOCUMENTED).map(drop)
}

fn is_stored_fact(tx: &dyn ReadTx, record: &Record) -> Result<bool> {
    Ok(tx.facts().get(&record.memory, &record.id)?.is_some_and(|fact| !fact.proposed))
}

/// Returns a page of active records of a repository that may be compared with its documents.
fn page(
    tx: &dyn ReadTx,
    repository: &Repository,
    among: Among,
    after: Option<(Timestamp, RecordId)>,
    now: Timestamp,
) -> Result<Page> {
    let actor = task_namespaces::actor_of(repository)?;
    let path = match among {
        Among::Learnings => format!("/{actor}/knowledge/"),
        Among::Rules => rules_of(actor.as_str()),
    };
    let beneath = NamespaceFilter::new(&Namespace::parse(path)?, NamespaceMatch::Subtree);
    let scope =
        RecordScope { namespaces: vec![beneath], ..RecordScope::whole(repository.memory.clone(), now) };
    let asked = RecordPage { scope, after, limit: PAGE };
    let read = match among {
        Among::Learnings => tx.records().of_subtype(&asked, KNOWLEDGE)?,
        Among::Rules => tx.records().list(&asked)?,
    };
    let last = read.last().filter(|_| read.len() == PAGE);
    let next = last.map(|record| (record.created_at, record.id.clone()));
    let mut records = Vec::with_capacity(read.len());
    for record in read {
        let is_kept = record.state_reason.as_deref() == Some(KEPT_DOCUMENTED);
        let is_feedback = record.subtype.as_deref() == Some(SELF_FEEDBACK);
        if !is_kept && !is_feedback && !is_stored_fact(tx, &record)? {
            records.push(record);
        }
    }
    Ok(Page { records, next })
}
