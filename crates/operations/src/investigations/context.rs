//! The context of a start: preferences, knowledge by agent, past investigations and the recurrence
//! of the alert. The parts are read concurrently within one deadline. A part that fails or is late
//! is empty and reports its status; the start continues without it.

use std::collections::BTreeMap;

use futures::FutureExt;
use loci_api::operations::investigation::{Recurrence, SeenBefore};
use loci_engine::access;
use loci_engine::calls::deadline::{Deadline, DeadlineRead};
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::services::knowledge::SreType;
use loci_model::time::DAY_MS;
use loci_model::{MemoryId, Result, Timestamp};

use super::expiring_preferences::ending;
use super::investigation_lookup::{
    SAME_ALERT_MAX, SameAlert, StoredInvestigation, is_hidden, of_fingerprint,
};
use super::outcome::OUTCOME;
use super::start::InvestigationStart;
use crate::Operations;
use crate::records::precedence::word;
use crate::retrieval::retrieve::{MEMORY_OFF, SreFound, SreRetrieve};
use crate::times::time_phrases;
use crate::times::users_zone::UsersZone;
use crate::{PastScope, SrePreferences, SreSettings};

/// The maximum number of past occurrences of an alert in the response.
const LAST_MAX: usize = 5;
/// The length of the shorter recurrence window, in days.
const MONTH_DAYS: i64 = 30;
const YEAR_DAYS: i64 = 365;

/// The status of reading a part of the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartStatus {
    /// The part was read completely.
    #[default]
    Ok,
    /// The part was not read before the deadline.
    Timeout,
    /// The part could not be read.
    Error,
}

impl PartStatus {
    /// Returns the name used in responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Timeout => "timeout",
            Self::Error => "error",
        }
    }
}

/// The context for an investigation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    /// The user's preferences, by type.
    pub preferences: BTreeMap<String, SrePreferences>,
    /// Knowledge of each agent, best match first. Contains every configured agent.
    pub infrastructure: BTreeMap<String, Vec<SreFound>>,
    /// Past investigations, most similar first.
    pub investigations: Vec<SreFound>,
    /// The status of each part.
    pub status: BTreeMap<&'static str, PartStatus>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Context {
    /// Returns an empty context with all keys, for a memory that is off.
    pub(super) fn of_memory_off(settings: &SreSettings) -> Self {
        Self {
            infrastructure: settings.agents.iter().map(|agent| (agent.clone(), Vec::new())).collect(),
            status: ["preferences", "infrastructure", "investigations"]
                .map(|part| (part, PartStatus::Ok))
                .into(),
            warnings: vec![MEMORY_OFF.to_owned()],
            ..Self::default()
        }
    }

    /// True if any part was not read completely.
    pub fn is_degraded(&self) -> bool {
        self.status.values().any(|status| *status != PartStatus::Ok)
    }

    /// Returns the investigations of the same alert that were read.
    fn of_alert(&mut self, read: DeadlineRead<SameAlert>) -> Vec<StoredInvestigation> {
        let same = self.part("recurrence", read);
        if same.is_partial {
            self.warnings
                .push(format!("recurrence: only the newest {SAME_ALERT_MAX} of this alert are counted"));
        }
        same.known
    }

    /// Records that the start of the investigation could not be saved.
    pub(super) fn investigation_unsaved(&mut self) {
        self.warnings.push("investigation: that it began could not be saved".to_owned());
        self.status.insert("investigation", PartStatus::Error);
    }

    /// Returns the value of a part and records its status. A failed part is empty.
    fn part<T: Default>(&mut self, name: &'static str, read: DeadlineRead<T>) -> T {
        let (status, value) = match read {
            DeadlineRead::Done(Ok(value)) => (PartStatus::Ok, value),
            DeadlineRead::Done(Err(error)) => {
                tracing::warn!(part = name, ?error, "a part of an investigation's start could not be read");
                (PartStatus::Error, T::default())
            }
            DeadlineRead::Late => (PartStatus::Timeout, T::default()),
        };
        // If one part needs several reads, the first failure determines its status.
        let before = self.status.entry(name).or_insert(status);
        if *before == PartStatus::Ok {
            *before = status;
        }
        if status != PartStatus::Ok {
            let warning = format!("{name}: {}", status.as_str());
            if !self.warnings.contains(&warning) {
                self.warnings.push(warning);
            }
        }
        value
    }
}

/// The result of reading the context.
pub(super) struct ContextData {
    pub(super) context: Context,
    /// The investigations of the same alert, newest first.
    pub(super) same: Vec<StoredInvestigation>,
}

