//! `fact_get`, `fact_history`: one stored fact, and the chain of its versions with their events.

use std::collections::BTreeSet;

use loci_engine::memories::existing;
use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, MemoryId, RecordId, Result};

use super::answers::FactView;
use crate::Verified;
use crate::facts::events::{self, Scene};
use crate::facts::flags;
use crate::facts::lookup::{LocatedFact, located};
use loci_engine::calls::call_context::CallContext;

/// The maximum number of facts of one chain that are returned.
const CHAIN_MAX: usize = 100;
/// The maximum number of events that are returned.
const EVENTS_MAX: u32 = 200;

/// A chain of facts, oldest first, with their events, newest first.
#[derive(Debug, Clone, PartialEq)]
pub struct FactHistory {
    /// The facts.
    pub chain: Vec<FactView>,
    /// The events.
    pub events: Vec<FactEvent>,
}

impl Verified {
    /// Returns one fact in any state.
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn fact_get(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
    ) -> Result<FactView> {
        let located = self.locate(caller, standing, id, Capability::Read).await?;
        Ok(view(located))
    }

    /// Returns one fact in any state to a reader, and records that it was returned (T2).
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn fact_read(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
    ) -> Result<FactView> {
        let view = self.fact_get(caller, standing, id).await?;
        let fact = &view.remembered.fact;
        let scene = Scene::new(caller, standing, &fact.memory, &fact.repository, self.engine.now());
        let event = scene.event(self.engine.ids().as_ref(), FactEventKind::Retrieved, Some(id));
        self.engine
            .store()
            .write(move |tx| {
                existing(tx, &scene.memory)?;
                tx.facts_mut().count_retrieved(&scene.memory, event.record.as_slice())?;
                events::append(tx, std::slice::from_ref(&event))
            })
            .await?;
        Ok(view)
    }

    /// Returns the chain of a fact.
    ///
    /// # Errors
    /// `NotFound`; `Invalid` for a limit outside 1 to 200.
    pub async fn fact_history(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
        limit: u32,
    ) -> Result<FactHistory> {
        if !(1..=EVENTS_MAX).contains(&limit) {
            return Err(Error::invalid("limit", format!("limit must be 1 to {EVENTS_MAX}")));
        }
        let memory = self.code_memory(caller, standing).await?;
        let (caller, id, limit) = (caller.clone(), id.clone(), limit as usize);
        self.engine
            .store()
            .read(move |tx| {
                existing(tx, &memory)?;
                let chain = chain(tx, &caller, &memory, &id)?;
                let mut events = Vec::new();
                for one in &chain {
                    events.extend(tx.fact_events().of_record(&memory, &one.remembered.record.id, limit)?);
                }
                events.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| b.id.cmp(&a.id)));
                events.truncate(limit);
                Ok(FactHistory { chain, events })
            })
            .await
    }
}

fn view(located: LocatedFact) -> FactView {
    let LocatedFact { found, remembered } = located;
    FactView {
        conflicts_with: flags::conflicts(&remembered.fact.detail.flags),
        remembered,
        repo: found.repository.key,
        verification: None,
        is_source_abandoned: false,
    }
}

/// Returns all facts of the chain that the caller may see, oldest first.
fn chain(tx: &dyn ReadTx, caller: &Principal, memory: &MemoryId, id: &RecordId) -> Result<Vec<FactView>> {
    let first = located(tx, caller, memory, id, Capability::Read)?;
    let (mut waiting, mut seen, mut found) = (vec![first], BTreeSet::new(), Vec::new());
    while let Some(one) = waiting.pop() {
        let record = &one.remembered.record;
        if !seen.insert(record.id.clone()) || found.len() == CHAIN_MAX {
            continue;
        }
        let near: Vec<RecordId> = record.supersedes.iter().chain(&record.superseded_by).cloned().collect();
        for id in near.into_iter().filter(|id| !seen.contains(id)) {
            match located(tx, caller, memory, &id, Capability::Read) {
                Ok(one) => waiting.push(one),
                Err(error) if error.kind == loci_model::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        found.push(view(one));
    }
    found.sort_by(|a, b| {
        let key = |view: &FactView| (view.remembered.fact.created_at, view.remembered.record.id.clone());
        key(a).cmp(&key(b))
    });
    Ok(found)
}
