//! `save_preference`: how the user wants to be worked for. It is the user of the connection, whatever the arguments say.

use loci_engine::sre::{SreSave, preference_type_of};
use loci_model::limits;
use loci_model::ports::BoxFuture;
use loci_model::sre::{SreSource, SreType};
use serde_json::{Value, json};

use super::{answer, content_form, memory, missing, saved_form, simple, structured};
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, list, said, text, word};
use crate::tools::tool::{Annotations, Arguments, Context, Outcome, Scope, Tool};

pub(in crate::tools) fn tool() -> Tool {
    let sentence = text(1, limits::SRE_TEXT_CHARS_MAX as u32);
    Tool {
        name: "save_preference",
        dotted: None,
        description: "Save how the user wants to be worked for. Contacts wait until a person confirms them.",
        profiles: &[Profile::Sre],
        scope: Scope::Write,
        annotations: Annotations::write(false, true, false),
        input: closed(
            [
                ("preference", said(sentence, "One sentence")),
                ("categories", said(list(word(), 1, 8), "escalation, notification, workflow, style")),
                ("content", said(content_form(), "Or: preference_type, preference_value")),
                ("context", said(word(), "Where it came from; with content")),
            ],
            &[],
        ),
        output: saved_form(),
        work: Some(work),
    }
}

fn work(context: Context, arguments: Arguments) -> BoxFuture<'static, Outcome> {
    Box::pin(async move {
        let data = match structured(&arguments)? {
            Some(content) => content,
            None => data(&arguments)?,
        };
        let save = SreSave {
            memory: memory(&context).await?,
            kind: SreType::Preferences,
            actor: context.caller.name.clone(),
            session: None,
            data,
            source: SreSource::Agent,
        };
        answer(&context.engine.sre_save(&context.caller, save).await?)
    })
}

fn data(arguments: &Arguments) -> Result<Value, crate::tools::error::ToolError> {
    let named = arguments.get("categories").and_then(Value::as_array);
    if named.is_none_or(Vec::is_empty) {
        return Err(missing(&["preference", "categories"]));
    }
    let [preference] = simple(arguments, ["preference"])?;
    let categories: Vec<String> =
        named.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    Ok(json!({"preference_type": preference_type_of(&categories), "preference_value": preference}))
}
