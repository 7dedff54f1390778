//! The table of deliveries, both sent and received. Claiming deliveries of several memories takes
//! no locks on memories: it locks single rows, and skips locked ones.

use loci_model::delivery::{Delivery, DeliveryBacklog, DeliveryDirection, DeliveryState};
use loci_model::ports::store::{Deliveries, DeliveryClaim, DeliveryOutcome, DeliveryPostponement};
use loci_model::{DeliveryId, MemoryId, Result, Timestamp};
use loci_store_kit::codes::{DELIVERY_STATES, DIRECTIONS, code_of};
use loci_store_kit::row_readers;
use loci_store_kit::transfer::PARKED;
use loci_store_kit::unreadable_rows::{page, readable};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::events::rows::plain;
use crate::columns::Columns;
use crate::connection::Values;
use crate::tx::{Column, OwnedValues, PgTx, borrowed, code, limit, unsigned};

fn direction_code(direction: DeliveryDirection) -> i16 {
    code(code_of(DIRECTIONS, direction))
}

fn state_code(state: DeliveryState) -> i16 {
    code(code_of(DELIVERY_STATES, state))
}

pub(super) const COLUMNS: &str = "d.memory, d.direction, d.id, d.state, d.due, d.attempts, d.created, d.target, d.order_key, \
                                  d.error, d.body";

/// The columns without the body, which may be megabytes.
const LISTED: &str = "d.memory, d.direction, d.id, d.state, d.due, d.attempts, d.created, d.target, d.order_key, d.error, 'null'";

/// Inserts a row of [`PgTx::values_of_delivery`].
const INSERT: &str = "INSERT INTO deliveries(mem, direction, id, memory, place, state, due, attempts, created, target, \
     order_key, error, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) \
     ON CONFLICT (mem, direction, id) DO NOTHING";

/// Excludes deleted memories.
const ALIVE: &str = "JOIN memories m ON m.mem = d.mem AND m.deleted IS NULL";

/// Selects pending deliveries `d` at time `$1` that are due, are the first of their order key, so
/// that none overtakes another, and are not leased.
const FREE: &str = "d.state = 0 AND d.due <= $1 AND (d.lease IS NULL OR d.lease <= $1) AND NOT EXISTS \
                    (SELECT 1 FROM deliveries e WHERE e.mem = d.mem AND e.direction = d.direction \
                    AND e.order_key = d.order_key AND e.state = 0 AND e.place < d.place)";

/// Selects the delivery `$2` in the direction `$3` of the memory `$1`, leased by `$4`.
const LEASED: &str = "WHERE mem = $1 AND id = $2 AND direction = $3 AND holder = $4";

fn read(row: &Row) -> Result<Delivery> {
    row_readers::delivery(&Columns(row))
}

impl PgTx<'_> {
    /// Returns the row of a new delivery in the memory with that number, with `parked` added to its
    /// state.
    fn values_of_delivery(&self, memory: i64, delivery: &Delivery, parked: i64) -> Result<OwnedValues> {
        Ok(vec![
            Box::new(memory),
            Box::new(direction_code(delivery.direction)),
            Box::new(delivery.id.to_string()),
            Box::new(delivery.memory.to_string()),
            Box::new(self.next_place(&delivery.memory)?),
            Box::new(code(code_of(DELIVERY_STATES, delivery.state) + parked)),
            Box::new(delivery.due.millis()),
            Box::new(i64::from(delivery.attempts)),
            Box::new(delivery.created_at.millis()),
            Box::new(delivery.target.clone()),
            Box::new(delivery.order_key.clone()),
            Box::new(delivery.last_error.as_deref().map(plain)),
            Box::new(delivery.body.as_str().to_owned()),
        ])
    }

    /// Imports a delivery from another store; an existing one is kept.
    pub(super) fn load_delivery(&self, memory: i64, delivery: &Delivery) -> Result<()> {
        let values = self.values_of_delivery(memory, delivery, PARKED)?;
        self.later(INSERT, values);
        Ok(())
    }
}

