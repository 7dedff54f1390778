//! The verb `rule_add`: a person writes a rule, which is in force at once. It passes the checks of
//! every rule: instructions to its reader are rejected, and so are protected topics, unless the
//! repository leaves these to people.

use std::sync::Arc;

use loci_api::coding::rule::NewRule;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::reason_text;
use loci_engine::memories::existing;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::text_digest::digest;
use loci_engine::records::{NewRecord, batch, state_transition::StateTransition};
use loci_engine::safety::{SafetyPolicy, Tally};
use loci_model::ledger::LedgerNoun;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::provenance::Provenance;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState, TrustTier};
use loci_model::tasks::rule::{ProtectedTopics, RuleDecided, RuleSupport};
use loci_model::{Error, JobId, Namespace, RecordId, Result, limits};

use super::decision::{administered, unsupported};
use super::extraction::{Reason, refusal};
use super::state_transition::{News, RuleContext, settle};
use super::statement_metadata::rule_metadata;
use super::support_update::BY;
use crate::Coding;
use crate::rules::rules_list::rules_of;
use crate::settings::RuleSettings;

/// The maximum length of a scope, in characters.
const SCOPE_CHARS_MAX: usize = 256;
/// The source of a rule that a person writes.
const BY_HAND: &str = "hand";
/// The maximum number of entries that share a digest.
const SAME_MAX: usize = 20;

fn check(new: &NewRule, settings: &RuleSettings) -> Result<()> {
    let chars = new.text.chars().count();
    let is_line = !new.text.contains(['\n', '\r']);
    if !is_line || !(limits::RULE_TEXT_CHARS_MIN..=limits::RULE_TEXT_CHARS_MAX).contains(&chars) {
        return Err(Error::invalid("text", "text must be one line of 10 to 300 characters"));
    }
    let scope = new.scope.as_deref().unwrap_or("**");
    if scope.is_empty() || scope.chars().count() > SCOPE_CHARS_MAX || scope.contains(['\n', '\r']) {
        let rule = "scope must be a path, a glob or module:<name>, of at most 256 characters";
        return Err(Error::invalid("scope", rule));
    }
    let found = refusal(&new.text);
    let Some(reason) = found.reason else { return Ok(()) };
    if reason == Reason::ProtectedTopic && settings.protected_topics == ProtectedTopics::Approve {
        return Ok(());
    }
    let what = found.what.unwrap_or_else(|| reason.as_str());
    let rule = if reason == Reason::ProtectedTopic {
        format!(
            "text is about what guards the repository ({what}): no rule may be, unless the repository's setting \
             rules.protected_topics is approve"
        )
    } else {
        format!("text could command whoever reads it ({what}): say what is wanted in plain words")
    };
    Err(Error::invalid("text", rule))
}

impl Coding {
    /// Adds a rule that a person writes. Returns the rule.
    ///
    /// # Errors
    /// `REPO_UNKNOWN`; `Denied` without administration of the repository's actor; `Invalid` by the
    /// rules of its members; `Conflict` if a rule already states the same, naming it.
    pub async fn rule_add(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repo: &str,
        mut new: NewRule,
    ) -> Result<Record> {
        new.reason = reason_text::optional(new.reason)?;
        let memory = self.verified.code_memory(caller, standing).await?;
        let at = self.engine.now();
        let id = RecordId::compose(&uuid7(self.engine.ids().as_ref(), at.millis()))?;
        let job = JobId::parse(uuid7(self.engine.ids().as_ref(), at.millis()))?;
        // The write checks that the caller administers the actor.
        let view = access::record_view(&Principal::administrator(BY), &memory, Capability::Write)?;
        let own = Arc::clone(&self.parts.settings);
        let (caller, repo, settings) = (caller.clone(), repo.to_owned(), self.engine.settings().clone());
        let (added, found) = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let (repository, actor) = administered(tx, &caller, &memory.id, &repo)?;
                let rules = own.of(Some(&repository)).rules;
                check(&new, &rules)?;
                let policy = SafetyPolicy::of(&settings, &memory.settings).of_model_text();
                let policy = policy.from_tier(TrustTier::Confirmed);
                let by = caller.name.as_str();
                let building = Building { memory: &memory, view: &view, policy, expiry: None, by, now: at };
                let made = NewRecord {
                    scope: new.scope.clone(),
                    metadata: rule_metadata(actor.as_str(), "human", BY_HAND),
                    kind: RecordKind::Rule,
                    ..NewRecord::fact(
                        String::new(),
                        vec![Namespace::parse(rules_of(actor.as_str()))?],
                        new.text.clone(),
                        at,
                    )
                };
                let provenance = Provenance { actor: Some(actor.clone()), ..Provenance::default() };
                let from = Origin { provenance, origin: RecordOrigin::BatchCreated, index_text: None };
                let (mut record, safe) = building.build(&made, &id, from)?;
                record
                    .metadata
                    .insert("content_sha256".to_owned(), MetadataValue::String(digest(&record.text)));
                // It comes into force by the same step as every other rule.
                record.state = RecordState::Candidate;
                let mut support = unsupported(&repository, &actor, &record);
                if let Some(same) = same(tx, &support)? {
                    let rule = format!("rule {} says the same, and is {}", same.id, same.state.as_str());
                    return Err(Error::conflict(rule).on("text"));
                }
                building.insert(tx, &record)?;
                let person = RuleDecided { by: by.to_owned(), at, reason: new.reason.clone() };
                support.pinned = new.pin.then(|| person.clone());
                support.approved = Some(person);
                let changing = StateTransition { memory: &memory, by, at };
                let ruler = RuleContext { changing, actor: &actor, settings: rules };
                let added = settle(tx, &ruler, &mut support, News::Approved)?;
                let mut found = Tally::default();
                found.add(&safe);
                batch::ask_for_vectors(tx, &memory.id, &job, at)?;
                Ok((added.unwrap_or(record), found))
            })
            .await?;
        found.tell(self.engine.observe().as_ref());
        self.engine.wake().call();
        Ok(added)
    }
}

/// Returns an open rule that states the same.
fn same(tx: &dyn ReadTx, support: &RuleSupport) -> Result<Option<Record>> {
    let page = LedgerPage {
        memory: support.memory.clone(),
        shelf: RuleSupport::SHELF,
        actor: None,
        subject: Some(support.digest.clone()),
        after: None,
        limit: SAME_MAX,
    };
    for other in tx.ledger().nouns::<RuleSupport>(&page)? {
        let record = tx.records().get(&other.memory, &other.rule)?;
        let is_open = |record: &Record| {
            matches!(record.state, RecordState::Candidate | RecordState::Active | RecordState::Stale)
        };
        if let Some(record) = record.filter(is_open) {
            return Ok(Some(record));
        }
    }
    Ok(None)
}
