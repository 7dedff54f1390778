//! What is known of each task for measuring: the task, what came of it, what it was shown, what reviewers said. One read of the store.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::ledger::Shelf;
use loci_model::outcome::Outcome;
use loci_model::ports::store::{LedgerPage, ReadTx, RecordPage, TaskQuery};
use loci_model::record::{Record, RecordState};
use loci_model::repository::Repository;
use loci_model::review::Review;
use loci_model::scope::RecordScope;
use loci_model::task::{Task, TaskKind};
use loci_model::telemetry::StateChange;
use loci_model::{ActorId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp, limits};

use super::super::episode_writing::existing_episode;
use super::super::outcomes::outcome_of;
use super::super::report::TaskEpisode;
use super::super::rules_list::rules_of;

/// Tasks that are read at once.
const PAGE: usize = 200;
/// Exposures of one task.
const EXPOSURES_MAX: usize = 20;
/// Reviews of one pull request.
const REVIEWS_MAX: usize = 50;
/// What a decision on code begins with.
const CITED: &str = "dropped:citation_";

/// A task, measured.
pub(super) struct Observed {
    pub(super) task: Task,
    pub(super) outcome: Option<Outcome>,
    /// Its pull request is counted with it: several tasks may work on one.
    pub(super) owns_pr: bool,
    /// It was shown something, or would have been.
    pub(super) was_asked: bool,
    pub(super) shown: BTreeSet<RecordId>,
    /// So much was left out since its code was gone, said something else or could not be read.
    pub(super) withheld: u32,
    /// The version of the prompt that its learnings were asked for by.
    pub(super) extraction_prompt: Option<String>,
    /// What people said in reviews of its pull request.
    pub(super) comments: Vec<String>,
}

/// A rule, and when it was in force.
pub(super) struct Rule {
    pub(super) record: Record,
    pub(super) changes: Vec<StateChange>,
}

impl Rule {
    /// It was in force then.
    pub(super) fn was_active(&self, at: Timestamp) -> bool {
        if self.changes.is_empty() {
            // Its history is not kept that long.
            return self.record.state == RecordState::Active && self.record.created_at <= at;
        }
        let last = self.changes.iter().rev().find(|change| change.at <= at);
        last.is_some_and(|change| change.to == RecordState::Active)
    }
}

/// Everything that is measured.
pub(super) struct Gathered {
    /// The tasks, the newest first.
    pub(super) tasks: Vec<Observed>,
    pub(super) rules: Vec<Rule>,
    /// There are older tasks.
    pub(super) is_cut: bool,
}

/// Reads it.
pub(super) fn gather(
    tx: &dyn ReadTx,
    repository: &Repository,
    actor: &ActorId,
    since: Option<Timestamp>,
    now: Timestamp,
) -> Result<Gathered> {
    let mut query =
        TaskQuery { actors: vec![actor.clone()], since, ..TaskQuery::all(repository.memory.clone(), PAGE) };
    let mut tasks = Vec::new();
    let is_cut = loop {
        let found = tx.tasks().list(&query)?;
        let is_last = found.len() < PAGE;
        query.after = found.last().map(|task| (task.created_at, task.id.clone()));
        for task in found.into_iter().filter(|task| task.kind != TaskKind::PrReview) {
            tasks.push(observed(tx, task, now)?);
        }
        if is_last || tasks.len() >= limits::METRICS_TASKS_MAX {
            break !is_last;
        }
    };
    own_pull_requests(&mut tasks);
    let mut comments_left = limits::METRICS_COMMENTS_MAX;
    for one in tasks.iter_mut().filter(|one| one.owns_pr) {
        one.comments = comments(tx, repository, one)?;
        one.comments.truncate(comments_left);
        comments_left -= one.comments.len();
    }
    let rules = match comments_left == limits::METRICS_COMMENTS_MAX {
        true => Vec::new(),
        false => rules(tx, actor, repository, now)?,
    };
    Ok(Gathered { tasks, rules, is_cut })
}

