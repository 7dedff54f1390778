//! Moves all data out of this store, or into it: transfer states of memories, pages of rows. `rows`
//! defines the rows, `writes` writes them.
//!
//! A memory that is being imported is a row with the greatest possible deletion time, and the
//! memory as in its source as its body. All other accessors treat it as deleted, and no sweep
//! reaches it. Its jobs and deliveries have states that no claim selects.

mod rows;
mod writes;

use loci_model::ports::store::{Memories, Transfer, TransferStanding};
use loci_model::transfer::{Moved, MovedMemory, TransferKey, TransferKind, TransferPlace, TransferRow};
use loci_model::{Error, MemoryId, Result, Timestamp};
use loci_store_kit::codes::json;
use loci_store_kit::transfer::{MOVING, PARKED, head};
use rusqlite::params;

use super::memories::{body, taken};
use crate::errors::stored;
use crate::tx::{Column, SqlTx, signed, unsigned};

/// The row of a memory in any transfer state.
pub(super) struct MemoryRow {
    pub(super) number: i64,
    deleted: Option<i64>,
    sequence: u64,
    arrival: u64,
    body: String,
}

impl MemoryRow {
    fn is_moving(&self) -> bool {
        self.deleted == Some(MOVING)
    }

    fn standing(&self) -> Result<TransferStanding> {
        if self.is_moving() {
            return Ok(TransferStanding::Moving(Box::new(stored(
                serde_json::from_str(&self.body),
                "memory",
            )?)));
        }
        if self.deleted.is_some() {
            return Ok(TransferStanding::Deleted);
        }
        let memory = stored(serde_json::from_str(&self.body), "memory")?;
        let (sequence, arrival) = (self.sequence, self.arrival);
        Ok(TransferStanding::There(Box::new(MovedMemory { memory, sequence, arrival })))
    }
}

impl SqlTx<'_> {
    fn memory_row(&self, memory: &MemoryId) -> Result<Option<MemoryRow>> {
        let sql = "SELECT num, deleted, sequence, arrival, body FROM memories WHERE id = ?1";
        self.one(sql, [memory.as_str()], |row| {
            Ok(MemoryRow {
                number: row.take(0)?,
                deleted: row.take(1)?,
                sequence: unsigned(row.take(2)?),
                arrival: unsigned(row.take(3)?),
                body: row.take(4)?,
            })
        })
    }

    /// Returns the number of the exported rows' owner; zero for the server. `None` if the memory
    /// does not exist.
    fn dumped(&self, place: &TransferPlace) -> Result<Option<i64>> {
        match place {
            TransferPlace::Server => Ok(Some(0)),
            TransferPlace::Memory(memory) => {
                let row = self.memory_row(memory)?;
                Ok(row.filter(|row| row.deleted.is_none() || row.is_moving()).map(|row| row.number))
            }
        }
    }

    /// Returns the row of a memory that is being imported.
    fn moving(&self, memory: &MemoryId) -> Result<MemoryRow> {
        let row = self.memory_row(memory)?.filter(MemoryRow::is_moving);
        row.ok_or_else(|| Error::conflict("the memory is not being moved in"))
    }
}

impl Transfer for SqlTx<'_> {
    fn standing(&self, memory: &MemoryId) -> Result<TransferStanding> {
        self.memory_row(memory)?.map_or(Ok(TransferStanding::Absent), |row| row.standing())
    }

    fn count(&self, place: &TransferPlace, kind: TransferKind) -> Result<u64> {
        let Some(number) = self.dumped(place)? else { return Ok(0) };
        match kind {
            TransferKind::Memory => Ok(u64::from(number > 0)),
            _ => self.count_rows(number, kind),
        }
    }

    fn dump(
        &self,
        place: &TransferPlace,
        kind: TransferKind,
        after: Option<&TransferKey>,
        limit: usize,
    ) -> Result<Vec<TransferRow>> {
        match (kind, place) {
            (TransferKind::Memory, TransferPlace::Server) => Ok(Vec::new()),
            (TransferKind::Memory, TransferPlace::Memory(memory)) => {
                let row = if after.is_none() { head(Transfer::standing(self, memory)?) } else { None };
                Ok(row.into_iter().collect())
            }
            _ => match self.dumped(place)? {
                Some(number) => self.dump_rows(place, number, kind, after, limit),
                None => Ok(Vec::new()),
            },
        }
    }

    fn last(&self, place: &TransferPlace, kind: TransferKind) -> Result<Option<TransferKey>> {
        match (kind, self.dumped(place)?) {
            (_, None) => Ok(None),
            (TransferKind::Memory, Some(_)) => Ok(self.dump(place, kind, None, 1)?.pop().map(|row| row.key)),
            (_, Some(number)) => self.last_row(number, kind),
        }
    }

    fn begin(&mut self, moved: &MovedMemory) -> Result<()> {
        let memory = &moved.memory;
        if self.memory_row(&memory.id)?.is_some() {
            return Err(Error::conflict("a memory of that id is there already"));
        }
        self.run(
            "INSERT INTO memories(id, name, created, deleted, body) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![memory.id.as_str(), memory.name, memory.created_at.millis(), MOVING, json(moved)?],
        )?;
        Ok(())
    }

    fn load(&mut self, place: &TransferPlace, rows: &[Moved]) -> Result<()> {
        let number = match place {
            TransferPlace::Server => 0,
            TransferPlace::Memory(memory) => self.moving(memory)?.number,
        };
        rows.iter().try_for_each(|row| self.load_row(number, row))
    }

    fn finish(&mut self, memory: &MemoryId) -> Result<()> {
        let row = self.moving(memory)?;
        let moved: MovedMemory = stored(serde_json::from_str(&row.body), "memory")?;
        if self.by_name(&moved.memory.name)?.is_some() {
            return Err(taken());
        }
        for table in ["jobs", "deliveries"] {
            let sql =
                format!("UPDATE {table} SET state = state - {PARKED} WHERE mem = ?1 AND state >= {PARKED}");
            self.run(&sql, [row.number])?;
        }
        // Make the memory due for sweeps.
        self.run(
            "UPDATE memories SET deleted = NULL, body = ?2, sequence = ?3, arrival = ?4, erase_due = 0, history_due = 0 \
             WHERE num = ?1",
            params![
                row.number,
                body(&moved.memory)?,
                signed(moved.sequence),
                signed(moved.arrival)
            ],
        )?;
        self.forget_known();
        self.touch(memory);
        Ok(())
    }

    fn abandon(&mut self, memory: &MemoryId, at: Timestamp) -> Result<bool> {
        let changed = self.run(
            "UPDATE memories SET deleted = ?2, body = '' WHERE id = ?1 AND deleted = ?3",
            params![memory.as_str(), at.millis(), MOVING],
        )?;
        Ok(changed > 0)
    }
}
