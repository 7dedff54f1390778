//! `learn_from_review`: a review that was read from a forge is kept, and what it supported before is replaced by what it supports now, in
//! one write (coding-agent-memory.md §§11.7, 12.2). Read again after an edit, a dismissal or an answer, it leaves what it would have
//! left had it always been so.
//!
//! Which statements are rules is `extracting`'s to say, from which weight on they count `weighing`'s, and what becomes of them `settling`'s.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::ledger::{Shelf, Shelved};
use loci_model::metadata::{Metadata, MetadataValue};
use loci_model::ports::ids::uuid7;
use loci_model::ports::store::{LedgerPage, ReadTx, StoreExt, Tx};
use loci_model::principal::{Capability, Principal};
use loci_model::provenance::Provenance;
use loci_model::record::{Record, RecordKind, RecordOrigin, RecordState, TrustTier};
use loci_model::repository::Repository;
use loci_model::review::Review;
use loci_model::rule::{ApprovalReason, ProtectedTopics, ReviewYield, RuleImpact, RuleSupport, SupportItem};
use loci_model::settings::ModelMode;
use loci_model::{Error, JobId, MemoryId, Namespace, RecordId, RepositoryId, Result, limits};
use sha2::{Digest, Sha256};

use super::extracting::{
    Correction, ExtractedRule, Extraction, Impact, Reason, ReviewText, canonical, extract,
};
use super::settling::{News, Ruler, settle};
use super::weighing::{item_weight, person};
use super::{answers, examples, modelled};
use crate::Engine;
use crate::access;
use crate::coding::learned::{SCHEMA_VERSION, digest};
use crate::coding::place;
use crate::coding::rules_list::rules_of;
use crate::memories::existing;
use crate::records::writing::{Building, Origin};
use crate::records::{NewRecord, batch, changing::Changing};
use crate::safety::{self, SafetyPolicy, Tally};

/// Who changes rules here, in telemetry.
pub(super) const BY: &str = "loci";
/// By what rules are read out of reviews where no model is asked.
const READ_BY: &str = "rules";
/// Entries that share a digest: those of rules whose place others took.
const SAME_MAX: usize = 20;

/// What a review left.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReviewLearned {
    /// Rules that it speaks for or against, or did before, with their states now.
    pub rules: Vec<(RecordId, RecordState)>,
    /// Examples that it gave.
    pub examples: Vec<RecordId>,
    /// Statements that became no rule, by the reason.
    pub refused: BTreeMap<String, u32>,
    /// A newer form of the review is known: nothing was changed.
    pub is_older: bool,
}

/// What is made before the write.
struct Work {
    review: Review,
    said: Extraction,
    /// By what it was read: `rules`, or a version of the prompt.
    read_by: String,
    rules: Vec<RecordId>,
    examples: Vec<RecordId>,
    vectors: JobId,
    /// The job that asks a model, where one is asked.
    asks: Option<JobId>,
}

/// Whose words teach nothing: what was left out, and what people say of their own work.
pub(super) fn is_silent(review: &Review) -> bool {
    review.left_out.is_some() || person(&review.reviewer) == person(&review.pr_author)
}

impl Engine {
    /// Keeps a review of a repository, and learns from it what is to be learned without a model; where the memory asks one, it is asked
    /// behind it. Callers are those who read forges: whoever may hand a review in is checked at the door.
    ///
    /// # Errors
    /// `NotFound` for an unknown memory or repository.
    pub async fn learn_from_review(
        &self,
        memory: &MemoryId,
        repository: &RepositoryId,
        review: Review,
    ) -> Result<ReviewLearned> {
        debug_assert!(review.memory == *memory && review.repository == *repository);
        let said = if is_silent(&review) { Extraction::default() } else { extract(&ReviewText::of(&review)) };
        let asks = JobId::parse(uuid7(self.ids.as_ref(), self.clock.now().millis()))?;
        let work = self.review_work(review, said, READ_BY.to_owned(), Some(asks))?;
        self.take_review(work).await
    }

