//! Digests of rows: the content of both stores is read in its order and summed up, and the sums are
//! compared.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::join;
use loci_model::Result;
use loci_model::ports::store::{Store, StoreExt};
use loci_model::transfer::{TransferKey, TransferKind, TransferPlace};
use sha2::{Digest, Sha256};

use super::{KindSums, Transfer, TransferStep, TransferSum};

/// The keys of the source, which restrict the sum if the target has rows of others too.
type Only = Option<Arc<BTreeSet<TransferKey>>>;

/// A page and its sum.
struct SummedPage {
    hash: Sha256,
    rows: u64,
    last: Option<TransferKey>,
}

impl Transfer {
    /// Returns the sums of both sides for these kinds.
    pub(super) async fn compare(
        &self,
        place: &TransferPlace,
        kinds: &[TransferKind],
    ) -> Result<Vec<KindSums>> {
        let mut out = Vec::with_capacity(kinds.len());
        for kind in kinds.iter().copied() {
            let only = match place {
                TransferPlace::Server => Some(Arc::new(self.keys(&self.from, place, kind).await?)),
                TransferPlace::Memory(_) => None,
            };
            let told = |rows| {
                if kind != TransferKind::Memory {
                    self.tell(TransferStep::Comparing, place, kind, rows);
                }
            };
            let (from, to) = join(
                self.sum(&self.from, (place, kind), None, &told),
                self.sum(&self.to, (place, kind), only, &|_| ()),
            )
            .await;
            out.push(KindSums { kind, from: from?, to: to? });
        }
        Ok(out)
    }

    /// Returns the sum of a kind in the source.
    pub(super) async fn sum_of_source(
        &self,
        place: &TransferPlace,
        kind: TransferKind,
    ) -> Result<TransferSum> {
        let told = |rows| self.tell(TransferStep::LookingAgain, place, kind, rows);
        self.sum(&self.from, (place, kind), None, &told).await
    }

    /// Returns the keys of a kind in a store.
    pub(super) async fn keys(
        &self,
        store: &Arc<dyn Store>,
        place: &TransferPlace,
        kind: TransferKind,
    ) -> Result<BTreeSet<TransferKey>> {
        let (mut keys, mut after) = (BTreeSet::new(), None);
        loop {
            let (place, count) = (place.clone(), self.page_rows);
            let page = store.read(move |tx| tx.transfer().dump(&place, kind, after.as_ref(), count)).await?;
            let Some(last) = page.last() else { return Ok(keys) };
            after = Some(last.key.clone());
            keys.extend(page.into_iter().map(|row| row.key));
        }
    }

    async fn sum(
        &self,
        store: &Arc<dyn Store>,
        (place, kind): (&TransferPlace, TransferKind),
        only: Only,
        told: &(dyn Fn(u64) + Sync),
    ) -> Result<TransferSum> {
        let (mut hash, mut rows, mut after) = (Sha256::new(), 0_u64, None);
        loop {
            let (place, count, only) = (place.clone(), self.page_rows, only.clone());
            // A read may run again, so it starts from the state before it.
            let (hash_before, behind) = (hash.clone(), after.clone());
            let page = store
                .read(move |tx| {
                    let mut summed = SummedPage { hash: hash_before.clone(), rows: 0, last: None };
                    for row in tx.transfer().dump(&place, kind, behind.as_ref(), count)? {
                        if only.as_ref().is_none_or(|only| only.contains(&row.key)) {
                            let document = row.moved.document()?;
                            summed.hash.update(document.len().to_be_bytes());
                            summed.hash.update(&document);
                            summed.rows += 1;
                        }
                        summed.last = Some(row.key);
                    }
                    Ok(summed)
                })
                .await?;
            hash = page.hash;
            rows = rows.saturating_add(page.rows);
            told(page.rows);
            if page.last.is_none() {
                return Ok(TransferSum { rows, sha256: hex::encode(hash.finalize()) });
            }
            after = page.last;
        }
    }
}
