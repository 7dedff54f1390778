//! Checks the strategy that a read request names. Records of a deleted strategy remain, so an
//! unknown id is an error only if no record in the scope has it.

use loci_model::memory::Memory;
use loci_model::ports::store::ReadTx;
use loci_model::record::scope::{RecordScope, StrategyChoice};
use loci_model::{Error, FieldName, Result};

/// Checks that the memory or a record in the scope has the requested strategy; otherwise the
/// error is `NotFound`.
pub(crate) fn check(tx: &dyn ReadTx, memory: &Memory, scope: &RecordScope) -> Result<()> {
    let Some(StrategyChoice::Of(id)) = &scope.strategy else { return Ok(()) };
    if memory.strategy(id).is_some() || tx.records().count(scope)? > 0 {
        return Ok(());
    }
    Err(Error::not_found(format!("the memory has no strategy {id}")).on(FieldName::Strategy))
}
