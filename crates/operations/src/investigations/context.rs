//! What a start is told: preferences, knowledge by agent, past investigations and how often the
//! alert came, read side by side until one deadline. What fails or comes late is empty and says so;
//! the plan goes on without it.

use std::collections::BTreeMap;

use futures::FutureExt;
use loci_api::operations::investigation::{Recurrence, SeenBefore};
use loci_engine::access;
use loci_engine::calls::deadline::{Deadline, Read};
use loci_engine::memories::existing;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::services::knowledge::SreType;
use loci_model::time::DAY_MS;
use loci_model::{MemoryId, Result, Timestamp};

use super::ending_preferences::ending;
use super::finding::{Known, SAME_ALERT_MAX, SameAlert, is_hidden, of_fingerprint};
use super::outcome::OUTCOME;
use super::starting::InvestigationStart;
use crate::Operations;
use crate::records::precedence::word;
use crate::retrieval::retrieve::{MEMORY_OFF, SreFound, SreRetrieve};
use crate::times::time_phrases;
use crate::times::users_zone::UsersZone;
use crate::{PastScope, SrePreferences, SreSettings};

/// Past occurrences of an alert that are told.
const LAST_MAX: usize = 5;
/// What the counts look back on, in days.
const MONTH_DAYS: i64 = 30;
const YEAR_DAYS: i64 = 365;

/// How a part was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PartStatus {
    /// All of it.
    #[default]
    Ok,
    /// Not in time.
    Timeout,
    /// It could not be read.
    Error,
}

impl PartStatus {
    /// The word of answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Timeout => "timeout",
            Self::Error => "error",
        }
    }
}

/// What is known for an investigation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Context {
    /// What the user wants, by type.
    pub preferences: BTreeMap<String, SrePreferences>,
    /// What each agent knows of services, the best first; every configured agent is there.
    pub infrastructure: BTreeMap<String, Vec<SreFound>>,
    /// What was looked into before, the most alike first.
    pub investigations: Vec<SreFound>,
    /// How each part was read.
    pub status: BTreeMap<&'static str, PartStatus>,
    /// What to know.
    pub warnings: Vec<String>,
}

impl Context {
    /// Nothing, with its keys, where a memory is off.
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

    /// Some part is less than it could be.
    pub fn is_degraded(&self) -> bool {
        self.status.values().any(|status| *status != PartStatus::Ok)
    }

    /// Investigations of the same alert, as far as they were read.
    fn of_alert(&mut self, read: Read<SameAlert>) -> Vec<Known> {
        let same = self.part("recurrence", read);
        if same.is_partial {
            self.warnings
                .push(format!("recurrence: only the newest {SAME_ALERT_MAX} of this alert are counted"));
        }
        same.known
    }

    /// That it began is kept nowhere.
    pub(super) fn investigation_unsaved(&mut self) {
        self.warnings.push("investigation: that it began could not be saved".to_owned());
        self.status.insert("investigation", PartStatus::Error);
    }

    /// What was read; or nothing, and why.
    fn part<T: Default>(&mut self, name: &'static str, read: Read<T>) -> T {
        let (status, value) = match read {
            Read::Done(Ok(value)) => (PartStatus::Ok, value),
            Read::Done(Err(error)) => {
                tracing::warn!(part = name, ?error, "a part of an investigation's start could not be read");
                (PartStatus::Error, T::default())
            }
            Read::Late => (PartStatus::Timeout, T::default()),
        };
        // Of several reads of one part the gravest counts.
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

/// What is read for a start.
pub(super) struct Gathered {
    pub(super) context: Context,
    /// Investigations of the same alert, the newest first.
    pub(super) same: Vec<Known>,
}

impl Operations {
    /// Reads all parts side by side.
    pub(super) async fn investigation_context(
        &self,
        caller: &Principal,
        asked: &InvestigationStart,
        deadline: &Deadline,
    ) -> Gathered {
        let settings = self.settings.of(&asked.memory);
        let mut context = Context::default();
        let mut preferences = deadline.read(self.sre_preferences(caller, &asked.memory, &asked.user)).boxed();
        let mut zone = None;
        // Words of time mean the user's days: what the user wants is read first then, and once for all parts.
        if asked.tz.is_none() && time_phrases::names_time(&asked.query) {
            let read = preferences.await;
            let users = days_of(&read, &settings.default_timezone);
            context.warnings.extend(users.warning.map(str::to_owned));
            zone = Some(users.name);
            preferences = futures::future::ready(read).boxed();
        }
        let question = |kind| question(asked, zone.as_deref(), kind);
        // All of them ask the same of the same, which is read once and gets its vector once. Where it cannot be read, each says so.
        let operations = self.asking_once();
        let memory = match deadline.read(self.engine.memory_get(caller, &asked.memory)).await {
            Read::Done(read) => read.ok(),
            Read::Late => None,
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
            // Every configured agent is there, also without knowledge; the supervisor is
            // where it has some.
            if !found.is_empty() || settings.agents.iter().any(|name| name == agent) {
                context.infrastructure.insert(agent.to_owned(), found);
            }
        }
        let found = context.part("investigations", past);
        context.warnings.extend(found.warnings);
        context.investigations = visible(found.results, &asked.user);
        // Those whose cause was confirmed come first, in their own order.
        context.investigations.sort_by_key(|one| word(&one.record, OUTCOME) != Some("confirmed"));
        let same = context.of_alert(same);
        Gathered { context, same }
    }

    /// Investigations of the same alert that the user may see.
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

/// The zone of the user, as far as what they want was read.
fn days_of(read: &Read<BTreeMap<String, SrePreferences>>, default: &str) -> UsersZone {
    match read {
        Read::Done(Ok(wanted)) => UsersZone::of(wanted, default),
        Read::Done(Err(_)) | Read::Late => UsersZone::default(default),
    }
}

/// What a start asks of a type, in the user's days where no zone is given: services and environments bring what is theirs forward, and leave nothing out.
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

/// How often the alert came, with `this` the incident under way.
pub(super) fn recurrence(same: &[Known], this: &str, now: Timestamp) -> Recurrence {
    let mut earlier: Vec<&Known> = Vec::new();
    for one in same.iter().filter(|one| one.incident != this) {
        if !earlier.iter().any(|other| other.incident == one.incident) {
            earlier.push(one);
        }
    }
    let within = |days: i64| {
        let from = now.millis() - days * DAY_MS;
        1 + earlier.iter().filter(|one| one.began().millis() > from).count() as u64
    };
    let seen = |one: &&Known| SeenBefore {
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

/// Why it happened; what was refuted is no answer.
fn root_cause(known: &Known) -> Option<String> {
    let is_refuted =
        known.content.get("root_cause_refuted").and_then(serde_json::Value::as_bool) == Some(true);
    known.text("root_cause").filter(|_| !is_refuted).map(str::to_owned)
}
