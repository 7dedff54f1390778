//! Hooks on events: their ids, their visibility, and content from which a product writes records.

use std::sync::Arc;

use loci_model::event::Event;
use loci_model::memory::Memory;
use loci_model::ports::store::Tx;
use loci_model::principal::{Capability, Principal};
use loci_model::{ActorId, EventId, Result, SessionId, Timestamp};

use super::Products;
use crate::Engine;
use crate::events::{NewEvent, PreparedEvent};

/// The event hooks of a product.
pub trait EventHooks: Send + Sync {
    /// Checks the ids of an event, or of a request for events.
    ///
    /// # Errors
    /// `Invalid`, naming the member.
    fn check_ids(&self, _memory: &Memory, _actor: &str, _session: Option<&str>) -> Result<()> {
        Ok(())
    }

    /// Checks that the caller may access a session of an actor with this capability.
    ///
    /// # Errors
    /// `Denied` if the whole session belongs to another user.
    fn check_session(
        &self,
        _caller: &Principal,
        _memory: &Memory,
        _of: (&ActorId, &SessionId),
        _capability: Capability,
    ) -> Result<()> {
        Ok(())
    }

    /// Returns the filter of a session's events for a caller; `None` if all events are visible.
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

    /// Returns the content of a new event, before the write, if the product might write records of
    /// it. All products are consulted before it is known which one takes the event, so an error of
    /// any product rejects the event.
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

    /// Handles the deletion of an event in its write.
    ///
    /// # Errors
    /// Errors of the store.
    fn deleted(&self, _tx: &mut dyn Tx, _event: &Event) -> Result<()> {
        Ok(())
    }
}

/// A filter of events for one caller.
pub trait EventFilter: Send + Sync {
    /// Returns true for an event that the caller may see.
    fn admits(&self, event: &Event) -> bool;
}

/// The content of a new event, before its memory is known.
pub trait EventContent: Send + Sync {
    /// Returns the content as the memory accepts it; `None` if the event is an ordinary one there.
    ///
    /// # Errors
    /// `Invalid` if the event names its type and its content is not of that type.
    fn in_memory(&self, memory: &Memory, new: &NewEvent) -> Result<Option<Box<dyn TypedContent + '_>>>;
}

/// Content of an event from which records are written with the event.
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
        prepared: &PreparedEvent,
        event: &EventId,
    ) -> Result<()>;
}

/// The filters of all products for one caller.
#[derive(Default)]
pub struct EventFilters(Vec<Box<dyn EventFilter>>);

impl EventFilters {
    /// Returns true for an event that the caller may see.
    pub fn admits(&self, event: &Event) -> bool {
        self.0.iter().all(|filter| filter.admits(event))
    }
}

/// The content of a new event, recognized by one product.
#[derive(Clone)]
pub(crate) struct RecognisedContent {
    /// Index of the product in the registration.
    product: usize,
    content: Arc<dyn EventContent>,
}

/// The content of an event as the memory accepts it, and the index of its product.
type ContentInMemory<'a> = (usize, Box<dyn TypedContent + 'a>);

