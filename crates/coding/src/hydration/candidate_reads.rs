//! Reads the candidates: each kind on its own, concurrently, within the deadline. A kind that is
//! late or fails does not affect the others, and its status reports it.

use std::collections::BTreeMap;

use futures::FutureExt;
use loci_engine::access;
use loci_engine::calls::call_context::CallContext;
use loci_engine::calls::deadline::{Deadline, DeadlineRead};
use loci_engine::memories::existing;
use loci_engine::records::{NamespaceAsk, namespaces};
use loci_engine::retrieval::SearchRequest;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordKind};
use loci_model::tasks::task::{MemoryArm, Task};
use loci_model::{
    ActorId, Error, ErrorKind, MemoryId, Namespace, NamespaceFilter, NamespaceMatch, Result, limits,
};
use loci_verified::{CitedLook, Remembered, ReportedVerdicts, facts_among};

use super::candidate::Candidate;
use super::kind::{HydrationKind, KindStatus};
use super::noise::noise_floor;
use super::record_relations::with_standing;
use super::request::Hydration;
use super::theme_lines::with_themes;
use crate::Coding;
use crate::preferences::{TOKEN_UNPROVED, UNPROVED, restricted_to};
use crate::rules::rules_list::rules_of;
use crate::tasks::log_fields::{LOAD_BUG, LOAD_INFRA, is_infrastructure};

/// The repository or task whose memory is read.
pub(super) struct HydrationScope {
    pub(super) memory: MemoryId,
    /// The actor of the repository.
    pub(super) actor: ActorId,
    /// The requesting task; `None`: the request names only the repository.
    pub(super) task: Option<Task>,
    pub(super) repository: Option<Repository>,
    /// The namespace of the preferences of the task's user, or of the named user. `None` if there
    /// is no user, or if the login belongs to another person by now.
    pub(super) preferences: Option<String>,
    /// The reason why no preferences are read although a user is named, or why only callers with a
    /// grant may read them.
    pub(super) nobody: Option<PreferenceSkipReason>,
    /// The number of record changes in the memory so far.
    pub(super) sequence: u64,
    /// True if the repository has hardly any earlier tasks.
    pub(super) is_cold: bool,
}

/// The reason why the named user's preferences are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PreferenceSkipReason {
    /// The name is not a valid user name.
    Unnamed,
    /// The task belongs to another user.
    Other,
    /// No proof exists that the person requested the task. Only a caller who may read the person's
    /// preferences receives them.
    Unproved,
}

impl PreferenceSkipReason {
    /// Returns the warning for the caller.
    fn warning(self) -> &'static str {
        match self {
            Self::Unnamed => {
                "USER_UNNAMED: user is no name of 1 to 120 characters without slashes, braces and control characters: \
                 no preferences were read; the forge's number does, too: user: and the number, such as user:4711"
            }
            Self::Other => {
                "USER_NOT_OF_TASK: user names somebody else than whoever the task is for: none of their preferences were read; leave user out"
            }
            Self::Unproved => UNPROVED,
        }
    }
}

impl HydrationScope {
    /// Returns the memory arm.
    pub(super) fn arm(&self) -> MemoryArm {
        self.task.as_ref().map_or(MemoryArm::On, |task| task.arm)
    }

    /// True if tasks of the repository are shown a kind, in any arm.
    pub(super) fn has(&self, kind: HydrationKind) -> bool {
        self.repository.as_ref().is_none_or(|repository| kind.is_on(&repository.settings.tiers))
    }

    /// True if a preference below a path belongs to the person and is not restricted to another
    /// repository.
    pub(super) fn is_for(&self, preference: &Record, path: &str) -> bool {
        let is_own = Namespace::parse(path).is_ok_and(|path| path.normal() == preference.namespace.normal());
        let here = self.repository.as_ref().map(|repository| repository.id.as_str());
        is_own && restricted_to(preference).is_none_or(|restricted| Some(restricted) == here)
    }
}

