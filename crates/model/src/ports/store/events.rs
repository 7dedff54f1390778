//! Access to events and to data derived from them: actors, sessions, branches, progress of
//! extraction.

use crate::event::filter::EventFilter;
use crate::event::{Branch, Event, EventLoad};
use crate::principal::bounds::Bounds;
use crate::{ActorId, BranchName, EventId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// A branch, up to and including an event of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchSlice {
    /// The branch.
    pub branch: BranchName,
    /// The last event of the slice; `None`: all.
    pub up_to: Option<EventId>,
}

/// A query for events: newest first, visible and unexpired ones only.
#[derive(Debug, Clone)]
pub struct EventQuery {
    /// The memory whose events to return.
    pub memory: MemoryId,
    /// Only events of this actor.
    pub actor: ActorId,
    /// Only events of this session.
    pub session: SessionId,
    /// Slices to join; `None`: all branches.
    pub branches: Option<Vec<BranchSlice>>,
    /// Conditions on metadata, all of which must hold.
    pub metadata: Vec<EventFilter>,
    /// Only events that meet one of these conditions, if the caller's grants are narrower than the
    /// session; `None`: all.
    pub only: Option<Vec<Bounds>>,
    /// Only events before this one (keyset).
    pub before: Option<EventId>,
    /// Maximum number of events.
    pub limit: usize,
    /// The current time: expired events are excluded.
    pub now: Timestamp,
    /// If false, payloads and loads are empty and not read.
    pub with_payload: bool,
}

/// A query for the events before a window: the last live ones with extraction on, including hidden
/// ones.
#[derive(Debug, Clone)]
pub struct EventsBefore {
    /// The memory whose events to return.
    pub memory: MemoryId,
    /// Only events of this actor.
    pub actor: ActorId,
    /// Only events of this session.
    pub session: SessionId,
    /// Only events of these slices; `None`: of all branches.
    pub branches: Option<Vec<BranchSlice>>,
    /// Only events that arrived up to this number.
    pub arrival: u64,
    /// Maximum number of events.
    pub limit: usize,
    /// The current time: expired events are excluded.
    pub now: Timestamp,
}

/// A query for the newest of the events that [`Events::unprocessed`] would return.
#[derive(Debug, Clone)]
pub struct NewestUnread {
    /// The memory whose events to return.
    pub memory: MemoryId,
    /// Only events of this actor.
    pub actor: ActorId,
    /// Only events of this session.
    pub session: SessionId,
    /// Only events that arrived after this number.
    pub after: u64,
    /// Only events that arrived before this number; `None`: up to the last.
    pub before: Option<u64>,
    /// Maximum number of events.
    pub limit: usize,
    /// The current time: expired events are excluded.
    pub now: Timestamp,
}

/// An event that is not extracted yet.
#[derive(Debug, Clone, PartialEq)]
pub struct UnreadEvent {
    /// The event without its payload and load.
    pub event: Event,
    /// Size of the event's stored payload in bytes.
    pub payload_bytes: u64,
}

/// The place of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPlace {
    /// The actor that the event belongs to.
    pub actor: ActorId,
    /// The session that the event belongs to.
    pub session: SessionId,
    /// The branch that the event belongs to.
    pub branch: BranchName,
}

/// A session in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEntry {
    /// The actor that the session belongs to.
    pub actor: ActorId,
    /// The id of the session.
    pub session: SessionId,
    /// The arrival time of the session's first event.
    pub created_at: Timestamp,
}

/// A query for sessions: newest first, ties by session id ascending.
#[derive(Debug, Clone)]
pub struct SessionPage {
    /// The memory whose sessions to return.
    pub memory: MemoryId,
    /// Only sessions of this actor.
    pub actor: ActorId,
    /// If true, sessions without a live event are excluded; otherwise they stay for one day.
    pub with_events_only: bool,
    /// Only sessions after this one (keyset).
    pub after: Option<(Timestamp, SessionId)>,
    /// Maximum number of sessions.
    pub limit: usize,
    /// The current time: sessions and events that have expired by now are excluded.
    pub now: Timestamp,
    /// Only these sessions, if the caller's grant names some.
    pub only: Option<Vec<SessionId>>,
}

/// A query for actors with a live event, ascending.
#[derive(Debug, Clone)]
pub struct ActorPage {
    /// The memory whose actors to return.
    pub memory: MemoryId,
    /// Only actors after this one (keyset).
    pub after: Option<ActorId>,
    /// Maximum number of actors.
    pub limit: usize,
    /// The current time: sessions and events that have expired by now are excluded.
    pub now: Timestamp,
    /// Only these actors, if the caller's grant names some.
    pub only: Option<Vec<ActorId>>,
}

