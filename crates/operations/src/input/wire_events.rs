//! Typed content of events received over the AgentCore wire protocol. Its records are written in
//! the transaction of the event, and no strategy processes the event in addition. The content has
//! the source of an agent, because the signed request comes from the agent's program and not from
//! its user.

use loci_engine::access;
use loci_engine::access::segment;
use loci_engine::events::{NewEvent, PreparedEvent};
use loci_engine::hooks::{Admission, EventContent, TypedContent};
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::principal::{Capability, Principal};
use loci_model::record::{Record, RecordKind, RecordState};
use loci_model::services::knowledge::{SreSource, SreType};
use loci_model::{Error, EventId, FieldName, Namespace, Result};

use super::typed_event::{Typed, typed};
use crate::Operations;
use crate::contacts::protected_preferences::needs_person;
use crate::preferences::preference;
use crate::records::drafts::{Speaker, drafts};
use crate::records::namespace_rules;
use crate::records::precedence::source;
use crate::records::save::{EVENT_TYPE, SaveIds, SaveOrigin, SreSave};
use crate::settings::{SreSettings, SreSettingsByMemory};

/// The name of the profile.
pub(crate) const PROFILE: &str = "sre";

/// True if the memory uses the profile.
pub(crate) fn is_of_profile(memory: &Memory) -> bool {
    memory.settings.profile.as_deref() == Some(PROFILE)
}

/// Checks the ids of an event in a memory of the profile: each must be one segment.
///
/// # Errors
/// `Invalid`, naming the member.
pub(crate) fn check_ids(memory: &Memory, actor: &str, session: Option<&str>) -> Result<()> {
    let ids = [(FieldName::Actor, Some(actor)), (FieldName::Session, session)];
    for (field, id) in ids.into_iter().filter_map(|(field, id)| Some((field, id?))) {
        if is_of_profile(memory) && id.contains('/') {
            let rule = format!(
                " must have no slash in a memory of the profile {PROFILE}: an id is one segment of a namespace"
            );
            let rule = field + rule.as_str();
            return Err(Error::invalid(field, rule));
        }
    }
    Ok(())
}

/// True if a record without a personal source contains a preference that only a person may
/// activate. Such a record becomes pending.
pub(crate) fn waits_for_person(settings: &SreSettingsByMemory, asked: &Admission<'_>) -> bool {
    let Admission { memory, kind, strategy, namespace, text } = *asked;
    let is_preference = || {
        kind == RecordKind::Preference
            || namespace.is_some_and(|namespace| is_of_preferences(memory, namespace))
            || namespace_rules::strategy(memory, SreType::Preferences)
                .is_ok_and(|one| Some(&one.id) == strategy)
            || preference::says_so(text)
    };
    is_of_profile(memory) && is_preference() && preference::is_protected(text, settings.of(&memory.id))
}

/// Like [`waits_for_person`], for a changed record: a record whose source is a person stays active.
pub(crate) fn waits_when_changed(memory: &Memory, settings: &SreSettingsByMemory, record: &Record) -> bool {
    let asked = Admission {
        memory,
        kind: record.kind,
        strategy: record.strategy.as_ref(),
        namespace: Some(&record.namespace),
        text: &record.text,
    };
    record.state == RecordState::Active && needs_person(source(record)) && waits_for_person(settings, &asked)
}

/// True for the namespace of preferences, or one under it.
fn is_of_preferences(memory: &Memory, namespace: &Namespace) -> bool {
    let Ok(strategy) = namespace_rules::strategy(memory, SreType::Preferences) else { return false };
    let place = namespace.normal();
    SegmentPairs::of(strategy.template.as_str(), &place).is_some_and(|beside| beside.unsaid == 0)
}

/// The segments of a namespace next to the segments of a template.
pub(crate) struct SegmentPairs<'a> {
    /// Pairs of a template segment and the namespace segment at the same position.
    pub(crate) pairs: Vec<(&'a str, &'a str)>,
    /// The number of template segments without a namespace segment.
    unsaid: usize,
    /// The number of namespace segments after the end of the template.
    pub(crate) beneath: usize,
}

impl<'a> SegmentPairs<'a> {
    /// Compares a namespace with a template. `None` if a fixed segment differs.
    pub(crate) fn of(template: &'a str, namespace: &'a str) -> Option<Self> {
        let parts = |text: &'a str| text.trim_matches('/').split('/').collect::<Vec<_>>();
        let (template, namespace) = (parts(template), parts(namespace));
        let pairs: Vec<_> = template.iter().copied().zip(namespace.iter().copied()).collect();
        let fits = pairs.iter().all(|(wanted, found)| wanted.contains('{') || wanted == found);
        let (unsaid, beneath) = (template.len() - pairs.len(), namespace.len() - pairs.len());
        fits.then_some(Self { pairs, unsaid, beneath })
    }
}