/// Returns the content of an event by the first product that accepts it in the memory.
///
/// # Errors
/// As [`EventContent::in_memory`].
pub(crate) fn content_in_memory<'a>(
    recognised: &'a [RecognisedContent],
    memory: &Memory,
    new: &NewEvent,
) -> Result<Option<ContentInMemory<'a>>> {
    for RecognisedContent { product, content } in recognised {
        if let Some(typed) = content.in_memory(memory, new)? {
            return Ok(Some((*product, typed)));
        }
    }
    Ok(None)
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

    /// Checks that the caller may access a session with this capability.
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

    /// Checks that the caller may access a session with this capability, by all products except the
    /// one that checks its own writes.
    ///
    /// # Errors
    /// As [`EventHooks::check_session`].
    pub(crate) fn check_session_besides(
        &self,
        product: usize,
        caller: &Principal,
        memory: &Memory,
        of: (&ActorId, &SessionId),
        capability: Capability,
    ) -> Result<()> {
        let others = self.0.iter().enumerate().filter(|(place, _)| *place != product);
        let mut hooks = others.filter_map(|(_, other)| other.events.as_deref());
        hooks.try_for_each(|hooks| hooks.check_session(caller, memory, of, capability))
    }

    /// Returns the filters of a session's events for a caller.
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

    /// Returns the content of a new event by each product that might write records of it. The
    /// memory then determines the product.
    ///
    /// # Errors
    /// As [`EventHooks::recognise`].
    pub(crate) fn recognise_event(
        &self,
        engine: &Engine,
        new: &NewEvent,
        at: Timestamp,
    ) -> Result<Vec<RecognisedContent>> {
        // This does not allocate in the usual case that no product recognizes the content.
        let mut recognised = Vec::new();
        for (product, hooks) in self.0.iter().enumerate() {
            let Some(hooks) = hooks.events.as_deref() else { continue };
            if let Some(content) = hooks.recognise(engine, new, at)? {
                recognised.push(RecognisedContent { product, content });
            }
        }
        Ok(recognised)
    }

    /// Notifies every product of a deleted event.
    ///
    /// # Errors
    /// Errors of the hooks.
    pub(crate) fn event_deleted(&self, tx: &mut dyn Tx, event: &Event) -> Result<()> {
        self.events().try_for_each(|hooks| hooks.deleted(tx, event))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use loci_model::Error;
    use loci_model::event::ExtractionMode;
    use loci_testkit_ports::samples;

    use super::*;
    use crate::hooks::Product;

    /// Content that is accepted in memories, or in none.
    struct HookedContent {
        word: &'static str,
        is_taken: bool,
    }

    impl EventContent for HookedContent {
        fn in_memory(&self, _memory: &Memory, _new: &NewEvent) -> Result<Option<Box<dyn TypedContent + '_>>> {
            Ok(self.is_taken.then(|| Box::new(Typed(self.word)) as _))
        }
    }

    struct Typed(&'static str);

    impl TypedContent for Typed {
        fn mark(&self) -> (&'static str, &str) {
            ("type", self.0)
        }

        fn write(
            &self,
            _tx: &mut dyn Tx,
            _caller: &Principal,
            _memory: &Memory,
            _prepared: &PreparedEvent,
            _event: &EventId,
        ) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_product_that_takes_no_event_of_the_memory_hides_no_other() {
        let memory = samples::memory("events").unwrap();
        let new = NewEvent {
            memory: memory.id.clone(),
            actor: ActorId::parse("ann").unwrap(),
            session: None,
            time: None,
            payload: Vec::new(),
            branch: None,
            metadata: BTreeMap::new(),
            extraction: ExtractionMode::Skip,
            namespace_variables: BTreeMap::new(),
            over_limit: false,
        };
        let found = |contents: &[(&'static str, bool)]| {
            let recognise = |(product, (word, is_taken)): (usize, &(&'static str, bool))| {
                let content = Arc::new(HookedContent { word, is_taken: *is_taken });
                RecognisedContent { product, content }
            };
            let recognised: Vec<_> = contents.iter().enumerate().map(recognise).collect();
            let typed = content_in_memory(&recognised, &memory, &new).unwrap();
            typed.map(|(product, typed)| (product, typed.mark().1.to_owned()))
        };
        assert_eq!(found(&[("a", false), ("b", true)]), Some((1, "b".to_owned())));
        assert_eq!(found(&[("a", true), ("b", true)]), Some((0, "a".to_owned())));
        assert_eq!(found(&[("a", false), ("b", false)]), None);
        assert_eq!(found(&[]), None);
    }

    /// A product that denies every session.
    struct Denying;

    impl EventHooks for Denying {
        fn check_session(
            &self,
            _caller: &Principal,
            _memory: &Memory,
            _of: (&ActorId, &SessionId),
            _capability: Capability,
        ) -> Result<()> {
            Err(Error::denied("of another user"))
        }
    }

    /// A product without effect.
    struct Silent;

    impl EventHooks for Silent {}

    #[test]
    fn a_product_that_takes_an_event_leaves_out_no_check_but_its_own() {
        let product = |events: Arc<dyn EventHooks>| Product { events: Some(events), ..Product::default() };
        let products = Products::new(vec![product(Arc::new(Silent)), product(Arc::new(Denying))]);
        let memory = samples::memory("events").unwrap();
        let caller = Principal { name: "ann".to_owned(), grants: Vec::new() };
        let (actor, session) = (ActorId::parse("bob").unwrap(), SessionId::parse("s").unwrap());
        let check = |of_product| {
            let place = (&actor, &session);
            products.check_session_besides(of_product, &caller, &memory, place, Capability::Write)
        };
        assert!(check(0).is_err(), "the second product denies what the first takes");
        assert!(check(1).is_ok());
    }
}
