//! Unreadable rows, which `doctor` looks for: lists omit them and only the log names them.
//!
//! The most frequent kinds of a memory (events, records, their versions and changes) are not
//! checked: their lists and their index log the rows that they omit.

use loci_model::ports::store::{StoreCheck, StoreExt};
use loci_model::transfer::{TransferKind, TransferPlace};
use loci_model::{ErrorKind, Result};

use crate::Engine;

/// The maximum number of memories that the check reads, newest first.
const MEMORIES_MAX: usize = 1_000;
/// The maximum number of rows of each kind and memory that the check reads.
const ROWS_MAX: usize = 10_000;
/// The number of rows that one read returns.
const ROWS_PER_LOOK: usize = 500;
/// The maximum number of unreadable rows that a report lists.
const TOLD_MAX: usize = 10;

/// The kinds of rows that the check reads.
const KINDS: [TransferKind; 13] = [
    TransferKind::Sessions,
    TransferKind::Repositories,
    TransferKind::Facts,
    TransferKind::Tasks,
    TransferKind::Exposures,
    TransferKind::Commits,
    TransferKind::Prompts,
    TransferKind::TaskSessions,
    TransferKind::Ledger,
    TransferKind::Tokens,
    TransferKind::Jobs,
    TransferKind::Exchanges,
    TransferKind::Deliveries,
];

impl Engine {
    /// Returns a check for unreadable rows.
    pub(super) async fn unreadable_rows(&self) -> Result<StoreCheck> {
        let ids = self.store.read(|tx| tx.memories().unreadable()).await?;
        // An invalid id is escaped, because it may contain terminal commands.
        let mut found: Vec<String> =
            ids.iter().map(|id| format!("the memory {}", id.escape_debug())).collect();
        if !self.is_readable(&TransferPlace::Server, TransferKind::Keys).await? {
            found.push("access keys".to_owned());
        }
        let memories = self.store.read(|tx| tx.memories().list(None, MEMORIES_MAX)).await?;
        for memory in memories {
            let place = TransferPlace::Memory(memory.id.clone());
            for kind in KINDS {
                if !self.is_readable(&place, kind).await? {
                    found.push(format!("{} of {}", kind.as_str(), memory.id));
                }
            }
        }
        Ok(check(&found))
    }

    /// Returns true if the checked rows of a kind are readable.
    async fn is_readable(&self, place: &TransferPlace, kind: TransferKind) -> Result<bool> {
        let (mut after, mut seen) = (None, 0);
        while seen < ROWS_MAX {
            let (of, from) = (place.clone(), after.take());
            let rows =
                self.store.read(move |tx| tx.transfer().dump(&of, kind, from.as_ref(), ROWS_PER_LOOK)).await;
            match rows {
                Ok(rows) => {
                    seen += rows.len();
                    after = rows.last().map(|row| row.key.clone());
                    if after.is_none() {
                        return Ok(true);
                    }
                }
                Err(error) if error.kind == ErrorKind::Bug => {
                    tracing::error!(?error, ?place, kind = kind.as_str(), "a stored row cannot be read");
                    return Ok(false);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}

fn check(found: &[String]) -> StoreCheck {
    let detail = if found.is_empty() {
        "every row that was looked at can be read".to_owned()
    } else {
        let told: Vec<&str> = found.iter().take(TOLD_MAX).map(String::as_str).collect();
        let more = match found.len().saturating_sub(TOLD_MAX) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(
            "rows cannot be read: {}{more}; the database was changed from outside, or holds what breaks a \
             rule of ids: \
             lists leave them out, the log says why; restore a backup, or delete what they belong to",
            told.join(", ")
        )
    };
    StoreCheck { name: "rows", ok: found.is_empty(), detail }
}
