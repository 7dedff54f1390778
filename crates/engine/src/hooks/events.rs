//! Hooks on events: their ids, who may see them, and content that a product writes records of.

use std::sync::Arc;

use loci_model::event::Event;
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, EventId, Result, SessionId, Timestamp};

use super::Products;
use crate::Engine;
use crate::events::{NewEvent, Prepared};

/// The part of a product in events.
pub trait EventHooks: Send + Sync {
    /// Checks the ids of an event, or of a request for events.
    ///
    /// # Errors
    /// `Invalid`, naming the member.
    fn check_ids(&self, _memory: &Memory, _actor: &str, _session: Option<&str>) -> Result<()> {
        Ok(())
    }

    /// Checks that the caller may do this with a session of an actor.
    ///
    /// # Errors
    /// `Denied` where all of the session is another user's.
    fn check_session(
        &self,
        _caller: &Principal,
        _memory: &Memory,
        _of: (&ActorId, &SessionId),
        _capability: Capability,
    ) -> Result<()> {
        Ok(())
    }

    /// Returns the filter of a session's events for a caller; `None` where all of them are shown.
    ///
    /// # Errors
    /// As [`Self::check_session`].
    fn filter(
        &self,
        caller: &Principal,
        memory: &Memory,
        of: (&ActorId, &SessionId),
        capability: Capability,
    ) -> Result<Option<Box<dyn EventFilter>>> {
        self.check_session(caller, memory, of, capability).map(|()| None)
    }

    /// Returns the content of a new event where the product might write records of it; before the
    /// write.
    ///
    /// # Errors
    /// Errors of the source of ids.
    fn recognise(
        &self,
        _engine: &Engine,
        _new: &NewEvent,
        _at: Timestamp,
    ) -> Result<Option<Arc<dyn EventContent>>> {
        Ok(None)
    }

    /// An event is deleted, in this write.
    ///
    /// # Errors
    /// Errors of the store.
    fn deleted(&self, _tx: &mut dyn Tx, _event: &Event) -> Result<()> {
        Ok(())
    }
}

/// A filter of events for one caller.
pub trait EventFilter: Send + Sync {
    /// Returns true for an event that the caller is shown.
    fn admits(&self, event: &Event) -> bool;
}

/// The content of a new event, before its memory is known.
pub trait EventContent: Send + Sync {
    /// Returns the content as the memory takes it; `None` where the event is an event like others
    /// there.
    ///
    /// # Errors
    /// `Invalid` where the event names its type, and its content is not of that type.
    fn in_memory(&self, memory: &Memory, new: &NewEvent) -> Result<Option<Box<dyn TypedContent + '_>>>;
}

/// The content of an event as something of which records are written with the event.
pub trait TypedContent {
    /// Returns the metadata that marks the event; no strategy reads it.
    fn mark(&self) -> (&'static str, &str);

    /// Writes the records, in the write that stored the event.
    ///
    /// # Errors
    /// `Invalid`, naming the member; `Denied` outside of the caller's grants.
    fn write(
        &self,
        tx: &mut dyn Tx,
        caller: &Principal,
        memory: &Memory,
        prepared: &Prepared,
        event: &EventId,
    ) -> Result<()>;
}

/// The filters of all products for one caller.
#[derive(Default)]
pub struct EventFilters(Vec<Box<dyn EventFilter>>);

impl EventFilters {
    /// Returns true for an event that the caller is shown.
    pub fn admits(&self, event: &Event) -> bool {
        self.0.iter().all(|filter| filter.admits(event))
    }
}

impl Products {
    fn events(&self) -> impl Iterator<Item = &dyn EventHooks> {
        self.0.iter().filter_map(|product| product.events.as_deref())
    }

    /// Checks ids of events by the rules of all products.
    ///
    /// # Errors
    /// As [`EventHooks::check_ids`].
    pub fn check_event_ids(&self, memory: &Memory, actor: &str, session: Option<&str>) -> Result<()> {
        self.events().try_for_each(|hooks| hooks.check_ids(memory, actor, session))
    }

    /// Checks that the caller may do this with a session.
    ///
    /// # Errors
    /// As [`EventHooks::check_session`].
    pub fn check_session(
        &self,
        caller: &Principal,
        memory: &Memory,
        of: (&ActorId, &SessionId),
        capability: Capability,
    ) -> Result<()> {
        self.events().try_for_each(|hooks| hooks.check_session(caller, memory, of, capability))
    }

    /// Returns what a caller is shown of a session's events.
    ///
    /// # Errors
    /// As [`EventHooks::check_session`].
    pub fn event_filters(
        &self,
        caller: &Principal,
        memory: &Memory,
        of: (&ActorId, &SessionId),
        capability: Capability,
    ) -> Result<EventFilters> {
        let mut filters = EventFilters::default();
        for hooks in self.events() {
            filters.0.extend(hooks.filter(caller, memory, of, capability)?);
        }
        Ok(filters)
    }

    /// Returns the content of a new event that a product might write records of.
    ///
    /// # Errors
    /// As [`EventHooks::recognise`].
    pub(crate) fn recognise_event(
        &self,
        engine: &Engine,
        new: &NewEvent,
        at: Timestamp,
    ) -> Result<Option<Arc<dyn EventContent>>> {
        for hooks in self.events() {
            if let Some(content) = hooks.recognise(engine, new, at)? {
                return Ok(Some(content));
            }
        }
        Ok(None)
    }

    /// Tells every product that an event is deleted.
    ///
    /// # Errors
    /// Errors of the hooks.
    pub(crate) fn event_deleted(&self, tx: &mut dyn Tx, event: &Event) -> Result<()> {
        self.events().try_for_each(|hooks| hooks.deleted(tx, event))
    }
}
