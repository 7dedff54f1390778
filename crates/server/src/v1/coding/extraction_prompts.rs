//! Prompts by which agents report their learnings and gaps at the end of a task, and prompts that
//! read reviews: show, change, roll back, evaluate.

use loci_api::coding::extraction_prompt as shape;
use loci_api::coding::table as api;
use loci_coding::{ExtractionPrompt, ExtractionPromptChanged, NewExtractionPrompt, PromptAnswers};
use loci_model::tasks::exposure::rounded;
use loci_model::tasks::prompt_evaluation::PromptEvaluation;
use loci_model::{Error, Result};
use loci_verified::RepositoryName;

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
        .plain(api::EXTRACTION_PROMPTS, list)
        .query(api::EXTRACTION_PROMPT, show)
        .json(api::EXTRACTION_PROMPT_PUT, put)
        .json(api::EXTRACTION_PROMPT_ROLLBACK, rollback)
        .plain(api::PROMPT_QUESTIONS, questions)
        .plain(api::PROMPT_EVALUATIONS, evaluations)
        .json(api::PROMPT_EVALUATE, evaluate)
}

async fn questions(call: Call) -> Result<shape::PromptQuestionList> {
    let engine = &call.doors.engine;
    engine.coding.prompt_questions(&call.caller, &standing(&call)?, call.path("prompt")?).await
}

async fn evaluations(call: Call) -> Result<shape::PromptEvaluationList> {
    let engine = &call.doors.engine;
    let found =
        engine.coding.prompt_evaluations(&call.caller, &standing(&call)?, call.path("prompt")?).await?;
    Ok(shape::PromptEvaluationList { evaluations: found.into_iter().map(evaluated).collect() })
}

async fn evaluate(call: Call, asked: shape::PromptEvaluate) -> Result<shape::PromptEvaluation> {
    let answers = match (asked.answers, asked.model) {
        (Some(outputs), model) => Some(PromptAnswers { model: model.unwrap_or_default(), outputs }),
        (None, None) => None,
        (None, Some(_)) => {
            let rule = "model is valid only with answers: without them, the configured model answers";
            return Err(Error::invalid("model", rule));
        }
    };
    let engine = &call.doors.engine;
    let done =
        engine.coding.prompt_evaluate(&call.caller, &standing(&call)?, call.path("prompt")?, answers).await?;
    Ok(evaluated(done))
}

fn evaluated(one: PromptEvaluation) -> shape::PromptEvaluation {
    let score = one.score;
    shape::PromptEvaluation {
        evaluation_id: one.id,
        prompt: one.prompt,
        set: one.set,
        model: one.model,
        mode: if one.is_pulled { "pull" } else { "provider" }.to_owned(),
        cases: score.cases,
        expected: score.expected,
        met: score.met,
        items: score.items,
        right: score.right,
        forbidden: score.forbidden,
        discarded: score.discarded,
        precision: score.precision().map(rounded),
        recall: score.recall().map(rounded),
        by: one.by,
        at: one.at.to_rfc3339(),
    }
}

async fn list(call: Call) -> Result<shape::ExtractionPromptList> {
    let prompts = call.doors.engine.coding.extraction_prompts(&call.caller, &standing(&call)?).await?;
    Ok(shape::ExtractionPromptList { prompts: prompts.iter().map(listed).collect() })
}

async fn show(call: Call, asked: shape::ExtractionPromptAsk) -> Result<shape::ExtractionPrompt> {
    if let Some(repo) = &asked.repo {
        RepositoryName::parse(repo)?;
    }
    let engine = &call.doors.engine;
    let found =
        engine.coding.extraction_prompt(&call.caller, &standing(&call)?, call.path("prompt")?).await?;
    let shape::ExtractionPromptListed { id, name, version, current, note, created_at } = listed(&found);
    let text = asked.repo.map_or_else(|| found.text.clone(), |repo| found.text_for(&repo));
    Ok(shape::ExtractionPrompt { id, name, version, current, note, created_at, text })
}

async fn put(call: Call, asked: shape::ExtractionPromptPut) -> Result<shape::ExtractionPromptChanged> {
    let shape::ExtractionPromptPut { text, note, force } = asked;
    let new = NewExtractionPrompt { name: call.path("prompt")?.to_owned(), text, note, force };
    call.doors.engine.coding.extraction_prompt_put(&call.caller, &standing(&call)?, new).await.map(changed)
}

async fn rollback(
    call: Call,
    asked: shape::ExtractionPromptRollback,
) -> Result<shape::ExtractionPromptChanged> {
    let (engine, name) = (&call.doors.engine, call.path("prompt")?);
    engine
        .coding
        .extraction_prompt_rollback(&call.caller, &standing(&call)?, name, asked.to)
        .await
        .map(changed)
}

fn changed(now: ExtractionPromptChanged) -> shape::ExtractionPromptChanged {
    let ExtractionPromptChanged { prompt, previous } = now;
    shape::ExtractionPromptChanged {
        id: prompt.id(),
        current: prompt.is_current,
        name: prompt.name,
        version: prompt.version,
        previous,
    }
}

fn listed(prompt: &ExtractionPrompt) -> shape::ExtractionPromptListed {
    shape::ExtractionPromptListed {
        id: prompt.id(),
        name: prompt.name.clone(),
        version: prompt.version,
        current: prompt.is_current,
        note: prompt.note.clone(),
        created_at: prompt.created_at.map(|at| at.to_rfc3339()),
    }
}
