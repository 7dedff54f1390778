//! Reads a remote memory in pieces: its settings, the events of each session, then its records.
//! Each piece fits into memory; nothing is stored here.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use loci_api::event::Extraction;
use loci_api::memory::Strategy;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::super::item::{FormatProblem, Mapping};
use super::details::details;
use super::order::{OrderedEvent, ordered};
use super::pages::Pages;
use super::shapes::{ActorsPage, EventAnswer, EventHead, EventsPage, RecordsPage, SessionsPage, WireMemory};
use super::strategies::{self, Strategies};
use super::wire::{Plane, Wire, WireError, get, path};
use super::{MARK, Parts, events, records};

/// The maximum of events of a piece.
const PIECE: usize = 500;
/// The maximum of bytes of a session's events in memory. Events beyond it are requested again one
/// by one.
const SESSION_BYTES_MAX: usize = 256 << 20;

/// The options of importing a memory over the AgentCore wire.
pub struct AgentCoreReadOptions {
    /// The id or ARN of the remote memory.
    pub memory: String,
    /// The local memory that receives the data.
    pub own_memory: String,
    /// The strategies of the local memory.
    pub strategies: Vec<Strategy>,
    /// The local namespace below which the namespaces of the records are placed.
    pub namespace: String,
    /// The kinds of data to import.
    pub parts: Parts,
}

/// A reader of a remote memory, piece by piece.
pub struct AgentCoreReader<'a> {
    wire: &'a dyn Wire,
    asked: AgentCoreReadOptions,
    strategies: Strategies,
    begun: bool,
    actors: VecDeque<String>,
    sessions: VecDeque<(String, String)>,
    session: Option<ReadSession>,
    records: Option<Pages>,
}

struct ReadSession {
    actor: String,
    session: String,
    waiting: VecDeque<OrderedEvent>,
    held: BTreeMap<String, Box<RawValue>>,
}

impl<'a> AgentCoreReader<'a> {
    /// Creates a reader. No call is made yet.
    #[must_use]
    pub fn new(wire: &'a dyn Wire, asked: AgentCoreReadOptions) -> Self {
        let records = asked.parts.records.then(|| {
            let place = path(&["memories", &asked.memory, "memoryRecords"]);
            Pages::of(place, &[("namespacePath", json!("/"))])
        });
        Self {
            wire,
            asked,
            strategies: Strategies::default(),
            begun: false,
            actors: VecDeque::new(),
            sessions: VecDeque::new(),
            session: None,
            records,
        }
    }

    /// Returns the next piece of the memory. `None` at the end.
    ///
    /// # Errors
    /// If the server rejects a call, or is unavailable. A repeated import continues from there.
    pub async fn next(&mut self) -> Result<Option<Mapping>, WireError> {
        if !self.begun {
            self.begun = true;
            return self.begin().await.map(Some);
        }
        loop {
            if let Some(session) = &mut self.session {
                if session.waiting.is_empty() {
                    self.session = None;
                } else {
                    return self.events().await.map(Some);
                }
            } else if let Some((actor, session)) = self.sessions.pop_front() {
                let (read, mapping) = self.read_session(actor, session).await?;
                self.session = Some(read);
                return Ok(Some(mapping));
            } else if let Some(actor) = self.actors.pop_front() {
                self.list_sessions(actor).await?;
            } else {
                return self.next_records().await;
            }
        }
    }

    async fn begin(&mut self) -> Result<Mapping, WireError> {
        let mut mapping = Mapping::default();
        let memory = details(self.wire, &self.asked.memory, &mut mapping).await?;
        self.strategies = Strategies::of(&memory.strategies, &self.asked.strategies);
        tell_settings(&memory, &self.asked.strategies, &mut mapping);
        if self.asked.parts.events {
            let mut pages = Pages::of(path(&["memories", &self.asked.memory, "actors"]), &[]);
            while let Some(page) = pages.next::<ActorsPage>(self.wire).await? {
                self.actors.extend(page.actor_summaries.into_iter().map(|actor| actor.actor_id));
            }
            mapping.loses("events expire as this memory says, counted from the import");
            if self.asked.parts.records {
                mapping.loses("strategies do not read the events again: their records come along");
            }
        }
        if self.asked.parts.records {
            mapping.loses("records are as new as the import: import_rest keeps when they were made there");
            mapping.loses("when records vanish there is not told in lists; here they do not");
        }
        Ok(mapping)
    }

    async fn list_sessions(&mut self, actor: String) -> Result<(), WireError> {
        let mut pages = Pages::of(path(&["memories", &self.asked.memory, "actor", &actor, "sessions"]), &[]);
        while let Some(page) = pages.next::<SessionsPage>(self.wire).await? {
            self.sessions
                .extend(page.session_summaries.into_iter().map(|one| (actor.clone(), one.session_id)));
        }
        Ok(())
    }

