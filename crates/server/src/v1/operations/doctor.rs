//! Diagnosis of operations memory: records that no read will match. It reads everything, so it is
//! for administrators.

use loci_api::operations::doctor as shape;
use loci_api::operations::table as api;
use loci_model::Result;
use loci_operations::{SreExamined, SreProblem};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.plain(api::SRE_DOCTOR, sre_doctor)
}

async fn sre_doctor(call: Call) -> Result<shape::SreDoctorReport> {
    let SreExamined { records, problems, more } =
        call.doors.engine.operations.sre_examine(&call.caller, &call.memory().await?).await?;
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let shown = |SreProblem { kind, record, place, detail }| shape::SreProblem {
        problem: kind.as_str().to_owned(),
        record_id: record.map(|record| record.to_string()),
        place,
        detail,
    };
    Ok(shape::SreDoctorReport {
        ok: problems.is_empty(),
        records: count(records),
        more: count(more),
        problems: problems.into_iter().map(shown).collect(),
    })
}
