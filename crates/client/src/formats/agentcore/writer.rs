//! Writes a local memory to a remote one, noun by noun. Written items carry a mark, so that a
//! repeated export continues and changes nothing; every call also carries a permanent token.
//! `writer_records` writes the records.

use std::collections::{BTreeMap, BTreeSet};

use loci_api::event::Event;
use loci_api::memory::Strategy;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::super::item::{FormatProblem, Mapping};
use super::checksum::Checksum;
use super::details::details;
use super::events::{self, EventCall};
use super::order::{OrderedEvent, ordered};
use super::pages::Pages;
use super::shapes::{CreatedEvent, EventHead, EventsPage, WireBranch, WireText};
use super::strategies::Strategies;
use super::wire::{Wire, WireError, path, post};
use super::{MARK, Parts, hex, limits};

/// The options of exporting a memory over the AgentCore wire.
pub struct AgentCoreWriteOptions {
    /// The id or ARN of the remote memory.
    pub memory: String,
    /// The local memory to export.
    pub own_memory: String,
    /// The strategies of the local memory.
    pub strategies: Vec<Strategy>,
    /// The kinds of data to export.
    pub parts: Parts,
    /// True if the writer gets every record of the local memory. Then a remote record that it does
    /// not get was deleted or superseded locally.
    pub is_whole: bool,
    /// True to write nothing and only report.
    pub dry_run: bool,
}

/// The result of an export, or of its dry run.
#[derive(Debug)]
pub struct AgentCoreExportResult {
    /// The conversions, the losses and the skipped parts.
    pub mapping: Mapping,
    /// The number of items created in the remote memory.
    pub created: u64,
    /// The number of items changed in the remote memory.
    pub updated: u64,
    /// The number of items that were unchanged in the remote memory.
    pub unchanged: u64,
    /// The SHA-256 checksum over the parts that the wire format carries without loss.
    pub checksum: String,
}

/// A writer of a local memory to a remote one.
pub struct AgentCoreWriter<'a> {
    pub(super) wire: &'a dyn Wire,
    pub(super) target: AgentCoreWriteOptions,
    pub(super) strategies: Strategies,
    pub(super) mapping: Mapping,
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) unchanged: u64,
    pub(super) checksum: Checksum,
    /// The remote records of this memory by key: their ids, and digests of the written content.
    pub(super) known: Option<BTreeMap<String, (String, String)>>,
}

impl<'a> AgentCoreWriter<'a> {
    /// Reads the settings of the remote memory, and returns a writer for it.
    ///
    /// # Errors
    /// If the memory does not exist, or its server is unavailable.
    pub async fn begin(wire: &'a dyn Wire, target: AgentCoreWriteOptions) -> Result<Self, WireError> {
        let mut mapping = Mapping::default();
        let memory = details(wire, &target.memory, &mut mapping).await?;
        if target.parts.events && target.parts.records {
            mapping.loses("strategies there do not read the events: their records come along");
        }
        if target.parts.events {
            mapping.loses("events expire as the memory there says, counted from the export");
        }
        Ok(Self {
            wire,
            strategies: Strategies::of(&memory.strategies, &target.strategies),
            target,
            mapping,
            created: 0,
            updated: 0,
            unchanged: 0,
            checksum: Checksum::default(),
            known: None,
        })
    }