    /// The same by what a model was asked and told.
    pub(super) async fn learn_what_was_said(
        &self,
        review: Review,
        said: Extraction,
        read_by: String,
    ) -> Result<ReviewLearned> {
        let work = self.review_work(review, said, read_by, None)?;
        self.take_review(work).await
    }

    async fn take_review(&self, work: Work) -> Result<ReviewLearned> {
        let (memory, repository) = (work.review.memory.clone(), work.review.repository.clone());
        let (at, usual, settings) = (self.clock.now(), self.models.mode, self.settings.clone());
        // Nobody asks for this but the engine: it writes where rules are.
        let view = access::record_view(&Principal::administrator(BY), &memory, Capability::Write)?;
        let (learned, found) = self
            .store
            .write(move |tx| {
                let memory = existing(tx, &memory)?;
                let missing = || Error::not_found("the repository does not exist").on("repository");
                let repository = tx.repositories().get(&memory.id, &repository)?.ok_or_else(missing)?;
                let actor = place::actor_of(&repository)?;
                let policy = SafetyPolicy::of(&settings, &memory.settings);
                let policy = policy.of_model_text().from_tier(TrustTier::External);
                let building =
                    Building { memory: &memory, view: &view, policy, expiry: None, by: BY, now: at };
                let ruler = Ruler {
                    changing: Changing { memory: &memory, by: BY, at },
                    actor: &actor,
                    settings: settings.coding.of(Some(&repository)).rules,
                };
                let mut taking = Taking {
                    building: &building,
                    ruler: &ruler,
                    repository: &repository,
                    found: Tally::default(),
                };
                let is_asked = memory.settings.model_mode.unwrap_or(usual) != ModelMode::None;
                if let Some(learned) =
                    modelled::as_it_stands(tx, &work.review, work.asks.is_some(), is_asked)?
                {
                    return Ok((learned, taking.found));
                }
                let learned = taking.take(tx, &work)?;
                if let Some(job) = work.asks.as_ref().filter(|_| is_asked && !learned.is_older) {
                    modelled::ask_for(tx, &work.review, job, at)?;
                }
                batch::ask_for_vectors(tx, &memory.id, &work.vectors, at)?;
                Ok((learned, taking.found))
            })
            .await?;
        found.tell(self.observe.as_ref());
        self.wake.call();
        Ok(learned)
    }

    fn review_work(
        &self,
        review: Review,
        said: Extraction,
        read_by: String,
        asks: Option<JobId>,
    ) -> Result<Work> {
        let now = self.clock.now().millis();
        let fresh = |count: usize| {
            (0..count).map(|_| RecordId::compose(&uuid7(self.ids.as_ref(), now))).collect::<Result<Vec<_>>>()
        };
        let vectors = JobId::parse(uuid7(self.ids.as_ref(), now))?;
        let rules = fresh(said.rules.len() + said.refused.len())?;
        let examples = fresh(said.examples.len())?;
        Ok(Work { review, said, read_by, rules, examples, vectors, asks })
    }
}

/// A statement that is kept as a rule.
struct Taught {
    text: String,
    digest: String,
    scope: Option<String>,
    comments: Vec<u64>,
    impact: RuleImpact,
    asks_approval: BTreeSet<ApprovalReason>,
}

impl Taught {
    fn of(repository: &RepositoryId, rule: &ExtractedRule) -> Self {
        let mut asks_approval = BTreeSet::new();
        let is_doubtful = f64::from(rule.injection) >= safety::injection::FLAGGED.into();
        if is_doubtful {
            asks_approval.insert(ApprovalReason::InjectionScore);
        }
        if rule.needs_approval && !is_doubtful {
            asks_approval.insert(ApprovalReason::Command);
        }
        Self {
            text: rule.text.clone(),
            digest: rule_digest(repository, &rule.canonical, rule.scope.as_deref()),
            scope: rule.scope.clone(),
            comments: rule.comment_ids.clone(),
            impact: match rule.impact {
                Impact::High => RuleImpact::High,
                Impact::Style => RuleImpact::Style,
            },
            asks_approval,
        }
    }
}

