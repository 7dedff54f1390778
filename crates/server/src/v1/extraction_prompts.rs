//! Prompts by which agents say at the end of a task what they learned and what they lacked: looked at, not changed.

use loci_api::extraction_prompt as shape;
use loci_engine::coding::ExtractionPrompt;
use loci_engine::verified::RepositoryName;
use loci_model::Result;

use super::call::Call;
use super::table::{Table, get};

pub(super) fn operations(table: Table) -> Table {
    table
        .plain(
            get("/v1/extraction-prompts", "List the prompts for what agents write at the end of a task."),
            list,
        )
        .query(
            get(
                "/v1/extraction-prompts/{prompt}",
                "Get one by name and version, as learnings@1, or the current one by its name.",
            ),
            show,
        )
}

async fn list(call: Call) -> Result<shape::ExtractionPromptList> {
    let prompts = call.doors.engine.extraction_prompts(&call.caller);
    Ok(shape::ExtractionPromptList { prompts: prompts.iter().map(listed).collect() })
}

async fn show(call: Call, asked: shape::ExtractionPromptAsk) -> Result<shape::ExtractionPrompt> {
    let found = call.doors.engine.extraction_prompt(&call.caller, call.path("prompt")?)?;
    if let Some(repo) = &asked.repo {
        RepositoryName::parse(repo)?;
    }
    let shape::ExtractionPromptListed { id, name, version, current } = listed(&found);
    let text = asked.repo.map_or_else(|| found.text.to_owned(), |repo| found.text_for(&repo));
    Ok(shape::ExtractionPrompt { id, name, version, current, text })
}

fn listed(prompt: &ExtractionPrompt) -> shape::ExtractionPromptListed {
    shape::ExtractionPromptListed {
        id: prompt.id(),
        name: prompt.name.to_owned(),
        version: prompt.version,
        current: prompt.is_current(),
    }
}
