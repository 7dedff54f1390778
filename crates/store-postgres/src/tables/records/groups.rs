//! Groups: the records of one strategy and one namespace. They store the sequence that
//! consolidation watches.

use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::{MemoryId, Namespace, NamespaceFilter, NamespaceMatch, Result, StrategyId};
use loci_store_kit::record_rules::{namespaces_of, range_end, strategy_name};

use crate::bound_values::PgBoundParameters;
use crate::digests::{Key16, group_key};
use crate::tx::{Column, PgTx, limit, unsigned};

/// Returns the key of the group of a strategy and a namespace.
pub(in crate::tables) fn group_of(strategy: Option<&StrategyId>, namespace: &Namespace) -> Key16 {
    group_key(&namespace.normal(), strategy_name(strategy))
}

/// Returns the condition that `column` is in the part of the tree.
pub(crate) fn within(column: &str, filter: &NamespaceFilter, bound: &mut PgBoundParameters) -> String {
    let normal = bound.put(filter.normal().to_owned());
    match filter.mode() {
        NamespaceMatch::Exact => format!("{column} = {normal}"),
        NamespaceMatch::Subtree => {
            format!("({column} >= {normal} AND {column} < {})", bound.put(range_end(filter.normal())))
        }
    }
}

impl PgTx<'_> {
    pub(super) fn group_moved(
        &self,
        memory: &MemoryId,
        strategy: Option<&StrategyId>,
        namespace: &Namespace,
    ) -> Result<u64> {
        let Some(number) = self.number(memory)? else { return Ok(0) };
        self.flush_groups();
        let sql = "SELECT sequence FROM groups WHERE mem = $1 AND grp = $2";
        let sequence = self.one(sql, &[&number, &group_of(strategy, namespace)], |row| row.take::<i64>(0))?;
        Ok(unsigned(sequence.unwrap_or(0)))
    }

    /// Returns the groups in a scope, at most `most`; `None` for too many, or for the whole memory.
    pub(super) fn groups_of(
        &self,
        memory: i64,
        scope: &RecordScope,
        most: usize,
    ) -> Result<Option<Vec<Key16>>> {
        let Some(filters) = namespaces_of(scope) else { return Ok(None) };
        self.flush_groups();
        let mut bound = PgBoundParameters::default();
        let memory = bound.put(memory);
        let parts: Vec<String> = filters.iter().map(|filter| within("normal", filter, &mut bound)).collect();
        let strategy = match &scope.strategy {
            None => String::new(),
            Some(StrategyChoice::None) => " AND strategy = ''".to_owned(),
            Some(StrategyChoice::Of(id)) => format!(" AND strategy = {}", bound.put(id.as_str().to_owned())),
        };
        let sql = format!(
            "SELECT grp FROM groups WHERE mem = {memory} AND ({}){strategy} ORDER BY grp LIMIT {}",
            parts.join(" OR "),
            bound.put(limit(most.saturating_add(1)))
        );
        let groups = self.all(&sql, &bound.values(), |row| row.take(0))?;
        Ok((groups.len() <= most).then_some(groups))
    }

    /// Deletes a group without records: a namespace may contain a person's name.
    pub(super) fn drop_empty_group(&self, memory: i64, group: Key16) {
        self.flush_groups();
        self.later(
            "DELETE FROM groups WHERE mem = $1 AND grp = $2 AND NOT EXISTS \
             (SELECT 1 FROM records WHERE mem = $1 AND grp = $2)",
            vec![Box::new(memory), Box::new(group)],
        );
    }
}
