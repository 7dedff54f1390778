//! `repository_search`: what is remembered of a repository, by a question or by filters, while an agent works on it.

use std::collections::BTreeMap;

use loci_engine::calls::deadline::{Deadline, Read};
use loci_engine::calls::standing::Standing;
use loci_engine::memories::existing;
use loci_engine::retrieval::render::Screened;
use loci_engine::safety::Patterns;
use loci_engine::safety::injection::QUARANTINED;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::tasks::exposure::ExposureCall;
use loci_model::tasks::task::MemoryArm;
use loci_model::{Error, ExposureId, MemoryId, Result, TaskId, Timestamp};
use loci_verified::{CitedLook, FactView, find_repository, is_named};

use super::super::asked::Hydration;
use super::super::candidate::{Candidate, Left};
use super::super::exposing::Shown;
use super::super::kind::{HydrationKind, KindStatus};
use super::super::planning::{Limits, Plan, ShownRecord};
use super::super::reading::{KindRead, Place, Reading};
use super::super::rescoring::UNSCREENED;
use super::super::task_hydrate::wishes_of_task;
use super::asked::{RepositorySearch, SearchKind};
use super::finding::Finding;
use super::picking::{Picked, Picking};
use crate::Coding;
use crate::tasks::log_fields::{Call, LOAD_INFRA, of_repository};
use crate::tasks::task_namespaces;

/// What a task of the control group is told.
const OFF: &str = "CONTROL_GROUP: the task's arm is off, so nothing of what is remembered is returned";

/// What one is told who may not write what the task was shown.
const UNWRITTEN: &str =
    "NOT_LOGGED: the key may not write the task, so it is not written down that it was shown this";

/// A record that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchedRecord {
    /// The record with what decided its place.
    pub candidate: Candidate,
    /// As what it was found.
    pub kind: SearchKind,
    /// Its text as it may be shown; of an episode its summary.
    pub text: String,
    /// The text looks like instructions: it is to be read as a quotation.
    pub is_doubtful: bool,
    /// The same as a fact, where it cites code.
    pub fact: Option<FactView>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct RepositoryFound {
    /// The memory that was searched.
    pub memory: MemoryId,
    /// Which memory the task is given; `on` without one.
    pub arm: MemoryArm,
    /// Something could not be read, or not in time.
    pub degraded: bool,
    /// What to know.
    pub warnings: Vec<String>,
    /// How each kind was read.
    pub status: BTreeMap<HydrationKind, KindStatus>,
    /// The row of what was shown; `None` where no task asked, or it could not be written.
    pub exposure: Option<ExposureId>,
    /// The commit at which citations were verified.
    pub commit: Option<String>,
    /// Best first.
    pub results: Vec<SearchedRecord>,
    /// When: ages are told from it.
    pub at: Timestamp,
}

/// What was read and picked, before it is told.
#[derive(Default)]
struct Gathered {
    status: BTreeMap<HydrationKind, KindStatus>,
    warnings: Vec<String>,
    look: Option<CitedLook>,
    picked: Picked,
}

