//! The verb `learn_over`: stores a review that was read from a forge, and replaces its former
//! support by its present one, in one write. After an edit, a dismissal or an answer, the result
//! equals that of a review that had this content from the start.
//!
//! `extraction` decides which statements are rules, `support/weights` computes their weight, and
//! `state_transition` their state.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loci_engine::access;
use loci_engine::memories::existing;
use loci_engine::records::record_builder::{Building, Origin};
use loci_engine::records::text_digest::digest;
use loci_engine::records::{NewRecord, batch, state_transition::StateTransition};
use loci_engine::safety::{SafetyPolicy, Tally};
use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::provenance::Provenance;
use loci_model::record::{RecordKind, RecordOrigin, RecordState, TrustTier};
use loci_model::tasks::review::Review;
use loci_model::tasks::rule::{
    ApprovalReason, ProtectedTopics, ReviewYield, RuleImpact, RuleSupport, SupportItem,
};
use loci_model::{Error, JobId, Namespace, RecordId, Result, limits};

use super::extraction::{Correction, Extraction, Reason, ReviewText, canonical, extract, folded};
use super::state_transition::{News, RuleContext, settle};
use super::statement_metadata::{StoredStatement, excerpt, rule_digest, rule_metadata};
use super::support::weights::{authority_at, item_weight, person};
use super::{answers, examples, model_extraction};
use crate::Coding;
use crate::rules::rules_list::rules_of;
use crate::tasks::task_namespaces;

/// The author of changes of rules, in telemetry.
pub(super) const BY: &str = "loci";
/// The source of rules that are extracted without a model.
const READ_BY: &str = "rules";
/// The maximum number of entries that share a digest, including superseded rules.
const SAME_MAX: usize = 20;

/// The result of a review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewLearned {
    /// The rules that it supports or opposes, now or before, with their present states.
    pub rules: Vec<(RecordId, RecordState)>,
    /// The examples that it gave.
    pub examples: Vec<RecordId>,
    /// The number of statements that became no rule, by reason.
    pub refused: BTreeMap<String, u32>,
    /// True if another process wrote the review since it was read: nothing was changed, and the
    /// review must be assembled again.
    pub is_overtaken: bool,
}

/// The data prepared before the write.
struct SupportWriteInput {
    review: Review,
    said: Extraction,
    /// The source of its rules: `rules`, or a version of the prompt.
    read_by: String,
    rules: Vec<RecordId>,
    examples: Vec<RecordId>,
    vectors: JobId,
    /// The way in which it was read.
    reading: ReviewReadMode,
}

/// The way in which a review was read.
#[derive(Debug, Clone, PartialEq)]
enum ReviewReadMode {
    /// From a forge, without a model. Holds the job that asks a model afterwards, if one is
    /// configured, and the form of the review that was stored when it was assembled.
    Rules(JobId, Option<Box<Review>>),
    /// By a model, in this job.
    Model(JobId),
}

/// True if nothing is extracted from a review: it is left out, or reviews the reviewer's own work.
pub(super) fn is_silent(review: &Review) -> bool {
    review.left_out.is_some() || person(&review.reviewer) == person(&review.pr_author)
}

impl Coding {
    /// Stores a review of a repository that was assembled over its `stored` version, and extracts
    /// its rules without a model. If the memory configures a model, a job asks it afterwards. The
    /// callers read forges: the door checks who may submit a review.
    ///
    /// # Errors
    /// `NotFound` for an unknown memory or repository.
    pub async fn learn_over(&self, review: Review, stored: Option<Review>) -> Result<ReviewLearned> {
        let said = if is_silent(&review) { Extraction::default() } else { extract(&ReviewText::of(&review)) };
        let asks = JobId::parse(uuid7(self.engine.ids().as_ref(), self.engine.now().millis()))?;
        let reading = ReviewReadMode::Rules(asks, stored.map(Box::new));
        let work = self.review_work(review, said, READ_BY.to_owned(), reading)?;
        self.take_review(work).await
    }

