//! The verb `rule_decide`: a person decides about a rule of a repository: approves, rejects, pins,
//! expires, supersedes or quarantines it. A state that does not fit the decision is a conflict, and
//! nothing changes.

use std::collections::BTreeSet;

use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::reason_text;
use loci_engine::memories::existing;
use loci_engine::records::{batch, state_transition::StateTransition};
use loci_model::facts::repository::Repository;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::tasks::rule::{RuleDecided, RuleImpact, RuleSupport};
use loci_model::{ActorId, Error, JobId, MemoryId, Namespace, RecordId, Result};
use loci_verified::find_repository;

use super::extraction::{Impact, canonical, impact_of};
use super::state_transition::{News, RuleContext, advance, dress, lose, settle};
use super::statement_metadata::rule_digest;
use super::support::weights::weigh;
use crate::Coding;
use crate::rules::rules_list::rules_of;
use crate::tasks::task_namespaces;

/// A person's decision about a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleDecision {
    /// The rule is in force.
    Approve,
    /// The rule is never in force, regardless of later statements.
    Reject,
    /// The rule stays in force, regardless of reviews and of the time without use.
    Pin,
    /// The rule is no longer pinned.
    Unpin,
    /// The rule expires.
    Expire,
    /// Another rule supersedes it.
    Supersede {
        /// The other rule.
        by: RecordId,
    },
    /// The rule is quarantined as suspicious.
    Quarantine,
}

impl RuleDecision {
    /// Returns the name that the API uses for this value.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Pin => "pin",
            Self::Unpin => "unpin",
            Self::Expire => "expire",
            Self::Supersede { .. } => "supersede",
            Self::Quarantine => "quarantine",
        }
    }

    /// Checks that the state of a rule permits the decision.
    fn check(&self, rule: &Record, support: &RuleSupport) -> Result<()> {
        use RecordState as State;
        let is = |states: &[State]| states.contains(&rule.state);
        let (may, must) = match self {
            Self::Approve => (
                is(&[State::Candidate, State::Stale]) || (is(&[State::Active]) && support.approved.is_none()),
                "a candidate, or stale, or active and not approved yet",
            ),
            Self::Pin => (
                is(&[State::Active, State::Stale]) && support.pinned.is_none(),
                "active or stale, and not pinned yet: approve a candidate first",
            ),
            Self::Unpin => (support.pinned.is_some(), "pinned"),
            Self::Reject => (
                is(&[State::Candidate, State::Active, State::Stale, State::Quarantined]),
                "a candidate, active, stale or quarantined",
            ),
            Self::Expire | Self::Supersede { .. } | Self::Quarantine => {
                (is(&[State::Candidate, State::Active, State::Stale]), "a candidate, active or stale")
            }
        };
        if may {
            return Ok(());
        }
        let (word, state) = (self.as_str(), rule.state.as_str());
        let pinned = if support.pinned.is_some() { " and pinned" } else { "" };
        Err(Error::conflict(format!("{word} takes a rule that is {must}: this one is {state}{pinned}")))
    }
}

impl Coding {
    /// Decides about a rule. Returns the rule.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `NotFound` if the repository has no such rule; `Denied` without
    /// administration of the repository's actor; `Conflict` if the rule's state does not fit;
    /// `Invalid` for a reason that is too long.
    pub async fn rule_decide(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        id: &RecordId,
        decision: RuleDecision,
        reason: Option<String>,
    ) -> Result<Record> {
        let reason = reason_text::optional(reason)?;
        let memory = self.verified.code_memory(caller, standing).await?;
        let (caller, repo, id, at) = (caller.clone(), repo.to_owned(), id.clone(), self.engine.now());
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), at.millis()))?;
        let server = self.parts.settings.clone();
        let decided = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let (repository, actor) = administered(tx, &caller, &memory.id, &repo)?;
                let ruler = RuleContext {
                    changing: StateTransition { memory: &memory, by: &caller.name, at },
                    actor: &actor,
                    settings: server.of(Some(&repository)).rules,
                };
                let rule = rule_of(tx, &memory.id, &actor, &id)?;
                let support = support_of(tx, &repository, &actor, &rule)?;
                decision.check(&rule, &support)?;
                let person = RuleDecided { by: caller.name.clone(), at, reason: reason.clone() };
                let decided = decide(tx, &ruler, (rule, support), &decision, person)?;
                // A rule that was never in force has no vector yet.
                batch::ask_for_vectors(tx, &memory.id, &job, at)?;
                Ok(decided)
            })
            .await?;
        self.engine.wake().call();
        Ok(decided)
    }
}

/// Returns the repository with a name, and its actor, if the caller administers it.
pub(super) fn administered(
    tx: &dyn ReadTx,
    caller: &Principal,
    memory: &MemoryId,
    repo: &str,
) -> Result<(Repository, ActorId)> {
    let repository = find_repository(tx, caller, memory, repo, Capability::Read)?;
    let actor = task_namespaces::actor_of(&repository)?;
    task_namespaces::require_all(caller, memory, &actor, Capability::Admin)?;
    Ok((repository, actor))
}

