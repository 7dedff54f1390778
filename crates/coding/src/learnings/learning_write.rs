//! Writes learnings: each passes checks of size, repository documents, safety and known records.
//! Consolidation then decides about it in the knowledge of the task's repository. The job `cite`
//! proposes citations. The result lists each learning.

use loci_engine::consolidation::{Decision, DecisionWrite, Reason, WordPairs};
use loci_engine::records::NewRecord;
use loci_engine::records::conflicts;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::state_transition::StateTransition;
use loci_engine::records::text_digest::{DIGEST, digest};
use loci_engine::safety::{self, Tally};
use loci_engine::strategies::learnings::{Category, Learning};
use loci_engine::strategies::learnings::{KNOWLEDGE, LEARNING};
use loci_model::facts::branch_fact::BranchFact;
use loci_model::ports::store::{ReadTx, RecordPage, Tx};
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::provenance::{Provenance, Source};
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState};
use loci_model::tasks::task::Task;
use loci_model::{Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp};
use loci_verified::record_citations::proposals;
use loci_verified::{PATH_REFS, as_metadata, mark_pending};

use super::consolidation::{
    ComparedRecords, LearningDecision, MergingBranchFact, SimilarRecords, agree, note_branch_fact,
};
use crate::repositories::docs_at_commit::RepositoryDocsData;
use crate::tasks::alert_hold;
use crate::tasks::reports::completion::{Learned, LearnedAction};

/// Self-feedback, information that agents lacked: the subtype of its records, and the name of the
/// prompt that requests it.
pub(crate) const SELF_FEEDBACK: &str = "self_feedback";
/// The schema version of this module's records.
pub(crate) const SCHEMA_VERSION: &str = "4";
/// The trust factor of a learning that names nothing specific.
const VAGUE_TRUST: f64 = 0.5;

/// A kind of learnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LearnedKind {
    /// About the repository.
    Knowledge,
    /// About information that the agent lacked.
    SelfFeedback,
}

impl LearnedKind {
    fn subtype(self) -> &'static str {
        match self {
            Self::Knowledge => KNOWLEDGE,
            Self::SelfFeedback => SELF_FEEDBACK,
        }
    }

    fn source_type(self) -> &'static str {
        match self {
            Self::Knowledge => "agent_learning",
            Self::SelfFeedback => "agent_self_feedback",
        }
    }
}

/// Writes the learnings of one task.
pub(crate) struct LearningWriter<'a> {
    pub(crate) building: &'a Building<'a>,
    pub(crate) task: &'a Task,
    /// The documents and files of the repository, if they could be read.
    pub(crate) read: &'a RepositoryDocsData,
    /// The commit at which they were learned.
    pub(crate) commit: Option<&'a str>,
    /// The version of the prompt that produced the text.
    pub(crate) prompt: Option<&'a str>,
    /// The messages that they are based on.
    pub(crate) sources: &'a [Source],
    pub(crate) kind: LearnedKind,
    /// Similar records, found before the write.
    pub(crate) around: &'a SimilarRecords,
    /// The time of their observation.
    pub(crate) observed_at: Timestamp,
    /// Metadata that adds to or overrides the metadata of their records, by position; empty: none.
    pub(crate) marks: &'a [Metadata],
}

