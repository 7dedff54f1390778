//! The items of a repository's self-feedback, and their themes.

use std::collections::BTreeSet;

use loci_engine::access;
use loci_engine::memories::existing;
use loci_engine::records::{NamespaceAsk, namespaces};
use loci_model::ports::store::{RecordPage, StoreExt, TaskQuery};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::{ActorId, MemoryId, Namespace, Result, Timestamp, limits};
use sha2::{Digest, Sha256};

use super::clusters::{COSINE_MIN, Clusters, Marks};
use crate::Coding;
use crate::learnings::learning_write::SELF_FEEDBACK;

/// The maximum number of items: the newest.
const ITEMS_MAX: usize = 200;
/// The maximum number of pairs of items whose vectors are compared.
const COMPARED_MAX: usize = 2_000;
/// The maximum number of pages of a repository's knowledge that are searched for items.
const PAGES_MAX: usize = 20;
/// The minimum number of tasks of a theme.
const TASKS_MIN: usize = 3;
/// The number of consecutive ended tasks without a new item after which a theme is quiet.
const QUIET_TASKS: usize = 20;
/// The reason why items were archived.
pub(super) const CLOSED: &str = "the theme was closed";
/// The number of hex digits of a theme's id.
const ID_DIGITS: usize = 16;

/// The state of a theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThemeState {
    /// The theme is shown.
    Open,
    /// No item was added in the last twenty tasks. A new item opens the theme again.
    Quiet,
    /// A person closed the theme.
    Closed,
}

impl ThemeState {
    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Quiet => "quiet",
            Self::Closed => "closed",
        }
    }
}

/// Information that several tasks lacked.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    /// The id of the theme, derived from its first item.
    pub id: String,
    /// The state.
    pub state: ThemeState,
    /// The self-feedback records of the theme, the oldest first.
    pub items: Vec<Record>,
    /// The tasks that lacked it, in the order of their ids.
    pub tasks: Vec<String>,
    /// The creation time of the newest item.
    pub newest_at: Timestamp,
}

impl Theme {
    /// Returns the item that represents the theme: the newest.
    pub fn told_by(&self) -> Option<&Record> {
        self.items.last()
    }
}

/// The repository of the themes.
#[derive(Debug, Clone)]
pub(crate) struct ThemePlace {
    pub(crate) memory: MemoryId,
    pub(crate) actor: ActorId,
}

impl Coding {
    /// Returns the themes of a repository, those that most tasks lacked first, and warnings. With
    /// `closed`, returns the themes that people closed in place of the others.
    pub(crate) async fn themes_of(
        &self,
        caller: &Principal,
        place: &ThemePlace,
        closed: bool,
    ) -> Result<(Vec<Theme>, Vec<String>)> {
        let (items, mut warnings) = self.feedback_items(caller, place, closed).await?;
        let (clusters, is_all) = self.clustered(&place.memory, &items).await?;
        if !is_all {
            let message = "more items are alike by their words than are compared: some themes may be apart";
            warnings.push(format!("THEMES_CUT: {message}"));
        }
        let mut themes: Vec<Theme> = clusters.0.iter().filter_map(|theme| made(theme, &items)).collect();
        themes.retain(|theme| theme.tasks.len() >= TASKS_MIN);
        for theme in &mut themes {
            theme.state = match closed {
                true => ThemeState::Closed,
                false => self.state_of(place, theme.newest_at).await?,
            };
        }
        themes.sort_by(|a, b| {
            let by =
                |theme: &Theme| (std::cmp::Reverse(theme.tasks.len()), std::cmp::Reverse(theme.newest_at));
            by(a).cmp(&by(b)).then_with(|| a.id.cmp(&b.id))
        });
        Ok((themes, warnings))
    }