impl Coding {
    /// Searches what is remembered of a repository. A kind that cannot be read, or not in time, is left out, and the answer says so. Where a
    /// task asks, its arm decides what it is shown, and a row of that is written, unless the caller may only read the task (a warning says
    /// so); a task of the control group is shown nothing.
    ///
    /// # Errors
    /// `Invalid` by the rules of the request; `REPO_UNKNOWN`; `NotFound` for the task; `Denied` where the caller may not read all of the
    /// repository's and names no task of it; `Unavailable` where not even these could be read in time.
    pub async fn repository_search(
        &self,
        caller: &Principal,
        standing: &Standing,
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
                    Read::Done(place) => place?,
                    Read::Late => return Err(Error::unavailable("the repository could not be read in time")),
                };
                let gathered = self.gather(&caller, standing, &place, &asked, &deadline).await;
                self.tell_found(&caller, &place, &asked, gathered, &deadline).await
            })
            .await
    }

    /// What may be searched: the repository of a task by the right to write that, any repository by a grant on it.
    async fn place_of_search(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        repo: &str,
        task: Option<&TaskId>,
    ) -> Result<Place> {
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
                Ok(Place { memory, actor, task, repository, preferences, nobody, sequence, is_cold })
            })
            .await
    }

    async fn gather(
        &self,
        caller: &Principal,
        standing: &Standing,
        place: &Place,
        asked: &RepositorySearch,
        deadline: &Deadline,
    ) -> Gathered {
        let settings = &self.parts.settings;
        let is_shadow = place.arm() == MemoryArm::Off && settings.control.shadow;
        let (on, off): (Vec<SearchKind>, Vec<SearchKind>) =
            asked.wanted().into_iter().partition(|kind| place.has(kind.shown_as()));
        let (given, held): (Vec<SearchKind>, Vec<SearchKind>) =
            on.into_iter().partition(|kind| is_shadow || kind.shown_as().is_of(place.arm()));
        let as_hydration = Hydration { reference: asked.reference.clone(), ..Hydration::default() };
        let as_hydration = self.at_working_tree(standing, place, as_hydration, deadline).await;
        let asking = self.asking_once();
        let reading = Reading {
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
        let read = Finding { reading: &reading, asked }.all(&given).await;
        let mut gathered = Gathered::default();
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
        let picking = Picking {
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

    /// What is returned is scored together, as a finished block is: where that cannot be done, nothing of it is returned.
    async fn look_at_all(&self, gathered: &mut Gathered, deadline: &Deadline) {
        let kept = &mut gathered.picked.kept;
        if kept.is_empty() {
            return;
        }
        let texts: Vec<&str> = kept.iter().map(|(_, screened)| screened.text()).collect();
        let score = match deadline.assemble(self.score_of(&texts.join("\n"))).await {
            Read::Done(score) => score,
            Read::Late => Err(Error::unavailable("the results were not scored in time")),
        };
        let reason = match score {
            Ok(score) if score < QUARANTINED => return,
            Ok(_) => "suspicious",
            Err(error) => {
                tracing::warn!(metric_type = LOAD_INFRA, ?error, "results could not be screened");
                UNSCREENED
            }
        };
        let is_out = |screened: &Screened| reason == UNSCREENED || screened.is_doubtful();
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
        let left = out.into_iter().map(|(candidate, _)| Left::new(candidate, reason));
        gathered.picked.left.extend(left);
    }

    /// Writes down what is shown, and tells it.
    async fn tell_found(
        &self,
        caller: &Principal,
        place: &Place,
        asked: &RepositorySearch,
        mut gathered: Gathered,
        deadline: &Deadline,
    ) -> Result<RepositoryFound> {
        let (at, arm) = (self.engine.now(), place.arm());
        let estimator = self.parts.settings.estimator;
        // No block is made, so there is no budget to be kept and no fence to be drawn.
        let limits = Limits { tokens: 0, estimator, seed: [0; 16] };
        let snapshot = format!("snap_{}", place.sequence);
        let plan = gathered.plan(&limits);
        let shown = Shown {
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
            gathered = Gathered {
                status: gathered.status.into_keys().map(|kind| (kind, KindStatus::Disabled)).collect(),
                warnings: vec![OFF.to_owned()],
                ..Gathered::default()
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

impl Gathered {
    /// Notes how each kind was read; what was found of all of them.
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

    fn note_picked(&mut self, picked: Picked) {
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

    /// As hydration tells what is shown.
    fn plan(&self, limits: &Limits) -> Plan {
        let shown = |(candidate, screened): &(Candidate, Screened)| ShownRecord {
            candidate: candidate.clone(),
            text: screened.text().to_owned(),
            tokens: limits.estimator.estimate(screened.text()),
            cut: false,
        };
        let shown: Vec<ShownRecord> = self.picked.kept.iter().map(shown).collect();
        let used = shown.iter().fold(0_u32, |sum, one| sum.saturating_add(one.tokens));
        Plan { used, shown, left: self.picked.left.clone(), ..Plan::default() }
    }

    fn results(&mut self, look: Option<&CitedLook>) -> Vec<SearchedRecord> {
        let fact = |candidate: &Candidate| {
            let mut views = look.iter().flat_map(|look| &look.views);
            views.find(|view| view.remembered.record.id == candidate.record.id).cloned()
        };
        let result = |(candidate, screened): (Candidate, Screened)| SearchedRecord {
            kind: SearchKind::of(&candidate),
            text: screened.text().to_owned(),
            is_doubtful: screened.is_doubtful(),
            fact: fact(&candidate),
            candidate,
        };
        std::mem::take(&mut self.picked.kept).into_iter().map(result).collect()
    }
}
