//! Finds existing investigations by incident, or by the fingerprint of their alert. Read only.

use loci_engine::access::segment;
use loci_engine::access::{self, View};
use loci_engine::hooks::Products;
use loci_engine::memories::existing;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, RecordPage, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::metadata::MetadataValue;
use loci_model::record::metadata_filter::{FilterOperator, MetadataFilter};
use loci_model::record::scope::{AccessClause, RecordScope};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::services::knowledge::{ResolutionStatus, SreSource, SreType};
use loci_model::{ActorId, Error, MemoryId, Result, SessionId, Timestamp};
use serde_json::{Map, Value};

use crate::Operations;
use crate::input::canonical_json;
use crate::records::index_text::index_text;
use crate::records::precedence::{said_of_it, seal, source, word};
use crate::records::save::{InvestigationSeed, OWNER, SCOPE, SCOPE_PRIVATE};
use crate::records::{drafts, namespace_rules};

/// The maximum number of investigations read per fingerprint, newest first.
pub(super) const SAME_ALERT_MAX: usize = 200;

/// The maximum number of investigations read per session.
const OF_SESSION_MAX: usize = 10;

/// The state of a resolved alert.
pub(crate) const ALERT_OVER: &str = "resolved";

/// A stored investigation with its parsed content.
#[derive(Clone, PartialEq)]
pub(crate) struct StoredInvestigation {
    pub(crate) record: Record,
    pub(crate) content: Map<String, Value>,
    pub(super) incident: String,
    pub(super) actor: ActorId,
    pub(super) session: SessionId,
}

impl StoredInvestigation {
    /// Parses a record. `None` if the record is not an investigation.
    pub(super) fn of(record: Record) -> Option<Self> {
        let Ok(Value::Object(content)) = serde_json::from_str(&record.text) else { return None };
        let incident = content.get("incident_id")?.as_str()?.to_owned();
        let (actor, session) = (record.provenance.actor.clone()?, record.provenance.session.clone()?);
        Some(Self { record, content, incident, actor, session })
    }

    /// Returns the user who owns the investigation.
    pub(super) fn user(&self) -> String {
        segment::decode(self.actor.as_str())
    }

    /// Returns the user for whom the investigation may propose preferences: its owner or, if an
    /// alerting system opened it, the caller.
    pub(super) fn proposes_for(&self, caller: &Principal) -> (ActorId, String) {
        let user = self.user();
        if self.is_of_system()
            && let Ok(Ok(actor)) = segment::encode(&caller.name, "caller").map(ActorId::parse)
        {
            return (actor, caller.name.clone());
        }
        (self.actor.clone(), user)
    }

    /// True if an alerting system opened it.
    fn is_of_system(&self) -> bool {
        self.alert("source") == Some(self.user().as_str())
    }

    /// Returns its session id in the spelling of callers.
    pub(super) fn session_id(&self) -> String {
        segment::decode(self.session.as_str())
    }

