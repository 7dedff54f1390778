//! The verb `repository_search`: searches the memory of a repository by a query or by filters,
//! while an agent works on it.

use std::collections::BTreeMap;

use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::deadline::{Deadline, DeadlineRead};
use loci_engine::memories::existing;
use loci_engine::retrieval::render::ScreenedEntry;
use loci_engine::safety::Patterns;
use loci_engine::safety::injection::QUARANTINED;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::exposure::ExposureCall;
use loci_model::tasks::task::MemoryArm;
use loci_model::{Error, ExposureId, MemoryId, Result, TaskId, Timestamp};
use loci_verified::{CitedLook, FactView, find_repository, is_named};

use super::super::block_plan::{BlockLimits, BlockPlan, ShownRecord};
use super::super::block_score::UNSCREENED;
use super::super::candidate::{Candidate, OmittedRecord};
use super::super::candidate_reads::{HydrationReads, HydrationScope, KindRead};
use super::super::exposure_row::ExposureInput;
use super::super::kind::{HydrationKind, KindStatus};
use super::super::request::Hydration;
use super::super::task_hydrate::wishes_of_task;
use super::result_selection::{ResultSelection, SelectedResults};
use super::search_reads::SearchReads;
use super::search_request::{RepositorySearch, SearchKind};
use crate::Coding;
use crate::tasks::log_fields::{Call, LOAD_INFRA, of_repository};
use crate::tasks::task_namespaces;

/// The warning for a task of the control group.
const OFF: &str = "CONTROL_GROUP: the task's arm is off, so nothing of what is remembered is returned";

/// The warning for a caller who may not write the exposure.
const UNWRITTEN: &str =
    "NOT_LOGGED: the key may not write the task, so it is not written down that it was shown this";

/// A record that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchedRecord {
    /// The record with the data that determined its rank.
    pub candidate: Candidate,
    /// The kind under which it was found.
    pub kind: SearchKind,
    /// The screened text of the record; for an episode, its summary.
    pub text: String,
    /// True if the text looks like instructions and must be read as a quotation.
    pub is_doubtful: bool,
    /// The record as a fact, if it cites code.
    pub fact: Option<FactView>,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct RepositoryFound {
    /// The memory that was searched.
    pub memory: MemoryId,
    /// The arm of the task; `on` without a task.
    pub arm: MemoryArm,
    /// True if a part could not be read, or not in time.
    pub degraded: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// The status of reading each kind.
    pub status: BTreeMap<HydrationKind, KindStatus>,
    /// The exposure; `None` if no task requested it, or it could not be written.
    pub exposure: Option<ExposureId>,
    /// The commit at which citations were verified.
    pub commit: Option<String>,
    /// The results, best first.
    pub results: Vec<SearchedRecord>,
    /// The time of the request, from which ages are computed.
    pub at: Timestamp,
}

/// The records read and selected, before the response.
#[derive(Default)]
struct RepositorySearchData {
    status: BTreeMap<HydrationKind, KindStatus>,
    warnings: Vec<String>,
    look: Option<CitedLook>,
    picked: SelectedResults,
}

impl Coding {
    /// Searches the memory of a repository. A kind that cannot be read, or not in time, is left
    /// out, and the response reports it. If a task requests the search, its arm determines the
    /// results, and an exposure is written unless the caller may only read the task (a warning
    /// reports this). A task of the control group receives no results.
    ///
    /// # Errors
    /// `Invalid` by the rules of the request; `REPO_UNKNOWN`; `NotFound` for the task; `Denied` if
    /// the caller may not read all of the repository's data and names no task of it; `Unavailable`
    /// if not even these could be read in time.
    pub async fn repository_search(
        &self,
        caller: &Principal,
        standing: &CallContext,
        asked: RepositorySearch,
    ) -> Result<RepositoryFound> {
        let task = asked.task.clone();
        Call::load("repository_search", task.as_ref())
            .told(async {
                asked.check()?;
                let deadline =
                    Deadline::begin(self.engine.clock().clone(), self.parts.settings.read_timeout_ms);
                let place = async {
                    let memory = self.verified.code_memory(caller, standing).await?;
                    let caller = match &asked.task {
                        Some(task) => self.acting(caller, &memory, task).await?,
                        None => caller.clone(),
                    };
                    let place =
                        self.place_of_search(&caller, &memory, &asked.repo, asked.task.as_ref()).await?;
                    if place.task.is_none() {
                        of_repository(&place.memory, &place.actor);
                    }
                    Ok::<_, Error>((caller, place))
                };
                let (caller, place) = match deadline.read(place).await {
                    DeadlineRead::Done(place) => place?,
                    DeadlineRead::Late => {
                        return Err(Error::unavailable("the repository could not be read in time"));
                    }
                };
                let gathered = self.gather(&caller, standing, &place, &asked, &deadline).await;
                self.tell_found(&caller, &place, &asked, gathered, &deadline).await
            })
            .await
    }

