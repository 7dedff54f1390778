//! The database of the cluster: a real, durable PostgreSQL server. It is stopped in the middle of
//! its work, and queried for data that no API shows.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use loci_pgserver::{PostgresServer, Settings};

use super::ledger::Ledger;
use super::totals::Totals;

/// A PostgreSQL server and the name of its database.
pub(super) struct Database {
    server: PostgresServer,
    name: String,
}

impl Database {
    pub(super) fn start() -> Result<Arc<Self>> {
        let server = PostgresServer::start(&Settings { durable: true, ..Settings::default() })?;
        let url = server.fresh_database()?;
        let name = url.rsplit('/').next().unwrap_or_default().to_owned();
        Ok(Arc::new(Self { server, name }))
    }

    /// Returns the URL by which servers open the database.
    pub(super) fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// Kills all its processes, and starts it again after a pause.
    pub(super) fn restart(&self, pause: Duration, totals: &Totals) -> Result<()> {
        self.server.kill()?;
        totals.stopped(Instant::now());
        std::thread::sleep(pause);
        self.server.restart()?;
        totals.started();
        Ok(())
    }

    /// Writes the contents of its tables into files, to help find the cause of a failure.
    pub(super) fn write_down(&self, folder: &Path) -> Result<()> {
        for table in ["records", "events", "jobs", "progress", "deliveries", "counters"] {
            let text = self.server.sql(&self.name, &format!("SELECT row_to_json(t) FROM loci.{table} t"))?;
            std::fs::write(folder.join(format!("{table}.jsonl")), text)?;
        }
        Ok(())
    }

    fn rows(&self, statement: &str) -> Result<Vec<Vec<String>>> {
        let text = self.server.sql(&self.name, statement)?;
        Ok(text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
    }

    /// Expires the leases of dead servers now. Otherwise they would expire a minute later.
    pub(super) fn expire_leases(&self, alive: &[u32]) -> Result<()> {
        let alive = alive.iter().map(|id| format!("'{id}'")).collect::<Vec<_>>().join(", ");
        let dead = |host: &str| format!("split_part({host}, '-', 1) NOT IN ({alive})");
        self.server.sql(
            &self.name,
            &format!(
                "UPDATE loci.jobs SET lease = 0 WHERE state = 1 AND {}; \
                 UPDATE loci.deliveries SET lease = 0 WHERE state = 0 AND lease IS NOT NULL AND {}",
                dead("host"),
                dead("holder")
            ),
        )?;
        Ok(())
    }

    /// Checks that every session of a memory is summarised exactly once.
    pub(super) fn summarized(&self, memory: &str, sessions: usize) -> Result<()> {
        let counts = self.rows(&format!(
            "SELECT count(*), count(DISTINCT (r.actor, r.session)) FROM loci.records r \
             JOIN loci.memories m ON m.mem = r.mem \
             WHERE r.state = 0 AND r.strategy LIKE 'summaries-%' AND r.body::jsonb->>'subtype' = 'session' \
             AND m.id = '{memory}'"
        ))?;
        let sessions = sessions.to_string();
        ensure!(
            counts == [[sessions.clone(), sessions.clone()]],
            "{counts:?} summaries of {sessions} sessions"
        );
        Ok(())
    }

    /// Checks that no counter is behind the rows that it counts, and that no two records of one
    /// strategy and subtype have the same message as source. An event sent after another was
    /// acknowledged must have a greater arrival.
    pub(super) fn check(&self, ledger: &Ledger) -> Result<()> {
        let behind = "SELECT c.mem FROM loci.counters c WHERE \
             c.arrival < (SELECT coalesce(max(arrival), 0) FROM loci.events e WHERE e.mem = c.mem) OR \
             c.sequence < (SELECT coalesce(max(sequence), 0) FROM loci.records r WHERE r.mem = c.mem) OR \
             c.places < (SELECT coalesce(max(place), 0) FROM loci.deliveries d WHERE d.mem = c.mem)";
        ensure!(self.rows(behind)?.is_empty(), "a counter is behind what it counts");
        let twice = "SELECT r.mem, s.event, r.strategy, r.subtype, count(*) FROM loci.records r \
             JOIN loci.record_sources s ON s.mem = r.mem AND s.key = r.key WHERE r.state = 0 \
             GROUP BY r.mem, s.event, s.message, r.strategy, r.subtype HAVING count(*) > 1 LIMIT 3";
        let twice = self.rows(twice)?;
        ensure!(twice.is_empty(), "what a message says is in two records: {twice:?}");
        let arrivals =
            "SELECT m.id, e.id, e.arrival FROM loci.events e JOIN loci.memories m ON m.mem = e.mem";
        let mut arrived: BTreeMap<(String, String), i64> = BTreeMap::new();
        for row in self.rows(arrivals)? {
            let [memory, id, arrival] = row.as_slice() else { bail!("a row of events: {row:?}") };
            arrived.insert((memory.clone(), id.clone()), arrival.parse()?);
        }
        let memories: BTreeSet<&String> = ledger.events.values().map(|event| &event.place.memory).collect();
        for memory in memories {
            let mut all = Vec::new();
            for event in ledger.events.values().filter(|event| event.place.memory == *memory) {
                let Some((id, acknowledged)) = &event.acknowledged else { continue };
                let arrival = arrived.get(&(memory.clone(), id.clone()));
                all.push((event.sent, *acknowledged, *arrival.with_context(|| format!("no row of {id}"))?));
            }
            in_order(&all)?;
        }
        Ok(())
    }
}

/// Checks tuples of sent, acknowledged and arrival: an event sent after another was acknowledged
/// has a greater arrival.
fn in_order(all: &[(Instant, Instant, i64)]) -> Result<()> {
    let (mut sent, mut acknowledged) = (all.to_vec(), all.to_vec());
    sent.sort_by_key(|(sent, _, arrival)| (*sent, *arrival));
    acknowledged.sort_by_key(|(_, acknowledged, arrival)| (*acknowledged, *arrival));
    let mut before = acknowledged.iter().peekable();
    let mut greatest = 0;
    for (sent, _, arrival) in sent {
        while let Some((_, _, earlier)) = before.next_if(|(_, acknowledged, _)| *acknowledged < sent) {
            greatest = greatest.max(*earlier);
        }
        ensure!(arrival > greatest, "an event has arrival {arrival}, one acknowledged before has {greatest}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_of_arrivals() {
        let base = Instant::now();
        let check = |events: &[(u64, u64, i64)], expect: bool| {
            let at = |millis| base + Duration::from_millis(millis);
            let all: Vec<_> =
                events.iter().map(|(sent, done, arrival)| (at(*sent), at(*done), *arrival)).collect();
            assert_eq!(in_order(&all).is_ok(), expect, "{events:?}");
        };
        check(&[(0, 5, 1), (6, 9, 2)], true);
        check(&[(0, 5, 2), (6, 9, 1)], false);
        // The events overlap, so either order is valid.
        check(&[(0, 5, 2), (4, 9, 1)], true);
        check(&[(0, 5, 1), (0, 5, 2), (6, 9, 3)], true);
    }
}