/// The reads of a hydration.
pub(super) struct HydrationReads<'a> {
    pub(super) coding: &'a Coding,
    pub(super) caller: &'a Principal,
    pub(super) standing: &'a CallContext,
    pub(super) place: &'a HydrationScope,
    pub(super) asked: &'a Hydration,
    pub(super) query: Option<&'a str>,
    pub(super) deadline: &'a Deadline,
    /// The kinds to read.
    pub(super) wanted: &'a [HydrationKind],
    /// The caller's report on its own code, used in place of reading code here.
    pub(super) told: Option<&'a ReportedVerdicts>,
    /// True if themes of self-feedback are read, too.
    pub(super) wants_themes: bool,
}

/// The result of reading a kind.
pub(super) struct KindRead {
    pub(super) status: KindStatus,
    pub(super) found: Vec<Candidate>,
    pub(super) warnings: Vec<String>,
    /// The result of the code checks.
    pub(super) look: Option<CitedLook>,
}

impl KindRead {
    pub(super) fn of(status: KindStatus) -> Self {
        Self { status, found: Vec::new(), warnings: Vec::new(), look: None }
    }
}

/// The maximum number of request paths whose words are part of the query.
const QUESTION_PATHS_MAX: usize = 8;
/// The maximum length of such a path, in characters.
const QUESTION_PATH_CHARS_MAX: usize = 120;
/// The records found, and warnings.
pub(super) struct CandidateRecords {
    pub(super) candidates: Vec<Candidate>,
    pub(super) facts: Vec<Remembered>,
    pub(super) warnings: Vec<String>,
}