    async fn read_session(
        &self,
        actor: String,
        session: String,
    ) -> Result<(ReadSession, Mapping), WireError> {
        let mut mapping = Mapping::default();
        let place = path(&["memories", &self.asked.memory, "actor", &actor, "sessions", &session]);
        let mut pages = Pages::of(place, &[("includePayloads", Value::Bool(true))]);
        let (mut placed, mut held, mut bytes) = (Vec::new(), BTreeMap::new(), 0);
        let of_us = format!("{}/", self.asked.own_memory);
        while let Some(page) = pages.next::<EventsPage>(self.wire).await? {
            for raw in page.events {
                let Ok(head) = loci_json::from_str::<EventHead>(raw.get()) else {
                    let remedy = "import with a newer Loci";
                    let place = format!("an event of {actor}/{session}");
                    mapping.problems.push(FormatProblem::new(&place, "", "it is not read", remedy));
                    continue;
                };
                let mark = head.metadata.as_ref().and_then(|metadata| metadata.get(MARK));
                if mark.is_some_and(|mark| mark.string_value.starts_with(&of_us)) {
                    mapping.skip("event", "it came from this memory");
                    continue;
                }
                let branch = head.branch.as_ref();
                let branch = branch.map(|branch| (branch.name.as_str(), branch.root_event_id.as_deref()));
                placed.push(OrderedEvent::of(&head.event_id, branch));
                bytes += raw.get().len();
                if bytes <= SESSION_BYTES_MAX {
                    held.insert(head.event_id, raw);
                }
            }
        }
        let mut moved = BTreeSet::new();
        let waiting = ordered(placed, &mut moved).into();
        for branch in moved {
            let place = format!("{actor}/{session}");
            mapping.loses(format!(
                "{place}: the event that branch {branch} starts from is gone: it starts from the one before"
            ));
        }
        Ok((ReadSession { actor, session, waiting, held }, mapping))
    }

    /// Returns the next events of the session.
    async fn events(&mut self) -> Result<Mapping, WireError> {
        let mut mapping = Mapping::default();
        let Some(of) = &mut self.session else { return Ok(mapping) };
        let extraction = if self.asked.parts.records { Extraction::Skip } else { Extraction::Extract };
        let place = events::RemoteEventPosition {
            memory: &self.asked.memory,
            actor: &of.actor,
            session: &of.session,
        };
        for _ in 0..PIECE {
            let Some(event) = of.waiting.pop_front() else { break };
            let raw = match of.held.remove(&event.id) {
                Some(raw) => raw,
                None => {
                    let segments = [
                        "memories",
                        &self.asked.memory,
                        "actor",
                        &of.actor,
                        "sessions",
                        &of.session,
                        "events",
                        &event.id,
                    ];
                    let text = self.wire.call(get(Plane::Data, path(&segments))).await?;
                    super::wire::read::<EventAnswer>(&text)?.event
                }
            };
            match events::item(&raw, &event.id, event.branch.as_ref(), &place, extraction, &mut mapping) {
                Ok(item) => mapping.take("event", item),
                Err(problem) => mapping.problems.push(problem),
            }
        }
        Ok(mapping)
    }

    async fn next_records(&mut self) -> Result<Option<Mapping>, WireError> {
        let Some(pages) = &mut self.records else { return Ok(None) };
        let Some(page) = pages.next::<RecordsPage>(self.wire).await? else { return Ok(None) };
        let mut mapping = Mapping::default();
        let of_us = format!("{}/", self.asked.own_memory);
        for raw in page.memory_record_summaries {
            if loci_json::from_str(raw.get())
                .is_ok_and(|record| records::marked(&record).is_some_and(|(key, _)| key.starts_with(&of_us)))
            {
                mapping.skip("record", "it came from this memory");
                continue;
            }
            match records::item(&raw, &self.asked.namespace, &self.strategies, &mut mapping) {
                Ok(item) => mapping.take("record", item),
                Err(problem) => mapping.problems.push(problem),
            }
        }
        Ok(Some(mapping))
    }
}

/// Reports settings that differ, for a person to decide: the import does not change the local
/// memory's settings.
fn tell_settings(memory: &WireMemory, here: &[Strategy], mapping: &mut Mapping) {
    for strategy in &memory.strategies {
        let name = &strategy.name;
        let kind = strategies::kind(strategy);
        let template = strategy.namespaces.first().map_or("", String::as_str);
        match here.iter().find(|own| &own.name == name) {
            Some(own) if kind.is_some_and(|kind| kind != own.kind) => mapping.loses(format!(
                "strategy {name} is another kind here: its records get none"
            )),
            Some(own) if own.namespace != template => {
                mapping.loses(format!(
                    "strategy {name} puts records to {} here, to {template} there: records stay where they are",
                    own.namespace
                ));
            }
            Some(_) => {}
            None => mapping.loses(format!(
                "strategy {name} ({}, {template}) is not here: add one of this name and import again, and its records get it",
                strategy.kind
            )),
        }
    }
    let why = "a setting of the memory: set it here where it is wanted";
    let settings = [
        ("indexedKeys", !memory.indexed_keys.is_empty()),
        ("namespaceKeys", !memory.namespace_keys.is_empty()),
        ("streamDeliveryResources", memory.stream_delivery_resources.is_some()),
        ("encryptionKeyArn", memory.encryption_key_arn.is_some()),
        ("memoryExecutionRoleArn", memory.memory_execution_role_arn.is_some()),
        ("eventExpiryDuration", memory.event_expiry_duration.is_some()),
    ];
    for (setting, _) in settings.iter().filter(|(_, is_set)| *is_set) {
        mapping.skip(setting, why);
    }
}
