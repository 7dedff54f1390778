//! `investigation_start`: the hook before planning. It opens an investigation, or joins the open
//! one of the same alert, and returns the context. Parts that cannot be read are left out and
//! reported as warnings. Only an invalid request is an error.

use std::collections::BTreeMap;

use loci_api::operations::investigation::Recurrence;
use loci_engine::access;
use loci_engine::calls::deadline::Deadline;
use loci_engine::calls::idempotency::ClientToken;
use loci_engine::retrieval::render::{Dropped, Frame};
use loci_engine::safety::Patterns;
use loci_model::ports::ids::letters_and_digits;
use loci_model::principal::{Capability, Principal};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{ActorId, Error, ErrorKind, ExposureId, MemoryId, Result, Timestamp};
use loci_text::tokens::Estimator;
use serde_json::{Map, Value, json};

use super::context::{Context, ContextData, recurrence};
use super::investigation_lookup::StoredInvestigation;
use super::rendering::{self, Rendered};
use crate::Operations;
use crate::records::incident_name::{incident_name, incident_random};
use crate::records::namespace_rules;
use crate::records::save::{InvestigationSeed, SaveAs};
use crate::times::time_zone;
use crate::{PastScope, SreSave, SreSaved, SreSettings};

/// The maximum token budget of a block.
const BUDGET_TOKENS_MAX: u32 = 100_000;
/// The default deadline for reading the context, in milliseconds; the next constant is the maximum.
const TIMEOUT_MS: u64 = 3_000;
const TIMEOUT_MS_MAX: u64 = 30_000;
/// The number of random characters at the end of a session name.
const SESSION_RANDOM: usize = 8;

/// A request to start an investigation.
#[derive(Debug, Clone, PartialEq)]
pub struct InvestigationStart {
    /// The memory in which the investigation starts.
    pub memory: MemoryId,
    /// The user for whom it is started.
    pub user: String,
    /// The question to investigate.
    pub query: String,
    /// The incident. `None`: the server generates one.
    pub incident: Option<String>,
    /// The session. `None` or empty: the server generates one.
    pub session: Option<String>,
    /// The prefix of a generated session: `interactive` or `prompt`.
    pub mode: String,
    /// The services that the investigation is about.
    pub services: Vec<String>,
    /// The environment that the investigation is about.
    pub environment: Option<String>,
    /// True to keep the investigation and its knowledge private to the user.
    pub is_private: bool,
    /// The IANA name of the time zone for phrases in the question and for times of day in the
    /// timeline. `None`: the user's preference.
    pub tz: Option<String>,
    /// The alert, with `fingerprint` and `starts_at` if known.
    pub alert: Option<Map<String, Value>>,
    /// The token budget of the block. `None`: the configured one.
    pub budget_tokens: Option<u32>,
    /// The estimator that counts tokens.
    pub estimator: Estimator,
    /// The deadline for reading the context, 1 to 30,000 ms. `None`: 3,000 ms.
    pub timeout_ms: Option<u64>,
    /// True to render a block.
    pub render: bool,
}

