//! Maps the scope of a request to a condition on `passages p`; `metadata` handles metadata and past
//! times.

use loci_model::record::RecordKind;
use loci_model::record::scope::{AccessClause, RecordScope, StrategyChoice};
use loci_model::{NamespaceFilter, NamespaceMatch, Result};
use loci_store_kit::codes::among_codes;

use crate::bound_values::PgBoundParameters;
use crate::digests::{Key16, Word, word_number};
use crate::tables::records::groups::within;
use crate::tables::records::rows::state_code;
use crate::tx::{Column, PgTx, limit};

/// The maximum number of groups listed in a condition. More are selected by name.
const GROUPS_MAX: usize = 512;

/// The part of a scope that a condition covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// All passages that the caller may see.
    Seen,
    /// Of those, the passages in the requested namespaces and of the requested strategy.
    Asked,
    /// Of those, the passages that meet all other conditions, too.
    Full,
}

/// A scope in one memory.
pub(super) struct Scope<'a> {
    pub(super) memory: i64,
    pub(super) of: &'a RecordScope,
    /// The requested groups; `None` for all, or for too many to list.
    groups: Option<Vec<Key16>>,
}

impl<'a> Scope<'a> {
    /// Returns a scope with its groups looked up.
    pub(super) fn new(tx: &PgTx<'_>, memory: i64, of: &'a RecordScope) -> Result<Self> {
        let mut scope = Self { memory, of, groups: None };
        if !scope.asks_for_all() {
            let mut bound = PgBoundParameters::default();
            let names = scope.asked_names(&mut bound);
            let sql =
                format!("SELECT g.grp FROM groups g WHERE {names} ORDER BY g.grp LIMIT {}", GROUPS_MAX + 1);
            let groups: Vec<Key16> = tx.all(&sql, &bound.values(), |row| row.take(0))?;
            scope.groups = Some(groups).filter(|groups| groups.len() <= GROUPS_MAX);
        }
        Ok(scope)
    }

    /// True if namespaces and strategy exclude nothing.
    pub(super) fn asks_for_all(&self) -> bool {
        let everywhere =
            |filter: &NamespaceFilter| filter.mode() == NamespaceMatch::Subtree && filter.normal() == "/";
        let namespaces = &self.of.namespaces;
        self.of.strategy.is_none() && (namespaces.is_empty() || namespaces.iter().any(everywhere))
    }

    /// True if the scope contains every active record that has not expired.
    pub(super) fn is_whole(&self) -> bool {
        self.of.sees_all() && self.asks_for_all() && self.is_plain()
    }

    /// True if only groups narrow the active records.
    pub(super) fn is_plain(&self) -> bool {
        let of = self.of;
        let is_active = of.as_of.is_none() && of.states == [loci_model::record::RecordState::Active];
        is_active && of.kinds.is_empty() && of.metadata.is_empty()
    }

    /// Returns the condition on passages.
    pub(super) fn condition(&self, extent: Extent, bound: &mut PgBoundParameters) -> String {
        let mut sql = format!("p.mem = {}", bound.put(self.memory));
        if !self.of.sees_all() {
            let clauses: Vec<String> = self.of.view.iter().map(|clause| self.clause(clause, bound)).collect();
            let clauses = if clauses.is_empty() { "FALSE".to_owned() } else { clauses.join(" OR ") };
            sql.push_str(&format!(" AND ({clauses})"));
        }
        if extent == Extent::Seen {
            return sql;
        }
        if let Some(groups) = &self.groups {
            sql.push_str(&format!(" AND p.grp = ANY({})", bound.put(groups.clone())));
        } else if !self.asks_for_all() {
            let names = self.asked_names(bound);
            sql.push_str(&format!(" AND p.grp IN (SELECT g.grp FROM groups g WHERE {names})"));
        }
        if extent == Extent::Full {
            sql.push_str(&self.properties(bound));
        }
        sql
    }

    /// Returns conditions on states, kinds, expiry, metadata and past times.
    fn properties(&self, bound: &mut PgBoundParameters) -> String {
        let of = self.of;
        let mut sql = String::new();
        if of.as_of.is_none() {
            let states: Vec<String> = of.states.iter().map(|state| state_code(*state).to_string()).collect();
            let states = if states.is_empty() { "-1".to_owned() } else { states.join(",") };
            sql.push_str(&format!(" AND p.state IN ({states})"));
        }
        sql.push_str(&among_codes("p.kind", RecordKind::ALL, &of.kinds));
        sql.push_str(&format!(" AND (p.expires IS NULL OR p.expires > {})", bound.put(of.now.millis())));
        sql.push_str(&super::metadata::conditions(self.memory, of, bound));
        sql
    }

    fn asked_names(&self, bound: &mut PgBoundParameters) -> String {
        let mut sql = format!("g.mem = {}", bound.put(self.memory));
        if !self.of.namespaces.is_empty() {
            let parts: Vec<String> =
                self.of.namespaces.iter().map(|filter| within("g.normal", filter, bound)).collect();
            sql.push_str(&format!(" AND ({})", parts.join(" OR ")));
        }
        match &self.of.strategy {
            None => {}
            Some(StrategyChoice::None) => sql.push_str(" AND g.strategy = ''"),
            Some(StrategyChoice::Of(id)) => {
                sql.push_str(&format!(" AND g.strategy = {}", bound.put(id.as_str().to_owned())));
            }
        }
        sql
    }

    /// Returns the condition for one clause of the caller's view, which is never unrestricted.
    fn clause(&self, view: &AccessClause, bound: &mut PgBoundParameters) -> String {
        let mut parts = Vec::new();
        let digest = |word, text: &str| word_number(self.memory, word, text);
        if let Some(actor) = &view.actor {
            parts.push(format!("p.actor = {}", bound.put(digest(Word::Actor, actor.as_str()))));
        }
        if let Some(session) = &view.session {
            parts.push(format!("p.session = {}", bound.put(digest(Word::Session, session.as_str()))));
        }
        if view.strategy.is_some() || view.namespace.is_some() {
            let mut names = format!("g.mem = {}", bound.put(self.memory));
            if let Some(strategy) = &view.strategy {
                names.push_str(&format!(" AND g.strategy = {}", bound.put(strategy.as_str().to_owned())));
            }
            if let Some(namespace) = &view.namespace {
                names.push_str(&format!(" AND {}", within("g.normal", namespace, bound)));
            }
            parts.push(format!("p.grp IN (SELECT g.grp FROM groups g WHERE {names})"));
        }
        parts.extend(super::metadata::bounds(self.memory, &view.bounds, bound));
        format!("({})", parts.join(" AND "))
    }

    /// Returns the number of passages, up to `most`.
    pub(super) fn count(&self, tx: &PgTx<'_>, extent: Extent, active: bool, most: usize) -> Result<u64> {
        let mut bound = PgBoundParameters::default();
        let condition = self.condition(extent, &mut bound);
        let active = if active { " AND p.state = 0" } else { "" };
        let most = bound.put(limit(most));
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM passages p WHERE {condition}{active} LIMIT {most}) t"
        );
        Ok(crate::tx::unsigned(tx.one(&sql, &bound.values(), |row| row.take::<i64>(0))?.unwrap_or(0)))
    }
}
