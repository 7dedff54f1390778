//! Moves all data out of this store, or into it: the transfer states of memories. `rows` defines
//! the rows, `writes` and `batches` write them.
//!
//! A memory that is being imported is a row with the greatest possible deletion time, and the
//! memory as in its source as its body. All other accessors treat it as deleted, and no sweep
//! reaches it. Its jobs and deliveries have states that no claim selects.

pub(crate) mod batches;
mod rows;
mod writes;

use loci_model::ports::store::{Memories, Transfer, TransferStanding};
use loci_model::transfer::{Moved, MovedMemory, TransferKey, TransferKind, TransferPlace, TransferRow};
use loci_model::{Error, MemoryId, Result, Timestamp};
use loci_store_kit::codes::json;
use loci_store_kit::transfer::{MOVING, PARKED, head};

use super::memories::{body, taken};
use crate::digests::memory_number;
use crate::errors::stored;
use crate::tx::{Column, Counters, Entered, PgTx, signed, unsigned};

impl PgTx<'_> {
    fn standing_of(&self, memory: &MemoryId) -> Result<TransferStanding> {
        // A write locks the memory before it reads it.
        if self.is_write() && self.enter(memory)?.is_none() {
            return Ok(TransferStanding::Absent);
        }
        let sql = "SELECT m.deleted, m.body, c.sequence, c.arrival FROM memories m JOIN counters c ON c.mem = m.mem \
                   WHERE m.mem = $1 AND m.id = $2";
        let found = self.one(sql, &[&memory_number(memory), &memory.as_str()], |row| {
            let (deleted, body): (Option<i64>, &str) = (row.take(0)?, row.take(1)?);
            match deleted {
                Some(MOVING) => {
                    let moved = stored(serde_json::from_str(body), "memory")?;
                    Ok(TransferStanding::Moving(Box::new(moved)))
                }
                Some(_) => Ok(TransferStanding::Deleted),
                None => Ok(TransferStanding::There(Box::new(MovedMemory {
                    memory: stored(serde_json::from_str(body), "memory")?,
                    sequence: unsigned(row.take(2)?),
                    arrival: unsigned(row.take(3)?),
                }))),
            }
        })?;
        Ok(found.unwrap_or(TransferStanding::Absent))
    }

    /// Returns the number of the exported rows' owner; zero for the server. `None` if the memory
    /// does not exist.
    fn dumped(&self, place: &TransferPlace) -> Result<Option<i64>> {
        let TransferPlace::Memory(memory) = place else { return Ok(Some(0)) };
        let sql = "SELECT 1 FROM memories WHERE mem = $1 AND id = $2 AND (deleted IS NULL OR deleted = $3)";
        let number = memory_number(memory);
        Ok(self.one(sql, &[&number, &memory.as_str(), &MOVING], |_| Ok(()))?.map(|()| number))
    }

    /// Returns the memory that is being imported.
    fn moving(&self, memory: &MemoryId) -> Result<MovedMemory> {
        match self.standing_of(memory)? {
            TransferStanding::Moving(moved) => Ok(*moved),
            TransferStanding::Absent | TransferStanding::There(_) | TransferStanding::Deleted => {
                Err(Error::conflict("the memory is not being moved in"))
            }
        }
    }
}

impl Transfer for PgTx<'_> {
    fn standing(&self, memory: &MemoryId) -> Result<TransferStanding> {
        self.standing_of(memory)
    }

    fn count(&self, place: &TransferPlace, kind: TransferKind) -> Result<u64> {
        match self.dumped(place)? {
            None => Ok(0),
            Some(number) if kind == TransferKind::Memory => Ok(u64::from(number > 0)),
            Some(number) => self.count_rows(number, kind),
        }
    }

    fn dump(
        &self,
        place: &TransferPlace,
        kind: TransferKind,
        after: Option<&TransferKey>,
        limit: usize,
    ) -> Result<Vec<TransferRow>> {
        if kind == TransferKind::Memory {
            return match place {
                TransferPlace::Memory(memory) if after.is_none() => {
                    Ok(head(self.standing_of(memory)?).into_iter().collect())
                }
                TransferPlace::Memory(_) | TransferPlace::Server => Ok(Vec::new()),
            };
        }
        match self.dumped(place)? {
            Some(number) => self.dump_rows(place, number, kind, after, limit),
            None => Ok(Vec::new()),
        }
    }

    fn last(&self, place: &TransferPlace, kind: TransferKind) -> Result<Option<TransferKey>> {
        if kind == TransferKind::Memory {
            return Ok(self.dump(place, kind, None, 1)?.pop().map(|row| row.key));
        }
        match self.dumped(place)? {
            Some(number) => self.last_row(number, kind),
            None => Ok(None),
        }
    }

    fn begin(&mut self, moved: &MovedMemory) -> Result<()> {
        let memory = &moved.memory;
        if self.enter(&memory.id)?.is_some() {
            return Err(Error::conflict("a memory of that id is there already"));
        }
        let (number, body) = (memory_number(&memory.id), json(moved)?);
        self.two(
            (
                "INSERT INTO memories(mem, id, name, created, deleted, body) VALUES ($1, $2, $3, $4, $5, $6)",
                &[&number, &memory.id.as_str(), &memory.name, &memory.created_at.millis(), &MOVING, &body],
            ),
            (
                "INSERT INTO counters(mem, sequence, arrival, places, erasures) VALUES ($1, 0, 0, 0, 0)",
                &[&number],
            ),
        )?;
        let counters = Counters::default();
        self.note(&memory.id, Some(Entered { number, is_alive: false, body, counters }));
        Ok(())
    }

    fn load(&mut self, place: &TransferPlace, rows: &[Moved]) -> Result<()> {
        if let TransferPlace::Memory(memory) = place {
            self.moving(memory)?;
        }
        self.load_rows(place, rows)
    }

    fn finish(&mut self, memory: &MemoryId) -> Result<()> {
        let moved = self.moving(memory)?;
        if self.by_name(&moved.memory.name)?.is_some() {
            return Err(taken());
        }
        let (number, body) = (memory_number(memory), body(&moved.memory)?);
        for table in ["jobs", "deliveries"] {
            self.later(
                format!("UPDATE {table} SET state = state - {PARKED} WHERE mem = $1 AND state >= {PARKED}"),
                vec![Box::new(number)],
            );
        }
        self.rows("UPDATE memories SET deleted = NULL, body = $2 WHERE mem = $1", &[&number, &body])?;
        self.count(memory, |counters| {
            counters.sequence = signed(moved.sequence);
            counters.arrival = signed(moved.arrival);
            // Make the memory due for sweeps.
            counters.erase_due = Some(0);
            counters.history_due = Some(0);
        })?;
        if let Some(entered) = self.enter(memory)? {
            self.note(memory, Some(Entered { is_alive: true, body, ..entered }));
        }
        self.touch(memory);
        Ok(())
    }

    fn abandon(&mut self, memory: &MemoryId, at: Timestamp) -> Result<bool> {
        let Some(entered) = self.enter(memory)?.filter(|entered| !entered.is_alive) else {
            return Ok(false);
        };
        let changed = self.run(
            "UPDATE memories SET deleted = $2, body = '' WHERE mem = $1 AND deleted = $3 RETURNING 1",
            &[&entered.number, &at.millis(), &MOVING],
        )?;
        Ok(changed > 0)
    }
}