    /// Stores the rules of a model's answer about a review.
    pub(super) async fn learn_what_was_said(
        &self,
        review: Review,
        said: Extraction,
        (read_by, job): (String, JobId),
    ) -> Result<ReviewLearned> {
        let work = self.review_work(review, said, read_by, ReviewReadMode::Model(job))?;
        self.take_review(work).await
    }

    async fn take_review(&self, work: SupportWriteInput) -> Result<ReviewLearned> {
        let (memory, repository) = (work.review.memory.clone(), work.review.repository.clone());
        let own = Arc::clone(&self.parts.settings);
        let (at, usual, settings) =
            (self.engine.now(), self.engine.models().mode, self.engine.settings().clone());
        // Only the engine requests this, so it writes with its own rights.
        let view = access::record_view(&Principal::administrator(BY), &memory, Capability::Write)?;
        let (learned, found) = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let missing = || Error::not_found("the repository does not exist").on("repository");
                let repository = tx.repositories().get(&memory.id, &repository)?.ok_or_else(missing)?;
                let actor = task_namespaces::actor_of(&repository)?;
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let policy = policy.of_model_text().from_tier(TrustTier::External);
                let building =
                    Building { memory: &memory, view: &view, policy, expiry: None, by: BY, now: at };
                let ruler = RuleContext {
                    changing: StateTransition { memory: &memory, by: BY, at },
                    actor: &actor,
                    settings: own.of(Some(&repository)).rules,
                };
                let is_asked = memory.settings.model_mode.unwrap_or(usual) != ModelMode::None;
                let mut taking = SupportUpdate {
                    building: &building,
                    ruler: &ruler,
                    repository: &repository,
                    keeps_told: is_asked && matches!(work.reading, ReviewReadMode::Rules(..)),
                    found: Tally::default(),
                };
                let learned = taking.take(tx, &work)?;
                if let (ReviewReadMode::Rules(job, _), true, false) =
                    (&work.reading, is_asked, learned.is_overtaken)
                {
                    model_extraction::ask_for(tx, &work.review, job, at)?;
                }
                batch::ask_for_vectors(tx, &memory.id, &work.vectors, at)?;
                Ok((learned, taking.found))
            })
            .await?;
        found.tell(self.engine.observe().as_ref());
        self.engine.wake().call();
        Ok(learned)
    }

    fn review_work(
        &self,
        review: Review,
        said: Extraction,
        read_by: String,
        reading: ReviewReadMode,
    ) -> Result<SupportWriteInput> {
        let now = self.engine.now().millis();
        let fresh = |count: usize| {
            (0..count)
                .map(|_| RecordId::compose(&uuid7(self.engine.ids().as_ref(), now)))
                .collect::<Result<Vec<_>>>()
        };
        let vectors = JobId::parse(uuid7(self.engine.ids().as_ref(), now))?;
        let rules = fresh(said.rules.len() + said.refused.len())?;
        let examples = fresh(said.examples.len())?;
        Ok(SupportWriteInput { review, said, read_by, rules, examples, vectors, reading })
    }
}

/// The context of taking in one review.
struct SupportUpdate<'a> {
    building: &'a Building<'a>,
    ruler: &'a RuleContext<'a>,
    repository: &'a Repository,
    /// True to keep a model's rules from unchanged comments until the model answers again.
    keeps_told: bool,
    found: Tally,
}

