//! Reads the data of reflections over a repository: the newest tasks that ended by a time, their
//! episodes, reviewers' requests, self-feedback, and the existing reflections.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loci_engine::safety::{self, Patterns};
use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerNoun;
use loci_model::memory::Memory;
use loci_model::memory::settings::ModelMode;
use loci_model::ports::store::{LedgerPage, ReadTx, RecordPage, StoreExt, TaskQuery};
use loci_model::principal::Principal;
use loci_model::record::scope::RecordScope;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::tasks::outcome::{FirstPush, Outcome};
use loci_model::tasks::review::{Review, ReviewState};
use loci_model::tasks::task::Task;
use loci_model::{
    ActorId, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, RecordId, RepositoryId, Result, TaskId,
    Timestamp, limits,
};

use super::co_changed_files::named;
use super::evidence::{EndedTask, MissingInformation, TaskEvidence};
use crate::Coding;
use crate::preferences::requests;
use crate::reflection::themes::{ThemePlace, ThemeState};
use crate::rules::{CountedReviewers, ReviewerStatement};
use crate::settings::{CodingSettings, ReflectionSettings};
use crate::tasks::reports::episode_text::TaskEpisode;
use crate::tasks::task_namespaces;

/// The maximum number of reviews of a repository that are read. `REVIEWS_PER_PAGE` is the size of a
/// page.
const REVIEWS_MAX: usize = 1_000;
const REVIEWS_PER_PAGE: usize = 200;
/// The maximum number of pages of tasks that are read.
const TASK_PAGES_MAX: usize = 20;

/// The repository to reflect on, and the number of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReflectionPlace {
    pub(crate) memory: MemoryId,
    pub(crate) repository: RepositoryId,
    /// The maximum number of tasks that are read.
    pub(crate) window: usize,
}

/// The data of one reflection run.
pub(crate) struct RepositoryLook {
    pub(super) memory: Memory,
    pub(super) actor: ActorId,
    /// The use of a model in addition to the rules.
    pub(crate) mode: ModelMode,
    pub(super) settings: ReflectionSettings,
    pub(super) ground: TaskEvidence,
    /// The episodes of the tasks, in their order.
    pub(super) episodes: Vec<Record>,
    /// The repository's reflections in force.
    pub(super) known: Vec<Record>,
    /// The newest reviewed task of each person.
    pub(super) reviewed: Vec<TaskId>,
}

impl RepositoryLook {
    /// True if there are fewer tasks than a reflection needs as evidence.
    pub(crate) fn is_too_little(&self) -> bool {
        self.ground.works.len() < self.settings.min_episodes as usize
    }
}

impl Coding {
    /// Reads the tasks that ended by a time; `None` if the repository was deleted.
    pub(crate) async fn reflection_look(
        &self,
        place: &ReflectionPlace,
        at: Timestamp,
    ) -> Result<Option<RepositoryLook>> {
        let (of, now, usual) = (place.clone(), self.engine.now(), self.engine.models().mode);
        let (settings, patterns) = (Arc::clone(&self.parts.settings), self.engine.settings().patterns);
        let coding = self.clone();
        let look = self.engine.store().read(move |tx| {
            let Some(memory) = tx.memories().get(&of.memory)? else { return Ok(None) };
            let Some(repository) = tx.repositories().get(&of.memory, &of.repository)? else {
                return Ok(None);
            };
            let mut look = look(tx, memory, &repository, (of.window, at), (&settings, patterns, now, usual))?;
            look.ground.together = coding.together(tx, &repository, &look.ground.works)?;
            Ok(Some(look))
        });
        let Some(mut look) = look.await? else { return Ok(None) };
        let themes = ThemePlace { memory: look.memory.id.clone(), actor: look.actor.clone() };
        let (themes, _) = self.themes_of(&Principal::engine(), &themes, false).await?;
        look.ground.lacked = themes
            .into_iter()
            .filter(|theme| theme.state == ThemeState::Open)
            .filter_map(|theme| {
                let text = safety::for_model(&theme.told_by()?.text);
                Some(MissingInformation {
                    id: theme.id.clone(),
                    text,
                    tasks: theme.tasks.into_iter().collect(),
                })
            })
            .collect();
        Ok(Some(look))
    }
}

