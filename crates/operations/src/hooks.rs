//! The engine hooks of operations memory: extensions of events, records, access and profiles.

use std::sync::Arc;

use loci_engine::Engine;
use loci_engine::events::NewEvent;
use loci_engine::hooks::{
    AccessPolicy, Admission, AdmissionPolicy, EventContent, EventFilter, EventHooks, NamespaceOwner,
    Ownership, ProfileHooks, RecordHooks,
};
use loci_engine::memories::NewStrategy;
use loci_engine::memories::profiles::Profile;
use loci_model::memory::Memory;
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::record::metadata::Metadata;
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, Namespace, NamespaceTemplate, Result, SessionId, Timestamp};

use super::PROFILE;
use crate::input::wire_events::EventNaming;
use crate::input::{typed_event, wire_events};
use crate::records::drafts::WAITS;
use crate::records::precedence;
use crate::users::event_guard::{EventGuard, require_session};
use crate::users::ownership;
use crate::users::ownership::UsersPlaces;
use crate::{Operations, OperationsParts};

/// The hooks.
pub(super) struct Hooks {
    pub(super) parts: OperationsParts,
}

impl RecordHooks for Hooks {
    fn lasting_metadata(&self, record: &Record) -> Metadata {
        precedence::lasting(record)
    }
}

impl AdmissionPolicy for Hooks {
    fn waits(&self, asked: &Admission<'_>) -> Option<&'static str> {
        wire_events::waits_for_person(&self.parts.settings, asked).then_some(WAITS)
    }

    fn waits_when_changed(&self, memory: &Memory, record: &Record) -> Option<&'static str> {
        wire_events::waits_when_changed(memory, &self.parts.settings, record).then_some(WAITS)
    }
}

impl EventHooks for Hooks {
    fn check_ids(&self, memory: &Memory, actor: &str, session: Option<&str>) -> Result<()> {
        wire_events::check_ids(memory, actor, session)
    }

    fn check_session(
        &self,
        caller: &Principal,
        memory: &Memory,
        of: (&ActorId, &SessionId),
        capability: Capability,
    ) -> Result<()> {
        require_session(caller, memory, of, capability)
    }

    fn filter(
        &self,
        caller: &Principal,
        memory: &Memory,
        of: (&ActorId, &SessionId),
        capability: Capability,
    ) -> Result<Option<Box<dyn EventFilter>>> {
        Ok(EventGuard::of(caller, memory, of, capability)?.map(|guard| Box::new(guard) as _))
    }

    fn recognise(
        &self,
        engine: &Engine,
        new: &NewEvent,
        at: Timestamp,
    ) -> Result<Option<Arc<dyn EventContent>>> {
        if !typed_event::may_be_typed(new) {
            return Ok(None);
        }
        let operations = Operations::new(engine.clone(), &self.parts);
        Ok(Some(Arc::new(EventNaming { naming: operations.sre_naming(at)?, operations })))
    }
}

impl AccessPolicy for Hooks {
    fn ownership(&self, memory: &Memory) -> Option<Arc<dyn Ownership>> {
        UsersPlaces::of(memory).map(|places| Arc::new(places) as _)
    }

    fn is_kept_from(&self, record: &Record, reader: &str) -> bool {
        precedence::is_kept_from(record, reader)
    }

    fn is_kept_to_a_user(&self, record: &Record) -> bool {
        ownership::is_kept_to_a_user(record)
    }

    fn owner_of(&self, record: &Record) -> Option<NamespaceOwner> {
        ownership::user_of_preference(record)
    }
}

impl ProfileHooks for Hooks {
    fn configure(&self, profile: &mut Profile, memory: &str) -> Result<()> {
        if profile.name != PROFILE {
            return Ok(());
        }
        let settings = self.parts.settings.of_name(memory);
        if let Some(description) = &settings.description {
            profile.description.clone_from(description);
        }
        for kind in SreType::ALL {
            let of_type = settings.of_type(*kind);
            let own = |one: &&mut NewStrategy| one.name == kind.strategy_name();
            let Some(strategy) = profile.strategies.iter_mut().find(own) else { continue };
            if let Some(template) = &of_type.namespace {
                strategy.template = Some(NamespaceTemplate::parse(template.as_str())?);
            }
            strategy.record_expiry_days = of_type.ttl_days.or(strategy.record_expiry_days);
        }
        // Events are kept as long as the longest-lived record type.
        if SreType::ALL.iter().any(|kind| settings.of_type(*kind).ttl_days.is_some()) {
            profile.event_expiry_days =
                profile.strategies.iter().filter_map(|one| one.record_expiry_days).max();
        }
        Ok(())
    }

    fn other_name(&self, memory: &Memory, namespace: &Namespace) -> Option<Namespace> {
        wire_events::known_as(memory, self.parts.settings.of(&memory.id), namespace)
    }
}