impl LearningWriter<'_> {
    /// Writes all of them, each under one of the ids.
    pub(crate) fn write_all(
        &self,
        tx: &mut dyn Tx,
        learnings: &[Learning],
        ids: &[RecordId],
        found: &mut Tally,
    ) -> Result<Vec<Learned>> {
        let mut all = Vec::with_capacity(learnings.len());
        let mut pairs = WordPairs::of_a_write();
        for (nth, learning) in learnings.iter().enumerate() {
            let became = match ids.get(nth) {
                Some(id) => self.write(tx, (learning, self.marks.get(nth)), id, (found, &mut pairs))?,
                None => rejected("too_many"),
            };
            let LearningWriteResult { id, action, reason } = became;
            let reason = reason.map(str::to_owned);
            all.push(Learned { id, action, reason, topic: learning.topic.clone().map(safety::kept) });
        }
        Ok(all)
    }

    fn write(
        &self,
        tx: &mut dyn Tx,
        (learning, marks): (&Learning, Option<&Metadata>),
        id: &RecordId,
        (found, pairs): (&mut Tally, &mut WordPairs),
    ) -> Result<LearningWriteResult> {
        if !learning.fits() {
            return Ok(rejected("too_long"));
        }
        if self.kind == LearnedKind::Knowledge
            && self.read.docs.as_ref().is_some_and(|docs| docs.say(&learning.text))
        {
            return Ok(rejected("in_repo_docs"));
        }
        let (mut record, safe) =
            self.building.build(&self.record_of(learning)?, id, self.origin(learning))?;
        record.metadata.extend(marks.into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
        if let Some(topic) = &learning.topic {
            self.hold_back(&mut record, topic);
        }
        let is_alerted = alert_hold::hold_back(self.task, &mut record);
        let digest = digest(&record.text);
        record.metadata.insert(DIGEST.to_owned(), MetadataValue::String(digest.clone()));
        if learning.is_vague {
            record.trust *= VAGUE_TRUST;
        }
        if let Some(known) = self.known(tx, &record, &digest)? {
            return self.said_again(tx, known, &learning.text);
        }
        if self.kind == LearnedKind::Knowledge && self.read.is_unread && proposals::is_wanted(&record) {
            mark_pending(&mut record.metadata);
        }
        found.add(&safe);
        if record.state == RecordState::Quarantined {
            let reason = if is_alerted { "security_alert" } else { "looks_like_instructions" };
            self.building.insert(tx, &record)?;
            proposals::ask(tx, &record, self.building.now)?;
            return Ok(kept(record.id, LearnedAction::Quarantined, reason));
        }
        let became = match self.kind {
            LearnedKind::Knowledge => self.consolidated(tx, (&record, &learning.text), pairs)?,
            LearnedKind::SelfFeedback => self.added(tx, &record)?,
        };
        if became.action != LearnedAction::Duplicate {
            proposals::ask(tx, &record, self.building.now)?;
        }
        Ok(became)
    }

    fn added(&self, tx: &mut dyn Tx, record: &Record) -> Result<LearningWriteResult> {
        self.building.insert(tx, record)?;
        Ok(LearningWriteResult { id: Some(record.id.clone()), action: LearnedAction::Added, reason: None })
    }

    /// Returns the branch to which they are limited; `None`: they hold on all branches.
    fn on_branch(&self) -> Option<Option<&str>> {
        self.read.is_unmerged.then_some(self.task.branch.as_deref())
    }

    /// Writes a learning after comparing it with similar records.
    fn consolidated(
        &self,
        tx: &mut dyn Tx,
        (record, said): (&Record, &str),
        pairs: &mut WordPairs,
    ) -> Result<LearningWriteResult> {
        let Building { memory, by, now, .. } = *self.building;
        let beside = ComparedRecords { memory, around: self.around, now, on_branch: self.on_branch() };
        let LearningDecision { decision, against, landed } = beside.decide(tx, (record, said), pairs)?;
        let changing = StateTransition { memory, by, at: now };
        let carrying = DecisionWrite { changing, how: "reported" };
        let became = match &decision {
            Decision::Add { why } if why.reason == Reason::TooLong.text() => {
                self.building.insert(tx, record)?;
                kept(record.id.clone(), LearnedAction::Added, "too_long_to_compare")
            }
            Decision::Add { .. } | Decision::Update { .. } => self.added(tx, record)?,
            Decision::Skip { of, .. } => {
                carrying.carry_out(tx, record, &decision)?;
                self.agree_with(tx, of)?;
                landed.iter().try_for_each(|fact| self.landing(said).land(tx, fact))?;
                return Ok(kept(of.clone(), LearnedAction::Duplicate, "says_the_same"));
            }
            Decision::Supersede { .. } => {
                let written = carrying.carry_out(tx, record, &decision)?;
                let took_places = written.is_some_and(|written| !written.supersedes.is_empty());
                let action = if took_places { LearnedAction::Superseded } else { LearnedAction::Added };
                LearningWriteResult { id: Some(record.id.clone()), action, reason: None }
            }
            Decision::History { .. } => {
                carrying.carry_out(tx, record, &decision)?;
                kept(record.id.clone(), LearnedAction::Outdated, "what_contradicts_it_is_newer")
            }
            Decision::Doubt { .. } => {
                carrying.carry_out(tx, record, &decision)?;
                kept(record.id.clone(), LearnedAction::Conflict, "may_contradict_what_is_known")
            }
            // Unlike an extracted record, it is in force: both are shown as doubtful, or neither,
            // as configured.
            Decision::Hold { with, why } => {
                self.building.insert(tx, record)?;
                conflicts::note(tx, (with, record), &why.reason, now)?;
                kept(record.id.clone(), LearnedAction::Conflict, "contradicts_what_is_trusted_more")
            }
        };
        if let (Some(commit), Some(_)) = (self.commit, self.on_branch()) {
            note_branch_fact(tx, record, self.task, commit, against)?;
        }
        Ok(became)
    }

    /// Handles a learning whose exact text is known: the task agrees with the record. A record
    /// limited to a branch holds everywhere from now on, if the learning does.
    fn said_again(
        &self,
        tx: &mut dyn Tx,
        known: LearningWriteResult,
        said: &str,
    ) -> Result<LearningWriteResult> {
        if let (Some(id), LearnedAction::Duplicate) = (&known.id, known.action) {
            self.agree_with(tx, id)?;
            let memory = &self.building.memory.id;
            let branch = tx.ledger().noun::<BranchFact>(memory, id.as_str())?;
            if let Some(fact) = branch.filter(|_| self.on_branch().is_none()) {
                self.landing(said).land(tx, &fact)?;
            }
        }
        Ok(known)
    }

    /// Returns the landing of a branch fact that the default branch now states in similar words.
    fn landing<'b>(&'b self, said: &'b str) -> MergingBranchFact<'b> {
        let Building { memory, by, now, .. } = *self.building;
        let changing = StateTransition { memory, by, at: now };
        MergingBranchFact { changing, around: self.around, said: Some(said), seen_at: Some(self.observed_at) }
    }

    fn agree_with(&self, tx: &mut dyn Tx, id: &RecordId) -> Result<()> {
        let record = tx.records().get(&self.building.memory.id, id)?;
        record.iter().try_for_each(|record| agree(tx, record, self.task, self.observed_at))
    }

    /// True if a record holds only on a branch other than that of the learning, so it is not known
    /// here.
    fn is_elsewhere(&self, tx: &dyn ReadTx, id: &RecordId) -> Result<bool> {
        let Some(branch) = self.on_branch() else { return Ok(false) };
        let fact = tx.ledger().noun::<BranchFact>(&self.building.memory.id, id.as_str())?;
        Ok(fact.is_some_and(|fact| branch.is_none() || fact.branch.as_deref() != branch))
    }

    /// Returns these records without self-feedback that other tasks reported. Equal words of
    /// several tasks are several items, because a theme counts the tasks that lacked the same
    /// thing.
    fn lacked_here(&self, tx: &dyn ReadTx, same: Vec<RecordId>) -> Result<Vec<RecordId>> {
        if self.kind != LearnedKind::SelfFeedback || same.is_empty() {
            return Ok(same);
        }
        let own = MetadataValue::String(self.task.id.as_str().to_owned());
        let known = tx.records().get_many(&self.building.memory.id, &same)?;
        let of_task = known.into_iter().filter(|known| known.metadata.get("task_id") == Some(&own));
        Ok(of_task.map(|known| known.id).collect())
    }

    /// Screens the topic together with the text, because readers see both.
    fn hold_back(&self, record: &mut Record, topic: &str) {
        let both = safety::prepare(format!("{topic}: {}", record.text), None, &self.building.policy);
        if record.state == RecordState::Active && both.state == RecordState::Quarantined {
            record.state = both.state;
            record.state_reason = both.state_reason();
            record.findings = both.findings;
        }
    }

    fn record_of(&self, learning: &Learning) -> Result<NewRecord> {
        let namespace = knowledge(self.task)?;
        let text = |text: &str| MetadataValue::String(text.to_owned());
        let mut metadata = Metadata::from([
            ("schema_version".to_owned(), text(SCHEMA_VERSION)),
            ("task_id".to_owned(), text(self.task.id.as_str())),
            ("repo".to_owned(), text(self.task.actor.as_str())),
            ("type".to_owned(), text(LEARNING)),
            ("source_type".to_owned(), text(self.kind.source_type())),
        ]);
        let mut add = |key: &str, value: Option<&str>| {
            if let Some(value) = value {
                metadata.insert(key.to_owned(), text(value));
            }
        };
        let named = match (self.kind, &self.read.tree) {
            (LearnedKind::Knowledge, Some(tree)) => as_metadata(&tree.named_by(&learning.text)),
            (LearnedKind::Knowledge | LearnedKind::SelfFeedback, _) => None,
        };
        add("insight_type", (self.kind == LearnedKind::SelfFeedback).then_some("agent_self_feedback"));
        add("category", learning.category.map(Category::as_str));
        add("vague", learning.is_vague.then_some("true"));
        add("commit", self.commit);
        add("prompt_version", self.task.prompt_version.as_deref());
        add("extraction_prompt_version", self.prompt);
        add("pr_url", self.task.pr.as_ref().and_then(|pr| pr.url.as_deref()));
        metadata.extend(named.map(|named| (PATH_REFS.to_owned(), named)));
        Ok(NewRecord {
            subtype: Some(self.kind.subtype().to_owned()),
            title: learning.topic.clone(),
            scope: learning.scope.clone(),
            metadata,
            kind: RecordKind::Fact,
            ..NewRecord::fact(String::new(), vec![namespace], learning.text.clone(), self.observed_at)
        })
    }

    fn origin(&self, learning: &Learning) -> Origin {
        let provenance = Provenance { sources: self.sources.to_vec(), ..provenance(self.task) };
        let index_text = learning.topic.is_some().then(|| learning.indexed());
        Origin { provenance, origin: RecordOrigin::Extracted, index_text }
    }

    /// Returns the known record with the same text: active under any strategy, held back, or
    /// invalid.
    fn known(&self, tx: &dyn ReadTx, record: &Record, digest: &str) -> Result<Option<LearningWriteResult>> {
        let memory = self.building.memory;
        let strategies = std::iter::once(None).chain(memory.strategies.iter().map(|one| Some(&one.id)));
        for strategy in strategies {
            let same = tx.records().same_text(&memory.id, strategy, &record.namespace, &record.text)?;
            for id in self.lacked_here(tx, same)? {
                if !self.is_elsewhere(tx, &id)? {
                    return Ok(Some(kept(id, LearnedAction::Duplicate, "already_known")));
                }
            }
        }
        let scope = RecordScope {
            namespaces: vec![NamespaceFilter::new(&record.namespace, NamespaceMatch::Exact)],
            kinds: vec![RecordKind::Fact],
            states: vec![RecordState::Candidate, RecordState::Quarantined, RecordState::Invalid],
            metadata: vec![MetadataFilter {
                key: DIGEST.to_owned(),
                operator: FilterOperator::EqualsTo,
                right: Some(MetadataValue::String(digest.to_owned())),
            }],
            ..RecordScope::whole(memory.id.clone(), self.building.now)
        };
        let held = tx.records().list(&RecordPage { scope, after: None, limit: 1 })?;
        Ok(held.into_iter().next().map(|held| match held.state {
            RecordState::Invalid => rejected("declared_wrong_before"),
            RecordState::Quarantined => kept(held.id, LearnedAction::Quarantined, "the_same_is_quarantined"),
            _ => kept(held.id, LearnedAction::Held, "the_same_is_held"),
        }))
    }
}

