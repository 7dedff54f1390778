//! `loci export --format agentcore`: copies a memory of Loci through AgentCore's wire to a memory
//! there. Existing data stays unchanged, and an interrupted export continues.

use anyhow::{Context, Result};
use indicatif::ProgressBar;
use loci_api::event::{Event, EventListing, Paging};
use loci_api::record::RecordListing;
use loci_client::formats::agentcore::{AgentCoreWriteOptions, AgentCoreWriter, NAME};

use super::agentcore_location::{RemoteMemory, refusal};
use super::import::mapping_report::MappingReport;
use crate::exit::NotFound;
use crate::output;
use crate::session::Session;

/// Writes events, and the records of a namespace.
pub(super) async fn export(
    session: &Session,
    memory: &str,
    place: &RemoteMemory,
    namespace: &str,
    dry_run: bool,
) -> Result<()> {
    let target = AgentCoreWriteOptions {
        memory: place.memory.clone(),
        own_memory: memory.to_owned(),
        strategies: session.client.memory_get(memory).await?.strategies,
        parts: place.parts,
        is_whole: namespace == "/",
        dry_run,
    };
    let mut writer = AgentCoreWriter::begin(&place.wire, target).await.map_err(refusal)?;
    let progress = output::items(0, "exporting");
    let mut exporting = AgentCoreExport { session, memory, progress: &progress, documents: 0 };
    let outcome = async {
        if place.parts.events {
            exporting.events(&mut writer).await?;
        }
        if place.parts.records {
            exporting.records(namespace, &mut writer).await?;
        }
        Ok(())
    };
    let outcome: Result<()> = outcome.await;
    let documents = exporting.documents;
    progress.finish_and_clear();
    outcome.with_context(|| {
        let done = writer.done();
        format!("{done} items are there by now; the same export goes on from there")
    })?;
    let written = writer.finish();
    let mut report = MappingReport::new(NAME, dry_run);
    report.absorb(&written.mapping);
    report.skip_many("document", documents, "the wire has no files: export them as okf");
    (report.created, report.updated, report.unchanged) =
        (written.created, written.updated, written.unchanged);
    report.checksum = Some(written.checksum);
    if report.is_empty() {
        let rule = format!("{namespace} has nothing to export: name another --namespace, or other --parts");
        return Err(NotFound(rule).into());
    }
    report.tell(session.json)
}

struct AgentCoreExport<'a> {
    session: &'a Session,
    memory: &'a str,
    progress: &'a ProgressBar,
    /// The number of documents that were left out.
    documents: usize,
}

impl AgentCoreExport<'_> {
    async fn events(&mut self, writer: &mut AgentCoreWriter<'_>) -> Result<()> {
        for actor in self.actors().await? {
            for session in self.sessions(&actor).await? {
                let events = self.events_of(&actor, &session).await?;
                let count = events.len() as u64;
                self.progress.inc_length(count);
                writer.session(&actor, &session, events).await.map_err(refusal)?;
                self.progress.inc(count);
            }
        }
        Ok(())
    }

    async fn actors(&self) -> Result<Vec<String>> {
        let (mut paging, mut actors) = (Paging::default(), Vec::new());
        loop {
            let page = self.session.client.actor_list(self.memory, &paging).await?;
            actors.extend(page.actors);
            paging.cursor = page.next_cursor;
            if paging.cursor.is_none() {
                return Ok(actors);
            }
        }
    }

    async fn sessions(&self, actor: &str) -> Result<Vec<String>> {
        let (mut paging, mut sessions) = (Paging::default(), Vec::new());
        loop {
            let page = self.session.client.session_list(self.memory, actor, &paging).await?;
            sessions.extend(page.sessions.into_iter().map(|session| session.id));
            paging.cursor = page.next_cursor;
            if paging.cursor.is_none() {
                return Ok(sessions);
            }
        }
    }

    async fn events_of(&self, actor: &str, session: &str) -> Result<Vec<Event>> {
        let mut listing =
            EventListing { actor: actor.to_owned(), session: session.to_owned(), ..EventListing::default() };
        let mut events = Vec::new();
        loop {
            let page = self.session.client.event_list(self.memory, &listing).await?;
            events.extend(page.events);
            listing.cursor = page.next_cursor;
            if listing.cursor.is_none() {
                return Ok(events);
            }
        }
    }

    async fn records(&mut self, namespace: &str, writer: &mut AgentCoreWriter<'_>) -> Result<()> {
        let mut listing = RecordListing { namespace_paths: vec![namespace.to_owned()], ..Default::default() };
        loop {
            let page = self.session.client.record_list(self.memory, &listing).await?;
            let (documents, records): (Vec<_>, Vec<_>) =
                page.records.into_iter().partition(|record| record.kind == "document");
            self.documents += documents.len();
            self.progress.inc_length(records.len() as u64);
            writer.records(&records).await.map_err(refusal)?;
            self.progress.inc(records.len() as u64);
            listing.cursor = page.next_cursor;
            if listing.cursor.is_none() {
                return Ok(());
            }
        }
    }
}