/// Returns a rule of an actor.
pub(super) fn rule_of(tx: &dyn ReadTx, memory: &MemoryId, actor: &ActorId, id: &RecordId) -> Result<Record> {
    let beneath = Namespace::parse(rules_of(actor.as_str()))?.normal().to_string();
    let found = tx.records().get(memory, id)?.filter(|record| {
        record.kind == RecordKind::Rule
            && record.state != RecordState::Erased
            && record.namespace.normal().to_string().starts_with(&beneath)
    });
    found.ok_or_else(|| Error::not_found(format!("the repository has no rule {id}")).on("rule"))
}

/// Returns the support of a rule; empty support for a rule that a client wrote as a record.
pub(super) fn support_of(
    tx: &dyn ReadTx,
    repository: &Repository,
    actor: &ActorId,
    rule: &Record,
) -> Result<RuleSupport> {
    let known: Option<RuleSupport> = tx.ledger().noun(&rule.memory, rule.id.as_str())?;
    Ok(known.unwrap_or_else(|| unsupported(repository, actor, rule)))
}

/// Returns empty support, for a rule without reviews.
pub(super) fn unsupported(repository: &Repository, actor: &ActorId, rule: &Record) -> RuleSupport {
    let impact = match impact_of(&rule.text) {
        Impact::High => RuleImpact::High,
        Impact::Style => RuleImpact::Style,
    };
    RuleSupport {
        memory: rule.memory.clone(),
        actor: actor.clone(),
        repository: repository.id.clone(),
        rule: rule.id.clone(),
        digest: rule_digest(&repository.id, &canonical(&rule.text), rule.scope.as_deref()),
        impact,
        asks_approval: BTreeSet::new(),
        items: Vec::new(),
        dissent: Vec::new(),
        // The author of a record in force counts as a person.
        approved: (rule.state == RecordState::Active).then(|| RuleDecided {
            by: "whoever wrote it".to_owned(),
            at: rule.created_at,
            reason: None,
        }),
        pinned: None,
        closed: None,
        conflicts: BTreeSet::new(),
        helpful: 0,
        harmful: 0,
        created_at: rule.created_at,
    }
}

fn decide(
    tx: &mut dyn Tx,
    ruler: &RuleContext<'_>,
    (mut rule, mut support): (Record, RuleSupport),
    decision: &RuleDecision,
    person: RuleDecided,
) -> Result<Record> {
    let mut news = News::Quiet;
    let told_by = |what| told(what, &person);
    match decision {
        RuleDecision::Approve => {
            support.approved = Some(person);
            news = News::Approved;
        }
        RuleDecision::Pin => {
            support.pinned = Some(person);
            news = News::Approved;
        }
        RuleDecision::Unpin => support.pinned = None,
        RuleDecision::Reject => {
            let reason = told_by("rejected");
            close(ruler, &mut rule, &mut support, person);
            advance(tx, ruler, &rule, RecordState::Invalid, &reason)?;
        }
        RuleDecision::Expire => {
            let reason = told_by("expired");
            close(ruler, &mut rule, &mut support, person);
            advance(tx, ruler, &rule, RecordState::Expired, &reason)?;
        }
        RuleDecision::Quarantine => {
            advance(tx, ruler, &rule, RecordState::Quarantined, &told_by("held back"))?;
        }
        RuleDecision::Supersede { by } => {
            let other = successor(tx, ruler, &rule, by)?;
            lose(tx, ruler, &rule, &other)?;
        }
    }
    let gone = || Error::not_found("the rule is gone").on("rule");
    settle(tx, ruler, &mut support, news)?.ok_or_else(gone)
}

/// Returns the reason of a change. The change itself names the person who decided, where an erasure
/// finds the name.
fn told(what: &str, person: &RuleDecided) -> String {
    match &person.reason {
        Some(reason) => format!("{what} by a person: {reason}"),
        None => format!("{what} by a person"),
    }
}

/// Takes a rule out of force by a person's decision: former approvals no longer count, and the
/// record states this in the same step.
fn close(ruler: &RuleContext<'_>, rule: &mut Record, support: &mut RuleSupport, person: RuleDecided) {
    support.pinned = None;
    support.approved = None;
    support.closed = Some(person);
    dress(rule, support, &weigh(support, &ruler.settings));
}

/// Returns the rule that supersedes another one, and links the two.
fn successor(tx: &mut dyn Tx, ruler: &RuleContext<'_>, rule: &Record, by: &RecordId) -> Result<Record> {
    let other = rule_of(tx, &ruler.changing.memory.id, ruler.actor, by).map_err(|error| error.on("by"))?;
    if other.id == rule.id {
        return Err(Error::invalid("by", "by must name another rule"));
    }
    if other.state != RecordState::Active {
        let state = other.state.as_str();
        let rule = format!("only a rule in force takes the place of another: rule {by} is {state}");
        return Err(Error::conflict(rule).on("by"));
    }
    let mut linked = other.clone();
    linked.supersedes.push(rule.id.clone());
    super::state_transition::write(tx, ruler, &other, linked, "takes the place of another rule")
}
