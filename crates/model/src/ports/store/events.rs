//! Access to events, and to what they imply: actors, sessions, branches, progress of extraction.

use crate::event::filter::EventFilter;
use crate::event::{Branch, Event, EventLoad};
use crate::principal::bounds::Bounds;
use crate::{ActorId, BranchName, EventId, MemoryId, Result, SessionId, StrategyId, Timestamp};

/// A branch, up to and including an event of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchSlice {
    /// The branch.
    pub branch: BranchName,
    /// The last event that counts; `None`: all.
    pub up_to: Option<EventId>,
}

/// Which events to list: newest first, visible and unexpired ones only.
#[derive(Debug, Clone)]
pub struct EventQuery {
    /// The memory.
    pub memory: MemoryId,
    /// The actor.
    pub actor: ActorId,
    /// The session.
    pub session: SessionId,
    /// Slices to join; `None`: all branches.
    pub branches: Option<Vec<BranchSlice>>,
    /// Conditions on metadata, all of which must hold.
    pub metadata: Vec<EventFilter>,
    /// Only events that meet one of these, where the caller's grants are narrower than the session; `None`: all.
    pub only: Option<Vec<Bounds>>,
    /// Only events before this one (keyset).
    pub before: Option<EventId>,
    /// At most so many.
    pub limit: usize,
    /// What has expired by then is out.
    pub now: Timestamp,
    /// Without it, payloads and loads come back empty and are not read.
    pub with_payload: bool,
}

/// Which events come before a window: the last live ones with extraction on, hidden ones included.
#[derive(Debug, Clone)]
pub struct EventsBefore {
    /// The memory.
    pub memory: MemoryId,
    /// The actor.
    pub actor: ActorId,
    /// The session.
    pub session: SessionId,
    /// Only of these slices; `None`: of all branches.
    pub branches: Option<Vec<BranchSlice>>,
    /// That arrived up to here.
    pub arrival: u64,
    /// At most so many.
    pub limit: usize,
    /// What has expired by then is out.
    pub now: Timestamp,
}

/// Which of the events that [`Events::unprocessed`] would give are looked at first: the newest.
#[derive(Debug, Clone)]
pub struct NewestUnread {
    /// The memory.
    pub memory: MemoryId,
    /// The actor.
    pub actor: ActorId,
    /// The session.
    pub session: SessionId,
    /// That arrived after this.
    pub after: u64,
    /// That arrived before this; `None`: up to the last.
    pub before: Option<u64>,
    /// At most so many.
    pub limit: usize,
    /// What has expired by then is out.
    pub now: Timestamp,
}

/// An event that is not read yet.
#[derive(Debug, Clone, PartialEq)]
pub struct UnreadEvent {
    /// Without its payload and load.
    pub event: Event,
    /// Bytes of its payload as it is kept.
    pub payload_bytes: u64,
}

/// Where an event is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPlace {
    /// Whose.
    pub actor: ActorId,
    /// Which session.
    pub session: SessionId,
    /// Which branch.
    pub branch: BranchName,
}

/// A session as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEntry {
    /// Whose.
    pub actor: ActorId,
    /// The session.
    pub session: SessionId,
    /// Arrival of its first event.
    pub created_at: Timestamp,
}

/// Which sessions to list: newest first, ties by session id ascending.
#[derive(Debug, Clone)]
pub struct SessionPage {
    /// The memory.
    pub memory: MemoryId,
    /// The actor.
    pub actor: ActorId,
    /// Leave out sessions without a live event; otherwise they stay a day.
    pub with_events_only: bool,
    /// Behind this one (keyset).
    pub after: Option<(Timestamp, SessionId)>,
    /// At most so many.
    pub limit: usize,
    /// The time of the request.
    pub now: Timestamp,
    /// Only these sessions, where the caller's grant names some.
    pub only: Option<Vec<SessionId>>,
}

/// Which actors to list: those with a live event, ascending.
#[derive(Debug, Clone)]
pub struct ActorPage {
    /// The memory.
    pub memory: MemoryId,
    /// Behind this one (keyset).
    pub after: Option<ActorId>,
    /// At most so many.
    pub limit: usize,
    /// The time of the request.
    pub now: Timestamp,
    /// Only these actors, where the caller's grant names some.
    pub only: Option<Vec<ActorId>>,
}