/// The result of a start.
#[derive(Debug, Clone, PartialEq)]
pub struct InvestigationStarted {
    /// The id of the incident that is investigated.
    pub incident: String,
    /// The id of the session that holds the investigation's events.
    pub session: String,
    /// True if it joined an existing investigation.
    pub joined: bool,
    /// True if the investigation is private to its user; otherwise the team can read it.
    pub is_private: bool,
    /// The scope of past investigations in the context, from the memory's settings.
    pub past: PastScope,
    /// The context. All parts are present, even if empty.
    pub context: Context,
    /// The recurrence of the alert. `None` if it has no fingerprint.
    pub recurrence: Option<Recurrence>,
    /// The block. Empty if the context is empty or no block is requested.
    pub rendered: String,
    /// The token budget of the returned context.
    pub limit: u32,
    /// The number of tokens of the budget that the context uses.
    pub used: u32,
    /// The estimator that counts tokens.
    pub estimator: Estimator,
    /// The number of tokens used by each section.
    pub by_section: BTreeMap<&'static str, u32>,
    /// The records not shown, each with the reason.
    pub dropped: Vec<Dropped>,
    /// The id of the exposure. `None` if it could not be stored.
    pub exposure: Option<ExposureId>,
    /// True if any part is incomplete.
    pub degraded: bool,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// The investigation that a start opens or joins.
struct StartTarget {
    incident: String,
    session: String,
    /// True if it existed before.
    joined: bool,
    /// True if it is private to its user.
    is_private: bool,
}

impl StartTarget {
    fn joined(known: &StoredInvestigation) -> Self {
        Self {
            incident: known.incident.clone(),
            session: known.session_id(),
            joined: true,
            is_private: known.private_to().is_some(),
        }
    }
}

/// The result of opening an investigation.
enum OpeningResult {
    /// The investigation was stored.
    Kept,
    /// Another caller opened an investigation of the same alert in the meantime.
    Another(StartTarget),
    /// The store failed, and nothing was stored. The start continues anyway.
    Unsaved,
}

impl InvestigationStart {
    /// Returns the fingerprint of the alert.
    pub(super) fn fingerprint(&self) -> Option<String> {
        let text = self.alert.as_ref()?.get("fingerprint")?.as_str()?;
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Returns the open investigation of the alert that this start joins.
    fn joins<'a>(&self, same: &'a [StoredInvestigation]) -> Option<&'a StoredInvestigation> {
        let is_meant =
            |one: &&StoredInvestigation| self.incident.as_ref().is_none_or(|id| *id == one.incident);
        same.iter().filter(is_meant).find(|one| one.may_be_joined(Some(&self.user), self.is_private))
    }

    fn check(&self) -> Result<()> {
        if self.query.trim().is_empty() {
            return Err(Error::invalid("query", "query is required: describe the problem to investigate"));
        }
        if !matches!(self.mode.as_str(), "interactive" | "prompt") {
            return Err(Error::invalid("mode", "mode must be interactive or prompt"));
        }
        self.tz.as_deref().map(|name| time_zone::zone(name, "tz")).transpose()?;
        if self.budget_tokens.is_some_and(|tokens| tokens > BUDGET_TOKENS_MAX) {
            let rule = format!("budget_tokens must be at most {BUDGET_TOKENS_MAX}");
            return Err(Error::invalid("budget_tokens", rule));
        }
        if self.timeout_ms.is_some_and(|millis| !(1..=TIMEOUT_MS_MAX).contains(&millis)) {
            return Err(Error::invalid("timeout_ms", "timeout_ms must be 1 to 30000"));
        }
        Ok(())
    }
}

impl Operations {
    /// Starts an investigation and returns its context. A repeated `token` joins the investigation
    /// that the first request opened.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `Denied` if the caller is neither the user nor an
    /// administrator.
    pub async fn investigation_start(
        &self,
        caller: &Principal,
        mut asked: InvestigationStart,
        token: Option<ClientToken>,
    ) -> Result<InvestigationStarted> {
        asked.check()?;
        let began_us = self.engine.clock().monotonic_us();
        match self.sre_saved_before(caller, &asked.memory, token.as_ref()).await {
            Ok(Some(begun)) => asked.incident = begun.records.into_iter().find_map(|kept| kept.key),
            Ok(None) => {}
            // A failing store does not block the start: the failed write is reported below.
            Err(error) if is_of_store(error.kind) => {}
            Err(error) => return Err(error),
        }
        let settings = self.settings.of(&asked.memory).clone();
        let actor = namespace_rules::actor(SreType::Investigations, &asked.user, &settings)?;
        access::require_user(caller, &asked.memory, (&actor, &asked.user), Capability::Write)?;
        if !settings.enabled {
            return Ok(self.start_of_memory_off(&asked, &settings));
        }
        let deadline = Deadline::begin(self.engine.clock().clone(), asked.timeout_ms.unwrap_or(TIMEOUT_MS));
        let gathered = self.investigation_context(caller, &asked, &deadline).await;
        let started = self.start_with(caller, (&asked, &actor, &settings), gathered, token).await?;
        self.sre_tell_started(&started, began_us);
        Ok(started)
    }

