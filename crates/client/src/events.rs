//! Calls about events, actors and sessions.

use http::Method;
use loci_api::Nothing;
use loci_api::event::{
    ActorList, Event, EventCreate, EventCreated, EventList, EventListing, EventPlace, Paging, SessionList,
};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Stores an event.
    ///
    /// # Errors
    /// As [`ClientError`] says; so for every call.
    pub async fn event_create(&self, memory: &str, new: &EventCreate) -> Result<EventCreated, ClientError> {
        self.send(Method::POST, path(&["v1", "memories", memory, "events"]), new).await
    }

    /// Stores an event, and tells whether an earlier request with the same idempotency key stored
    /// it.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn event_create_once(
        &self,
        memory: &str,
        new: &EventCreate,
    ) -> Result<(EventCreated, bool), ClientError> {
        self.send_once(path(&["v1", "memories", memory, "events"]), new).await
    }

    /// A page of a session's events, newest first.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn event_list(&self, memory: &str, listing: &EventListing) -> Result<EventList, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "events"]), listing).await
    }

    /// An event.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn event_get(
        &self,
        memory: &str,
        event: &str,
        place: &EventPlace,
    ) -> Result<Event, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "events", event]), place).await
    }

    /// Deletes an event; its records stay.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn event_delete(
        &self,
        memory: &str,
        event: &str,
        place: &EventPlace,
    ) -> Result<Nothing, ClientError> {
        self.plain_query(Method::DELETE, path(&["v1", "memories", memory, "events", event]), place).await
    }

    /// A page of actors, ascending.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn actor_list(&self, memory: &str, paging: &Paging) -> Result<ActorList, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "actors"]), paging).await
    }

    /// A page of an actor's sessions, newest first.
    ///
    /// # Errors
    /// See [`Client::event_create`].
    pub async fn session_list(
        &self,
        memory: &str,
        actor: &str,
        paging: &Paging,
    ) -> Result<SessionList, ClientError> {
        self.get_query(path(&["v1", "memories", memory, "actors", actor, "sessions"]), paging).await
    }
}