    /// Returns the number of items that were written or found unchanged.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.created + self.updated + self.unchanged
    }

    /// Writes the events of one session to the remote memory.
    ///
    /// # Errors
    /// If the server is unavailable, or rejects more than a single item. A repeated export
    /// continues where this one stopped.
    pub async fn session(&mut self, actor: &str, session: &str, events: Vec<Event>) -> Result<(), WireError> {
        let known = if self.target.dry_run { BTreeMap::new() } else { self.marked(actor, session).await? };
        let placed = events.iter().map(|event| {
            let branch = &event.branch;
            OrderedEvent::of(&event.id, Some((branch.name.as_str(), branch.root.as_deref())))
        });
        let mut moved = BTreeSet::new();
        let order = ordered(placed.collect(), &mut moved);
        for branch in moved {
            self.mapping.loses(format!(
                "{actor}/{session}: the event that branch {branch} starts from is gone: it starts from the one before"
            ));
        }
        let by_id: BTreeMap<&str, &Event> = events.iter().map(|event| (event.id.as_str(), event)).collect();
        let mut sent = WrittenEvents { known, ids: BTreeMap::new(), digests: BTreeMap::new() };
        for placed in order {
            if let Some(event) = by_id.get(placed.id.as_str()) {
                self.event(event, placed, &mut sent).await?;
            }
        }
        Ok(())
    }

    async fn event(
        &mut self,
        event: &Event,
        placed: OrderedEvent,
        sent: &mut WrittenEvents,
    ) -> Result<(), WireError> {
        let mut call = match events::call(event, !self.target.parts.records, &mut self.mapping) {
            Ok(call) => call,
            Err(problem) => {
                self.mapping.problems.push(problem);
                return Ok(());
            }
        };
        let mut root_digest = None;
        if let Some((name, root)) = placed.branch {
            let found = root.as_ref().and_then(|root| sent.digests.get(root).map(|digest| (root, *digest)));
            let Some((root, digest)) = found else {
                let rule = "its branch starts from an event that is not there";
                self.problem(&format!("event {}", event.id), rule);
                return Ok(());
            };
            root_digest = Some(digest);
            call.branch = Some(WireBranch { name, root_event_id: sent.ids.get(root).cloned() });
        }
        let digest = self.checksum.event(&call, sent.digests.len(), root_digest);
        *self.mapping.mapped.entry(("event", "event")).or_default() += 1;
        let key = events::key(&self.target.own_memory, &event.id);
        let id = match sent.known.get(&key) {
            _ if self.target.dry_run => None,
            Some(there) => {
                self.unchanged += 1;
                Some(there.clone())
            }
            None => match self.create(call, key, &event.id).await? {
                Some(there) => Some(there),
                None => return Ok(()),
            },
        };
        sent.digests.insert(event.id.clone(), digest);
        if let Some(there) = id {
            sent.ids.insert(event.id.clone(), there);
        }
        Ok(())
    }

    /// Creates an event and returns its remote id; `None` if the server rejects it.
    async fn create(
        &mut self,
        mut call: EventCall,
        key: String,
        id: &str,
    ) -> Result<Option<String>, WireError> {
        call.client_token = token(&[&self.target.memory, &key]);
        if call.metadata.len() < limits::EVENT_KEYS_MAX {
            call.metadata.insert(MARK.to_owned(), WireText { string_value: key });
        } else {
            let what = "events with 15 metadata keys have no mark there: their token alone keeps them from being doubled";
            self.mapping.loses(what);
        }
        let call = post(path(&["memories", &self.target.memory, "events"]), &call)?;
        match self.wire.call(call).await {
            Ok(text) => {
                self.created += 1;
                Ok(Some(super::wire::read::<CreatedEvent>(&text)?.event.event_id))
            }
            Err(error) if error.is_of_the_item() => {
                self.problem(&format!("event {id}"), &error.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the remote events of a session that have a mark, by the mark.
    async fn marked(&self, actor: &str, session: &str) -> Result<BTreeMap<String, String>, WireError> {
        let place = path(&["memories", &self.target.memory, "actor", actor, "sessions", session]);
        let mut pages = Pages::of(place, &[("includePayloads", Value::Bool(false))]);
        let mut marked = BTreeMap::new();
        loop {
            let page = match pages.next::<EventsPage>(self.wire).await {
                // The session does not exist yet; servers report that differently.
                Err(error) if error.is_not_found() => return Ok(marked),
                page => page?,
            };
            let Some(page) = page else { return Ok(marked) };
            for raw in page.events {
                let Ok(head) = serde_json::from_str::<EventHead>(raw.get()) else { continue };
                if let Some(mark) = head.metadata.unwrap_or_default().remove(MARK) {
                    marked.insert(mark.string_value, head.event_id);
                }
            }
        }
    }

    pub(super) fn problem(&mut self, place: &str, rule: &str) {
        let remedy = "correct it here, and export again";
        self.mapping.problems.push(FormatProblem::new(place, "", rule, remedy));
    }

    /// Returns the result of the export.
    #[must_use]
    pub fn finish(mut self) -> AgentCoreExportResult {
        if self.target.is_whole {
            let left = self.known.take().unwrap_or_default().len();
            for _ in 0..left {
                self.mapping.skip("record", "put away here since it was written there; there it stays");
            }
        }
        AgentCoreExportResult {
            mapping: self.mapping,
            created: self.created,
            updated: self.updated,
            unchanged: self.unchanged,
            checksum: self.checksum.finish(),
        }
    }
}

/// The events of a session that are written so far.
struct WrittenEvents {
    /// The remote ids of an earlier export, by mark.
    known: BTreeMap<String, String>,
    /// The remote ids, by local id.
    ids: BTreeMap<String, String>,
    /// The content digests, by local id.
    digests: BTreeMap<String, [u8; 32]>,
}

/// Returns a permanent token: equal parts give an equal token.
pub(super) fn token(parts: &[&str]) -> String {
    format!("loci-{}", hex(&Sha256::digest(parts.join("\n"))))
}
