//! Moves records after a change of their strategy's template, in the same transaction, with their
//! ids, versions and states. No record is orphaned or copied.
//!
//! A record whose new namespace cannot be determined stays and is counted.

use loci_model::memory::Memory;
use loci_model::memory::strategy::Strategy;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::record::{Record, RecordKind};
use loci_model::{
    Error, ErrorKind, FieldName, Namespace, NamespaceTemplate, RecordId, Result, Timestamp, limits,
};

use crate::hooks::write_context;
use crate::records::changes::{self, RecordStateChange};

/// The number of records that one read returns.
const ROWS: usize = 1_000;
/// The reason in the state history of a moved record.
const REASON: &str = "moved: template changed";
/// The author of the move in the state history: the engine itself.
const BY: &str = "loci";

/// The numbers of records of a strategy that moved or stayed after a change of its namespace
/// template.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MovedRecordCounts {
    /// The number of records that moved to another namespace.
    pub(crate) moved: u64,
    /// Number of records that stayed, because their new namespace cannot be determined.
    pub(crate) unmoved: u64,
}

impl std::ops::AddAssign for MovedRecordCounts {
    fn add_assign(&mut self, more: Self) {
        self.moved += more.moved;
        self.unmoved += more.unmoved;
    }
}

/// The records that must move, each with its new namespace.
#[derive(Debug, Default)]
pub(crate) struct NamespaceMoves {
    /// The moves in the order of record ids, which is the order of the rows: an order by
    /// namespace would scan the whole table once for each namespace.
    to: Vec<(RecordId, Namespace)>,
    pub(crate) moved: MovedRecordCounts,
}

/// Returns the moves that a change of a strategy's templates requires.
///
/// # Errors
/// `TooLarge` if one transaction may not move that many records, with the remedy.
pub(crate) fn moves(
    tx: &dyn ReadTx,
    memory: &Memory,
    old: &Strategy,
    new: &Strategy,
) -> Result<NamespaceMoves> {
    let mut moves = NamespaceMoves::default();
    let reflections = |strategy: &Strategy| strategy.reflection.as_ref().map(|part| part.template.clone());
    let (old_reflections, new_reflections) = (reflections(old), reflections(new));
    if old.template == new.template && old_reflections == new_reflections {
        return Ok(moves);
    }
    let mut after: Option<RecordId> = None;
    let mut seen = 0_u64;
    loop {
        let records = tx.records().of_strategy(&memory.id, &old.id, after.as_ref(), ROWS)?;
        let Some(last) = records.last() else { return Ok(moves) };
        after = Some(last.id.clone());
        seen += u64::try_from(records.len()).unwrap_or(u64::MAX);
        if seen > limits::MIGRATION_RECORDS_MAX {
            let rule = "a template that more than 200,000 records follow cannot be changed: add a strategy of another \
                        name with the new one";
            return Err(Error::new(ErrorKind::TooLarge, rule).on(FieldName::NamespaceTemplate));
        }
        for record in records {
            let (from, to) = match (record.kind, &old_reflections, &new_reflections) {
                (RecordKind::Reflection, Some(from), Some(to)) => (from, to),
                _ => (&old.template, &new.template),
            };
            if from == to {
                continue;
            }
            match place(old, from, to, &record) {
                Some(namespace) if namespace == record.namespace => {}
                Some(namespace) => {
                    moves.moved.moved += 1;
                    moves.to.push((record.id, namespace));
                }
                None => moves.moved.unmoved += 1,
            }
        }
    }
}

/// Returns the namespace of a record by the new template; `None` if the values of the template's
/// variables are unknown.
fn place(
    strategy: &Strategy,
    from: &NamespaceTemplate,
    to: &NamespaceTemplate,
    record: &Record,
) -> Option<Namespace> {
    let source = &record.provenance;
    let known = |name: &str| match name {
        "actorId" => source.actor.as_ref().map(ToString::to_string),
        "sessionId" => source.session.as_ref().map(ToString::to_string),
        "memoryStrategyId" | "strategyId" => Some(strategy.id.to_string()),
        _ => None,
    };
    let read = from.read(&record.namespace, &known)?;
    to.render(&|name| known(name).or_else(|| read.get(name).cloned())).ok()
}

/// Moves the records of a strategy whose templates changed.
pub(crate) fn migrate_namespaces(
    tx: &mut dyn Tx,
    memory: &Memory,
    old: &Strategy,
    new: &Strategy,
    at: Timestamp,
) -> Result<MovedRecordCounts> {
    let moves = moves(tx, memory, old, new)?;
    for (id, namespace) in &moves.to {
        let id = std::slice::from_ref(id);
        tx.records_mut().move_to(&memory.id, id, namespace)?;
        write_context::products()?.records_moved(tx, &memory.id, id)?;
        for record in tx.records().get_many(&memory.id, id)? {
            let (from, to) = (Some(record.state), record.state);
            let change = RecordStateChange { record: &record, from, to, reason: REASON, by: BY, at };
            changes::note(tx, memory, &change)?;
        }
    }
    if moves.moved.unmoved > 0 {
        let MovedRecordCounts { moved, unmoved } = moves.moved;
        tracing::warn!(memory = %memory.id, strategy = %new.id, moved, unmoved, "records stay in their old namespace");
    }
    Ok(moves.moved)
}