    /// Returns the repository or task to search. Access requires the right to write the task, or a
    /// grant on the repository.
    async fn place_of_search(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        repo: &str,
        task: Option<&TaskId>,
    ) -> Result<HydrationScope> {
        let (caller, memory, repo, id) = (caller.clone(), memory.clone(), repo.to_owned(), task.cloned());
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let task = match &id {
                    Some(id) => {
                        let task = tx.tasks().get(&memory, id)?;
                        let writable = task_namespaces::visible(&caller, id, task.clone(), Capability::Write);
                        Some(
                            writable
                                .or_else(|_| task_namespaces::visible(&caller, id, task, Capability::Read))?,
                        )
                    }
                    None => None,
                };
                let written =
                    task.as_ref().filter(|task| task_namespaces::may(&caller, task, Capability::Write));
                let own = match written.and_then(|task| task.repository.as_ref()) {
                    Some(own) if is_named(tx, &memory, &repo, own)? => tx.repositories().get(&memory, own)?,
                    Some(_) | None => None,
                };
                let repository = match own {
                    Some(own) => own,
                    None => {
                        let named = find_repository(tx, &caller, &memory, &repo, Capability::Read)?;
                        task_namespaces::require_all(
                            &caller,
                            &memory,
                            &task_namespaces::actor_of(&named)?,
                            Capability::Read,
                        )?;
                        named
                    }
                };
                let actor = task_namespaces::actor_of(&repository)?;
                let sequence = tx.memories().sequence(&memory)?;
                let (memory, repository) = (memory.clone(), Some(repository));
                let (preferences, nobody) = match &task {
                    Some(task) => wishes_of_task(tx, task, None)?,
                    None => (None, None),
                };
                let is_cold = false;
                Ok(HydrationScope { memory, actor, task, repository, preferences, nobody, sequence, is_cold })
            })
            .await
    }

    async fn gather(
        &self,
        caller: &Principal,
        standing: &CallContext,
        place: &HydrationScope,
        asked: &RepositorySearch,
        deadline: &Deadline,
    ) -> RepositorySearchData {
        let settings = &self.parts.settings;
        let is_shadow = place.arm() == MemoryArm::Off && settings.control.shadow;
        let (on, off): (Vec<SearchKind>, Vec<SearchKind>) =
            asked.wanted().into_iter().partition(|kind| place.has(kind.shown_as()));
        let (given, held): (Vec<SearchKind>, Vec<SearchKind>) =
            on.into_iter().partition(|kind| is_shadow || kind.shown_as().is_of(place.arm()));
        let as_hydration = Hydration { reference: asked.reference.clone(), ..Hydration::default() };
        let as_hydration = self.at_working_tree(standing, place, as_hydration, deadline).await;
        let asking = self.asking_once();
        let reading = HydrationReads {
            coding: &asking,
            caller,
            standing,
            place,
            asked: &as_hydration,
            query: asked.question(),
            deadline,
            wanted: &[],
            told: asked.told.as_deref(),
            wants_themes: false,
        };
        let read = SearchReads { reading: &reading, asked }.all(&given).await;
        let mut gathered = RepositorySearchData::default();
        for kind in off {
            gathered.status.insert(kind.shown_as(), KindStatus::Disabled);
            let kind = kind.as_str();
            gathered.warnings.push(format!("DISABLED: {kind} is switched off for this repository"));
        }
        for kind in held {
            gathered.status.insert(kind.shown_as(), KindStatus::Disabled);
            let (kind, arm) = (kind.as_str(), MemoryArm::as_str(place.arm()));
            gathered.warnings.push(format!("DISABLED: {kind} is not for tasks of the arm {arm}"));
        }
        let found = gathered.take_in(read);
        let picking = ResultSelection {
            settings,
            patterns: Patterns::in_force(self.engine.settings().patterns),
            deadline,
            now: self.engine.now(),
            by_question: asked.question().is_some(),
            most: asked.most() as usize,
        };
        gathered.note_picked(picking.pick(found).await);
        self.look_at_all(&mut gathered, deadline).await;
        gathered
    }

    /// Scores all results together, like a finished block. If this fails, no result is returned.
    async fn look_at_all(&self, gathered: &mut RepositorySearchData, deadline: &Deadline) {
        let kept = &mut gathered.picked.kept;
        if kept.is_empty() {
            return;
        }
        let texts: Vec<&str> = kept.iter().map(|(_, screened)| screened.text()).collect();
        let score = match deadline.assemble(self.score_of(&texts.join("\n"))).await {
            DeadlineRead::Done(score) => score,
            DeadlineRead::Late => Err(Error::unavailable("the results were not scored in time")),
        };
        let reason = match score {
            Ok(score) if score < QUARANTINED => return,
            Ok(_) => "suspicious",
            Err(error) => {
                tracing::warn!(metric_type = LOAD_INFRA, ?error, "results could not be screened");
                UNSCREENED
            }
        };
        let is_out = |screened: &ScreenedEntry| reason == UNSCREENED || screened.is_doubtful();
        let (out, still): (Vec<_>, Vec<_>) =
            std::mem::take(kept).into_iter().partition(|(_, screened)| is_out(screened));
        *kept = still;
        if reason == UNSCREENED {
            for (candidate, _) in &out {
                gathered.status.insert(candidate.kind, KindStatus::ScreeningFailed);
            }
            let what = "nothing is returned, for what was found could not be looked at as a whole";
            gathered.warnings.push(format!("SCREENING_FAILED: {what}"));
        }
        let left = out.into_iter().map(|(candidate, _)| OmittedRecord::new(candidate, reason));
        gathered.picked.left.extend(left);
    }

    /// Writes the exposure, and returns the result.
    async fn tell_found(
        &self,
        caller: &Principal,
        place: &HydrationScope,
        asked: &RepositorySearch,
        mut gathered: RepositorySearchData,
        deadline: &Deadline,
    ) -> Result<RepositoryFound> {
        let (at, arm) = (self.engine.now(), place.arm());
        let estimator = self.parts.settings.estimator;
        // A search builds no block, so no budget and no fence apply.
        let limits = BlockLimits { tokens: 0, estimator, seed: [0; 16] };
        let snapshot = format!("snap_{}", place.sequence);
        let plan = gathered.plan(&limits);
        let shown = ExposureInput {
            call: ExposureCall::Search,
            query: asked.question(),
            snapshot: &snapshot,
            limits: &limits,
            plan: &plan,
            is_shadow: arm == MemoryArm::Off,
            degraded: gathered.is_degraded(),
            at,
        };
        let look = gathered.look.take();
        let (exposure, unwritten) = match &place.task {
            Some(task) if task_namespaces::may(caller, task, Capability::Write) => {
                self.expose(place, &shown, look.as_ref(), deadline).await?
            }
            Some(_) => (None, Some(UNWRITTEN.to_owned())),
            None => (None, None),
        };
        if arm == MemoryArm::Off {
            gathered = RepositorySearchData {
                status: gathered.status.into_keys().map(|kind| (kind, KindStatus::Disabled)).collect(),
                warnings: vec![OFF.to_owned()],
                ..RepositorySearchData::default()
            };
        }
        gathered.warnings.extend(unwritten);
        Ok(RepositoryFound {
            memory: place.memory.clone(),
            arm,
            degraded: gathered.is_degraded(),
            results: gathered.results(look.as_ref()),
            warnings: gathered.warnings,
            status: gathered.status,
            exposure,
            commit: look.and_then(|look| look.commit),
            at,
        })
    }
}