impl HydrationReads<'_> {
    /// Reads all kinds concurrently.
    pub(super) async fn all(&self) -> BTreeMap<HydrationKind, KindRead> {
        use HydrationKind as Kind;
        let actor = &self.place.actor;
        let (rules, episodes_of) = (rules_of(actor.as_str()), format!("/{actor}/episodes/"));
        let preferences = self.place.preferences.clone();
        // Boxed, because the joined futures exceed the stack of a thread.
        let (rules, knowledge, episodes, preferences, reflections, themes) = futures::join!(
            self.listed(Kind::Rules, Some(rules), Vec::new()).boxed(),
            self.knowledge().boxed(),
            self.episodes().boxed(),
            self.listed(Kind::Preferences, preferences, vec![RecordKind::Preference]).boxed(),
            self.listed(Kind::Reflections, Some(episodes_of), vec![RecordKind::Reflection]).boxed(),
            self.themes().boxed(),
        );
        BTreeMap::from([
            (Kind::Rules, rules),
            (Kind::Knowledge, with_themes(knowledge, themes)),
            (Kind::Episodes, episodes),
            (Kind::Preferences, preferences),
            (Kind::Reflections, reflections),
        ])
    }

    fn reads(&self, kind: HydrationKind) -> bool {
        self.wanted.contains(&kind)
    }

    /// Reads all active records below a path, independent of the query.
    async fn listed(&self, kind: HydrationKind, path: Option<String>, kinds: Vec<RecordKind>) -> KindRead {
        if !self.reads(kind) {
            return KindRead::of(KindStatus::Disabled);
        }
        let Some(path) = path else { return self.of_nobody() };
        let read = self.deadline.read(self.list(kind, path.clone(), kinds)).await;
        self.as_granted(kind, &path, self.settled(kind, read).0)
    }

    /// Returns the result for preferences without a user.
    pub(super) fn of_nobody(&self) -> KindRead {
        let why = self.place.nobody;
        let is_other = why == Some(PreferenceSkipReason::Other);
        let status = if is_other { KindStatus::Disabled } else { KindStatus::Skipped };
        let warnings = why.map(|why| why.warning().to_owned()).into_iter().collect();
        KindRead { warnings, ..KindRead::of(status) }
    }

    async fn list(
        &self,
        kind: HydrationKind,
        path: String,
        kinds: Vec<RecordKind>,
    ) -> Result<CandidateRecords> {
        let most = limits::HYDRATION_LISTED_MAX;
        let memory = self.place.memory.clone();
        let view = access::record_view(self.caller, &memory, Capability::Read)?;
        let (at, of) = (Namespace::parse(path.as_str())?, path);
        // Preferences match the exact namespace: records below it belong to others, such as
        // sessions of a repository that are named after its owner.
        let exact =
            (kind == HydrationKind::Preferences).then(|| NamespaceFilter::new(&at, NamespaceMatch::Exact));
        let (ask, now) = (NamespaceAsk::Path(at), self.coding.engine.now());
        let actor = self.place.actor.clone();
        let read = self.coding.engine.store().read(move |tx| {
            let memory = existing(tx, &memory)?;
            let (mut scope, _) = namespaces::scope(&memory, &view, std::slice::from_ref(&ask), now)?;
            scope.namespaces = exact.clone().map_or(scope.namespaces, |exact| vec![exact]);
            scope.kinds.clone_from(&kinds);
            let mut records = tx.records().list(&RecordPage { scope, after: None, limit: most + 1 })?;
            let is_all = records.len() <= most;
            records.truncate(most);
            let mut candidates: Vec<Candidate> =
                records.into_iter().map(|record| Candidate::new(kind, record, 1.0)).collect();
            with_standing(tx, (&memory.id, &actor), &mut candidates)?;
            Ok((candidates, is_all))
        });
        let (mut candidates, is_all) = read.await?;
        let mut warnings = Vec::new();
        if !is_all {
            let kind = kind.as_str();
            warnings.push(format!("NOT_ALL_READ: of the {kind} only the {most} newest were looked at"));
        }
        if kind == HydrationKind::Preferences {
            candidates.retain(|candidate| self.place.is_for(&candidate.record, &of));
        }
        Ok(CandidateRecords { candidates, facts: Vec::new(), warnings })
    }

    /// Reads episodes of similar earlier tasks.
    async fn episodes(&self) -> KindRead {
        let kind = HydrationKind::Episodes;
        if !self.reads(kind) {
            return KindRead::of(KindStatus::Disabled);
        }
        let Some(query) = self.query else { return KindRead::of(KindStatus::Skipped) };
        let path = format!("/{}/episodes/", self.place.actor);
        let question = self.question_with_paths(query);
        let found = self.search(kind, path.clone(), vec![RecordKind::Episode], &question, self.pool());
        let read = self.deadline.read(found).await;
        self.as_granted(kind, &path, self.settled(kind, read).0)
    }

    /// Reads the knowledge that matches the query, with the verification results of its citations.
    async fn knowledge(&self) -> KindRead {
        let kind = HydrationKind::Knowledge;
        if !self.reads(kind) {
            return KindRead::of(KindStatus::Disabled);
        }
        let Some(query) = self.query else { return KindRead::of(KindStatus::Skipped) };
        let path = format!("/{}/knowledge/", self.place.actor);
        let question = self.question_with_paths(query);
        let work = async {
            let found =
                self.search(kind, path.clone(), vec![RecordKind::Fact], &question, self.pool()).await?;
            self.with_facts(found).await
        };
        let done = self.deadline.read(work).await;
        let (read, facts) = self.settled(kind, done);
        self.as_granted(kind, &path, self.with_code(kind, read, facts).await)
    }

    /// Returns the query followed by the paths of the request, whose words belong to the task. Both
    /// searches use the same text, so that one vector serves both.
    fn question_with_paths(&self, query: &str) -> String {
        let mut question = query.to_owned();
        for path in self.asked.paths.iter().take(QUESTION_PATHS_MAX) {
            question.push(' ');
            question.extend(path.chars().take(QUESTION_PATH_CHARS_MAX));
        }
        question
    }

    /// Returns the number of candidates for each kind that is searched by the query.
    fn pool(&self) -> u32 {
        self.coding.parts.settings.candidate_pool
    }

    /// Adds the verification results of the cited code to the records read.
    pub(super) async fn with_look(
        &self,
        kind: HydrationKind,
        mut read: KindRead,
        facts: Vec<Remembered>,
    ) -> KindRead {
        let Some(repository) = self.place.repository.as_ref().filter(|_| !facts.is_empty()) else {
            return read;
        };
        match self.looked(repository, facts).await {
            Ok(look) => {
                read.warnings.extend(look.warnings.iter().cloned());
                for (id, cited) in &look.cited {
                    if let Some(of) = read.found.iter_mut().find(|candidate| candidate.record.id == *id) {
                        of.observed_at = of.observed_at.max(cited.confirmed_at);
                        of.cited = Some(cited.clone());
                    }
                }
                read.look = Some(look);
                read
            }
            // A record that cites code is not shown unverified, and a failed read leaves open which
            // records do.
            Err(error) => self.settled(kind, DeadlineRead::Done(Err(error))).0,
        }
    }

    /// Searches records of some kinds below a path. An empty list of kinds means all.
    pub(super) async fn search(
        &self,
        kind: HydrationKind,
        path: String,
        of: Vec<RecordKind>,
        query: &str,
        pool: u32,
    ) -> Result<CandidateRecords> {
        let request = SearchRequest {
            memory: self.place.memory.clone(),
            query: query.to_owned(),
            namespaces: vec![NamespaceAsk::Path(Namespace::parse(path)?)],
            strategy: None,
            metadata: Vec::new(),
            kinds: of,
            states: Vec::new(),
            citing: None,
            as_of: None,
            top_k: pool,
            fold: false,
            budget_tokens: None,
            relevance_min: None,
            explain: false,
            lists: None,
            include_system: true,
        };
        let answer = self.coding.engine.search_unread(self.caller, request).await?;
        let notices = &answer.notices;
        let degraded =
            notices.degraded.iter().map(|code| format!("DEGRADED: {} ({})", code.code(), kind.as_str()));
        let warned = notices.warnings.iter().map(|code| format!("{} ({})", code.code(), kind.as_str()));
        let warnings = degraded.chain(warned).collect();
        let floor = noise_floor(&self.coding.parts.settings, &notices.degraded);
        let candidate = |hit: loci_engine::retrieval::Hit| {
            let similarity = f64::from(hit.relevance);
            Candidate { is_noise: similarity < floor, ..Candidate::new(kind, hit.record, similarity) }
        };
        Ok(CandidateRecords {
            candidates: answer.hits.into_iter().map(candidate).collect(),
            facts: Vec::new(),
            warnings,
        })
    }

    /// Adds the facts among the records, and the agreement and conflicts with other records.
    pub(super) async fn with_facts(&self, found: CandidateRecords) -> Result<CandidateRecords> {
        let repository = self.place.repository.clone();
        let (memory, actor) = (self.place.memory.clone(), self.place.actor.clone());
        let CandidateRecords { candidates, warnings, .. } = found;
        let read = self.coding.engine.store().read(move |tx| {
            let mut candidates = candidates.clone();
            with_standing(tx, (&memory, &actor), &mut candidates)?;
            let records: Vec<Record> = candidates.iter().map(|candidate| candidate.record.clone()).collect();
            let facts = match &repository {
                Some(repository) => facts_among(tx, repository, &records)?,
                None => Vec::new(),
            };
            Ok((candidates, facts))
        });
        let (candidates, facts) = read.await?;
        Ok(CandidateRecords { candidates, facts, warnings })
    }

    async fn looked(&self, repository: &Repository, facts: Vec<Remembered>) -> Result<CitedLook> {
        let revision = self.asked.revision();
        if let Some(told) = self.told {
            return self.coding.verified.look_told(self.caller, self.standing, repository, told, facts).await;
        }
        let (verified, caller, standing) = (&self.coding.verified, self.caller, self.standing);
        let look = verified.look_cited(caller, standing, repository, revision, facts.clone());
        match self.deadline.read(look).await {
            DeadlineRead::Done(look) => look,
            DeadlineRead::Late => verified.no_time_to_look(caller, standing, repository, revision, facts),
        }
    }

    /// Converts a finished read into its result and the facts among its records.
    pub(super) fn settled(
        &self,
        kind: HydrationKind,
        read: DeadlineRead<CandidateRecords>,
    ) -> (KindRead, Vec<Remembered>) {
        let (status, warning) = match read {
            DeadlineRead::Done(Ok(found)) => {
                let status = if found.candidates.is_empty() { KindStatus::Empty } else { KindStatus::Ok };
                let CandidateRecords { candidates, facts, warnings } = found;
                return (KindRead { status, found: candidates, warnings, look: None }, facts);
            }
            DeadlineRead::Done(Err(error)) if error.kind == ErrorKind::Denied => {
                return (self.refused(kind, Vec::new()), Vec::new());
            }
            DeadlineRead::Done(Err(error)) => {
                self.log(kind, &error);
                (KindStatus::Error, format!("NOT_READ: the {} could not be read", kind.as_str()))
            }
            DeadlineRead::Late => {
                self.log(kind, &Error::unavailable("the deadline has passed"));
                (KindStatus::Timeout, format!("NOT_IN_TIME: the {} were not read in time", kind.as_str()))
            }
        };
        (KindRead { warnings: vec![warning], ..KindRead::of(status) }, Vec::new())
    }

    /// Marks an empty result of a caller with incomplete rights as not granted: records may exist
    /// that the caller may not read.
    pub(super) fn as_granted(&self, kind: HydrationKind, path: &str, read: KindRead) -> KindRead {
        if read.status != KindStatus::Empty || self.may_read(kind, path) {
            return read;
        }
        self.refused(kind, read.warnings)
    }

    /// Returns the result of a kind that the caller may not read. For preferences, a warning also
    /// names the missing proof, because an agent has no grant of its own to request.
    fn refused(&self, kind: HydrationKind, mut warnings: Vec<String>) -> KindRead {
        warnings.push(format!("NOT_GRANTED: the caller may not read the {}", kind.as_str()));
        if kind == HydrationKind::Preferences {
            warnings.extend(self.unproved().map(str::to_owned));
        }
        KindRead { warnings, ..KindRead::of(KindStatus::Disabled) }
    }

    /// Returns the warning about the proof that a caller without access to the preferences lacks:
    /// of the task, or of the token.
    fn unproved(&self) -> Option<&'static str> {
        let is_agents =
            |task: &Task| access::is_agent_of(self.caller, &self.place.memory, (&task.actor, &task.session));
        let is_token_old = || self.place.task.as_ref().is_some_and(is_agents);
        let of_task = self.place.nobody.map(PreferenceSkipReason::warning);
        of_task.or_else(|| is_token_old().then_some(TOKEN_UNPROVED))
    }

    /// True if the caller may read all records below a path.
    fn may_read(&self, kind: HydrationKind, path: &str) -> bool {
        let Ok(namespace) = Namespace::parse(path) else { return true };
        let beneath = NamespaceFilter::new(&namespace, NamespaceMatch::Subtree);
        // Preferences belong to a person, not to the repository.
        let of_user = (kind == HydrationKind::Preferences).then(|| namespace.normal());
        let of_user =
            of_user.and_then(|path| ActorId::parse(path.trim_matches('/').rsplit('/').next()?).ok());
        let actor = of_user.as_ref().unwrap_or(&self.place.actor);
        let (caller, memory) = (self.caller, &self.place.memory);
        access::require_place(caller, memory, (actor, None), &beneath, Capability::Read).is_ok()
    }

    /// Logs a failed read: an infrastructure failure as a warning, a bug as an error.
    fn log(&self, kind: HydrationKind, error: &Error) {
        let kind = kind.as_str();
        if is_infrastructure(error.kind) {
            tracing::warn!(metric_type = LOAD_INFRA, kind, ?error, "a kind could not be read");
        } else {
            tracing::error!(metric_type = LOAD_BUG, kind, ?error, "a kind could not be read");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::tasks::task_namespaces::preferences_of;

    #[test]
    fn whose_preferences() {
        let check = |user: &str, expect: Option<&str>| {
            assert_eq!(preferences_of(user).as_deref(), expect, "{user:?}");
        };
        check("bob", Some("/users/bob/"));
        check("Bob", Some("/users/bob/"));
        check("/", None);
        check("a/b", None);
        check("..", None);
        check("renovate[bot]", None);
        check("Bob Smith", None);
    }
}
