//! Evaluations of tasks: stored, listed.

use loci_api::coding::evaluation as shape;
use loci_api::coding::table as api;
use loci_coding::{EvaluationListing, NewEvaluation, NewFinding};
use loci_model::tasks::evaluation::{Evaluation, EvaluationFinding, FailureCategory};
use loci_model::{Error, Result, TaskId};

use super::tasks::end::learned;
use crate::v1::protocol::call::Call;
use crate::v1::protocol::cursor;
use crate::v1::protocol::standing::standing;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::word;

pub(super) fn operations(table: Table) -> Table {
    table.json(api::EVALUATION_ADD, self::add).query(api::EVALUATION_LIST, list)
}

async fn add(call: Call, asked: shape::EvaluationAdd) -> Result<shape::EvaluationAdded> {
    let new = NewEvaluation {
        task: TaskId::parse(asked.task_id)?,
        findings: asked.findings.into_iter().map(finding).collect::<Result<_>>()?,
        prompt_suggestion: asked.prompt_suggestion,
    };
    let added = call.doors.engine.coding.evaluation_add(&call.caller, &standing(&call)?, new).await?;
    Ok(shape::EvaluationAdded {
        evaluation: shown(added.evaluation),
        learned: added.learned.into_iter().map(learned).collect(),
        warnings: added.warnings,
    })
}

fn finding(asked: shape::EvaluationFindingAdd) -> Result<NewFinding> {
    let field = "findings.category";
    let of = Some(asked.category.as_str());
    let category = word(field, of, FailureCategory::ALL, FailureCategory::parse, FailureCategory::as_str)?;
    Ok(NewFinding {
        category: category.ok_or_else(|| Error::invalid(field, "category is required"))?,
        text: asked.text,
        scope: asked.scope,
        evidence: asked.evidence,
    })
}

async fn list(call: Call, asked: shape::EvaluationListing) -> Result<shape::EvaluationList> {
    let listing = EvaluationListing {
        repo: asked.repo,
        task: asked.task.map(TaskId::parse).transpose().map_err(|error| error.on("task"))?,
        after: cursor::read(asked.cursor.as_deref())?,
        limit: cursor::limit(asked.limit)?,
    };
    let page = call.doors.engine.coding.evaluation_list(&call.caller, &standing(&call)?, listing).await?;
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
