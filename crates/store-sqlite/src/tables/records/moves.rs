//! Records of one strategy: reads them by page or by provenance, moves them to another namespace,
//! and restores archived ones.

use loci_model::record::derivation::MakingMode;
use loci_model::record::{Record, RecordState};
use loci_model::{ActorId, MemoryId, Namespace, RecordId, Result, SessionId, StrategyId, Timestamp};
use rusqlite::params;

use super::rows::{RECORDS, RareMembers, read, spelled, state_code};
use crate::tx::{SqlTx, limit, signed};
use loci_store_kit::codes::key_of;
use loci_store_kit::record_rules::may_return;

impl SqlTx<'_> {
    pub(super) fn strategy_records(
        &self,
        memory: &MemoryId,
        strategy: &StrategyId,
        after: Option<&RecordId>,
        count: usize,
    ) -> Result<Vec<Record>> {
        let Some(number) = self.number(memory)? else { return Ok(Vec::new()) };
        let sql = format!(
            "{RECORDS} WHERE r.mem = ?1 AND r.key > ?2 AND r.gone = 0 AND r.state <> ?3 AND g.strategy = ?4 \
             ORDER BY r.key LIMIT ?5"
        );
        let after = after.map(key_of).unwrap_or_default();
        let values = params![number, after, state_code(RecordState::Erased), strategy.as_str(), limit(count)];
        self.all(&sql, values, |row| Ok(read(memory, row)?.record))
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
            "{RECORDS} WHERE r.mem = ?1 AND r.actor = ?2 AND r.session = ?3 AND r.state = 0 AND g.strategy = ?4 \
             ORDER BY r.created, r.key"
        );
        let values = params![number, actor.as_str(), session.as_str(), strategy.as_str()];
        let mut found = self.all(&sql, values, |row| Ok(read(memory, row)?.record))?;
        found.retain(|record| record.making.as_ref().is_some_and(|making| making.mode == mode));
        Ok(found)
    }

    pub(super) fn move_records(
        &self,
        memory: &MemoryId,
        ids: &[RecordId],
        namespace: &Namespace,
    ) -> Result<u64> {
        let Some(place) = self.number(memory)? else { return Ok(0) };
        let normal = namespace.normal();
        let mut moved = 0;
        for id in ids {
            let Some(mut old) = self.stored_record(memory, id)? else { continue };
            if old.gone || old.record.state == RecordState::Erased || old.record.namespace == *namespace {
                continue;
            }
            old.record.namespace = namespace.clone();
            let from = self.group_of_row(old.number)?;
            let to = self.need_group(place, old.record.strategy.as_ref(), &normal)?;
            let both = [from, to];
            let groups = if from == to { &both[..1] } else { &both[..] };
            let sequence = self.next_sequence(place, groups)?;
            self.touch(memory);
            self.run(
                "UPDATE records SET grp = ?2, spelled = ?3, sequence = ?4 WHERE num = ?1",
                params![old.number, to, spelled(&old.record), signed(sequence)],
            )?;
            if from != to {
                self.drop_empty_group(from)?;
            }
            moved += 1;
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
        let Some(mut old) = self.stored_record(memory, id)? else { return Ok(false) };
        if old.gone || !may_return(old.record.state) {
            return Ok(false);
        }
        old.record.superseded_by = None;
        self.change_row(
            memory,
            old.number,
            "state = :state, reason = :reason, stated = :at, left_at = NULL, valid_to = NULL, more = :more",
            &[
                (":state", &state_code(RecordState::Active)),
                (":reason", &reason),
                (":at", &at.millis()),
                (":more", &RareMembers::of(&old.record)?),
            ],
        )?;
        Ok(true)
    }
}