    /// Returns the services it is about.
    pub(super) fn services(&self) -> Vec<String> {
        let all = self.content.get("services").and_then(Value::as_array).map(Vec::as_slice);
        all.unwrap_or_default().iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    pub(super) fn text(&self, member: &str) -> Option<&str> {
        self.content.get(member)?.as_str()
    }

    pub(super) fn time(&self, member: &str) -> Option<Timestamp> {
        Timestamp::parse(self.text(member)?).ok()
    }

    /// Returns its start time, or the time of the record if no start is stated.
    pub(super) fn began(&self) -> Timestamp {
        self.time("started_at").unwrap_or(self.record.timestamp)
    }

    pub(super) fn status(&self) -> ResolutionStatus {
        self.text("resolution_status").and_then(ResolutionStatus::parse).unwrap_or_default()
    }

    /// True if it is not resolved and its alert still fires. An alert that fires again after its
    /// end is a new occurrence.
    pub(crate) fn is_open(&self) -> bool {
        let is_cleared = self.alert("state") == Some(ALERT_OVER);
        self.status() != ResolutionStatus::Completed && self.time("resolved_at").is_none() && !is_cleared
    }

    /// True if a caller with the same alert may join. A private investigation admits only its
    /// owner. A caller who wants a private investigation cannot join one that is visible to the
    /// team.
    pub(crate) fn may_be_joined(&self, user: Option<&str>, is_private: bool) -> bool {
        let private_to = self.private_to();
        self.is_open() && private_to.as_deref().map_or(!is_private, |owner| Some(owner) == user)
    }

    /// Returns a member of its alert.
    pub(crate) fn alert(&self, member: &str) -> Option<&str> {
        self.content.get("alert")?.get(member)?.as_str()
    }

    /// Returns the status, if an alert notice set it. Callers that state no status keep it.
    pub(super) fn noticed_status(&self) -> Option<ResolutionStatus> {
        let is_noticed = self.text("status_source") == Some(SreSource::Webhook.as_str());
        is_noticed.then(|| self.status())
    }

    /// Returns the record with new content and an unchanged source, without writing it.
    pub(crate) fn saying(&self, content: &Value, now: Timestamp) -> Record {
        let mut next = self.record.clone();
        say(&mut next, content);
        next.updated_at = now;
        next
    }

    /// Returns the owner of a private investigation.
    pub(crate) fn private_to(&self) -> Option<String> {
        (word(&self.record, SCOPE) == Some(SCOPE_PRIVATE)).then(|| self.user())
    }
}

/// Replaces the content of a record and keeps its source.
pub(super) fn say(record: &mut Record, content: &Value) {
    let said_by = source(record);
    record.text = canonical_json::text(content);
    record.index_text = Some(index_text(content));
    seal(record, said_by);
}

/// True if a record is private to a user other than this one.
pub(crate) fn is_hidden(record: &Record, user: &str) -> bool {
    word(record, SCOPE) == Some(SCOPE_PRIVATE) && word(record, OWNER) != Some(user)
}

/// Returns the investigations of an incident, latest change first.
pub(super) fn of_incident(
    tx: &dyn ReadTx,
    memory: &Memory,
    view: &View,
    incident: &str,
    now: Timestamp,
) -> Result<Vec<StoredInvestigation>> {
    let scope = namespace_rules::scope(memory, SreType::Investigations, None, now)?;
    let scope = RecordScope { view: view.clauses().to_vec(), ..scope };
    let records = said_of_it(tx, scope, &drafts::incident_subtype(incident))?;
    let mut known: Vec<StoredInvestigation> =
        records.into_iter().filter_map(StoredInvestigation::of).collect();
    known.sort_by(|a, b| (b.record.updated_at, &b.record.id).cmp(&(a.record.updated_at, &a.record.id)));
    Ok(known)
}

/// Returns the incident of a session. If it has several investigations, returns the one created
/// last. `None` if it has none.
pub(crate) fn incident_of_session(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    session: &SessionId,
    now: Timestamp,
) -> Result<Option<String>> {
    let clause = AccessClause { session: Some(session.clone()), ..AccessClause::default() };
    let memory = existing(tx, memory)?;
    let scope = RecordScope {
        view: vec![clause],
        kinds: vec![RecordKind::Investigation],
        states: vec![RecordState::Active],
        ..namespace_rules::scope(&memory, SreType::Investigations, None, now)?
    };
    let records = tx.records().list(&RecordPage { scope, after: None, limit: OF_SESSION_MAX })?;
    Ok(records.into_iter().find_map(StoredInvestigation::of).map(|known| known.incident))
}

/// The investigations of alerts with one fingerprint.
#[derive(Default)]
pub(crate) struct SameAlert {
    /// The investigations, newest first.
    pub(crate) known: Vec<StoredInvestigation>,
    /// True if there are more than the maximum.
    pub(crate) is_partial: bool,
}

/// Returns the investigations of alerts with a fingerprint.
pub(crate) fn of_fingerprint(
    tx: &dyn ReadTx,
    memory: &Memory,
    view: &View,
    fingerprint: &str,
    now: Timestamp,
) -> Result<SameAlert> {
    let same = MetadataFilter {
        key: "fingerprint".to_owned(),
        operator: FilterOperator::EqualsTo,
        right: Some(MetadataValue::String(fingerprint.to_owned())),
    };
    let scope = RecordScope {
        view: view.clauses().to_vec(),
        metadata: vec![same],
        // Few records have this kind, so the store finds them without reading knowledge records.
        kinds: vec![RecordKind::Investigation],
        states: vec![RecordState::Active],
        ..namespace_rules::scope(memory, SreType::Investigations, None, now)?
    };
    let mut records = tx.records().list(&RecordPage { scope, after: None, limit: SAME_ALERT_MAX + 1 })?;
    let is_partial = records.len() > SAME_ALERT_MAX;
    records.truncate(SAME_ALERT_MAX);
    let mut known: Vec<StoredInvestigation> =
        records.into_iter().filter_map(StoredInvestigation::of).collect();
    known.sort_by(|a, b| (b.began(), &b.record.id).cmp(&(a.began(), &a.record.id)));
    Ok(SameAlert { known, is_partial })
}

/// Requires that the alert has no open investigation that the caller may join. If two are started
/// concurrently, the second joins the first.
pub(crate) fn require_first(
    tx: &dyn ReadTx,
    products: &Products,
    caller: &Principal,
    memory: &Memory,
    first: &InvestigationSeed,
    now: Timestamp,
) -> Result<()> {
    let view = access::bound_view(products, caller, &memory.id, Capability::Write, now)?;
    let same = of_fingerprint(tx, memory, &view, &first.fingerprint, now)?;
    let user = first.user.as_deref();
    if same.known.iter().any(|one| one.may_be_joined(user, first.is_private)) {
        return Err(Error::conflict("another investigation of this alert was opened meanwhile: join it"));
    }
    Ok(())
}

/// Checks that the investigations of an incident belong to one user. A caller that acts for users
/// means one specific user, and the server does not guess which one.
///
/// # Errors
/// `Conflict` on `session_id` if several users have one.
fn check_of_one_user<'a>(found: impl Iterator<Item = &'a StoredInvestigation>, incident: &str) -> Result<()> {
    let mut found = found.filter(|one| !one.is_of_system());
    let first = found.next().map(StoredInvestigation::user);
    if found.any(|one| Some(one.user()) != first) {
        let rule = format!(
            "several users have an investigation of {incident}, and this key acts for users: give the session_id of the one that is meant"
        );
        return Err(Error::conflict(rule).on("session_id"));
    }
    Ok(())
}

