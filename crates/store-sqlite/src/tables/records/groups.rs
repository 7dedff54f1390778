//! Groups: the records of one strategy and one namespace. They store the sequence that
//! consolidation watches.

use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::{Error, MemoryId, Namespace, NamespaceMatch, Result, StrategyId};
use loci_store_kit::record_rules::{namespaces_of, range_end, strategy_name};
use rusqlite::{params, params_from_iter};

use crate::bound_values::SqliteBoundParameters;
use crate::tx::{Column, SqlTx, signed, unsigned};

impl SqlTx<'_> {
    /// Returns the number of a group, if it was ever written.
    pub(super) fn group(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
    ) -> Result<Option<i64>> {
        let Some(memory) = self.number(memory)? else { return Ok(None) };
        let sql = "SELECT num FROM groups WHERE mem = ?1 AND normal = ?2 AND strategy = ?3";
        self.one(sql, params![memory, namespace.normal(), strategy_name(strategy)], |row| row.take(0))
    }

    /// Returns the number of a group, and inserts it if new.
    pub(in crate::tables) fn need_group(
        &self,
        memory: i64,
        strategy: Option<&StrategyId>,
        normal: &str,
    ) -> Result<i64> {
        let sql = "SELECT num FROM groups WHERE mem = ?1 AND normal = ?2 AND strategy = ?3";
        if let Some(number) =
            self.one(sql, params![memory, normal, strategy_name(strategy)], |row| row.take(0))?
        {
            return Ok(number);
        }
        self.run(
            "INSERT INTO groups(mem, normal, strategy) VALUES (?1, ?2, ?3)",
            params![memory, normal, strategy_name(strategy)],
        )?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Returns the next sequence number of a memory, and records it for a change in these groups.
    pub(super) fn next_sequence(&self, memory: i64, groups: &[i64]) -> Result<u64> {
        let sql = "UPDATE memories SET sequence = sequence + 1 WHERE num = ?1 RETURNING sequence";
        let sequence = self
            .one(sql, [memory], |row| row.take(0))?
            .map(unsigned)
            .ok_or_else(|| Error::not_found("the memory does not exist"))?;
        for group in groups {
            self.run("UPDATE groups SET sequence = ?2 WHERE num = ?1", params![group, signed(sequence)])?;
        }
        Ok(sequence)
    }

    pub(super) fn group_moved(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
    ) -> Result<u64> {
        let Some(group) = self.group(memory, strategy, namespace)? else { return Ok(0) };
        let sequence = self.one("SELECT sequence FROM groups WHERE num = ?1", [group], |row| row.take(0))?;
        Ok(unsigned(sequence.unwrap_or(0)))
    }

    /// Returns the groups in a scope, at most `most`; `None` for too many, or for the whole memory.
    pub(super) fn groups_of(
        &self,
        memory: i64,
        scope: &RecordScope,
        most: usize,
    ) -> Result<Option<Vec<i64>>> {
        let Some(filters) = namespaces_of(scope) else { return Ok(None) };
        let mut bound = SqliteBoundParameters::default();
        let memory = bound.put(memory);
        let mut parts = Vec::new();
        for filter in filters {
            parts.push(match filter.mode() {
                NamespaceMatch::Exact => format!("normal = {}", bound.put(filter.normal().to_owned())),
                NamespaceMatch::Subtree => format!(
                    "normal >= {} AND normal < {}",
                    bound.put(filter.normal().to_owned()),
                    bound.put(range_end(filter.normal()))
                ),
            });
        }
        let strategy = match &scope.strategy {
            None => String::new(),
            Some(StrategyChoice::None) => "AND strategy = ''".to_owned(),
            Some(StrategyChoice::Of(id)) => format!("AND strategy = {}", bound.put(id.as_str().to_owned())),
        };
        let sql = format!(
            "SELECT num FROM groups WHERE mem = {memory} AND (({})) {strategy} LIMIT {}",
            parts.join(") OR ("),
            bound.put(crate::tx::limit(most.saturating_add(1)))
        );
        let groups = self.all(&sql, params_from_iter(bound.values()), |row| row.take(0))?;
        Ok((groups.len() <= most).then_some(groups))
    }

    /// Deletes a group without records: a namespace may contain a person's name.
    pub(super) fn drop_empty_group(&self, group: i64) -> Result<()> {
        self.run(
            "DELETE FROM groups WHERE num = ?1 AND NOT EXISTS (SELECT 1 FROM records WHERE grp = ?1)",
            [group],
        )?;
        Ok(())
    }
}
