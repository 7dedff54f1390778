//! `save_investigation`: a finding of the open investigation, or a whole investigation.

use loci_api::ErrorCode;
use loci_model::limits;
use loci_model::services::knowledge::{FindingCategory, SreSource, SreType};
use loci_operations::{InvestigationFinding, SreSave};
use serde_json::json;

use super::{
    answer_for, content_form, memory, missing, named_session, open_session, saved_form, simple, structured,
    user, user_form,
};
use crate::tools::arguments::string;
use crate::tools::error::ToolError;
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, one_of, said, text, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(in crate::tools) fn tool() -> Tool {
    let categories: Vec<&str> = FindingCategory::ALL.iter().map(|category| category.as_str()).collect();
    Tool {
        name: "save_investigation",
        dotted: None,
        description: "Save a finding of the open investigation, or a whole investigation.",
        profiles: &[Profile::Sre],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, true, false),
        input: closed(
            [
                ("finding", said(text(1, limits::SRE_TEXT_CHARS_MAX as u32), "Findings")),
                ("category", one_of(&categories)),
                ("incident_id", said(word(), "Omit for the open investigation")),
                ("session_id", said(word(), "Omit for the open investigation")),
                ("user_id", user_form()),
                (
                    "content",
                    said(
                        content_form(),
                        "Or: query, timeline, actions_taken, key_findings, resolution_status, incident_id",
                    ),
                ),
                ("context", said(word(), "Source; used with content")),
            ],
            &[],
        ),
        output: saved_form(),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let memory = memory(&context).await?;
    let user = user(&context, &memory, &arguments).await?;
    if let Some(data) = structured(&arguments)? {
        let session = match named_session(&arguments) {
            Some(named) => named,
            None => open_session(&context, &memory, &user).await?.ok_or_else(|| none_open(&user))?,
        };
        let save = SreSave {
            session: Some(session),
            memory,
            kind: SreType::Investigations,
            actor: user.clone(),
            data,
            source: SreSource::Agent,
        };
        return answer_for(&context.engine.operations.sre_save(&context.caller, save).await?, &user);
    }
    let [finding, category] = simple(&arguments, ["finding", "category"])?;
    let category = FindingCategory::parse(&category).ok_or_else(|| missing(&["category"]))?;
    let asked = InvestigationFinding {
        memory,
        user: user.clone(),
        incident: string(&arguments, "incident_id"),
        session: named_session(&arguments),
        text: finding,
        category,
    };
    let record = context.engine.operations.investigation_find(&context.caller, asked).await?;
    Ok(json!({"saved": true, "record_id": record.to_string(), "state": "active", "user_id": user}))
}

fn none_open(user: &str) -> ToolError {
    let rule = format!(
        "no investigation of {user} is open: begin one with POST /v1/investigations, or give session_id"
    );
    ToolError::new(ErrorCode::Invalid, rule).on("session_id")
}
