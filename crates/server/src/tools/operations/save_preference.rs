//! `save_preference`: a preference of the user for the work of agents. The request names the user,
//! and operations memory checks that the caller works for that user.

use loci_model::limits;
use loci_model::services::knowledge::{SreSource, SreType};
use loci_operations::{SreSave, preference_type_of};
use serde_json::{Value, json};

use super::{answer_for, content_form, memory, missing, saved_form, simple, structured, user, user_form};
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, list, said, text, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(in crate::tools) fn tool() -> Tool {
    let sentence = text(1, limits::SRE_TEXT_CHARS_MAX as u32);
    Tool {
        name: "save_preference",
        dotted: None,
        description: "Save a preference of the user. Contacts wait until a person confirms them.",
        profiles: &[Profile::Sre],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, true, false),
        input: closed(
            [
                ("preference", said(sentence, "One sentence")),
                ("categories", said(list(word(), 1, 8), "escalation, notification, workflow, style")),
                ("content", said(content_form(), "Or: preference_type, preference_value")),
                ("context", said(word(), "Source; used with content")),
                ("user_id", user_form()),
                ("session_id", said(word(), "The user's investigation")),
            ],
            &[],
        ),
        output: saved_form(),
        work: Some(|context, arguments| Box::pin(work(context, arguments))),
    }
}

async fn work(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let data = match structured(&arguments)? {
        Some(content) => content,
        None => data(&arguments)?,
    };
    let memory = memory(&context).await?;
    let user = user(&context, &memory, &arguments).await?;
    let save = SreSave {
        memory,
        kind: SreType::Preferences,
        actor: user.clone(),
        session: None,
        data,
        source: SreSource::Agent,
    };
    answer_for(&context.engine.operations.sre_save(&context.caller, save).await?, &user)
}

fn data(arguments: &ReceivedArguments) -> Result<Value, crate::tools::error::ToolError> {
    let named = arguments.get("categories").and_then(Value::as_array);
    if named.is_none_or(Vec::is_empty) {
        return Err(missing(&["preference", "categories"]));
    }
    let [preference] = simple(arguments, ["preference"])?;
    let categories: Vec<String> =
        named.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(json!({"preference_type": preference_type_of(&categories), "preference_value": preference}))
}
