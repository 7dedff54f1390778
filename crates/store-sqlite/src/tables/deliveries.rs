//! The table of deliveries, in both directions.

use loci_model::delivery::{Delivery, DeliveryBacklog, DeliveryDirection, DeliveryState};
use loci_model::ports::store::{Deliveries, DeliveryClaim, DeliveryOutcome, DeliveryPostponement};
use loci_model::{DeliveryId, MemoryId, Result, Timestamp};
use rusqlite::{Row, params};

use crate::columns::Columns;
use crate::tx::{Column, SqlTx, limit, unsigned};
use loci_store_kit::codes::{DELIVERY_STATES, DIRECTIONS, code_of};
use loci_store_kit::row_readers;
use loci_store_kit::unreadable_rows::{page, readable};

fn direction_code(direction: DeliveryDirection) -> i64 {
    code_of(DIRECTIONS, direction)
}

fn state_code(state: DeliveryState) -> i64 {
    code_of(DELIVERY_STATES, state)
}

pub(super) const COLUMNS: &str = "d.direction, d.id, d.state, d.due, d.attempts, d.created, d.target, d.order_key, d.error, \
                       d.body";

pub(super) const FROM: &str = "deliveries d JOIN memories m ON m.num = d.mem AND m.deleted IS NULL";

/// The columns without the body, which may be megabytes.
const LISTED: &str = "m.id, d.direction, d.id, d.state, d.due, d.attempts, d.created, d.target, d.order_key, d.error, \
                      'null'";

/// Selects pending deliveries `d` at time `?2` that are the first of their order key, so that none
/// overtakes another, and are not leased.
const FREE: &str = "NOT EXISTS (SELECT 1 FROM deliveries e WHERE e.mem = d.mem AND e.direction = d.direction \
                    AND e.order_key = d.order_key AND e.state = 0 AND e.num < d.num) \
                    AND NOT EXISTS (SELECT 1 FROM delivery_leases l WHERE l.num = d.num AND l.until > ?2)";

impl SqlTx<'_> {
    /// Adds a delivery to the memory with that number, with `parked` added to its state. Returns
    /// false if it exists.
    pub(super) fn put_delivery(&self, memory: i64, delivery: &Delivery, parked: i64) -> Result<bool> {
        let inserted = self.run(
            "INSERT INTO deliveries(mem, direction, id, state, due, attempts, created, target, order_key, error, body) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT(mem, direction, id) DO NOTHING",
            params![
                memory,
                direction_code(delivery.direction),
                delivery.id.as_str(),
                state_code(delivery.state) + parked,
                delivery.due.millis(),
                delivery.attempts,
                delivery.created_at.millis(),
                delivery.target,
                delivery.order_key,
                delivery.last_error,
                delivery.body.as_str()
            ],
        )?;
        Ok(inserted > 0)
    }

    /// Returns the row of a delivery that `holder` has leased.
    fn leased(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        holder: &str,
    ) -> Result<Option<i64>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(
            "SELECT d.num FROM deliveries d JOIN delivery_leases l ON l.num = d.num \
             WHERE d.mem = ?1 AND d.direction = ?2 AND d.id = ?3 AND l.host = ?4",
            params![memory, direction_code(direction), id.as_str(), holder],
            |row| row.take(0),
        )
    }
}

fn read(row: &Row<'_>) -> Result<Delivery> {
    row_readers::delivery(&Columns(row))
}