impl Operations {
    /// Reads all parts of the context concurrently.
    pub(super) async fn investigation_context(
        &self,
        caller: &Principal,
        asked: &InvestigationStart,
        deadline: &Deadline,
    ) -> ContextData {
        let settings = self.settings.of(&asked.memory);
        let mut context = Context::default();
        let mut preferences = deadline.read(self.sre_preferences(caller, &asked.memory, &asked.user)).boxed();
        let mut zone = None;
        // Relative times in the query refer to the user's time zone. In this case the preferences
        // are read first, and only once.
        if asked.tz.is_none() && time_phrases::names_time(&asked.query) {
            let read = preferences.await;
            let users = days_of(&read, &settings.default_timezone);
            context.warnings.extend(users.warning.map(str::to_owned));
            zone = Some(users.name);
            preferences = futures::future::ready(read).boxed();
        }
        let question = |kind| question(asked, zone.as_deref(), kind);
        // All reads use the same query and memory: the memory is read once and the query embedded
        // once. If the memory cannot be read, each read reports the error.
        let operations = self.asking_once();
        let memory = match deadline.read(self.engine.memory_get(caller, &asked.memory)).await {
            DeadlineRead::Done(read) => read.ok(),
            DeadlineRead::Late => None,
        };
        let memory = memory.as_ref();
        let agents = futures::future::join_all(settings.agents_read().map(|agent| {
            let mut wanted = question(SreType::Infrastructure);
            wanted.actor = Some(agent.to_owned());
            deadline.read(operations.sre_retrieve_in(caller, wanted, memory)).boxed()
        }));
        let mut past = question(SreType::Investigations);
        past.actor = (settings.past_investigations == PastScope::User).then(|| asked.user.clone());
        let past = deadline.read(operations.sre_retrieve_in(caller, past, memory)).boxed();
        let same = deadline.read(self.same_alert(caller, asked)).boxed();
        let (preferences, agents, past, same) = futures::join!(preferences, agents, past, same);
        context.preferences = context.part("preferences", preferences);
        context.warnings.extend(ending(&context.preferences, self.engine.now()));
        for (agent, read) in settings.agents_read().zip(agents) {
            let found = context.part("infrastructure", read);
            context.warnings.extend(found.warnings);
            let found = visible(found.results, &asked.user);
            // Every configured agent is present, even without knowledge; the supervisor is present
            // only with knowledge.
            if !found.is_empty() || settings.agents.iter().any(|name| name == agent) {
                context.infrastructure.insert(agent.to_owned(), found);
            }
        }
        let found = context.part("investigations", past);
        context.warnings.extend(found.warnings);
        context.investigations = visible(found.results, &asked.user);
        // Investigations with a confirmed root cause come first; the order is otherwise unchanged.
        context.investigations.sort_by_key(|one| word(&one.record, OUTCOME) != Some("confirmed"));
        let same = context.of_alert(same);
        ContextData { context, same }
    }

    /// Returns the investigations of the same alert that the user may see.
    pub(super) async fn same_alert(
        &self,
        caller: &Principal,
        asked: &InvestigationStart,
    ) -> Result<SameAlert> {
        let Some(fingerprint) = asked.fingerprint() else { return Ok(Default::default()) };
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, &asked.memory, Capability::Read, now)?;
        let (memory, user): (MemoryId, String) = (asked.memory.clone(), asked.user.clone());
        let mut same = self
            .engine
            .store()
            .read(move |tx| of_fingerprint(tx, &existing(tx, &memory)?, &view, &fingerprint, now))
            .await?;
        same.known.retain(|one| !is_hidden(&one.record, &user));
        Ok(same)
    }
}

/// Returns the user's time zone from the preferences that were read, or else the default.
fn days_of(read: &DeadlineRead<BTreeMap<String, SrePreferences>>, default: &str) -> UsersZone {
    match read {
        DeadlineRead::Done(Ok(wanted)) => UsersZone::of(wanted, default),
        DeadlineRead::Done(Err(_)) | DeadlineRead::Late => UsersZone::default(default),
    }
}

/// Returns the search for one record type. If no zone is given, times are in the user's zone.
/// Services and environments boost results, and exclude none.
fn question(asked: &InvestigationStart, zone: Option<&str>, kind: SreType) -> SreRetrieve {
    SreRetrieve {
        memory: asked.memory.clone(),
        kinds: vec![kind],
        query: asked.query.clone(),
        actor: None,
        session: None,
        since: None,
        until: None,
        tz: asked.tz.clone().or_else(|| zone.map(str::to_owned)),
        services: asked.services.clone(),
        environments: asked.environment.iter().cloned().collect(),
        filters_boost: true,
        min_confidence: None,
        top_k: None,
        include_superseded: false,
        as_of: None,
        explain: false,
        leave_out: Vec::new(),
    }
}

fn visible(found: Vec<SreFound>, user: &str) -> Vec<SreFound> {
    found.into_iter().filter(|one| !is_hidden(&one.record, user)).collect()
}

/// Returns the number of occurrences of the alert. `this` is the current incident.
pub(super) fn recurrence(same: &[StoredInvestigation], this: &str, now: Timestamp) -> Recurrence {
    let mut earlier: Vec<&StoredInvestigation> = Vec::new();
    for one in same.iter().filter(|one| one.incident != this) {
        if !earlier.iter().any(|other| other.incident == one.incident) {
            earlier.push(one);
        }
    }
    let within = |days: i64| {
        let from = now.millis() - days * DAY_MS;
        1 + earlier.iter().filter(|one| one.began().millis() > from).count() as u64
    };
    let seen = |one: &&StoredInvestigation| SeenBefore {
        incident_id: one.incident.clone(),
        at: one.began().to_rfc3339(),
        status: one.status().as_str().to_owned(),
        root_cause: root_cause(one),
    };
    Recurrence {
        count_30d: within(MONTH_DAYS),
        count_365d: within(YEAR_DAYS),
        last: earlier.iter().take(LAST_MAX).map(seen).collect(),
    }
}

/// Returns the root cause, unless it was refuted.
fn root_cause(known: &StoredInvestigation) -> Option<String> {
    let is_refuted =
        known.content.get("root_cause_refuted").and_then(serde_json::Value::as_bool) == Some(true);
    known.text("root_cause").filter(|_| !is_refuted).map(str::to_owned)
}