impl SupportUpdate<'_> {
    fn take(&mut self, tx: &mut dyn Tx, work: &SupportWriteInput) -> Result<ReviewLearned> {
        let (memory, review) = (&self.building.memory.id, &work.review);
        let key = review.key();
        let known: Option<Review> = tx.ledger().noun(memory, &key)?;
        let is_overtaken = match &work.reading {
            ReviewReadMode::Rules(_, stored) => stored.as_deref() != known.as_ref(),
            ReviewReadMode::Model(_) => !model_extraction::is_as_known(known.as_ref(), review),
        };
        if is_overtaken {
            return Ok(ReviewLearned { is_overtaken, ..ReviewLearned::default() });
        }
        tx.ledger_mut().put_noun(review)?;
        let before: Option<ReviewYield> = tx.ledger().noun(memory, &key)?;
        let before_rules = before.as_ref().map(|left| left.rules.clone()).unwrap_or_default();
        let mut left = BTreeSet::new();
        let known = known.filter(|_| self.keeps_told);
        let mut touched = self.without(tx, review, known.as_ref(), &before_rules, &mut left)?;
        self.support(tx, work, &before_rules, &mut touched, &mut left)?;
        let agents = self.repository.settings.reviews.agent_logins.as_deref().unwrap_or_default();
        answers::oppose(tx, review, agents, &mut touched, &mut left)?;
        answers::approve(tx, self.ruler, review, agents, &mut touched)?;
        let mut learned = ReviewLearned { refused: counted(&work.said), ..ReviewLearned::default() };
        for (_, (mut support, news)) in touched {
            if let Some(record) = settle(tx, self.ruler, &mut support, news)? {
                learned.rules.push((record.id, record.state));
            }
        }
        let given = before.map(|left| left.examples).unwrap_or_default();
        learned.examples = examples::put(
            tx,
            &examples::ExampleWriter { building: self.building, review, actor: self.ruler.actor },
            (&work.said.examples, &work.examples),
            &given,
            &mut self.found,
        )?;
        tx.ledger_mut().put_noun(&ReviewYield {
            memory: memory.clone(),
            actor: self.ruler.actor.clone(),
            review: key,
            rules: left,
            examples: learned.examples.iter().cloned().collect(),
            at: review.submitted_at,
        })?;
        Ok(learned)
    }

    /// Returns the former rules of the review without its support. Support from a model's answer
    /// about the version `told` is kept as far as its comments are unchanged.
    fn without(
        &self,
        tx: &dyn ReadTx,
        review: &Review,
        told: Option<&Review>,
        rules: &BTreeSet<RecordId>,
        left: &mut BTreeSet<RecordId>,
    ) -> Result<AffectedRules> {
        let mut touched = AffectedRules::new();
        for id in rules {
            let support: Option<RuleSupport> = tx.ledger().noun(&self.building.memory.id, id.as_str())?;
            let Some(mut support) = support else { continue };
            support.items.retain_mut(|item| {
                if (item.pr, item.review) != (review.pr, review.id) {
                    return true;
                }
                let stays = told.is_some_and(|told| model_extraction::stays_told(item, told, review));
                if stays {
                    (item.state, item.authority) = (review.state, authority_at(review, &item.comments));
                    left.insert(id.clone());
                }
                stays
            });
            support.dissent.retain(|item| (item.pr, item.review) != (review.pr, review.id));
            touched.insert(id.clone(), (support, News::Quiet));
        }
        Ok(touched)
    }

    /// Adds the present support of the review.
    fn support(
        &mut self,
        tx: &mut dyn Tx,
        work: &SupportWriteInput,
        before: &BTreeSet<RecordId>,
        touched: &mut AffectedRules,
        left: &mut BTreeSet<RecordId>,
    ) -> Result<()> {
        let mut ids = work.rules.iter();
        for taught in self.taught(&work.said) {
            let item = self.item(work, &taught);
            let fresh = ids.next();
            let known = self.same(tx, &taught, touched)?;
            let mut support = match (known, fresh) {
                (KnownRuleState::Known(known), _) => *known,
                // A review without weight creates no rule.
                (KnownRuleState::Unknown, Some(id)) if item_weight(&item) > 0.0 => {
                    self.create(tx, work, &taught, id)?
                }
                (KnownRuleState::Unknown, _) | (KnownRuleState::Barred, _) => continue,
            };
            // Reading a review again does not count as a new statement.
            let is_new = item_weight(&item) > 0.0 && !item.is_past && !before.contains(&support.rule);
            support.items.retain(|known| (known.pr, known.review) != (item.pr, item.review));
            support.items.push(item);
            keep_weightiest(&mut support.items);
            left.insert(support.rule.clone());
            let news = if is_new { News::SaidAgain } else { News::Quiet };
            touched.insert(support.rule.clone(), (support, news));
        }
        Ok(())
    }

    /// Returns the statements to store: the extracted rules, and protected topics if a person may
    /// decide about them.
    fn taught(&self, said: &Extraction) -> Vec<StoredStatement> {
        let repository = &self.repository.id;
        let mut all: Vec<StoredStatement> =
            said.rules.iter().map(|rule| StoredStatement::of(repository, rule)).collect();
        if self.ruler.settings.protected_topics == ProtectedTopics::Approve {
            let refused = said.refused.iter().filter(|one| one.reason == Reason::ProtectedTopic);
            // A cut text is not a whole statement.
            let whole = refused.filter(|one| one.excerpt.chars().count() < limits::REFUSED_EXCERPT_CHARS_MAX);
            all.extend(whole.map(|one| StoredStatement {
                text: one.excerpt.clone(),
                digest: rule_digest(repository, &canonical(&one.excerpt), None),
                earlier: rule_digest(repository, &folded(&one.excerpt), None),
                scope: None,
                comments: one.comment_ids.clone(),
                impact: RuleImpact::High,
                asks_approval: [ApprovalReason::ProtectedTopic].into(),
            }));
        }
        all
    }

    fn item(&self, work: &SupportWriteInput, taught: &StoredStatement) -> SupportItem {
        let review = &work.review;
        let said = review.comments.iter().find(|comment| taught.comments.contains(&comment.id));
        let words = said.map_or(review.body.as_str(), |comment| comment.body.as_str());
        let followed = |comment: &loci_model::tasks::review::ReviewComment| {
            comment.is_resolved == Some(true) && comment.is_outdated == Some(true)
        };
        SupportItem {
            pr: review.pr,
            review: review.id,
            comments: taught.comments.clone(),
            reviewer: review.reviewer.clone(),
            authority: authority_at(review, &taught.comments),
            state: review.state,
            url: said.and_then(|comment| comment.url.clone()).or_else(|| review.url.clone()),
            at: said.map_or(review.submitted_at, |comment| comment.created_at),
            excerpt: excerpt(words),
            job: match &work.reading {
                ReviewReadMode::Rules(..) => None,
                ReviewReadMode::Model(job) => Some(job.to_string()),
            },
            read_by: work.read_by.clone(),
            is_past: review.is_past,
            is_mapped: review.task.is_some(),
            is_accepted: said.is_some_and(followed),
            asks_approval: taught.asks_approval.clone(),
        }
    }

    /// Returns the rule that already states this: one that the review supported before, else one
    /// that is not superseded. A rule of an earlier version is found by that version's digest, and
    /// has the new digest from then on.
    fn same(
        &self,
        tx: &dyn ReadTx,
        taught: &StoredStatement,
        touched: &AffectedRules,
    ) -> Result<KnownRuleState> {
        let digests = [&taught.digest, &taught.earlier];
        let is_same = |support: &&RuleSupport| digests.contains(&&support.digest);
        let known = |support: RuleSupport| {
            KnownRuleState::Known(Box::new(RuleSupport { digest: taught.digest.clone(), ..support }))
        };
        if let Some(support) = touched.values().map(|(support, _)| support).find(is_same) {
            return Ok(known(support.clone()));
        }
        let mut is_barred = false;
        for digest in digests {
            let page = LedgerPage {
                memory: self.building.memory.id.clone(),
                shelf: RuleSupport::SHELF,
                actor: None,
                subject: Some(digest.clone()),
                after: None,
                limit: SAME_MAX,
            };
            for support in tx.ledger().nouns::<RuleSupport>(&page)? {
                let Some(record) = tx.records().get(&support.memory, &support.rule)? else { continue };
                match record.state {
                    RecordState::Superseded | RecordState::RolledBack => {}
                    RecordState::Erased => is_barred |= support.closed.is_some(),
                    _ => return Ok(known(support)),
                }
            }
        }
        Ok(if is_barred { KnownRuleState::Barred } else { KnownRuleState::Unknown })
    }

    /// Creates a rule, not in force.
    fn create(
        &mut self,
        tx: &mut dyn Tx,
        work: &SupportWriteInput,
        taught: &StoredStatement,
        id: &RecordId,
    ) -> Result<RuleSupport> {
        let actor = self.ruler.actor;
        let new = NewRecord {
            scope: taught.scope.clone(),
            metadata: rule_metadata(actor.as_str(), "review_feedback", &work.read_by),
            kind: RecordKind::Rule,
            ..NewRecord::fact(
                String::new(),
                vec![Namespace::parse(rules_of(actor.as_str()))?],
                taught.text.clone(),
                work.review.submitted_at,
            )
        };
        let provenance = Provenance { actor: Some(actor.clone()), ..Provenance::default() };
        let from = Origin { provenance, origin: RecordOrigin::Extracted, index_text: None };
        let (mut record, safe) = self.building.build(&new, id, from)?;
        record.metadata.insert("content_sha256".to_owned(), MetadataValue::String(digest(&record.text)));
        let mut asks_approval = BTreeSet::new();
        if record.state == RecordState::Active {
            record.state = RecordState::Candidate;
        }
        if !record.findings.reasons.is_empty() {
            asks_approval.insert(ApprovalReason::InjectionScore);
        }
        self.found.add(&safe);
        self.building.insert(tx, &record)?;
        Ok(RuleSupport {
            memory: self.building.memory.id.clone(),
            actor: actor.clone(),
            repository: self.repository.id.clone(),
            rule: id.clone(),
            digest: taught.digest.clone(),
            impact: taught.impact,
            asks_approval,
            items: Vec::new(),
            dissent: Vec::new(),
            approved: None,
            pinned: None,
            closed: None,
            conflicts: BTreeSet::new(),
            helpful: 0,
            harmful: 0,
            created_at: self.building.now,
        })
    }
}