fn observed(tx: &dyn ReadTx, task: Task, now: Timestamp) -> Result<Observed> {
    let outcome = outcome_of(tx, &task, now)?;
    let exposures = tx.exposures().of_task(&task.memory, &task.id, None, EXPOSURES_MAX)?;
    let records = || exposures.iter().flat_map(|exposure| &exposure.records);
    let shown = records().filter(|one| one.is_shown()).map(|one| one.record.clone()).collect();
    let withheld: BTreeSet<&RecordId> =
        records().filter(|one| one.decision.starts_with(CITED)).map(|one| &one.record).collect();
    let withheld = u32::try_from(withheld.len()).unwrap_or(u32::MAX);
    let episode = existing_episode(tx, &task.memory, &task)?;
    let told = episode.and_then(|record| TaskEpisode::read(&record.text));
    let extraction_prompt = told.and_then(|told| told.task.extraction_prompts.get("learnings").cloned());
    let was_asked = !exposures.is_empty();
    Ok(Observed {
        task,
        outcome,
        owns_pr: false,
        was_asked,
        shown,
        withheld,
        extraction_prompt,
        comments: Vec::new(),
    })
}

/// Each pull request is the first task's of those that worked on it.
fn own_pull_requests(tasks: &mut [Observed]) {
    let mut seen = BTreeSet::new();
    for one in tasks.iter_mut().rev() {
        let pr = one.outcome.as_ref().and_then(|outcome| outcome.facts.pr);
        one.owns_pr = match pr {
            Some(pr) => seen.insert(pr),
            // What was set by hand may name none.
            None => one.outcome.as_ref().is_some_and(|outcome| outcome.by_hand.is_some()),
        };
    }
}

/// What people said of the pull request: no answers, and nothing of programs, of its author, or of agents.
fn comments(tx: &dyn ReadTx, repository: &Repository, one: &Observed) -> Result<Vec<String>> {
    let Some(pr) = one.outcome.as_ref().and_then(|outcome| outcome.facts.pr) else { return Ok(Vec::new()) };
    let reviews: Vec<Review> = tx.ledger().nouns(&LedgerPage {
        memory: repository.memory.clone(),
        shelf: Shelf::Review,
        actor: None,
        subject: Some(Review::subject_of(&repository.id, pr)),
        after: None,
        limit: REVIEWS_MAX,
    })?;
    let mut said = BTreeMap::new();
    for review in &reviews {
        if matches!(review.left_out.as_deref(), Some("bot" | "pr_author" | "agent")) {
            continue;
        }
        if !review.body.trim().is_empty() {
            said.insert((review.submitted_at, review.id, 0), review.body.clone());
        }
        for comment in &review.comments {
            let is_reviewers = comment.author.id == review.reviewer.id && !comment.author.is_bot;
            if is_reviewers && comment.in_reply_to.is_none() {
                said.insert((comment.created_at, review.id, comment.id), comment.body.clone());
            }
        }
    }
    Ok(said.into_values().collect())
}

fn rules(tx: &dyn ReadTx, actor: &ActorId, repository: &Repository, now: Timestamp) -> Result<Vec<Rule>> {
    let place = Namespace::parse(rules_of(actor.as_str()))?;
    let mut scope = RecordScope::whole(repository.memory.clone(), now);
    scope.namespaces = vec![NamespaceFilter::new(&place, NamespaceMatch::Subtree)];
    scope.states = vec![
        RecordState::Active,
        RecordState::Candidate,
        RecordState::Stale,
        RecordState::Superseded,
        RecordState::Expired,
    ];
    let found = tx.records().list(&RecordPage { scope, after: None, limit: limits::METRICS_RULES_MAX })?;
    let with_changes = |record: Record| {
        let changes = tx.telemetry().of_record(&record.memory, &record.id)?;
        Ok(Rule { record, changes })
    };
    found.into_iter().map(with_changes).collect()
}
