//! `save_infrastructure`: knowledge about a service. Numbers in a sentence become values under
//! their names, so that newer ones replace them.

use loci_model::MemoryId;
use loci_model::limits;
use loci_model::services::knowledge::{KnowledgeType, SreSource, SreType};
use loci_operations::{KNOWLEDGE_SESSION, SreSave, quantities_of};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{
    content_form, memory, named_session, open_session, saved_form, shown, simple, structured, user_form,
    user_if_known,
};
use crate::tools::arguments::string;
use crate::tools::error::ToolError;
use crate::tools::profile::Profile;
use crate::tools::schema::{closed, one_of, said, text, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

/// The number of hex digits that distinguish sentences without numbers.
const DIGITS: usize = 12;

pub(in crate::tools) fn tool() -> Tool {
    let kinds: Vec<&str> = KnowledgeType::ALL.iter().map(|kind| kind.as_str()).collect();
    Tool {
        name: "save_infrastructure",
        dotted: None,
        description: "Save knowledge about a service: a dependency, baseline, configuration or recurring pattern.",
        profiles: &[Profile::Sre],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, true, false),
        input: closed(
            [
                ("service_name", text(1, limits::SRE_NAME_CHARS_MAX as u32)),
                ("knowledge", said(text(1, limits::SRE_TEXT_CHARS_MAX as u32), "One sentence")),
                ("knowledge_type", one_of(&kinds)),
                ("agent", said(word(), "The agent that learned it")),
                ("session_id", said(word(), "Omit for the open investigation")),
                ("user_id", user_form()),
                (
                    "content",
                    said(
                        content_form(),
                        "Or: service_name, knowledge_type, knowledge_data, metric, environment, confidence, evidence",
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
    let data = match structured(&arguments)? {
        Some(content) => content,
        None => data(&arguments)?,
    };
    let memory = memory(&context).await?;
    let agent = string(&arguments, "agent").filter(|agent| !agent.is_empty());
    let agent = agent.unwrap_or_else(|| context.engine.operations.sre_agent(&context.caller, &memory));
    let unread = (!context.engine.operations.sre_agent_is_read(&memory, &agent)).then(|| {
        format!("no start shows what {agent} knows: add it to agents in [memory.sre], or leave agent out")
    });
    let save = SreSave {
        session: Some(session(&context, &memory, &arguments).await?),
        memory,
        kind: SreType::Infrastructure,
        actor: agent,
        data,
        source: SreSource::Agent,
    };
    let mut answer = shown(&context.engine.operations.sre_save(&context.caller, save).await?);
    if let Some(warning) = unread {
        let warnings = answer.entry("warnings").or_insert_with(|| json!([]));
        warnings.as_array_mut().into_iter().for_each(|all| all.push(json!(warning)));
    }
    Ok(Value::Object(answer))
}

/// Returns the named session, else that of the open investigation. Knowledge outside of an
/// investigation has a separate session.
async fn session(
    context: &Context,
    memory: &MemoryId,
    arguments: &ReceivedArguments,
) -> Result<String, ToolError> {
    // Knowledge belongs to the team, so a key that acts for users may save it without a user.
    let user = user_if_known(context, memory, arguments).await?;
    if let Some(named) = named_session(arguments) {
        return Ok(named);
    }
    let open = match &user {
        Some(user) => open_session(context, memory, user).await?,
        None => None,
    };
    Ok(open.unwrap_or_else(|| KNOWLEDGE_SESSION.to_owned()))
}

fn data(arguments: &ReceivedArguments) -> Result<Value, ToolError> {
    let [service, knowledge, kind] = simple(arguments, ["service_name", "knowledge", "knowledge_type"])?;
    let found = quantities_of(&service, &knowledge);
    let mut known: Map<String, Value> =
        found.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let mut data = json!({"service_name": service, "knowledge_type": kind});
    // A sentence is not a metric: without a distinct name it would replace every other sentence. A
    // dependency is identified by its sentence, so that one on PostgreSQL with 20 connections is
    // not replaced by one on Redis with 10.
    let is_dependency = KnowledgeType::parse(&kind) == Some(KnowledgeType::Dependency);
    let metric = match found.keys().next().filter(|_| !is_dependency) {
        Some(only) if found.len() == 1 => Some(only.clone()),
        Some(_) => None,
        None => {
            let digest = hex::encode(Sha256::digest(knowledge.trim().to_lowercase()));
            Some(format!("statement:{}", digest.chars().take(DIGITS).collect::<String>()))
        }
    };
    known.insert("text".to_owned(), json!(knowledge));
    if let Some(members) = data.as_object_mut() {
        members.extend(metric.map(|metric| ("metric".to_owned(), json!(metric))));
        members.insert("knowledge_data".to_owned(), Value::Object(known));
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_kept_with_its_numbers() {
        let of = |knowledge: &str| {
            let arguments =
                json!({"service_name": "api", "knowledge": knowledge, "knowledge_type": "baseline"});
            data(arguments.as_object().unwrap()).unwrap()
        };
        let one = of("memory usage is 400-500Mi");
        assert_eq!(one["metric"], "memory_usage");
        assert_eq!(
            one["knowledge_data"],
            json!({"memory_usage": "400-500Mi", "text": "memory usage is 400-500Mi"})
        );
        let two = of("CPU is 2 cores and error rate is 1%");
        assert_eq!((&two["metric"], &two["knowledge_data"]["cpu_usage"]), (&Value::Null, &json!("2 cores")));
        let (three, four) = (of("uses the old driver"), of("has a canary"));
        assert_ne!(three["metric"], four["metric"]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let arguments = json!({"service_name": "api", "knowledge": " "});
        let error = data(arguments.as_object().unwrap()).unwrap_err();
        assert!(error.message.contains("missing: knowledge, knowledge_type"), "{}", error.message);
    }
}
