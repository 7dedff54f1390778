//! Evaluations of tasks: store, list.

use loci_api::coding::evaluation as shape;
use loci_api::coding::table as api;
use loci_model::Result;
use loci_model::tasks::evaluation::{Evaluation, EvaluationFinding};

use super::tasks::end::learned;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::EVALUATION_ADD, self::add).query(api::EVALUATION_LIST, list)
}

async fn add(call: Call, asked: shape::EvaluationAdd) -> Result<shape::EvaluationAdded> {
    let added = call.doors.engine.coding.evaluation_add(&call.caller, &standing(&call)?, asked).await?;
    Ok(shape::EvaluationAdded {
        evaluation: shown(added.evaluation),
        learned: added.learned.into_iter().map(learned).collect(),
        warnings: added.warnings,
    })
}

async fn list(call: Call, asked: shape::EvaluationListing) -> Result<shape::EvaluationList> {
    let place = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let standing = standing(&call)?;
    let page = call.doors.engine.coding.evaluation_list(&call.caller, &standing, asked, place).await?;
    Ok(shape::EvaluationList {
        evaluations: page.items.into_iter().map(shown).collect(),
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

fn shown(evaluation: Evaluation) -> shape::Evaluation {
    let finding = |finding: EvaluationFinding| shape::EvaluationFinding {
        category: finding.category.as_str().to_owned(),
        evidence: finding.evidence,
        record_id: finding.record.map(|record| record.to_string()),
    };
    shape::Evaluation {
        evaluation_id: evaluation.id,
        task_id: evaluation.task.to_string(),
        findings: evaluation.findings.into_iter().map(finding).collect(),
        prompt_suggestion: evaluation.prompt_suggestion,
        prompt_version: evaluation.prompt_version,
        by: evaluation.by,
        at: evaluation.at.to_rfc3339(),
    }
}
