//! Checks the strategy in a read request. A deleted strategy leaves its records, so an unknown id
//! is rejected only if no record in scope has it.

use loci_model::memory::Memory;
use loci_model::ports::store::ReadTx;
use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::{Error, FieldName, Result};

/// Errors with not found for a strategy that neither the memory nor a record in scope has.
pub(crate) fn check(tx: &dyn ReadTx, memory: &Memory, scope: &RecordScope) -> Result<()> {
    let Some(StrategyChoice::Of(id)) = &scope.strategy else { return Ok(()) };
    if memory.strategy(id).is_some() || tx.records().count(scope)? > 0 {
        return Ok(());
    }
    Err(Error::not_found(format!("the memory has no strategy {id}")).on(FieldName::Strategy))
}