/// The digest by which rules are the same: equal in their canonical form, and of one scope.
pub(super) fn rule_digest(repository: &RepositoryId, canonical: &str, scope: Option<&str>) -> String {
    let whole = format!("{repository}\n{}\n{canonical}", scope.unwrap_or_default());
    hex::encode(Sha256::digest(whole.as_bytes()))
}

/// A remark as provenance quotes it.
pub(super) fn excerpt(text: &str) -> String {
    let clean = safety::for_model(text);
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(limits::RULE_EXCERPT_CHARS_MAX).collect()
}

/// Takes one review in.
struct Taking<'a> {
    building: &'a Building<'a>,
    ruler: &'a Ruler<'a>,
    repository: &'a Repository,
    found: Tally,
}

impl Taking<'_> {
    fn take(&mut self, tx: &mut dyn Tx, work: &Work) -> Result<ReviewLearned> {
        let (memory, review) = (&self.building.memory.id, &work.review);
        let key = review.key();
        let known: Option<Review> = tx.ledger().noun(memory, &key)?;
        if known.is_some_and(|known| known.read_at > review.read_at) {
            return Ok(ReviewLearned { is_older: true, ..ReviewLearned::default() });
        }
        tx.ledger_mut().put_noun(review)?;
        let before: Option<ReviewYield> = tx.ledger().noun(memory, &key)?;
        let before_rules = before.as_ref().map(|left| left.rules.clone()).unwrap_or_default();
        let mut touched = self.without(tx, review, &before_rules)?;
        let mut left = BTreeSet::new();
        self.support(tx, work, &mut touched, &mut left)?;
        answers::oppose(tx, review, &mut touched, &mut left)?;
        answers::approve(tx, self.ruler, review, &mut touched)?;
        let mut learned = ReviewLearned { refused: counted(&work.said), ..ReviewLearned::default() };
        for (_, (mut support, news)) in touched {
            if let Some(record) = settle(tx, self.ruler, &mut support, news)? {
                learned.rules.push((record.id, record.state));
            }
        }
        let given = before.map(|left| left.examples).unwrap_or_default();
        learned.examples = examples::put(
            tx,
            &examples::Given { building: self.building, review, actor: self.ruler.actor },
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

    /// What the review supported before, without it.
    fn without(&self, tx: &dyn ReadTx, review: &Review, rules: &BTreeSet<RecordId>) -> Result<Touched> {
        let mut touched = Touched::new();
        for id in rules {
            let support: Option<RuleSupport> = tx.ledger().noun(&self.building.memory.id, id.as_str())?;
            let Some(mut support) = support else { continue };
            support.items.retain(|item| (item.pr, item.review) != (review.pr, review.id));
            support.dissent.retain(|item| (item.pr, item.review) != (review.pr, review.id));
            touched.insert(id.clone(), (support, News::Quiet));
        }
        Ok(touched)
    }

    /// What the review supports now.
    fn support(
        &mut self,
        tx: &mut dyn Tx,
        work: &Work,
        touched: &mut Touched,
        left: &mut BTreeSet<RecordId>,
    ) -> Result<()> {
        let mut ids = work.rules.iter();
        for taught in self.taught(&work.said) {
            let item = self.item(work, &taught);
            let fresh = ids.next();
            let known = self.same(tx, &taught, touched)?;
            let mut support = match (known, fresh) {
                (Some(known), _) => known,
                // A review that counts for nothing leaves no rule.
                (None, Some(id)) if item_weight(&item) > 0.0 => self.create(tx, work, &taught, id)?,
                (None, _) => continue,
            };
            let is_new = item_weight(&item) > 0.0 && !item.is_past;
            support.asks_approval.extend(taught.asks_approval);
            support.items.push(item);
            keep_weightiest(&mut support.items);
            left.insert(support.rule.clone());
            let news = if is_new { News::SaidAgain } else { News::Quiet };
            touched.insert(support.rule.clone(), (support, news));
        }
        Ok(())
    }

    /// Statements that are kept: what was extracted, and what guards the repository where a person may decide about that.
    fn taught(&self, said: &Extraction) -> Vec<Taught> {
        let repository = &self.repository.id;
        let mut all: Vec<Taught> = said.rules.iter().map(|rule| Taught::of(repository, rule)).collect();
        if self.ruler.settings.protected_topics == ProtectedTopics::Approve {
            let refused = said.refused.iter().filter(|one| one.reason == Reason::ProtectedTopic);
            // What was cut is no whole statement.
            let whole = refused.filter(|one| one.excerpt.chars().count() < limits::REFUSED_EXCERPT_CHARS_MAX);
            all.extend(whole.map(|one| Taught {
                text: one.excerpt.clone(),
                digest: rule_digest(repository, &canonical(&one.excerpt), None),
                scope: None,
                comments: one.comment_ids.clone(),
                impact: RuleImpact::High,
                asks_approval: [ApprovalReason::ProtectedTopic].into(),
            }));
        }
        all
    }

    fn item(&self, work: &Work, taught: &Taught) -> SupportItem {
        let review = &work.review;
        let said = review.comments.iter().find(|comment| taught.comments.contains(&comment.id));
        let words = said.map_or(review.body.as_str(), |comment| comment.body.as_str());
        let followed = |comment: &loci_model::review::ReviewComment| {
            comment.is_resolved == Some(true) && comment.is_outdated == Some(true)
        };
        SupportItem {
            pr: review.pr,
            review: review.id,
            comments: taught.comments.clone(),
            reviewer: review.reviewer.clone(),
            authority: review.authority,
            state: review.state,
            url: said.and_then(|comment| comment.url.clone()).or_else(|| review.url.clone()),
            at: said.map_or(review.submitted_at, |comment| comment.created_at),
            excerpt: excerpt(words),
            job: None,
            read_by: work.read_by.clone(),
            is_past: review.is_past,
            is_mapped: review.task.is_some(),
            is_accepted: said.is_some_and(followed),
        }
    }

    /// The rule that says this already: one that the review supported before, else one whose place none has taken.
    fn same(&self, tx: &dyn ReadTx, taught: &Taught, touched: &Touched) -> Result<Option<RuleSupport>> {
        if let Some((support, _)) = touched.values().find(|(support, _)| support.digest == taught.digest) {
            return Ok(Some(support.clone()));
        }
        let page = LedgerPage {
            memory: self.building.memory.id.clone(),
            shelf: Shelf::RuleSupport,
            actor: None,
            subject: Some(taught.digest.clone()),
            after: None,
            limit: SAME_MAX,
        };
        for support in tx.ledger().nouns::<RuleSupport>(&page)? {
            let record = tx.records().get(&support.memory, &support.rule)?;
            let is_gone = |record: &Record| {
                matches!(
                    record.state,
                    RecordState::Superseded | RecordState::Erased | RecordState::RolledBack
                )
            };
            if record.is_some_and(|record| !is_gone(&record)) {
                return Ok(Some(support));
            }
        }
        Ok(None)
    }

    /// A new rule, not in force.
    fn create(
        &mut self,
        tx: &mut dyn Tx,
        work: &Work,
        taught: &Taught,
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
        let mut asks_approval = taught.asks_approval.clone();
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

/// Rules that a review has to do with, and what is new of each.
pub(super) type Touched = BTreeMap<RecordId, (RuleSupport, News)>;

/// What every rule's record says of itself.
pub(super) fn rule_metadata(actor: &str, source_type: &str, read_by: &str) -> Metadata {
    let text = |text: &str| MetadataValue::String(text.to_owned());
    Metadata::from([
        ("schema_version".to_owned(), text(SCHEMA_VERSION)),
        ("repo".to_owned(), text(actor)),
        ("type".to_owned(), text("review_feedback")),
        ("source_type".to_owned(), text(source_type)),
        ("extraction_prompt_version".to_owned(), text(read_by)),
    ])
}

/// Of more items than a rule keeps, the oldest of the lightest go.
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

/// What is kept of a place that was corrected.
pub(super) type Corrections<'a> = (&'a [Correction], &'a [RecordId]);