    /// Joins or opens the investigation, and returns it with its context.
    async fn start_with(
        &self,
        caller: &Principal,
        (asked, actor, settings): (&InvestigationStart, &ActorId, &SreSettings),
        ContextData { mut context, same }: ContextData,
        token: Option<ClientToken>,
    ) -> Result<InvestigationStarted> {
        let now = self.engine.now();
        let limit = asked.budget_tokens.unwrap_or(settings.context_budget_tokens);
        let draw = |context: &mut Context, meant: &StartTarget| {
            let is_this = |content: &Value| {
                content.get("incident_id").and_then(Value::as_str) == Some(meant.incident.as_str())
            };
            context.investigations.retain(|one| !is_this(&one.content));
            let recurrence = asked.fingerprint().map(|_| recurrence(&same, &meant.incident, now));
            let frame = Frame::of_memory(self.engine.ids().random());
            let patterns = Patterns::in_force(self.engine.settings().patterns);
            let drawn =
                rendering::render(context, recurrence.as_ref(), frame, (limit, asked.estimator), patterns);
            (recurrence, drawn)
        };
        let mut meant = self.meant_investigation(caller, asked, &same, now).await?;
        // Render the context while the store writes the new investigation.
        let (opened, (mut recurrence, mut drawn)) =
            futures::join!(self.opened_investigation(caller, asked, &meant, token, now), async {
                draw(&mut context, &meant)
            });
        match opened? {
            OpeningResult::Kept => {}
            OpeningResult::Unsaved => context.investigation_unsaved(),
            OpeningResult::Another(other) => {
                meant = other;
                (recurrence, drawn) = draw(&mut context, &meant);
            }
        }
        let place = (&asked.memory, actor, meant.session.as_str());
        let exposure = self.expose_to_session(caller, place, asked, &context, &drawn, now).await;
        let mut started = started(meant, context, recurrence, drawn, asked);
        started.limit = limit;
        started.past = settings.past_investigations;
        match exposure {
            Ok(id) => started.exposure = Some(id),
            Err(error) => {
                tracing::warn!(?error, "what an investigation was shown could not be written down");
                started.degraded = true;
                started.warnings.push("exposure: what was shown could not be written down".to_owned());
            }
        }
        Ok(started)
    }

    /// Returns the response for a memory that is off: generated names and an empty context. Nothing
    /// is stored.
    fn start_of_memory_off(
        &self,
        asked: &InvestigationStart,
        settings: &SreSettings,
    ) -> InvestigationStarted {
        let now = self.engine.now();
        let meant = self.new_investigation(asked, now);
        let context = Context::of_memory_off(settings);
        let past = settings.past_investigations;
        InvestigationStarted { past, ..started(meant, context, None, Rendered::default(), asked) }
    }

    /// Returns the investigation that the caller names, or the open one of the same alert, or else
    /// a new one.
    async fn meant_investigation(
        &self,
        caller: &Principal,
        asked: &InvestigationStart,
        same: &[StoredInvestigation],
        now: Timestamp,
    ) -> Result<StartTarget> {
        let named = self.named_investigation(caller, asked).await?;
        if let Some(known) = named.as_ref().or_else(|| asked.joins(same)) {
            return Ok(StartTarget::joined(known));
        }
        let meant = self.new_investigation(asked, now);
        namespace_rules::session(SreType::Investigations, Some(&meant.session))?;
        Ok(meant)
    }

    fn new_investigation(&self, asked: &InvestigationStart, now: Timestamp) -> StartTarget {
        StartTarget {
            incident: self.incident_of(asked, now),
            session: self.session_of(asked, now),
            joined: false,
            is_private: asked.is_private,
        }
    }

