//! Reads the data of each task for the measures: the task, its outcome, its exposures, and comments
//! of reviewers. One read of the store.

use std::collections::{BTreeMap, BTreeSet};

use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::ports::store::{LedgerPage, ReadTx, RecordPage, TaskQuery};
use loci_model::record::scope::RecordScope;
use loci_model::record::telemetry::StateChange;
use loci_model::record::{Record, RecordState};
use loci_model::tasks::exposure::{Exposure, ExposureCall};
use loci_model::tasks::outcome::Outcome;
use loci_model::tasks::review::Review;
use loci_model::tasks::task::{Task, TaskKind};
use loci_model::{ActorId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, Result, Timestamp, limits};

use super::super::outcomes::outcome_of;
use super::super::safeguards::state_at;
use crate::rules::rules_list::rules_of;
use crate::tasks::reports::episode_record::existing_episode;
use crate::tasks::reports::episode_text::TaskEpisode;

/// The number of tasks that one page reads.
const PAGE: usize = 200;
/// The number of exposures that one page reads.
const EXPOSURES: usize = 50;
/// The prefix of decisions based on citations.
const CITED: &str = "dropped:citation_";

/// A task with the data for its measures.
pub(super) struct ObservedTask {
    pub(super) task: Task,
    pub(super) outcome: Option<Outcome>,
    /// True if its pull request counts for this task. Several tasks may work on one pull request.
    pub(super) owns_pr: bool,
    /// True if the task has an exposure, including one built only for comparison.
    pub(super) was_asked: bool,
    pub(super) shown: BTreeSet<RecordId>,
    /// The number of records withheld because their code was deleted, contradicts them or could not
    /// be read.
    pub(super) withheld: u32,
    /// The version of the prompt that requested its learnings.
    pub(super) extraction_prompt: Option<String>,
    /// Comments of people in reviews of its pull request.
    pub(super) comments: Vec<String>,
}

/// A rule with the changes of its state.
pub(super) struct Rule {
    pub(super) record: Record,
    pub(super) changes: Vec<StateChange>,
}

impl Rule {
    /// True if the rule was in force at a time.
    pub(super) fn was_active(&self, at: Timestamp) -> bool {
        state_at(&self.record, &self.changes, at) == Some(RecordState::Active)
    }
}

/// The data of all measures.
pub(super) struct MetricsData {
    /// The tasks, the newest first.
    pub(super) tasks: Vec<ObservedTask>,
    pub(super) rules: Vec<Rule>,
    /// The parts that were left out.
    pub(super) cut: Cut,
}

/// The data that the measures leave out because of limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    /// Older tasks.
    pub tasks: bool,
    /// Older searches of a task, and their results.
    pub exposures: bool,
    /// Comments of reviewers on older tasks, further reviews of one pull request, or the rest of a
    /// long comment. Repeated mistakes in them are not found.
    pub comments: bool,
    /// Older rules, or the rest of a long one, with which no comment was compared.
    pub rules: bool,
}

/// The remaining number of compared texts and characters. Each call embeds the compared texts.
#[derive(Debug, Clone, Copy)]
struct Room {
    texts: usize,
    chars: usize,
}

impl Room {
    /// Returns the part of a text that is compared; `None` if the limit is exhausted. Sets `cut` if
    /// a part is left out.
    fn take(&mut self, mut text: String, cut: &mut bool) -> Option<String> {
        let end = text.char_indices().nth(limits::METRICS_TEXT_CHARS_MAX).map(|(at, _)| at);
        if let Some(end) = end {
            text.truncate(end);
            *cut = true;
        }
        let chars = text.chars().count();
        if self.texts == 0 || chars > self.chars {
            *cut = true;
            return None;
        }
        self.texts -= 1;
        self.chars -= chars;
        Some(text)
    }
}

