//! Calls about events, actors and sessions.

use loci_api::Nothing;
use loci_api::event::{
    ActorList, Event, EventCreate, EventCreated, EventList, EventListing, EventPlace, Paging, SessionList,
};
use loci_api::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Stores an event in a memory.
    ///
    /// # Errors
    /// A [`ClientError`], as for every call.
    pub async fn event_create(&self, memory: &str, new: &EventCreate) -> Result<EventCreated, ClientError> {
        self.send(at(&api::EVENT_CREATE, &[memory]), new).await
    }

    /// Stores an event. The flag is true if an earlier request with the same idempotency key has
    /// already stored the event.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn event_create_once(
        &self,
        memory: &str,
        new: &EventCreate,
    ) -> Result<(EventCreated, bool), ClientError> {
        self.send_once(at(&api::EVENT_CREATE, &[memory]), new).await
    }

    /// Returns a page of a session's events, newest first.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn event_list(&self, memory: &str, listing: &EventListing) -> Result<EventList, ClientError> {
        self.query(at(&api::EVENT_LIST, &[memory]), listing).await
    }

    /// Returns one event of a memory.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn event_get(
        &self,
        memory: &str,
        event: &str,
        place: &EventPlace,
    ) -> Result<Event, ClientError> {
        self.query(at(&api::EVENT_GET, &[memory, event]), place).await
    }

    /// Deletes an event. Records that were extracted from it stay.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn event_delete(
        &self,
        memory: &str,
        event: &str,
        place: &EventPlace,
    ) -> Result<Nothing, ClientError> {
        self.query(at(&api::EVENT_DELETE, &[memory, event]), place).await
    }

    /// Returns a page of the actors of a memory, in ascending order.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn actor_list(&self, memory: &str, paging: &Paging) -> Result<ActorList, ClientError> {
        self.query(at(&api::ACTOR_LIST, &[memory]), paging).await
    }

    /// Returns a page of an actor's sessions, newest first.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn session_list(
        &self,
        memory: &str,
        actor: &str,
        paging: &Paging,
    ) -> Result<SessionList, ClientError> {
        self.query(at(&api::SESSION_LIST, &[memory, actor]), paging).await
    }
}
