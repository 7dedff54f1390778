//! What changed in the source while it was moved. Memories are compared one after another, each right after its copy: in the
//! end all of them are looked at once more, and so is the list of them.

use std::collections::BTreeMap;

use loci_model::transfer::{MovedMemory, TransferKind, TransferPlace};
use loci_model::{MemoryId, Result};

use super::{KindSums, PlaceReport, Transfer, TransferOutcome, TransferReport, kinds_of_memory};

/// Kinds of a memory's rows that may change while its counters, which count changes of records and events that arrive, do
/// not.
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
    /// Corrects a report by what the source holds now.
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
        // Last, for it says of all that was looked at here that nobody worked on it.
        self.at_rest().await
    }

    /// True where rows of the source that nothing counts are not those that were compared.
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