/// Returns the stored form of a namespace that a wire client requests, in a memory of the profile:
/// ids in this memory's spelling, agents by their configured name. `None` if it equals the
/// requested form.
pub(crate) fn known_as(memory: &Memory, settings: &SreSettings, asked: &Namespace) -> Option<Namespace> {
    if !is_of_profile(memory) {
        return None;
    }
    let strategies =
        SreType::ALL.iter().filter_map(|kind| Some((*kind, namespace_rules::strategy(memory, *kind).ok()?)));
    let text = strategies
        .filter_map(|(kind, one)| written(kind, settings, one.template.as_str(), asked.as_str()))
        .next()?;
    Namespace::parse(text).ok().filter(|other| other.normal() != asked.normal())
}

/// Returns the namespace with its ids in the spelling of a record type. `None` if it does not match
/// the template of the type.
fn written(kind: SreType, settings: &SreSettings, template: &str, asked: &str) -> Option<String> {
    let beside = SegmentPairs::of(template, asked).filter(|beside| beside.beneath == 0)?;
    let mut out = String::new();
    for (wanted, found) in beside.pairs {
        let segment = match wanted {
            "{actorId}" => namespace_rules::actor(kind, &segment::decode(found), settings).ok()?.to_string(),
            "{sessionId}" => namespace_rules::session(kind, Some(&segment::decode(found))).ok()?.to_string(),
            same if same == found => found.to_owned(),
            _ => return None,
        };
        out.push('/');
        out.push_str(&segment);
    }
    Some(out)
}

/// Typed content of an event, with the ids of its records.
struct TypedEvent<'a> {
    typed: Typed,
    naming: &'a EventNaming,
}

/// The ids of an event's records, generated before the transaction.
pub(crate) struct EventNaming {
    pub(crate) naming: SaveIds,
    pub(crate) operations: Operations,
}

impl EventContent for EventNaming {
    /// Returns the typed content of an event, if the memory has a strategy for its type.
    fn in_memory(&self, memory: &Memory, new: &NewEvent) -> Result<Option<Box<dyn TypedContent + '_>>> {
        if !is_of_profile(memory) {
            return Ok(None);
        }
        let found = typed(new)?.filter(|one| namespace_rules::strategy(memory, one.kind).is_ok());
        Ok(found.map(|typed| Box::new(TypedEvent { typed, naming: self }) as _))
    }
}

impl TypedContent for TypedEvent<'_> {
    fn mark(&self) -> (&'static str, &str) {
        (EVENT_TYPE, self.typed.kind.as_str())
    }

    fn write(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        memory: &Memory,
        prepared: &PreparedEvent,
        event: &EventId,
    ) -> Result<()> {
        let EventNaming { naming, operations } = self.naming;
        operations.sre_typed_in(tx, caller, (memory, prepared), (&self.typed, naming), event)
    }
}

impl Operations {
    /// Writes the records of typed content, in the transaction that stores the event.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `Denied` for values that only a person may set, and outside
    /// the caller's grants.
    fn sre_typed_in(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        (memory, prepared): (&Memory, &PreparedEvent),
        (typed, naming): (&Typed, &SaveIds),
        event: &EventId,
    ) -> Result<()> {
        let kind = typed.kind;
        let (of, now) = ((prepared.actor(), prepared.session()), prepared.now());
        let id = segment::decode(of.0.as_str());
        let actor = namespace_rules::actor(kind, &id, self.settings.of(&memory.id))
            .map_err(|error| error.on(FieldName::Actor))?;
        if kind != SreType::Infrastructure {
            access::require_user(caller, &memory.id, (of.0, &id), Capability::Write)?;
        }
        let session = segment::decode(of.1.as_str());
        let session =
            namespace_rules::session(kind, Some(&session)).map_err(|error| error.on(FieldName::Session))?;
        let mut asked = SreSave {
            memory: memory.id.clone(),
            kind,
            actor: id,
            session: Some(segment::decode(session.as_str())),
            data: typed.data.clone(),
            source: SreSource::Agent,
        };
        self.sre_masked(memory, &mut asked);
        let zone = self.zone_of_said(tx, caller, (memory, &asked), now)?;
        let speaker = Speaker {
            settings: self.settings.of(&memory.id),
            name: &caller.name,
            zone: &zone,
            noticed: None,
            in_person: false,
        };
        let drafts = drafts(&asked, &speaker, naming.random(), now)?;
        if let Some(why) = drafts.iter().find_map(|draft| draft.refused.clone()) {
            return Err(Error::denied(why));
        }
        let spring =
            SaveOrigin { actor: &actor, session: &session, event, of, private_to: None, making: None };
        self.sre_records_in(tx, caller, (memory, &asked), (&drafts, naming), spring, now).map(drop)
    }
}