impl RepositorySearchData {
    /// Stores the status of each kind, and returns all records found.
    fn take_in(&mut self, read: BTreeMap<HydrationKind, KindRead>) -> Vec<Candidate> {
        let mut found = Vec::new();
        for (kind, read) in read {
            self.status.insert(kind, read.status);
            self.warnings.extend(read.warnings);
            self.look = self.look.take().or(read.look);
            found.extend(read.found);
        }
        found
    }

    fn note_picked(&mut self, picked: SelectedResults) {
        if !picked.late.is_empty() {
            let late = picked.late.len();
            self.warnings.push(format!("NOT_IN_TIME: {late} were found and not looked at in time"));
        }
        for kind in &picked.late {
            self.status.insert(*kind, KindStatus::Timeout);
        }
        self.picked = picked;
    }

    fn is_degraded(&self) -> bool {
        self.status.values().any(|status| status.is_failure())
    }

    /// Returns the results as a plan of hydration.
    fn plan(&self, limits: &BlockLimits) -> BlockPlan {
        let shown = |(candidate, screened): &(Candidate, ScreenedEntry)| ShownRecord {
            candidate: candidate.clone(),
            text: screened.text().to_owned(),
            tokens: limits.estimator.estimate(screened.text()),
            cut: false,
        };
        let shown: Vec<ShownRecord> = self.picked.kept.iter().map(shown).collect();
        let used = shown.iter().fold(0_u32, |sum, one| sum.saturating_add(one.tokens));
        BlockPlan { used, shown, left: self.picked.left.clone(), ..BlockPlan::default() }
    }

    fn results(&mut self, look: Option<&CitedLook>) -> Vec<SearchedRecord> {
        let fact = |candidate: &Candidate| {
            let mut views = look.iter().flat_map(|look| &look.views);
            views.find(|view| view.remembered.record.id == candidate.record.id).cloned()
        };
        let result = |(candidate, screened): (Candidate, ScreenedEntry)| SearchedRecord {
            kind: SearchKind::of(&candidate),
            text: screened.text().to_owned(),
            is_doubtful: screened.is_doubtful(),
            fact: fact(&candidate),
            candidate,
        };
        std::mem::take(&mut self.picked.kept).into_iter().map(result).collect()
    }
}