/// The table of events. Only [`Events::unprocessed`] and the reads for extraction return hidden
/// events (IngestData).
pub trait Events {
    /// Returns the event if memory, actor, session and id all match and it is live at `now`.
    fn get(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        now: Timestamp,
    ) -> Result<Option<Event>>;
    /// Returns an event for extraction: live, with extraction on, possibly hidden.
    fn source(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        now: Timestamp,
    ) -> Result<Option<Event>>;
    /// Returns the place of the event of that id, even if it is deleted or expired.
    fn place(&self, memory: &MemoryId, id: &EventId) -> Result<Option<EventPlace>>;
    /// Returns a page of events.
    fn list(&self, query: &EventQuery) -> Result<Vec<Event>>;
    /// Returns the greatest index ever used among the events of one millisecond of a memory, for
    /// [`EventId::compose`].
    fn last_place(&self, memory: &MemoryId, time: Timestamp) -> Result<Option<u32>>;
    /// Adds an event, records its session, and returns its arrival number. The arrival numbers of a
    /// memory become visible in order: a reader of one number has seen all before it.
    fn insert(&mut self, event: &Event) -> Result<u64>;
    /// Replaces the payload and the metadata of an event in place, which removes the earlier ones
    /// from the store. False if its session has no event of that id.
    fn rewrite(&mut self, event: &Event) -> Result<bool>;
    /// Deletes an event; false if there was none at that place.
    fn delete(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        at: Timestamp,
    ) -> Result<bool>;
    /// Returns the branch of that name; main always exists.
    fn branch(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        name: &BranchName,
    ) -> Result<Option<Branch>>;
    /// Opens a branch.
    fn insert_branch(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        branch: &Branch,
    ) -> Result<()>;
    /// Returns a page of actors.
    fn actors(&self, page: &ActorPage) -> Result<Vec<ActorId>>;
    /// Returns a page of sessions.
    fn sessions(&self, page: &SessionPage) -> Result<Vec<SessionEntry>>;
    /// Returns live events with extraction on, including hidden ones, that arrived after `arrival`,
    /// in order of arrival.
    fn unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>>;
    /// Returns the newest of these first, without reading their payloads.
    fn newest_unread(&self, query: &NewestUnread) -> Result<Vec<UnreadEvent>>;
    /// Returns those of these events with one of some arrival numbers, in order of arrival.
    fn unread_at(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrivals: &[u64],
        now: Timestamp,
    ) -> Result<Vec<Event>>;
    /// Returns the number of payload items of up to `limit` events that [`Events::unprocessed`]
    /// would return, without reading them. Every new event causes this call.
    fn unprocessed_items(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        limit: usize,
        now: Timestamp,
    ) -> Result<usize>;
    /// Returns the arrival time of the first event that [`Events::unprocessed`] would return,
    /// without reading it.
    fn first_unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        now: Timestamp,
    ) -> Result<Option<Timestamp>>;
    /// True if any event that [`Events::unprocessed`] would return meets the bounds. It does not
    /// read the events. Searches of callers who see a part of a session use it.
    fn has_unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        only: &Bounds,
        now: Timestamp,
    ) -> Result<bool>;
    /// Returns the total load of the first 4,096 events that [`Events::unprocessed`] would return,
    /// without reading them. Every new event causes this call. Events that are older than the
    /// counting of loads count as empty.
    fn load(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        now: Timestamp,
    ) -> Result<EventLoad>;
    /// Returns the events before a window, in order of arrival.
    fn before(&self, query: &EventsBefore) -> Result<Vec<Event>>;
    /// Returns up to `limit` live events with extraction on of one session, including hidden ones,
    /// in event order. For summaries and episodes, which read a session as a whole. `after`
    /// continues.
    fn session_events(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        after: Option<&EventId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>>;
    /// Returns the progress of a strategy in a session: the arrival number of the last event that
    /// it took.
    fn progress(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<u64>;
    /// Stores the progress of a strategy in a session.
    fn set_progress(
        &mut self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
    ) -> Result<()>;
    /// Removes the hidden events of a session that all of `strategies` have read.
    fn drop_ingested(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        strategies: &[StrategyId],
    ) -> Result<()>;
    /// Returns the turns of a run that events of this session hold: number, from the first to the
    /// last of `numbers`, and digest of content.
    fn seen_turns(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        run: &str,
        numbers: (u64, u64),
    ) -> Result<Vec<(u64, String)>>;
    /// Records turns of a run, in the write of the event that holds them: number and digest of
    /// content.
    fn note_turns(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        run: &str,
        turns: &[(u64, String)],
    ) -> Result<()>;
    /// Removes up to `rows` events that expired or were deleted before `now`, and sessions that
    /// have long been empty; returns the number. One call may cover only one memory. A result of 0
    /// means that nothing remains. The call also removes exchanges that may quote expired content,
    /// and wakes their jobs ([`super::Exchanges::drop_of_session`]).
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
    /// Erases all events, sessions, branches and progress of an actor; returns the number of
    /// events.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
    /// Returns the events of a memory after `after` in order of arrival, for export, without
    /// deleted, expired and hidden ones.
    fn export(&self, memory: &MemoryId, after: u64, limit: usize, now: Timestamp) -> Result<Vec<Event>>;
}