/// Reads the data of all measures.
pub(super) fn gather(
    tx: &dyn ReadTx,
    repository: &Repository,
    actor: &ActorId,
    since: Option<Timestamp>,
    now: Timestamp,
) -> Result<MetricsData> {
    let mut query =
        TaskQuery { actors: vec![actor.clone()], since, ..TaskQuery::all(repository.memory.clone(), PAGE) };
    let mut tasks = Vec::new();
    let mut cut = Cut::default();
    cut.tasks = loop {
        let found = tx.tasks().list(&query)?;
        let is_last = found.len() < PAGE;
        query.after = found.last().map(|task| (task.created_at, task.id.clone()));
        for task in found.into_iter().filter(|task| task.kind != TaskKind::PrReview) {
            tasks.push(observed(tx, task, now, &mut cut)?);
        }
        if is_last || tasks.len() >= limits::METRICS_TASKS_MAX {
            break !is_last;
        }
    };
    own_pull_requests(&mut tasks);
    let mut room = Room { texts: limits::METRICS_COMMENTS_MAX, chars: limits::METRICS_COMMENTS_CHARS_MAX };
    for one in tasks.iter_mut().filter(|one| one.owns_pr) {
        let said = comments(tx, repository, one, &mut cut)?;
        one.comments = said.into_iter().filter_map(|text| room.take(text, &mut cut.comments)).collect();
    }
    let rules = match tasks.iter().all(|one| one.comments.is_empty()) {
        true => Vec::new(),
        false => rules(tx, actor, repository, now, &mut cut)?,
    };
    Ok(MetricsData { tasks, rules, cut })
}

