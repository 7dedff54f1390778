//! Products that this program was built without, and stores that hold their data. A product guards what
//! it keeps: whose it is, what goes when a record goes, its jobs. Without it such data would be shown,
//! left behind or lost, so the store is not opened.

use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use loci_model::ledger::Shelf;
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, Store, StoreExt, TaskQuery};
use loci_model::{MemoryId, Timestamp};

/// Memories of one read.
const MEMORIES: usize = 100;

/// A product that a program may be without.
struct Product {
    /// Its feature.
    name: &'static str,
    is_left_out: bool,
    /// True for a memory with its data.
    has_data: fn(&dyn ReadTx, &Memory) -> loci_model::Result<bool>,
}

const PRODUCTS: [Product; 4] = [
    Product {
        name: "verified",
        is_left_out: cfg!(not(feature = "verified")),
        has_data: |_, memory| Ok(memory.settings.profile.as_deref() == Some("coding")),
    },
    Product {
        name: "coding",
        is_left_out: cfg!(not(feature = "coding")),
        has_data: |tx, memory| Ok(!tx.tasks().list(&TaskQuery::all(memory.id.clone(), 1))?.is_empty()),
    },
    Product {
        name: "documents",
        is_left_out: cfg!(not(feature = "documents")),
        has_data: |tx, memory| Ok(tx.ledger().count(&memory.id, &Shelf::named("tree_entry"), None)? > 0),
    },
    Product {
        name: "operations",
        is_left_out: cfg!(not(feature = "operations")),
        has_data: |_, memory| Ok(memory.settings.profile.as_deref() == Some("sre")),
    },
];

/// Refuses a store with data of a product that this program was built without.
///
/// # Errors
/// Names the memory and the product; errors of the store.
pub(super) fn check(store: &Arc<dyn Store>) -> Result<()> {
    let read = || tokio::runtime::Builder::new_current_thread().build()?.block_on(look(store));
    // A thread of its own: the caller may be in a runtime, which cannot wait for another.
    let ended = std::thread::scope(|scope| scope.spawn(read).join());
    ended.map_err(|_| anyhow!("the look for data of other products ended early"))?
}

async fn look(store: &Arc<dyn Store>) -> Result<()> {
    let mut after = None;
    loop {
        let from = after.clone();
        let (found, last) = store.read(move |tx| page(tx, from.as_ref())).await?;
        if let Some((memory, product)) = found {
            bail!(
                "the memory {memory} holds data of the product {product}, which this program was built without: open the \
                 store with a program that has it, or give this one a store of its own"
            );
        }
        if last.is_none() {
            return Ok(());
        }
        after = last;
    }
}

/// The place of a memory in the list of memories.
type Place = (Timestamp, MemoryId);

/// Returns the first memory of a page with such data, its product, and the place of the next page.
fn page(
    tx: &dyn ReadTx,
    after: Option<&Place>,
) -> loci_model::Result<(Option<(String, &'static str)>, Option<Place>)> {
    let memories = tx.memories().list(after, MEMORIES)?;
    for memory in &memories {
        for product in PRODUCTS.iter().filter(|product| product.is_left_out) {
            if (product.has_data)(tx, memory)? {
                return Ok((Some((memory.name.clone(), product.name)), None));
            }
        }
    }
    let last = memories.last().filter(|_| memories.len() == MEMORIES);
    Ok((None, last.map(|memory| (memory.created_at, memory.id.clone()))))
}
