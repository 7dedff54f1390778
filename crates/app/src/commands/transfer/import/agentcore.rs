//! Imports a memory behind AgentCore's wire into one of Loci, in pieces. Each piece is stored
//! before the next is requested.

use anyhow::{Context, Result};
use loci_client::formats::agentcore::{AgentCoreReadOptions, AgentCoreReader};

use super::item_import::{Destination, ItemImport};
use super::mapping_report::MappingReport;
use crate::commands::transfer::agentcore_location::{RemoteMemory, refusal};
use crate::output;
use crate::session::Session;

/// Reads the remote memory and stores it, or only reports the mapping.
pub(super) async fn import(session: &Session, place: &RemoteMemory, into: &Destination<'_>) -> Result<()> {
    let asked = AgentCoreReadOptions {
        memory: place.memory.clone(),
        own_memory: into.memory.to_owned(),
        strategies: session.client.memory_get(into.memory).await?.strategies,
        namespace: into.namespace.clone(),
        parts: place.parts,
    };
    let mut reader = AgentCoreReader::new(&place.wire, asked);
    let mut report = MappingReport::new(into.format, into.dry_run);
    let progress = output::items(0, "importing");
    let outcome = async {
        let mut storing = ItemImport::new(session, into, &progress, &mut report);
        while let Some(piece) = reader.next().await.map_err(refusal).context("reading there stopped")? {
            storing.report.absorb(&piece);
            progress.inc_length(piece.items.len() as u64);
            if into.dry_run {
                progress.inc(piece.items.len() as u64);
            } else {
                storing.all(piece.items).await?;
            }
        }
        Ok(())
    };
    let outcome: Result<()> = outcome.await;
    progress.finish_and_clear();
    report.halves(place.wire.halves.count());
    if outcome.is_err() && !into.dry_run {
        let done = report.created + report.updated;
        return outcome.context(format!("{done} items are stored; the same import goes on from there"));
    }
    outcome?;
    report.tell(session.json)
}
