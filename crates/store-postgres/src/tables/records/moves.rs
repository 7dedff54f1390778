//! Records of one strategy: reads them by page or by provenance, moves them to another namespace,
//! and restores archived ones.

use loci_model::record::derivation::MakingMode;
use loci_model::record::{Record, RecordState};
use loci_model::{ActorId, MemoryId, Namespace, RecordId, Result, SessionId, StrategyId, Timestamp};
use loci_store_kit::codes::key_of;
use loci_store_kit::record_rules::may_return;

use super::rows::{RECORDS, placed, read, state_code};
use super::writes::RowPlace;
use crate::tx::{PgTx, limit};

/// The number of records that are read together before a move.
const TOGETHER: usize = 500;

impl PgTx<'_> {
    pub(super) fn strategy_records(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        after: Option<&RecordId>,
        count: usize,
    ) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "{RECORDS} WHERE r.mem = $1 AND r.key > $2 AND NOT r.gone AND r.state <> $3 AND r.strategy = $4 \
             ORDER BY r.key LIMIT $5"
        );
        let after = after.map(key_of).unwrap_or_default();
        let erased = state_code(RecordState::Erased);
        let values: crate::connection::Values<'_> =
            &[&number, &after, &erased, &strategy.as_str(), &limit(count)];
        self.all(&sql, values, |row| Ok(read(row)?.record))
    }

    pub(super) fn records_by_making(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        place: (&ActorId, &SessionId),
        mode: MakingMode,
    ) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let (actor, session) = place;
        let sql = format!(
            "{RECORDS} WHERE r.mem = $1 AND r.actor = $2 AND r.session = $3 AND r.state = 0 AND r.strategy = $4 \
             ORDER BY r.created, r.key"
        );
        let values: crate::connection::Values<'_> =
            &[&number, &actor.as_str(), &session.as_str(), &strategy.as_str()];
        let mut found = self.all(&sql, values, |row| Ok(read(row)?.record))?;
        found.retain(|record| record.making.as_ref().is_some_and(|making| making.mode == mode));
        Ok(found)
    }

    pub(super) fn move_records(
        &self,
        memory: &MemoryId,
        ids: &[RecordId],
        namespace: &Namespace,
    ) -> Result<u64> {
        let Some(number) = self.number(memory)? else { return Ok(0) };
        let sql = format!("{RECORDS} WHERE r.mem = $1 AND r.key = ANY($2) ORDER BY r.key");
        let mut moved = 0;
        for share in ids.chunks(TOGETHER) {
            let keys: Vec<Vec<u8>> = share.iter().map(key_of).collect();
            for old in self.all(&sql, &[&number, &keys], placed)? {
                let is_there = old.stored.gone
                    || old.stored.record.state == RecordState::Erased
                    || old.stored.record.namespace == *namespace;
                if is_there {
                    continue;
                }
                let place = RowPlace::of(&old);
                let mut record = old.stored.record;
                record.namespace = namespace.clone();
                self.rewrite(&mut record, &place)?;
                moved += 1;
            }
        }
        Ok(moved)
    }

    pub(super) fn restore_record(
        &self,
        memory: &MemoryId,
        id: &RecordId,
        reason: &str,
        at: Timestamp,
    ) -> Result<bool> {
        let Some(old) = self.placed_record(memory, id)? else { return Ok(false) };
        if old.stored.gone || !may_return(old.stored.record.state) {
            return Ok(false);
        }
        let place = RowPlace { stated: at, left_at: None, ..RowPlace::of(&old) };
        let mut record = old.stored.record;
        record.state = RecordState::Active;
        record.state_reason = Some(reason.to_owned());
        record.superseded_by = None;
        record.valid_to = None;
        self.rewrite(&mut record, &place)?;
        Ok(true)
    }
}
