//! `add_memory`: stores texts as records. A text that the memory already contains verbatim is not
//! stored again.

use loci_api::ErrorCode;
use loci_engine::records::{NewRecord, RecordsCreate};
use loci_engine::retrieval::SearchRequest;
use loci_model::memory::Memory;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordKind;
use loci_model::record::metadata::Metadata;
use loci_model::{Error, ErrorKind, Namespace, RecordId, Result, limits};
use serde_json::{Map, Value, json};

use super::stores::{self, Stores};
use crate::tools::error::ToolError;
use crate::tools::memory_selection;
use crate::tools::profile::Profile;
use crate::tools::schema::{array, closed, count, list, open, said, text, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

/// The namespace of notes, for a caller whose grants name none.
const NOTES: &str = "/notes/";
/// The number of hits that are compared with a text verbatim.
const LOOKED_AT: u32 = 10;

pub(in crate::tools) fn tool() -> Tool {
    let characters = u32::try_from(limits::RECORD_TEXT_CHARS_MAX).unwrap_or(u32::MAX);
    let entries = u32::try_from(limits::BATCH_RECORDS_MAX).unwrap_or(u32::MAX);
    Tool {
        name: "add_memory",
        dotted: None,
        description: "Add facts, preferences or decisions to long-term memory so that they are remembered across conversations. \
                      Facts proved by code belong in memory_store.",
        profiles: &[Profile::Recall, Profile::Full],
        scope: ToolRight::Write,
        annotations: Annotations::write(false, false, false),
        input: closed(
            [
                ("entries", said(list(text(1, characters), 1, entries), "Data to add to long-term memory")),
                ("stores", said(array(word()), "Names of the stores to add to. Omit for the default store.")),
            ],
            &["entries"],
        ),
        output: open([("stored", count()), ("known", count()), ("warnings", array(word()))], &["stored"]),
        work: Some(|context, arguments| Box::pin(add(context, arguments))),
    }
}

async fn add(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let entries = entries(&arguments)?;
    let names = stores::asked(&arguments);
    let Stores { memories, warnings } = if names.is_empty() {
        let id = memory_selection::place(&context.engine, &context.caller, &context.place).await?;
        let memory = context.engine.memory_get(&context.caller, &id).await?;
        Stores { memories: vec![memory], warnings: Vec::new() }
    } else {
        stores::named(&context, &names).await?
    };
    let (mut stored, mut known) = (0_usize, 0_usize);
    for memory in &memories {
        let (mut fresh, mut again) = (Vec::new(), Vec::new());
        for entry in &entries {
            let same = same_text(&context, memory, entry).await?;
            if same.is_empty() {
                fresh.push(entry.clone());
            } else {
                known = known.saturating_add(1);
                again.extend(same);
            }
        }
        stored = stored.saturating_add(fresh.len());
        write(&context, memory, fresh).await?;
        // A repeated text updates the time of its record.
        if !again.is_empty() {
            context.engine.records_restate(&context.caller, &memory.id, again).await?;
        }
    }
    let mut answer = Map::new();
    answer.insert("stored".to_owned(), json!(stored));
    if known > 0 {
        answer.insert("known".to_owned(), json!(known));
    }
    if !warnings.is_empty() {
        answer.insert("warnings".to_owned(), json!(warnings));
    }
    Ok(Value::Object(answer))
}

/// Returns the texts, each once, without blank ones.
fn entries(arguments: &ReceivedArguments) -> Result<Vec<String>, ToolError> {
    let mut entries: Vec<String> = Vec::new();
    for (nth, entry) in arguments.get("entries").and_then(Value::as_array).into_iter().flatten().enumerate() {
        let entry = entry.as_str().unwrap_or_default();
        if entry.trim().is_empty() {
            let message = format!("entries[{nth}] must not be blank");
            return Err(ToolError::new(ErrorCode::Invalid, message).on("entries"));
        }
        if !entries.iter().any(|earlier| earlier == entry) {
            entries.push(entry.to_owned());
        }
    }
    Ok(entries)
}

/// Returns the records with equal text that the caller may see. A caller that may write but not
/// read adds the text again.
async fn same_text(context: &Context, memory: &Memory, entry: &str) -> Result<Vec<RecordId>> {
    let query = entry.chars().take(limits::QUERY_CHARS_MAX).collect();
    let question =
        SearchRequest { include_system: true, ..SearchRequest::new(memory.id.clone(), query, LOOKED_AT) };
    match context.engine.search_unread(&context.caller, question).await {
        Ok(answer) => {
            let same = answer.hits.into_iter().filter(|hit| hit.record.text == entry);
            Ok(same.map(|hit| hit.record.id).collect())
        }
        Err(error) if error.kind == ErrorKind::Denied => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

async fn write(context: &Context, memory: &Memory, texts: Vec<String>) -> Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    let namespace = notes_of(&context.caller, memory)?;
    let now = context.engine.now();
    let records = texts.into_iter().enumerate().map(|(nth, text)| NewRecord {
        request: nth.to_string(),
        namespaces: vec![namespace.clone()],
        text,
        timestamp: now,
        strategy: None,
        metadata: Metadata::new(),
        kind: RecordKind::Fact,
        subtype: None,
        title: None,
        path: None,
        description: None,
        scope: None,
    });
    let request = RecordsCreate { memory: memory.id.clone(), records: records.collect(), expiry: None };
    let outcome = context.engine.records_create(&context.caller, request, None).await?;
    let failed = outcome.items.into_iter().find_map(|item| item.result.err());
    failed.map_or(Ok(()), |(kind, message)| Err(Error::new(kind, message)))
}

/// Returns the namespace of the caller's notes: one that a grant names, else the common one.
fn notes_of(caller: &Principal, memory: &Memory) -> Result<Namespace> {
    // The tool writes without an actor, a session and a strategy, so grants on those do not apply.
    let granted = caller.grants.iter().find(|grant| {
        grant.capabilities.contains(&Capability::Write)
            && grant.actor.is_none()
            && grant.session.is_none()
            && grant.strategy.is_none()
            && grant.memory.as_ref().is_none_or(|granted| *granted == memory.id)
    });
    match granted.and_then(|grant| grant.namespace.clone()) {
        Some(namespace) => Ok(namespace),
        None => Namespace::parse(NOTES),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::StrategyId;
    use loci_model::principal::Grant;
    use loci_testkit_ports::samples;

    #[test]
    fn notes_lie_where_a_grant_reaches_them() {
        let memory = samples::memory("notes").unwrap();
        let place = |text: &str| Some(Namespace::parse(text).unwrap());
        let wide = Grant { namespace: place("/team/"), ..Grant::everything() };
        let of_strategy = Grant {
            namespace: place("/facts/"),
            strategy: Some(StrategyId::parse("facts").unwrap()),
            ..Grant::everything()
        };
        let check = |grants: &[&Grant], expect: &str| {
            let grants = grants.iter().map(|grant| (*grant).clone()).collect();
            let caller = Principal { name: "ann".into(), grants };
            assert_eq!(notes_of(&caller, &memory).unwrap().as_str(), expect);
        };
        check(&[&wide], "/team/");
        check(&[&of_strategy], NOTES);
        check(&[&of_strategy, &wide], "/team/");
    }
}