impl Deliveries for SqlTx<'_> {
    fn insert(&mut self, delivery: &Delivery) -> Result<bool> {
        self.put_delivery(self.need(&delivery.memory)?, delivery, 0)
    }

    fn get(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
    ) -> Result<Option<Delivery>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        self.one(
            &format!(
                "SELECT m.id, {COLUMNS} FROM {FROM} WHERE d.mem = ?1 AND d.direction = ?2 AND d.id = ?3"
            ),
            params![memory, direction_code(direction), id.as_str()],
            read,
        )
    }

    fn targets(&self, direction: DeliveryDirection, now: Timestamp) -> Result<Vec<String>> {
        // Steps from one target to the next in the index, without reading the deliveries of each.
        let sql = format!(
            "WITH RECURSIVE t(name) AS (SELECT min(target) FROM deliveries WHERE direction = ?1 AND state = 0 \
             UNION ALL SELECT (SELECT min(target) FROM deliveries \
             WHERE direction = ?1 AND state = 0 AND target > t.name) FROM t WHERE t.name IS NOT NULL) \
             SELECT t.name FROM t WHERE t.name IS NOT NULL AND EXISTS (SELECT 1 FROM deliveries d \
             JOIN memories m ON m.num = d.mem AND m.deleted IS NULL \
             WHERE d.direction = ?1 AND d.state = 0 AND d.target = t.name AND d.due <= ?2 AND {FREE})"
        );
        self.all(&sql, params![direction_code(direction), now.millis()], |row| row.take(0))
    }

    fn claim(&mut self, claim: &DeliveryClaim<'_>, count: usize) -> Result<Vec<Delivery>> {
        let DeliveryClaim { direction, target, holder, now, until } = claim;
        let sql = format!(
            "SELECT {LISTED} FROM {FROM} WHERE d.direction = ?1 AND d.state = 0 AND d.target = ?4 AND d.due <= ?2 AND {FREE} \
             ORDER BY d.due, d.id LIMIT ?3"
        );
        let claimed = page(count, |count| {
            let values = params![direction_code(*direction), now.millis(), limit(count), target];
            self.all(&sql, values, |row| readable("delivery", read(row)))
        })?;
        for delivery in &claimed {
            let Some(memory) = self.number(&delivery.memory)? else { continue };
            self.run(
                "INSERT INTO delivery_leases(num, host, until) \
                 SELECT num, ?4, ?5 FROM deliveries WHERE mem = ?1 AND direction = ?2 AND id = ?3 \
                 ON CONFLICT(num) DO UPDATE SET host = excluded.host, until = excluded.until",
                params![memory, direction_code(*direction), delivery.id.as_str(), holder, until.millis()],
            )?;
        }
        Ok(claimed)
    }

    fn renew(
        &mut self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        id: &DeliveryId,
        holder: &str,
        until: Timestamp,
    ) -> Result<bool> {
        let Some(number) = self.leased(memory, direction, id, holder)? else { return Ok(false) };
        let sql = "UPDATE delivery_leases SET until = ?2 WHERE num = ?1";
        Ok(self.run(sql, params![number, until.millis()])? > 0)
    }

    fn free_leases(&mut self, host: &str) -> Result<usize> {
        self.run("DELETE FROM delivery_leases WHERE substr(host, 1, length(?1)) <> ?1", [host])
    }

    fn set_aside(&mut self, target: &str, aside: &DeliveryPostponement<'_>, rows: usize) -> Result<usize> {
        let DeliveryPostponement { why, now, until, given_up } = aside;
        self.run(
            "UPDATE deliveries SET error = ?2, state = CASE WHEN created < ?5 THEN 2 ELSE 0 END, \
             due = CASE WHEN created < ?5 THEN ?3 ELSE ?4 END \
             WHERE num IN (SELECT d.num FROM deliveries d \
             WHERE d.direction = 1 AND d.state = 0 AND d.target = ?1 AND d.due <= ?3 \
             AND NOT EXISTS (SELECT 1 FROM delivery_leases l WHERE l.num = d.num AND l.until > ?3) \
             ORDER BY d.due, d.id LIMIT ?6)",
            params![target, why, now.millis(), until.millis(), given_up.millis(), limit(rows)],
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
        let direction = direction_code(direction);
        let before = match after {
            None => Some(i64::MAX),
            Some(id) => {
                let sql = "SELECT num FROM deliveries WHERE mem = ?1 AND direction = ?2 AND id = ?3";
                self.one(sql, params![memory, direction, id.as_str()], |row| row.take(0))?
            }
        };
        // If the cursor's delivery was deleted, the page is empty.
        let Some(before) = before else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT {LISTED} FROM {FROM} WHERE d.mem = ?1 AND d.direction = ?2 AND d.num < ?3 \
             AND (?4 IS NULL OR d.state = ?4) ORDER BY d.num DESC LIMIT ?5"
        );
        page(count, |count| {
            let values = params![memory, direction, before, state.map(state_code), limit(count)];
            self.all(&sql, values, |row| readable("delivery", read(row)))
        })
    }

    fn retry(&mut self, memory: &MemoryId, id: &DeliveryId, now: Timestamp) -> Result<bool> {
        let Some(memory) = self.number(memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE deliveries SET state = 0, due = ?3, attempts = 0 \
             WHERE mem = ?1 AND direction = 1 AND id = ?2 AND state IN (0, 2)",
            params![memory, id.as_str(), now.millis()],
        )?;
        Ok(changed > 0)
    }

    fn sweep(&mut self, made: Timestamp, given_up: Timestamp, rows: usize) -> Result<usize> {
        let swept = self.run(
            "DELETE FROM deliveries WHERE num IN (SELECT num FROM deliveries WHERE direction = 1 AND state = 1 \
             AND due < ?1 LIMIT ?2)",
            params![made.millis(), limit(rows)],
        )?;
        let left = rows.saturating_sub(swept);
        let dead = self.run(
            "DELETE FROM deliveries WHERE num IN (SELECT num FROM deliveries WHERE direction = 1 AND state = 2 \
             AND due < ?1 LIMIT ?2)",
            params![given_up.millis(), limit(left)],
        )?;
        Ok(swept + dead)
    }

    fn of_key(
        &self,
        memory: &MemoryId,
        direction: DeliveryDirection,
        order_key: &str,
        count: usize,
    ) -> Result<Vec<Delivery>> {
        let Some(memory) = self.number(memory)? else { return Ok(Vec::new()) };
        self.all(
            &format!(
                "SELECT m.id, {COLUMNS} FROM {FROM} WHERE d.mem = ?1 AND d.direction = ?2 AND d.order_key = ?3 AND d.state = 0 \
                 ORDER BY d.num LIMIT ?4"
            ),
            params![memory, direction_code(direction), order_key, limit(count)],
            read,
        )
    }

    fn note_received(&mut self, delivery: &Delivery) -> Result<bool> {
        let Some(memory) = self.number(&delivery.memory)? else { return Ok(false) };
        let changed = self.run(
            "UPDATE deliveries SET state = ?3, due = ?4, attempts = ?5, order_key = ?6, error = ?7, body = ?8 \
             WHERE mem = ?1 AND direction = 0 AND id = ?2",
            params![
                memory,
                delivery.id.as_str(),
                state_code(delivery.state),
                delivery.due.millis(),
                delivery.attempts,
                delivery.order_key,
                delivery.last_error,
                delivery.body.as_str()
            ],
        )?;
        Ok(changed > 0)
    }

    fn reword(&mut self, delivery: &Delivery) -> Result<bool> {
        let Some(memory) = self.number(&delivery.memory)? else { return Ok(false) };
        let direction = direction_code(delivery.direction);
        let changed = self.run(
            "UPDATE deliveries SET error = ?4, body = ?5 WHERE mem = ?1 AND direction = ?2 AND id = ?3",
            params![memory, direction, delivery.id.as_str(), delivery.last_error, delivery.body.as_str()],
        )?;
        Ok(changed > 0)
    }

    fn sweep_received(&mut self, memory: &MemoryId, before: Timestamp, rows: usize) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM deliveries WHERE num IN (SELECT num FROM (SELECT num, created, state FROM deliveries \
             WHERE mem = ?1 AND direction = 0 ORDER BY num LIMIT ?3) WHERE created < ?2 AND state <> 0)",
            params![memory, before.millis(), limit(rows)],
        )
    }

    fn drop_received(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM deliveries WHERE mem = ?1 AND direction = 0 AND substr(order_key, 1, length(?2)) = ?2",
            params![memory, prefix],
        )
    }

    fn backlog(&self) -> Result<DeliveryBacklog> {
        let count = |state: DeliveryState| {
            self.one(
                "SELECT count(*) FROM deliveries d JOIN memories m ON m.num = d.mem AND m.deleted IS NULL \
                 WHERE d.direction = 1 AND d.state = ?1",
                [state_code(state)],
                |row| row.take::<i64>(0),
            )
            .map(|count| unsigned(count.unwrap_or(0)))
        };
        let oldest = self.one(
            "SELECT m.id, d.id, d.target, d.attempts, d.error, d.created FROM deliveries d \
             JOIN memories m ON m.num = d.mem AND m.deleted IS NULL \
             WHERE d.direction = 1 AND d.state = 0 ORDER BY d.created, d.num LIMIT 1",
            [],
            |row| row_readers::waiting_delivery(&Columns(row)),
        )?;
        Ok(DeliveryBacklog {
            pending: count(DeliveryState::Pending)?,
            failed: count(DeliveryState::Failed)?,
            oldest,
        })
    }

    fn drop_key(&mut self, memory: &MemoryId, order_key: &str) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        // Two statements: each uses its own index.
        let pending =
            "DELETE FROM deliveries WHERE mem = ?1 AND direction = 1 AND order_key = ?2 AND state = 0";
        let failed =
            "DELETE FROM deliveries WHERE mem = ?1 AND direction = 1 AND order_key = ?2 AND state = 2";
        Ok(self.run(pending, params![memory, order_key])? + self.run(failed, params![memory, order_key])?)
    }

    fn drop_prefix(&mut self, memory: &MemoryId, prefix: &str) -> Result<usize> {
        let Some(memory) = self.number(memory)? else { return Ok(0) };
        self.run(
            "DELETE FROM deliveries WHERE mem = ?1 AND direction = 1 AND substr(order_key, 1, length(?2)) = ?2",
            params![memory, prefix],
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
        let Some(number) = self.leased(memory, direction, id, holder)? else { return Ok(false) };
        let DeliveryOutcome { state, due, error } = outcome;
        self.run(
            "UPDATE deliveries SET state = ?2, due = ?3, error = ?4, attempts = attempts + 1, \
             body = CASE WHEN ?2 = 1 AND direction = 1 THEN '{}' ELSE body END WHERE num = ?1",
            params![number, state_code(*state), due.millis(), error],
        )?;
        self.run("DELETE FROM delivery_leases WHERE num = ?1", [number])?;
        if *state == DeliveryState::Pending {
            // Later deliveries of the order key must wait anyway, and are not examined before.
            self.run(
                "UPDATE deliveries SET due = ?2 WHERE state = 0 AND due < ?2 AND (mem, direction, order_key) = \
                 (SELECT mem, direction, order_key FROM deliveries WHERE num = ?1)",
                params![number, due.millis()],
            )?;
        }
        Ok(true)
    }
}