    /// Returns the items, the oldest first.
    async fn feedback_items(
        &self,
        caller: &Principal,
        place: &ThemePlace,
        closed: bool,
    ) -> Result<(Vec<Record>, Vec<String>)> {
        let view = access::record_view(caller, &place.memory, Capability::Read)?;
        let ask = NamespaceAsk::Path(Namespace::parse(format!("/{}/knowledge/", place.actor))?);
        let (memory, now) = (place.memory.clone(), self.engine.now());
        let read = self.engine.store().read(move |tx| {
            let memory = existing(tx, &memory)?;
            let (mut scope, _) = namespaces::scope(&memory, &view, std::slice::from_ref(&ask), now)?;
            scope.kinds = vec![RecordKind::Fact];
            scope.states = vec![if closed { RecordState::Archived } else { RecordState::Active }];
            let (mut items, mut after) = (Vec::new(), None);
            for _ in 0..PAGES_MAX {
                let limit = limits::HYDRATION_LISTED_MAX;
                let page = RecordPage { scope: scope.clone(), after, limit };
                let page = tx.records().of_subtype(&page, SELF_FEEDBACK)?;
                let is_last = page.len() < limit;
                after = page.last().map(|record| (record.created_at, record.id.clone()));
                items.extend(page.into_iter().filter(|record| is_item(record, closed)));
                if is_last || items.len() > ITEMS_MAX {
                    let is_all = is_last && items.len() <= ITEMS_MAX;
                    return Ok((items, is_all));
                }
            }
            Ok((items, false))
        });
        let (mut items, is_all) = read.await?;
        items.truncate(ITEMS_MAX);
        items.reverse();
        let cut =
            || format!("NOT_ALL_READ: of self-feedback only the {ITEMS_MAX} newest items were looked at");
        Ok((items, (!is_all).then(cut).into_iter().collect()))
    }

    /// Groups items by similarity. The flag is false if some were not compared.
    async fn clustered(&self, memory: &MemoryId, items: &[Record]) -> Result<(Clusters, bool)> {
        let marks: Vec<Marks> = items.iter().map(Marks::of).collect();
        let (mut clusters, mut compared) = (Clusters::default(), 0);
        for (item, (record, own)) in items.iter().zip(&marks).enumerate() {
            let mut leader = None;
            for first in clusters.leaders() {
                let (Some(other), Some(others)) = (items.get(first), marks.get(first)) else { continue };
                if !own.may_be_alike(others) {
                    continue;
                }
                let is_compared = compared < COMPARED_MAX;
                compared += 1;
                let cosine = match is_compared {
                    true => {
                        self.engine.store().search().alike(memory, (&record.id, 0), (&other.id, 0)).await?
                    }
                    false => None,
                };
                if cosine.map_or_else(|| own.meet(others), |cosine| cosine >= COSINE_MIN) {
                    leader = Some(first);
                    break;
                }
            }
            clusters.put(item, leader);
        }
        Ok((clusters, compared <= COMPARED_MAX))
    }

    async fn state_of(&self, place: &ThemePlace, newest_at: Timestamp) -> Result<ThemeState> {
        let (memory, actors) = (place.memory.clone(), vec![place.actor.clone()]);
        let since = Some(Timestamp::from_millis(newest_at.millis().saturating_add(1))?);
        let query = TaskQuery { actors, since, ..TaskQuery::all(memory, QUIET_TASKS) };
        let later =
            self.engine.store().read(move |tx| tx.tasks().list(&query).map(|tasks| tasks.len())).await?;
        Ok(if later >= QUIET_TASKS { ThemeState::Quiet } else { ThemeState::Open })
    }
}

fn is_item(record: &Record, closed: bool) -> bool {
    let is_feedback = record.subtype.as_deref() == Some(SELF_FEEDBACK);
    is_feedback && (!closed || record.state_reason.as_deref() == Some(CLOSED))
}

/// Returns the theme of some items; `None` without items.
fn made(theme: &[usize], items: &[Record]) -> Option<Theme> {
    let items: Vec<Record> = theme.iter().filter_map(|place| items.get(*place)).cloned().collect();
    let digest = hex::encode(Sha256::digest(items.first()?.id.as_str()));
    let newest_at = items.last()?.created_at;
    let tasks: BTreeSet<String> = items.iter().filter_map(task_of).collect();
    Some(Theme {
        id: format!("theme_{}", digest.get(..ID_DIGITS).unwrap_or_default()),
        state: ThemeState::Open,
        tasks: tasks.into_iter().collect(),
        newest_at,
        items,
    })
}

fn task_of(record: &Record) -> Option<String> {
    match record.metadata.get("task_id") {
        Some(MetadataValue::String(task)) => Some(task.clone()),
        Some(_) | None => None,
    }
}