/// The table of events. Hidden events (IngestData) are out of every read but [`Events::unprocessed`].
pub trait Events {
    /// The event, if memory, actor, session and id all match and it is live at `now`.
    fn get(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        now: Timestamp,
    ) -> Result<Option<Event>>;
    /// Likewise for extraction: an event with extraction on, hidden ones included.
    fn source(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        now: Timestamp,
    ) -> Result<Option<Event>>;
    /// Where the event of that id is, deleted and expired ones included.
    fn place(&self, memory: &MemoryId, id: &EventId) -> Result<Option<EventPlace>>;
    /// A page of events.
    fn list(&self, query: &EventQuery) -> Result<Vec<Event>>;
    /// The greatest place used among the events of one millisecond of a memory (ever), see [`EventId::compose`].
    fn last_place(&self, memory: &MemoryId, time: Timestamp) -> Result<Option<u32>>;
    /// Adds an event, notes its session, and returns its place in the order of arrival. Places of a memory become visible
    /// in that order: whoever has read one has seen all before it.
    fn insert(&mut self, event: &Event) -> Result<u64>;
    /// Replaces the payload and the metadata of an event in its own place: the earlier ones are
    /// gone from the store. False if there is none of that id in its session.
    fn rewrite(&mut self, event: &Event) -> Result<bool>;
    /// Deletes; false if there was none to delete at that place.
    fn delete(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        id: &EventId,
        at: Timestamp,
    ) -> Result<bool>;
    /// The branch of that name; main always exists.
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
    /// A page of actors.
    fn actors(&self, page: &ActorPage) -> Result<Vec<ActorId>>;
    /// A page of sessions.
    fn sessions(&self, page: &SessionPage) -> Result<Vec<SessionEntry>>;
    /// Live events with extraction on, hidden ones included, that arrived after `arrival`, in order of arrival.
    fn unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>>;
    /// The newest of these first, without reading what they say.
    fn newest_unread(&self, query: &NewestUnread) -> Result<Vec<UnreadEvent>>;
    /// Those of these that have one of some arrival numbers, in order of arrival.
    fn unread_at(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrivals: &[u64],
        now: Timestamp,
    ) -> Result<Vec<Event>>;
    /// Payload items of up to `limit` events that [`Events::unprocessed`] would give, without reading them: every new
    /// event asks.
    fn unprocessed_items(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        limit: usize,
        now: Timestamp,
    ) -> Result<usize>;
    /// When the first of the events arrived that [`Events::unprocessed`] would give, without reading it.
    fn first_unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        now: Timestamp,
    ) -> Result<Option<Timestamp>>;
    /// Whether any of the events that [`Events::unprocessed`] would give meets the bounds, without reading it: searches of
    /// callers who see a part of a session ask.
    fn has_unprocessed(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        only: &Bounds,
        now: Timestamp,
    ) -> Result<bool>;
    /// What the events that [`Events::unprocessed`] would give bring to read, the first 4,096 of them together, without
    /// reading them: every new event asks. Events from before loads were counted bring nothing.
    fn load(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
        now: Timestamp,
    ) -> Result<EventLoad>;
    /// What was said before a window, in order of arrival.
    fn before(&self, query: &EventsBefore) -> Result<Vec<Event>>;
    /// Up to `limit` live events with extraction on of one session, hidden ones included, in event order; for
    /// summaries and episodes, which read a session whole. `after` continues.
    fn session_events(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        after: Option<&EventId>,
        limit: usize,
        now: Timestamp,
    ) -> Result<Vec<Event>>;
    /// How far a strategy has read a session: the arrival number of the last event it took.
    fn progress(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
    ) -> Result<u64>;
    /// Notes how far a strategy has read a session.
    fn set_progress(
        &mut self,
        memory: &MemoryId,
        strategy: &StrategyId,
        actor: &ActorId,
        session: &SessionId,
        arrival: u64,
    ) -> Result<()>;
    /// Hidden events of a session that every one of `strategies` has read are removed.
    fn drop_ingested(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        strategies: &[StrategyId],
    ) -> Result<()>;
    /// Turns of a run that events of this session hold: number, from the first to the last of `numbers`, and digest of
    /// content.
    fn seen_turns(
        &self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        run: &str,
        numbers: (u64, u64),
    ) -> Result<Vec<(u64, String)>>;
    /// Notes turns of a run, in the write of the event that holds them: number and digest of content.
    fn note_turns(
        &mut self,
        memory: &MemoryId,
        actor: &ActorId,
        session: &SessionId,
        run: &str,
        turns: &[(u64, String)],
    ) -> Result<()>;
    /// Removes up to `rows` events that expired or were deleted before `now`, and sessions long empty; how many. Perhaps of
    /// one memory only: nothing is left when it says 0.
    /// Exchanges that may quote what expired go too, and their jobs are woken ([`super::Exchanges::drop_of_session`]).
    fn sweep(&mut self, now: Timestamp, rows: usize) -> Result<usize>;
    /// Erases everything of an actor's events, sessions, branches and progress; how many events.
    fn forget_actor(&mut self, memory: &MemoryId, actor: &ActorId) -> Result<u64>;
    /// Events of a memory behind `after` in order of arrival, for export; deleted, expired and hidden ones left out.
    fn export(&self, memory: &MemoryId, after: u64, limit: usize, now: Timestamp) -> Result<Vec<Event>>;
}