impl Deliveries for PgTx<'_> {
    fn insert(&mut self, delivery: &Delivery) -> Result<bool> {
        let memory = self.need(&delivery.memory)?;
        let values = self.values_of_delivery(memory, delivery, 0)?;
        Ok(self.run(&format!("{INSERT} RETURNING 1"), &borrowed(&values))? > 0)
    }

    fn get(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql =
            format!("SELECT {COLUMNS} FROM deliveries d WHERE d.mem = $1 AND d.direction = $2 AND d.id = $3");
        self.one(&sql, &[&memory, &direction_code(direction), &id.as_str()], read)
    }

    fn targets(&self, direction: DeliveryDirection, now: Timestamp) -> Result<Vec<String>> {
        // Steps from one target to the next in the index, without reading the deliveries of each.
        let sql = format!(
            "WITH RECURSIVE t(name) AS (SELECT min(target) FROM deliveries WHERE direction = $2 AND state = 0 \
             UNION ALL SELECT (SELECT min(n.target) FROM deliveries n \
             WHERE n.direction = $2 AND n.state = 0 AND n.target > t.name) FROM t WHERE t.name IS NOT NULL) \
             SELECT t.name FROM t WHERE t.name IS NOT NULL AND (SELECT TRUE FROM deliveries d {ALIVE} \
             WHERE d.direction = $2 AND d.target = t.name AND {FREE} LIMIT 1) ORDER BY t.name"
        );
        self.all(&sql, &[&now.millis(), &direction_code(direction)], |row| row.take(0))
    }

    /// Looks without locks, then locks each delivery that no other claim has taken, one memory at a
    /// time.
    fn claim(&mut self, claim: &DeliveryClaim<'_>, count: usize) -> Result<Vec<Delivery>> {
        let (now, direction, until) =
            (claim.now.millis(), direction_code(claim.direction), claim.until.millis());
        let free = format!(
            "SELECT d.mem, d.id FROM deliveries d {ALIVE} WHERE d.direction = $2 AND d.target = $3 AND {FREE} \
             ORDER BY d.due, d.id, d.mem LIMIT $4"
        );
        let found = self.all(&free, &[&now, &direction, &claim.target, &limit(count)], |row| {
            Ok((row.take::<i64>(0)?, row.take::<String>(1)?))
        })?;
        let take = format!(
            "UPDATE deliveries AS d SET holder = $5, lease = $6 WHERE d.mem = $2 AND d.direction = $3 AND d.id = \
             (SELECT d.id FROM deliveries d WHERE d.mem = $2 AND d.direction = $3 AND d.id = $4 AND {FREE} \
             FOR UPDATE SKIP LOCKED) RETURNING {LISTED}"
        );
        let values: Vec<[&(dyn ToSql + Sync); 6]> = found
            .iter()
            .map(|(memory, id)| -> [&(dyn ToSql + Sync); 6] {
                [&now, memory, &direction, id, &claim.holder, &until]
            })
            .collect();
        let takes: Vec<(&str, Values<'_>)> =
            values.iter().map(|values| (take.as_str(), values.as_slice())).collect();
        let taken = self.several(&takes)?;
        let rows = taken.iter().flatten();
        Ok(rows
            .map(|row| readable("delivery", read(row)))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    fn renew(
        &mut self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        holder: &str,
        until: Timestamp,
    ) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let sql = format!("UPDATE deliveries SET lease = $5 {LEASED} RETURNING 1");
        let values: Values<'_> =
            &[&memory, &id.as_str(), &direction_code(direction), &holder, &until.millis()];
        Ok(self.run(&sql, values)? > 0)
    }

    fn free_leases(&mut self, host: &str) -> Result<usize> {
        self.run(
            "UPDATE deliveries SET holder = NULL, lease = NULL WHERE (mem, direction, id) IN \
             (SELECT mem, direction, id FROM deliveries WHERE holder IS NOT NULL AND NOT starts_with(holder, $1) \
             ORDER BY mem, direction, id FOR UPDATE SKIP LOCKED) RETURNING 1",
            &[&host],
        )
    }

    fn set_aside(&mut self, target: &str, aside: &DeliveryPostponement<'_>, rows: usize) -> Result<usize> {
        let DeliveryPostponement { why, now, until, given_up } = aside;
        self.run(
            "UPDATE deliveries SET error = $2, state = CASE WHEN created < $5 THEN 2 ELSE 0 END, \
             due = CASE WHEN created < $5 THEN $3 ELSE $4 END \
             WHERE (mem, direction, id) IN (SELECT mem, direction, id FROM deliveries \
             WHERE direction = 1 AND state = 0 AND target = $1 AND due <= $3 AND (lease IS NULL OR lease <= $3) \
             ORDER BY due, id, mem LIMIT $6 FOR UPDATE SKIP LOCKED) RETURNING 1",
            &[&target, &plain(why), &now.millis(), &until.millis(), &given_up.millis(), &limit(rows)],
        )
    }

    fn page(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        state: Option<DeliveryState>,
        after: Option<&DeliveryId>,
        count: usize,
    ) -> Result<Vec<Delivery>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        // If the cursor's delivery was deleted, the page is empty.
        let before = after.map_or("", |_| {
            " AND d.place < (SELECT e.place FROM deliveries e WHERE e.mem = $1 AND e.direction = $2 AND e.id = $5)"
        });
        let sql = format!(
            "SELECT {LISTED} FROM deliveries d WHERE d.mem = $1 AND d.direction = $2 \
             AND ($3::smallint IS NULL OR d.state = $3){before} ORDER BY d.place DESC LIMIT $4"
        );
        let (direction, state) = (direction_code(direction), state.map(state_code));
        let after = after.map(|id| id.as_str());
        page(count, |count| {
            let count = limit(count);
            let mut values: Vec<&(dyn ToSql + Sync)> = vec![&memory, &direction, &state, &count];
            if after.is_some() {
                values.push(&after);
            }
            self.all(&sql, &values, |row| readable("delivery", read(row)))
        })
    }

    fn retry(&mut self, memory: &MemoryId, id: &DeliveryId, now: Timestamp) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE deliveries SET state = 0, due = $3, attempts = 0 \
             WHERE mem = $1 AND direction = 1 AND id = $2 AND state IN (0, 2) RETURNING 1",
            &[&memory, &id.as_str(), &now.millis()],
        )?;
        Ok(changed > 0)
    }

    fn sweep(&mut self, made: Timestamp, given_up: Timestamp, rows: usize) -> Result<usize> {
        // Each state has its own partial index, selected by the literal state.
        let ended = |state: i16| {
            format!(
                "DELETE FROM deliveries WHERE direction = 1 AND (mem, direction, id) IN (SELECT mem, direction, id \
                 FROM deliveries WHERE direction = 1 AND state = {state} AND due < $1 \
                 ORDER BY due, mem, id LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING 1"
            )
        };
        let swept = self.run(&ended(1), &[&made.millis(), &limit(rows)])?;
        let left = rows.saturating_sub(swept);
        Ok(swept + self.run(&ended(2), &[&given_up.millis(), &limit(left)])?)
    }

    fn of_key(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        order_key: &str,
        count: usize,
    ) -> Result<Vec<Delivery>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {COLUMNS} FROM deliveries d WHERE d.mem = $1 AND d.direction = $2 AND d.order_key = $3 AND d.state = 0 \
             ORDER BY d.place LIMIT $4"
        );
        self.all(&sql, &[&memory, &direction_code(direction), &order_key, &limit(count)], read)
    }

    fn note_received(&mut self, delivery: &Delivery) -> Result<bool> {
        let Some(memory) = self.number(&delivery.memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE deliveries SET state = $3, due = $4, attempts = $5, order_key = $6, error = $7, body = $8 \
             WHERE mem = $1 AND direction = 0 AND id = $2 RETURNING 1",
            &[
                &memory,
                &delivery.id.as_str(),
                &state_code(delivery.state),
                &delivery.due.millis(),
                &i64::from(delivery.attempts),
                &delivery.order_key,
                &delivery.last_error.as_deref().map(plain),
                &delivery.body.as_str(),
            ],
        )?;
        Ok(changed > 0)
    }

    fn reword(&mut self, delivery: &Delivery) -> Result<bool> {
        let Some(memory) = self.number(&delivery.memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE deliveries SET error = $4, body = $5 WHERE mem = $1 AND direction = $2 AND id = $3 \
             RETURNING 1",
            &[
                &memory,
                &direction_code(delivery.direction),
                &delivery.id.as_str(),
                &delivery.last_error.as_deref().map(plain),
                &delivery.body.as_str(),
            ],
        )?;
        Ok(changed > 0)
    }

    fn sweep_received(&mut self, memory: &MemoryId, before: Timestamp, rows: usize) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM deliveries WHERE mem = $1 AND direction = 0 AND id IN (SELECT id FROM (SELECT id, created, state \
             FROM deliveries WHERE mem = $1 AND direction = 0 ORDER BY place LIMIT $3) first \
             WHERE created < $2 AND state <> 0) RETURNING 1",
            &[&memory, &before.millis(), &limit(rows)],
        )
    }

    fn drop_received(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM deliveries WHERE mem = $1 AND direction = 0 AND starts_with(order_key, $2) RETURNING 1",
            &[&memory, &prefix],
        )
    }

    fn backlog(&self) -> Result<DeliveryBacklog> {
        let counts = format!(
            "SELECT (SELECT count(*) FROM deliveries d {ALIVE} WHERE d.direction = 1 AND d.state = 0), \
             (SELECT count(*) FROM deliveries d {ALIVE} WHERE d.direction = 1 AND d.state = 2)"
        );
        let oldest = format!(
            "SELECT d.memory, d.id, d.target, d.attempts, d.error, d.created FROM deliveries d {ALIVE} \
             WHERE d.direction = 1 AND d.state = 0 ORDER BY d.created, d.place, d.mem LIMIT 1"
        );
        let (counts, oldest) = self.two((&counts, &[]), (&oldest, &[]))?;
        let count = |place: usize| counts.first().map(|row| row.take::<i64>(place)).transpose();
        Ok(DeliveryBacklog {
            pending: unsigned(count(0)?.unwrap_or(0)),
            failed: unsigned(count(1)?.unwrap_or(0)),
            oldest: oldest.first().map(|row| row_readers::waiting_delivery(&Columns(row))).transpose()?,
        })
    }

    fn drop_key(&mut self, memory: &MemoryId, order_key: &str) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        // Two statements: each uses its own index.
        let of = |state: i16| {
            format!(
                "DELETE FROM deliveries WHERE mem = $1 AND direction = 1 AND order_key = $2 AND state = {state} RETURNING 1"
            )
        };
        let values: Values<'_> = &[&memory, &order_key];
        let (pending, failed) = self.two((&of(0), values), (&of(2), values))?;
        Ok(pending.len() + failed.len())
    }

    fn drop_prefix(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM deliveries WHERE mem = $1 AND direction = 1 AND starts_with(order_key, $2) RETURNING 1",
            &[&memory, &prefix],
        )
    }

    fn set_state(
        &mut self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        holder: &str,
        outcome: &DeliveryOutcome<'_>,
    ) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let DeliveryOutcome { state, due, error } = outcome;
        let (direction, due) = (direction_code(direction), due.millis());
        let sql = format!(
            "UPDATE deliveries SET state = $5::smallint, due = $6, error = $7, attempts = attempts + 1, holder = NULL, lease = NULL, \
             body = CASE WHEN $5::smallint = 1 AND direction = 1 THEN '{{}}' ELSE body END {LEASED} RETURNING order_key"
        );
        let values: Values<'_> =
            &[&memory, &id.as_str(), &direction, &holder, &state_code(*state), &due, &error.map(plain)];
        let Some(key) = self.one(&sql, values, |row| row.take::<String>(0))? else { return Ok(false) };
        if *state == DeliveryState::Pending {
            // Later deliveries of the order key must wait anyway, and are not examined before.
            self.later(
                "UPDATE deliveries SET due = $4 \
                 WHERE mem = $1 AND direction = $2 AND order_key = $3 AND state = 0 AND due < $4",
                vec![Box::new(memory), Box::new(direction), Box::new(key), Box::new(due)],
            );
        }
        Ok(true)
    }
}