/// The known state of a rule that a review states.
enum KnownRuleState {
    /// The support of the rule.
    Known(Box<RuleSupport>),
    /// The rule was erased because of its content. Reviews do not create it again.
    Barred,
    /// No such rule exists.
    Unknown,
}

/// The rules that a review affects, each with its support and its latest event.
pub(super) type AffectedRules = BTreeMap<RecordId, (RuleSupport, News)>;

/// Removes the items with the lowest weight, the oldest first, beyond the maximum of a rule.
fn keep_weightiest(items: &mut Vec<SupportItem>) {
    while items.len() > limits::RULE_ITEMS_MAX {
        let weight = |item: &SupportItem| ((item_weight(item) * 10_000.0).round() as i64, item.at);
        let lightest = items.iter().enumerate().min_by_key(|(_, item)| weight(item)).map(|(at, _)| at);
        match lightest {
            Some(at) => items.remove(at),
            None => return,
        };
    }
    items.sort_by_key(|item| (item.pr, item.review));
}

fn counted(said: &Extraction) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for refused in &said.refused {
        let count: &mut u32 = counts.entry(refused.reason.as_str().to_owned()).or_default();
        *count = count.saturating_add(1);
    }
    counts
}

/// The corrections of a review, and the ids of their records.
pub(super) type Corrections<'a> = (&'a [Correction], &'a [RecordId]);
