//! Copies rows from one store to the other, one page at a time. It reads the next page while it
//! writes the current one.

use std::collections::BTreeSet;

use futures::future::join;
use loci_model::Result;
use loci_model::ports::store::StoreExt;
use loci_model::transfer::{Moved, TransferKey, TransferKind, TransferPlace, TransferRow};

use super::{Transfer, TransferProgress, TransferStep};

impl Transfer {
    /// Copies the missing rows of a kind. Returns their number.
    pub(super) async fn copy(&self, place: &TransferPlace, kind: TransferKind) -> Result<u64> {
        let of = place.clone();
        let last = self.to.read(move |tx| tx.transfer().last(&of, kind)).await?;
        let mut copied = 0;
        let mut page = self.page(place, kind, last).await?;
        while let Some(after) = page.last().map(|row| row.key.clone()) {
            let count = rows(&page);
            let (written, next) =
                join(self.write_page(place, page), self.page(place, kind, Some(after))).await;
            written?;
            page = next?;
            copied += count;
            self.tell(TransferStep::Copying, place, kind, count);
        }
        Ok(copied)
    }

    /// Copies missing rows that belong to no memory. Returns their number. The new rows may sort
    /// between rows that the target already has.
    pub(super) async fn copy_of_server(&self, kind: TransferKind) -> Result<u64> {
        let place = TransferPlace::Server;
        let there = self.keys(&self.to, &place, kind).await?;
        let (mut copied, mut after) = (0, None);
        loop {
            let page = self.page(&place, kind, after).await?;
            let Some(last) = page.last() else { return Ok(copied) };
            after = Some(last.key.clone());
            let looked = rows(&page);
            copied += self.write_of_server(page, &there).await?;
            self.tell(TransferStep::Copying, &place, kind, looked);
        }
    }

    /// Writes missing rows, and replaces existing keys where the transfer asks for it.
    async fn write_of_server(&self, page: Vec<TransferRow>, there: &BTreeSet<TransferKey>) -> Result<u64> {
        let (known, new): (Vec<_>, Vec<_>) = page.into_iter().partition(|row| there.contains(&row.key));
        let mut copied = rows(&new);
        if !new.is_empty() {
            self.write_page(&TransferPlace::Server, new).await?;
        }
        for row in known {
            if let (true, Moved::Key(key)) = (self.replace_keys, row.moved) {
                let replaced = self
                    .write(move |tx| {
                        let differs = tx.keys().get(&key.id)?.as_ref() != Some(&*key);
                        Ok(differs && tx.keys_mut().update(&key)?)
                    })
                    .await?;
                copied += u64::from(replaced);
            }
        }
        Ok(copied)
    }

    pub(super) fn tell(&self, step: TransferStep, place: &TransferPlace, kind: TransferKind, rows: u64) {
        (self.on_progress)(&TransferProgress::Further { step, place: place.clone(), kind, rows });
    }

    async fn page(
        &self,
        place: &TransferPlace,
        kind: TransferKind,
        after: Option<TransferKey>,
    ) -> Result<Vec<TransferRow>> {
        let (place, count) = (place.clone(), self.page_rows);
        self.from.read(move |tx| tx.transfer().dump(&place, kind, after.as_ref(), count)).await
    }

    /// Writes one page in one transaction.
    async fn write_page(&self, place: &TransferPlace, page: Vec<TransferRow>) -> Result<()> {
        let place = place.clone();
        let rows: Vec<Moved> = page.into_iter().map(|row| row.moved).collect();
        self.write(move |tx| tx.transfer_mut().load(&place, &rows)).await
    }
}

fn rows(page: &[TransferRow]) -> u64 {
    u64::try_from(page.len()).unwrap_or(u64::MAX)
}