fn look(
    tx: &dyn ReadTx,
    memory: Memory,
    repository: &Repository,
    (window, at): (usize, Timestamp),
    (settings, patterns, now, usual): (&CodingSettings, Option<&'static Patterns>, Timestamp, ModelMode),
) -> Result<RepositoryLook> {
    let actor = task_namespaces::actor_of(repository)?;
    let mut tasks = ended(tx, &memory.id, &actor, window, at)?;
    tasks.reverse();
    let ids: Vec<RecordId> = tasks.iter().filter_map(|task| task.written.episode.clone()).collect();
    let found = tx.records().get_many(&memory.id, &ids)?;
    let episodes: BTreeMap<RecordId, Record> = found
        .into_iter()
        .filter(|record| record.state == RecordState::Active && !record.is_expired(now))
        .map(|record| (record.id.clone(), record))
        .collect();
    let (hearing, patterns) =
        (CountedReviewers::of(settings, Some(repository)), Patterns::in_force(patterns));
    let reviews = reviews(tx, (&memory.id, &actor), &tasks, &hearing)?;
    // The tasks are in order, so the newest of each person remains.
    let of_people: BTreeMap<(&Option<String>, &Option<String>), &Task> = tasks
        .iter()
        .filter(|task| task.user.is_some() && reviews.contains_key(task.id.as_str()))
        .map(|task| ((&task.user, &task.user_id), task))
        .collect();
    let reviewed = of_people.values().map(|task| task.id.clone()).collect();
    let (mut works, mut told) = (Vec::new(), Vec::new());
    for task in &tasks {
        let episode = task.written.episode.as_ref().and_then(|id| episodes.get(id));
        let Some(episode) = episode else { continue };
        let outcome = tx.ledger().noun::<Outcome>(&memory.id, task.id.as_str())?;
        let reviews = reviews.get(task.id.as_str());
        let heard: Option<Vec<ReviewerStatement<'_>>> =
            reviews.map(|reviews| reviews.iter().flat_map(|review| hearing.heard(review)).collect());
        let asked = heard.as_ref().map(|heard| requests(heard, patterns));
        let Some(work) = work(task, episode, asked, outcome.as_ref()) else { continue };
        let named = named(reviews.map_or(&[], Vec::as_slice), &heard.unwrap_or_default());
        works.push(EndedTask { named, ..work });
        told.push(episode.clone());
    }
    Ok(RepositoryLook {
        mode: memory.settings.model_mode.unwrap_or(usual),
        settings: ReflectionSettings::of(&memory.settings, &repository.settings.reflection),
        known: known(tx, &memory.id, &actor, now)?,
        ground: TaskEvidence { works, ..TaskEvidence::default() },
        episodes: told,
        reviewed,
        actor,
        memory,
    })
}

/// Returns the newest tasks that ended by a time and have an episode, the newest first.
fn ended(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: &ActorId,
    window: usize,
    at: Timestamp,
) -> Result<Vec<Task>> {
    let (mut found, mut after) = (Vec::new(), None);
    for _ in 0..TASK_PAGES_MAX {
        let limit = limits::PAGE_ITEMS_MAX as usize;
        let query = TaskQuery { actors: vec![actor.clone()], after, ..TaskQuery::all(memory.clone(), limit) };
        let page = tx.tasks().list(&query)?;
        let is_last = page.len() < limit;
        after = page.last().map(|task| (task.created_at, task.id.clone()));
        let has_ended = |task: &Task| {
            task.completed_at.is_some_and(|ended| ended <= at)
                && task.written.episode.is_some()
                && task.security_alert.is_none()
        };
        found.extend(page.into_iter().filter(has_ended));
        if is_last || found.len() >= window {
            break;
        }
    }
    found.truncate(window);
    Ok(found)
}

/// Returns the reviews that can be evaluated, by task: those with comments that count.
fn reviews(
    tx: &dyn ReadTx,
    (memory, actor): (&MemoryId, &ActorId),
    tasks: &[Task],
    hearing: &CountedReviewers,
) -> Result<BTreeMap<String, Vec<Review>>> {
    let wanted: BTreeSet<String> = tasks.iter().map(|task| task.id.to_string()).collect();
    let mut found: BTreeMap<String, Vec<Review>> = BTreeMap::new();
    let (mut after, mut looked_at) = (None, 0);
    while looked_at < REVIEWS_MAX {
        let (shelf, limit) = (Review::SHELF, REVIEWS_PER_PAGE);
        let (memory, actor) = (memory.clone(), Some(actor.clone()));
        let entries = tx.ledger().list(&LedgerPage { memory, shelf, actor, subject: None, after, limit })?;
        looked_at += entries.len();
        after = entries.last().map(|entry| (entry.at, entry.key.clone()));
        for entry in &entries {
            let review: Review = entry.read()?;
            let counts = review.left_out.is_none()
                && review.state != ReviewState::Dismissed
                && hearing.hears_any(&review);
            let task = review.task.as_ref().map(ToString::to_string);
            if let Some(task) = task.filter(|task| counts && wanted.contains(task)) {
                found.entry(task).or_default().push(review);
            }
        }
        if entries.len() < limit {
            break;
        }
    }
    Ok(found)
}

/// Returns the data of a task from its episode; `None` if the text is no longer the task's own
/// episode. `asked` holds the requests of its reviews, if it has any.
fn work(
    task: &Task,
    episode: &Record,
    asked: Option<Vec<(String, String)>>,
    outcome: Option<&Outcome>,
) -> Option<EndedTask> {
    let told = TaskEpisode::read(&episode.text)?;
    let report = &told.task;
    Some(EndedTask {
        episode: episode.id.clone(),
        task: task.id.clone(),
        is_minimal: told.is_fallback(),
        status: report.status,
        failure: report.failure_category.clone().or_else(|| task.failure_category.clone()),
        files: report.files_changed.clone(),
        outcome: outcome.and_then(|outcome| outcome.grade).map(|grade| grade.as_str().to_owned()),
        ci_passed: match outcome.map(|outcome| outcome.facts.ci_first_push) {
            Some(FirstPush::Pass) => Some(true),
            Some(FirstPush::Fail) => Some(false),
            Some(FirstPush::Unknown) | None => None,
        },
        has_feedback: !report.self_feedback.is_empty(),
        is_reviewed: asked.is_some(),
        asked: asked.unwrap_or_default(),
        named: BTreeSet::new(),
    })
}

/// Returns the namespace of reflections over a repository.
pub(super) fn namespace(actor: &ActorId) -> Result<Namespace> {
    Namespace::parse(format!("/{actor}/episodes/"))
}

/// Returns the reflections in force in it.
pub(super) fn known(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: &ActorId,
    now: Timestamp,
) -> Result<Vec<Record>> {
    let scope = scope(memory, actor, &[RecordState::Active], now)?;
    let mut all =
        tx.records().list(&RecordPage { scope, after: None, limit: limits::HYDRATION_LISTED_MAX })?;
    all.retain(|record| record.subtype.as_deref().is_some_and(|subtype| subtype.starts_with(super::SUBTYPE)));
    Ok(all)
}

/// Returns the newest reflection of a subject in one of these states.
pub(super) fn of_subject(
    tx: &dyn ReadTx,
    (memory, actor): (&MemoryId, &ActorId),
    subtype: &str,
    states: &[RecordState],
    now: Timestamp,
) -> Result<Option<Record>> {
    let scope = scope(memory, actor, states, now)?;
    let found = tx.records().of_subtype(&RecordPage { scope, after: None, limit: 1 }, subtype)?;
    Ok(found.into_iter().next())
}

fn scope(memory: &MemoryId, actor: &ActorId, states: &[RecordState], now: Timestamp) -> Result<RecordScope> {
    Ok(RecordScope {
        namespaces: vec![NamespaceFilter::new(&namespace(actor)?, NamespaceMatch::Exact)],
        kinds: vec![RecordKind::Reflection],
        states: states.to_vec(),
        ..RecordScope::whole(memory.clone(), now)
    })
}