impl Operations {
    /// Returns the memory that a call refers to. The order is: the named one by id or name, the
    /// only memory in the caller's grants, the memory with the default name of the profile.
    ///
    /// # Errors
    /// `NotFound` if there is none that the caller may see.
    pub async fn sre_memory(&self, caller: &Principal, named: Option<&str>) -> Result<MemoryId> {
        self.engine.memory_meant(caller, named, crate::MEMORY_NAME).await?.ok_or_else(|| {
            let rule = "there is no such memory of operations agents: name one, or make it with loci memory ensure NAME --profile sre";
            Error::not_found(rule).on("memory")
        })
    }

    /// Returns the investigation of an incident that the caller refers to. The order is: the one in
    /// the named session, the caller's own, the one changed last.
    pub(super) async fn known_investigation(
        &self,
        caller: &Principal,
        memory: &MemoryId,
        about: (&str, Option<&str>),
        capability: Capability,
    ) -> Result<StoredInvestigation> {
        self.investigation_for(caller, (memory, &caller.name), about, capability).await
    }

    /// Like [`Self::known_investigation`], for a user on whose behalf the caller works.
    pub(super) async fn investigation_for(
        &self,
        caller: &Principal,
        (memory, user): (&MemoryId, &str),
        (incident, session): (&str, Option<&str>),
        capability: Capability,
    ) -> Result<StoredInvestigation> {
        if user != caller.name {
            access::require_user(caller, memory, (&self.sre_actor_of_user(memory, user)?, user), capability)?;
        }
        let now = self.engine.now();
        let view = access::bound_view(self.engine.products(), caller, memory, capability, now)?;
        let (place, asked) = (memory.clone(), incident.to_owned());
        let known = self
            .engine
            .store()
            .read(move |tx| of_incident(tx, &existing(tx, &place)?, &view, &asked, now))
            .await?;
        let is_admin = access::require_whole(caller, memory, Capability::Admin).is_ok();
        let is_meant = |one: &&StoredInvestigation| {
            (is_admin || !is_hidden(&one.record, user))
                && session.is_none_or(|session| one.session_id() == session)
        };
        let found = known.iter().filter(is_meant).find(|one| one.user() == user);
        if found.is_none() && access::acts_for_users(caller, memory) {
            check_of_one_user(known.iter().filter(is_meant), incident)?;
        }
        found.or_else(|| known.iter().find(is_meant)).cloned().ok_or_else(|| {
            let rule = format!("there is no investigation {incident}: begin it with POST /v1/investigations");
            Error::not_found(rule).on("incident_id")
        })
    }
}