/// The result of writing a learning.
struct LearningWriteResult {
    id: Option<RecordId>,
    action: LearnedAction,
    reason: Option<&'static str>,
}

fn rejected(reason: &'static str) -> LearningWriteResult {
    LearningWriteResult { id: None, action: LearnedAction::Rejected, reason: Some(reason) }
}

fn kept(id: RecordId, action: LearnedAction, reason: &'static str) -> LearningWriteResult {
    LearningWriteResult { id: Some(id), action, reason: Some(reason) }
}

/// Returns the namespace of the knowledge of a task's repository.
pub(super) fn knowledge(task: &Task) -> Result<Namespace> {
    Namespace::parse(format!("/{}/knowledge/", task.actor))
}

/// Returns the provenance of all records that are written for a task.
pub(crate) fn provenance(task: &Task) -> Provenance {
    Provenance {
        actor: Some(task.actor.clone()),
        session: Some(task.session.clone()),
        ..Provenance::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text and its digest, shared with clients in all languages.
    #[derive(serde::Deserialize)]
    struct Vector {
        text: String,
        sha256: String,
    }

    #[test]
    fn a91_digests_of_texts() {
        let vectors: Vec<Vector> =
            serde_json::from_str(include_str!("../../tests/data/hash_vectors.json")).unwrap();
        assert_eq!(vectors.len(), 6);
        for Vector { text, sha256 } in vectors {
            assert_eq!(digest(&text), sha256, "{text}");
        }
        let hidden = "Loci keeps what the \u{200b}repository cannot tell.";
        assert_eq!(
            digest(hidden),
            digest("Loci keeps what the repository cannot tell."),
            "as readers see it"
        );
    }
}