    /// Returns the existing investigation that the caller names. A repeated start joins it
    /// regardless of its status.
    async fn named_investigation(
        &self,
        caller: &Principal,
        asked: &InvestigationStart,
    ) -> Result<Option<StoredInvestigation>> {
        let given = |text: &'_ Option<String>| text.clone().filter(|text| !text.is_empty());
        let Some(incident) = given(&asked.incident) else { return Ok(None) };
        let session = given(&asked.session);
        let about = (incident.as_str(), session.as_deref());
        match self.known_investigation(caller, &asked.memory, about, Capability::Write).await {
            Ok(known) => Ok(Some(known)),
            Err(error) if error.kind == ErrorKind::NotFound => Ok(None),
            // A failing store does not block the start: the response reports that nothing was
            // saved.
            Err(error) if is_of_store(error.kind) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn incident_of(&self, asked: &InvestigationStart, now: Timestamp) -> String {
        let made = || incident_name(&incident_random(self.engine.ids().as_ref()), now);
        asked.incident.clone().filter(|id| !id.is_empty()).unwrap_or_else(made)
    }

    fn session_of(&self, asked: &InvestigationStart, now: Timestamp) -> String {
        let made = || {
            let random = letters_and_digits(self.engine.ids().as_ref(), SESSION_RANDOM).to_lowercase();
            format!("{}-{}-{random}", asked.mode, now.civil().strftime("%Y%m%d%H%M%S"))
        };
        asked.session.clone().filter(|id| !id.is_empty()).unwrap_or_else(made)
    }

    /// Stores a new investigation as ongoing. Does nothing if it existed before.
    async fn opened_investigation(
        &self,
        caller: &Principal,
        asked: &InvestigationStart,
        meant: &StartTarget,
        token: Option<ClientToken>,
        now: Timestamp,
    ) -> Result<OpeningResult> {
        if meant.joined {
            return Ok(OpeningResult::Kept);
        }
        let alert_time =
            || asked.alert.as_ref()?.get("starts_at")?.as_str().and_then(|at| Timestamp::parse(at).ok());
        let began = alert_time().filter(|at| *at <= now).unwrap_or(now);
        let data = json!({
            "incident_id": meant.incident,
            "query": asked.query,
            "services": asked.services,
            "fingerprint": asked.fingerprint(),
            "alert": asked.alert,
            "tz": asked.tz,
            "started_at": began.to_rfc3339(),
        });
        let save = SreSave {
            memory: asked.memory.clone(),
            kind: SreType::Investigations,
            actor: asked.user.clone(),
            session: Some(meant.session.clone()),
            data,
            source: SreSource::Agent,
        };
        let private_to = asked.is_private.then(|| asked.user.clone());
        // An incident named by the caller is used even if another investigation of the alert is
        // open.
        let is_named = asked.incident.as_ref().is_some_and(|id| !id.is_empty());
        let first_of = asked.fingerprint().filter(|_| !is_named).map(|fingerprint| InvestigationSeed {
            fingerprint,
            user: Some(asked.user.clone()),
            is_private: asked.is_private,
        });
        let how = SaveAs { private_to, token, first_of, ..SaveAs::default() };
        let is_kept =
            |saved: &SreSaved| saved.records.iter().any(|kept| kept.key.as_ref() == Some(&meant.incident));
        match self.sre_save_as(caller, save, how).await {
            Ok(saved) if is_kept(&saved) => Ok(OpeningResult::Kept),
            Err(error) if error.kind == ErrorKind::Conflict && asked.fingerprint().is_some() => {
                let same = self.same_alert(caller, asked).await?;
                asked
                    .joins(&same.known)
                    .map(|other| OpeningResult::Another(StartTarget::joined(other)))
                    .ok_or(error)
            }
            Ok(_) => Err(Error::conflict("a start with this Idempotency-Key is under way: send it again")),
            Err(error) if is_of_store(error.kind) => {
                tracing::warn!(?error, "an investigation's start could not be saved");
                Ok(OpeningResult::Unsaved)
            }
            Err(error) => Err(error),
        }
    }
}

/// True for errors of the store, as opposed to errors of the request.
fn is_of_store(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Unavailable | ErrorKind::Bug | ErrorKind::Throttled)
}

fn started(
    StartTarget { incident, session, joined, is_private }: StartTarget,
    context: Context,
    recurrence: Option<Recurrence>,
    drawn: Rendered,
    asked: &InvestigationStart,
) -> InvestigationStarted {
    if drawn.block.is_empty() {
        tracing::info!(memory = %asked.memory, "nothing is known for an investigation");
    }
    InvestigationStarted {
        incident,
        session,
        joined,
        is_private,
        past: PastScope::default(),
        degraded: context.is_degraded(),
        warnings: context.warnings.clone(),
        context,
        recurrence,
        rendered: if asked.render { drawn.block } else { String::new() },
        limit: 0,
        used: drawn.used,
        estimator: asked.estimator,
        by_section: drawn.by_section,
        dropped: drawn.dropped,
        exposure: None,
    }
}