fn observed(tx: &dyn ReadTx, task: Task, now: Timestamp, cut: &mut Cut) -> Result<ObservedTask> {
    let outcome = outcome_of(tx, &task, now)?;
    let exposures = exposures(tx, &task, cut)?;
    let records = || exposures.iter().flat_map(|exposure| &exposure.records);
    let shown = records().filter(|one| one.is_shown()).map(|one| one.record.clone()).collect();
    let withheld: BTreeSet<&RecordId> =
        records().filter(|one| one.decision.starts_with(CITED)).map(|one| &one.record).collect();
    let withheld = u32::try_from(withheld.len()).unwrap_or(u32::MAX);
    let episode = existing_episode(tx, &task.memory, &task)?;
    let told = episode.and_then(|record| TaskEpisode::read(&record.text));
    let extraction_prompt = told.and_then(|told| told.task.extraction_prompts.get("learnings").cloned());
    let was_asked = !exposures.is_empty();
    Ok(ObservedTask {
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

/// Returns the exposures of a task: its hydrations and its newest searches. They are read
/// separately, because a task may search often and its hydrations must be included.
fn exposures(tx: &dyn ReadTx, task: &Task, cut: &mut Cut) -> Result<Vec<Exposure>> {
    let most = limits::METRICS_EXPOSURES_MAX;
    let mut all = tx.exposures().of_call(&task.memory, &task.id, ExposureCall::Hydrate, most)?;
    let mut before = None;
    loop {
        let page = tx.exposures().of_task(&task.memory, &task.id, before.as_ref(), EXPOSURES)?;
        let is_last = page.len() < EXPOSURES;
        before = page.last().map(|last| last.id.clone());
        let searches = page.into_iter().filter(|one| one.call == ExposureCall::Search);
        let mut searches: Vec<Exposure> = searches.collect();
        let room = most.saturating_sub(all.len());
        let is_full = searches.len() > room;
        cut.exposures |= is_full;
        searches.truncate(room);
        all.append(&mut searches);
        if is_last || is_full {
            return Ok(all);
        }
    }
}

/// Assigns each pull request to the first task that worked on it.
fn own_pull_requests(tasks: &mut [ObservedTask]) {
    let mut seen = BTreeSet::new();
    for one in tasks.iter_mut().rev() {
        let pr = one.outcome.as_ref().and_then(|outcome| outcome.facts.pr);
        one.owns_pr = match pr {
            Some(pr) => seen.insert(pr),
            // An outcome set by hand may name no pull request.
            None => one.outcome.as_ref().is_some_and(|outcome| outcome.by_hand.is_some()),
        };
    }
}

/// Returns the comments of people on the pull request, without answers and without those of
/// programs, its author, or agents.
fn comments(
    tx: &dyn ReadTx,
    repository: &Repository,
    one: &ObservedTask,
    cut: &mut Cut,
) -> Result<Vec<String>> {
    let most = limits::METRICS_REVIEWS_MAX;
    let Some(pr) = one.outcome.as_ref().and_then(|outcome| outcome.facts.pr) else { return Ok(Vec::new()) };
    let mut reviews: Vec<Review> = tx.ledger().nouns(&LedgerPage {
        memory: repository.memory.clone(),
        shelf: Review::SHELF,
        actor: None,
        subject: Some(Review::subject_of(&repository.id, pr)),
        after: None,
        limit: most + 1,
    })?;
    cut.comments |= reviews.len() > most;
    reviews.truncate(most);
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

fn rules(
    tx: &dyn ReadTx,
    actor: &ActorId,
    repository: &Repository,
    now: Timestamp,
    cut: &mut Cut,
) -> Result<Vec<Rule>> {
    let most = limits::METRICS_RULES_MAX;
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
    let mut found = tx.records().list(&RecordPage { scope, after: None, limit: most + 1 })?;
    cut.rules = found.len() > most;
    found.truncate(most);
    let mut room = Room { texts: most, chars: limits::METRICS_RULES_CHARS_MAX };
    let mut rules = Vec::with_capacity(found.len());
    for record in found {
        let Some(text) = room.take(record.text.clone(), &mut cut.rules) else { continue };
        let changes = tx.telemetry().of_record(&record.memory, &record.id)?;
        rules.push(Rule { record: Record { text, ..record }, changes });
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use loci_model::MemoryId;
    use loci_testkit_ports::samples;

    use super::*;

    #[test]
    fn texts_are_taken_for_as_long_as_there_is_room() {
        let most = loci_model::limits::METRICS_TEXT_CHARS_MAX;
        let mut room = Room { texts: 3, chars: 2 * most };
        let mut check = |chars: usize, expect: Option<usize>, expect_cut: bool| {
            let mut cut = false;
            let taken = room.take("ä".repeat(chars), &mut cut).map(|text| text.chars().count());
            assert_eq!((taken, cut), (expect, expect_cut), "{chars}");
        };
        check(most, Some(most), false);
        check(most - 1, Some(most - 1), false);
        check(2, None, true);
        check(1, Some(1), false);
        check(0, None, true);
        let (mut room, mut cut) = (Room { texts: 1, chars: most }, false);
        assert_eq!(room.take("ä".repeat(most + 1), &mut cut), Some("ä".repeat(most)));
        assert!(cut, "only its beginning is compared");
    }

    #[test]
    fn a_rule_whose_first_rows_are_gone_was_what_the_next_says() {
        let memory = MemoryId::parse("m-0123456789").unwrap();
        let mut record = samples::record(&memory, 1, "It is so.").unwrap();
        let at = |ms: i64| Timestamp::EPOCH.plus_millis(ms);
        (record.created_at, record.state) = (at(10), RecordState::Stale);
        let change = StateChange {
            memory,
            record: record.id.clone(),
            version: 1,
            from: Some(RecordState::Active),
            to: RecordState::Stale,
            reason: String::new(),
            by: "tester".to_owned(),
            at: at(30),
        };
        let check = |changes: &[StateChange], when: i64, expect: bool| {
            let rule = Rule { record: record.clone(), changes: changes.to_vec() };
            assert_eq!(rule.was_active(at(when)), expect, "at {when}");
        };
        let all = [change];
        check(&all, 9, false);
        check(&all, 20, true);
        check(&all, 30, false);
        check(&[], 20, false);
    }
}
