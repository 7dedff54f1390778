//! Changes in the source during a move. Each memory is compared right after its copy. At the end
//! all memories, and the list of them, are checked again.

use std::collections::BTreeMap;

use loci_model::transfer::{MovedMemory, TransferKind, TransferPlace};
use loci_model::{MemoryId, Result};

use super::{KindSums, PlaceReport, Transfer, TransferOutcome, TransferReport, kinds_of_memory};

/// Kinds of a memory's rows that may change without its counters. The counters count changes of
/// records and arrivals of events.
pub(super) const UNCOUNTED: &[TransferKind] = &[
    TransferKind::Sessions,
    TransferKind::Places,
    TransferKind::Turns,
    TransferKind::Events,
    TransferKind::Repositories,
    TransferKind::Facts,
    TransferKind::FactEvents,
    TransferKind::Tasks,
    TransferKind::Exposures,
    TransferKind::Commits,
    TransferKind::Prompts,
    TransferKind::TaskSessions,
    TransferKind::SessionItems,
    TransferKind::Ledger,
    TransferKind::Objects,
    TransferKind::Tokens,
    TransferKind::Jobs,
    TransferKind::Exchanges,
    TransferKind::Deliveries,
];

impl Transfer {
    /// Corrects a report by the current content of the source.
    pub(super) async fn look_again(&self, moved: &[MovedMemory], report: &mut TransferReport) -> Result<()> {
        for place in &mut report.places {
            if self.rows_changed(place).await? {
                place.outcome = TransferOutcome::SourceChanged;
            }
        }
        let moved: BTreeMap<&MemoryId, &MovedMemory> =
            moved.iter().map(|moved| (&moved.memory.id, moved)).collect();
        let now = self.memories().await?;
        let heads: BTreeMap<&MemoryId, &MovedMemory> = now.iter().map(|now| (&now.memory.id, now)).collect();
        for place in &mut report.places {
            if let TransferPlace::Memory(id) = &place.place
                && heads.get(id) != moved.get(id)
            {
                place.outcome = TransferOutcome::SourceChanged;
            }
        }
        for new in now.iter().filter(|now| !moved.contains_key(&now.memory.id)) {
            let place = TransferPlace::Memory(new.memory.id.clone());
            let kinds = self.compare(&place, &kinds_of_memory()).await?;
            let (outcome, there) = (TransferOutcome::SourceChanged, self.is_there(&new.memory.id).await?);
            report.places.push(PlaceReport { place, outcome, there, copied: 0, kinds });
        }
        // This check comes last: it confirms that nobody worked on the source during all checks
        // above.
        self.at_rest().await
    }

    /// Returns true if rows of the source that no counter covers differ from those that were
    /// compared.
    async fn rows_changed(&self, place: &PlaceReport) -> Result<bool> {
        for sums in &place.kinds {
            if looked_at(&place.place, sums)
                && self.sum_of_source(&place.place, sums.kind).await? != sums.from
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn looked_at(place: &TransferPlace, sums: &KindSums) -> bool {
    match place {
        TransferPlace::Server => true,
        TransferPlace::Memory(_) => UNCOUNTED.contains(&sums.kind),
    }
}
