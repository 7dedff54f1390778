//! Hooks on events: checks of their ids, their visibility, and events from whose content a
//! product writes records.

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
    /// Checks the actor and session ids of a new event, or of a request that reads events.
    ///
    /// # Errors
    /// `Invalid`, naming the member.
    fn check_ids(&self, _memory: &Memory, _actor: &str, _session: Option<&str>) -> Result<()> {
        Ok(())
    }

    /// Checks that the caller may access a session of an actor with the given capability.
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

    /// Returns the filter for the events of a session that a caller may see; `None` if the
    /// product hides no events.
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

    /// Returns the content of a new event, before the write, if the product might write records
    /// from it. All products are asked before it is known which one handles the event, so an
    /// error of any product rejects the event.
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

    /// Handles the deletion of an event, in the write that deletes it.
    ///
    /// # Errors
    /// Errors of the store.
    fn deleted(&self, _tx: &mut dyn Tx, _event: &Event) -> Result<()> {
        Ok(())
    }
}

/// A filter for the events that one caller may see.
pub trait EventFilter: Send + Sync {
    /// Returns true if the caller may see the event.
    fn admits(&self, event: &Event) -> bool;
}

/// The parsed content of a new event, before the settings of its memory are known.
pub trait EventContent: Send + Sync {
    /// Returns the content if the product handles it in this memory; `None` if the event is an
    /// ordinary one there.
    ///
    /// # Errors
    /// `Invalid` if the event names its type and its content is not of that type.
    fn in_memory(&self, memory: &Memory, new: &NewEvent) -> Result<Option<Box<dyn TypedContent + '_>>>;
}

/// The content of an event from which a product writes records, in the same write as the event.
pub trait TypedContent {
    /// Returns the metadata key and value that mark the event as handled by the product. No
    /// strategy extracts a marked event.
    fn mark(&self) -> (&'static str, &str);

    /// Writes the records of the content, in the write that stored the event.
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

/// The event filters of all products for one caller.
#[derive(Default)]
pub struct EventFilters(Vec<Box<dyn EventFilter>>);

impl EventFilters {
    /// Returns true if the filters of all products show the event to the caller.
    pub fn admits(&self, event: &Event) -> bool {
        self.0.iter().all(|filter| filter.admits(event))
    }
}

/// The content of a new event that one product recognized.
#[derive(Clone)]
pub(crate) struct RecognisedContent {
    /// The index of the product in the registration.
    product: usize,
    content: Arc<dyn EventContent>,
}

/// The content of an event that a product handles in its memory, with the index of the product in
/// the registration.
type ContentInMemory<'a> = (usize, Box<dyn TypedContent + 'a>);

/// Returns the content from the first product that handles the event in this memory; `None` for
/// an ordinary event.
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

    /// Checks the actor and session ids of events by the rules of all products.
    ///
    /// # Errors
    /// As [`EventHooks::check_ids`].
    pub fn check_event_ids(&self, memory: &Memory, actor: &str, session: Option<&str>) -> Result<()> {
        self.events().try_for_each(|hooks| hooks.check_ids(memory, actor, session))
    }

    /// Checks by the rules of all products that the caller may access a session with this
    /// capability.
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

    /// Checks that the caller may access a session with this capability, by the rules of all
    /// products except one. The excepted product writes the event and checks its own writes.
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

    /// Returns the filters of all products for a session's events and one caller.
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

    /// Returns the content of a new event from each product that might write records from it. The
    /// settings of the memory determine later which product handles it.
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

    /// Tells every product that an event was deleted.
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

    /// Test content that every memory accepts, or none.
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

    /// A test product that denies access to every session.
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

    /// A test product whose event hooks do nothing.
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
