//! Versions of agents' prompts: store, list, compare, roll back.

use loci_api::coding::prompt as shape;
use loci_api::coding::table as api;
use loci_coding::{NewPrompt, PromptParts};
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::{Error, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::call_context::standing;
use crate::v1::protocol::cursor;
use crate::v1::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table
        .json(api::PROMPT_ADD, add)
        .query(api::PROMPT_LIST, list)
        .plain(api::PROMPT_GET, show)
        .plain(api::PROMPT_DIFF, diff)
        .json(api::PROMPT_ROLLBACK, rollback)
}

async fn add(call: Call, asked: shape::PromptAdd) -> Result<shape::PromptAdded> {
    let new = NewPrompt {
        template_id: asked.template_id,
        parts: PromptParts {
            text: asked.text,
            overrides: asked.overrides,
            tools: asked.tools,
            extraction_prompts: asked.extraction_prompts,
        },
        model: asked.model.clone(),
    };
    let added = call.doors.engine.coding.prompt_add(&call.caller, &standing(&call)?, new).await?;
    let version = added.prompt.version;
    Ok(shape::PromptAdded {
        diff_url: added.previous.as_ref().map(|before| format!("/v1/prompts/{before}..{version}/diff")),
        prompt_version: version,
        sha256: added.digests.whole,
        components: shape::PromptComponents {
            template: added.digests.template,
            overrides: added.digests.overrides,
            tools: added.digests.tools,
            model: asked.model,
        },
        previous: added.previous,
        warnings: added.warnings,
    })
}

async fn list(call: Call, asked: shape::PromptListing) -> Result<shape::PromptList> {
    let (after, limit) = (cursor::read(asked.cursor.as_deref())?, cursor::limit(asked.limit)?);
    let standing = standing(&call)?;
    let page = call
        .doors
        .engine
        .coding
        .prompt_list(&call.caller, &standing, asked.template_id, after, limit)
        .await?;
    Ok(shape::PromptList {
        prompts: page.items.into_iter().map(shown).collect::<Result<_>>()?,
        next_cursor: page.next.as_ref().map(cursor::write).transpose()?,
    })
}

async fn show(call: Call) -> Result<shape::Prompt> {
    let version = call.path("prompt")?;
    shown(call.doors.engine.coding.prompt_get(&call.caller, &standing(&call)?, version).await?)
}

async fn diff(call: Call) -> Result<shape::PromptDiff> {
    let rule = || Error::invalid("prompt", "name two versions as A..B");
    let pair = call.path("prompt")?.split_once("..").ok_or_else(rule)?;
    let found = call.doors.engine.coding.prompt_diff(&call.caller, &standing(&call)?, pair).await?;
    let changed = found.changed.into_iter().map(str::to_owned).collect();
    Ok(shape::PromptDiff { changed, diff: found.lines })
}

async fn rollback(call: Call, asked: shape::PromptRollback) -> Result<shape::PromptRolledBack> {
    let (standing, template) = (standing(&call)?, call.path("prompt")?);
    let (prompt, previous) =
        call.doors.engine.coding.prompt_rollback(&call.caller, &standing, template, &asked.to).await?;
    Ok(shape::PromptRolledBack { prompt_version: prompt.version, previous })
}

fn shown(prompt: PromptVersion) -> Result<shape::Prompt> {
    Ok(shape::Prompt {
        prompt_version: prompt.version,
        sha256: prompt.sha256,
        template_id: prompt.template_id,
        template_sha256: prompt.template_sha256,
        text: prompt.text,
        overrides: prompt.overrides.value()?,
        tools: prompt.tools,
        extraction_prompts: prompt.extraction_prompts,
        model: prompt.model,
        current_since: prompt.current_since.to_rfc3339(),
        created_at: prompt.created_at.to_rfc3339(),
    })
}
