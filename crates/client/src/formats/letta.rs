//! Letta's agent files (`.af`): blocks of core memory become documents, archival passages records,
//! messages events. Read only: prompts, tools and settings of an agent are no memory, and are
//! counted as skipped.

use std::collections::BTreeMap;

use loci_api::event::{EventCreate, Extraction, Message, PayloadItem, Role};
use loci_api::record::MetadataValue;
use loci_json::without_mark;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::item::{FormatProblem, ImportItem, ItemTarget, Mapping, record};
use super::json_items::{self, JsonItem};
use super::{SourceFile, frontmatter, mem0, times};

/// The members of a file that hold blocks, and those that hold passages.
const BLOCKS: [&str; 2] = ["blocks", "core_memory"];
const PASSAGES: [&str; 3] = ["passages", "archival_memory", "archival_passages"];
/// The actor of messages without a named agent.
const AGENT: &str = "letta-agent";

/// The names of the agents in a file.
struct Names<'a> {
    /// The actor of messages.
    agent: &'a str,
    /// The agent of each listed block, by the block's id in the file.
    owners: &'a BTreeMap<String, String>,
    /// The names of the agents for every other block.
    others: &'a str,
}

/// Reads agent files, in the current shape (`agents`, `blocks` …) or in the older one of a single
/// agent.
pub(super) fn read(files: &[SourceFile], namespace: &str, _: i64) -> Result<Mapping, FormatProblem> {
    let mut mapping = Mapping::default();
    for file in files {
        // Some agent files contain the text of one, encoded again as JSON.
        let text = without_mark(&file.text);
        let once_more = loci_json::from_str::<String>(text.trim()).ok();
        let text = once_more.as_deref().map_or(text, without_mark);
        let text = &*json_items::repaired(text, &mut mapping);
        let top = members(text)?;
        let name = top.get("name").and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
        let agent = frontmatter::actor(name.as_deref().unwrap_or(AGENT));
        let (owners, agents) = owners(&top);
        let others = if agents.is_empty() { agent.clone() } else { agents.join("-") };
        let names = Names { agent: &agent, owners: &owners, others: &others };
        for (key, raw) in &top {
            part(text, key, raw, &names, namespace, &mut mapping);
        }
    }
    Ok(mapping)
}

/// Returns the agent of each block that an agent lists, and the names of all agents of the file. A
/// block of several agents belongs to the first one.
fn owners(top: &BTreeMap<String, &RawValue>) -> (BTreeMap<String, String>, Vec<String>) {
    let agents = top.get("agents").and_then(|raw| serde_json::from_str::<Vec<Value>>(raw.get()).ok());
    let (mut owners, mut names) = (BTreeMap::new(), Vec::new());
    for agent in agents.iter().flatten().filter_map(Value::as_object) {
        let name = agent_name(agent);
        let blocks = agent.get("block_ids").and_then(Value::as_array);
        for block in blocks.into_iter().flatten().filter_map(Value::as_str) {
            owners.entry(block.to_owned()).or_insert_with(|| name.clone());
        }
        names.push(name);
    }
    (owners, names)
}

/// Returns the name of an agent in a file of the current shape.
fn agent_name(agent: &Map<String, Value>) -> String {
    let word = |key: &str| agent.get(key).and_then(Value::as_str);
    frontmatter::actor(word("name").or(word("id")).unwrap_or(AGENT))
}

/// Returns the members of an agent file.
fn members(text: &str) -> Result<BTreeMap<String, &RawValue>, FormatProblem> {
    let top: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        FormatProblem::new(&place, "", "an agent file must be an object in JSON", "export the agent again")
    })?;
    if top.keys().any(|key| key == "agents" || key == "messages" || BLOCKS.contains(&key.as_str())) {
        return Ok(top);
    }
    let rule = "an agent file must have `agents`, or `core_memory` and `messages`";
    Err(FormatProblem::new("line 1", "", rule, "say another --format, or export the agent again"))
}

/// Reads a member of the file, or of an agent in it.
fn part(text: &str, key: &str, raw: &RawValue, names: &Names<'_>, namespace: &str, mapping: &mut Mapping) {
    let known = key == "agents" || key == "messages" || BLOCKS.contains(&key) || PASSAGES.contains(&key);
    if !known {
        mapping.skip(key, "no memory: prompts, tools and settings stay with the agent");
        return;
    }
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw.get()) else {
        mapping.problems.push(FormatProblem::new(key, key, "it must be a list", "export the agent again"));
        return;
    };
    for (item, raw) in json_items::objects(text, &items).into_iter().zip(items) {
        let taken = item.and_then(|item| match key {
            "agents" => {
                agent_of(text, raw, &item, names, namespace, mapping);
                Ok(None)
            }
            "messages" => message(item, names.agent, mapping),
            _ if BLOCKS.contains(&key) => block(item, names, mapping).map(|item| Some(("block", item))),
            _ => passage(item, namespace, mapping).map(|item| Some(("passage", item))),
        });
        match taken {
            Ok(Some((what, item))) => mapping.take(what, item),
            Ok(None) => {}
            Err(problem) => mapping.problems.push(problem),
        }
    }
}

fn agent_of(
    text: &str,
    raw: &RawValue,
    item: &JsonItem,
    names: &Names<'_>,
    namespace: &str,
    mapping: &mut Mapping,
) {
    let name = agent_name(&item.members);
    let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(raw.get()) else { return };
    let names = Names { agent: &name, owners: names.owners, others: &name };
    for (key, raw) in members {
        part(text, &key, raw, &names, namespace, mapping);
    }
}

fn block(mut item: JsonItem, names: &Names<'_>, mapping: &Mapping) -> Result<ImportItem, FormatProblem> {
    let Some(value) = json_items::text(&mut item, "value")? else {
        return Err(FormatProblem::new(
            &item.place,
            "value",
            "a block must have a text",
            "remove it, or fill it in",
        ));
    };
    let said = json_items::text(&mut item, "id")?.unwrap_or_default();
    let id = lasting(&said).to_owned();
    let label = json_items::text(&mut item, "label")?.unwrap_or_else(|| "block".to_owned());
    let description = json_items::text(&mut item, "description")?;
    // Two agents, of one file or of two, may have equal labels.
    let agent = names.owners.get(&said).map_or(names.others, String::as_str);
    let name = if id.is_empty() { agent } else { &id };
    let path = format!("knowledge/letta/{}-{}", frontmatter::segment(&label), frontmatter::segment(name));
    let rest = Value::Object(item.members).to_string();
    let more = [("source", format!("letta:{id}")), ("letta_rest", rest)];
    let file = frontmatter::file(&label, description.as_deref(), &more, &value);
    let path = free(&path, &id, &file, mapping);
    Ok(ImportItem { id, place: item.place, becomes: ItemTarget::Document { path, file, raw: false } })
}

/// Returns a path that no other block has. A repeated block gets its own path again; the caller
/// that stores it detects the repetition.
fn free(path: &str, id: &str, file: &str, mapping: &Mapping) -> String {
    let is_taken = |candidate: &String| {
        mapping.items.iter().any(|other| match &other.becomes {
            ItemTarget::Document { path, file: theirs, .. } => {
                path == candidate && (other.id != id || (id.is_empty() && theirs != file))
            }
            ItemTarget::Record(_) | ItemTarget::Event(_) => false,
        })
    };
    let first = format!("{path}.md");
    if !is_taken(&first) {
        return first;
    }
    (2..).map(|number| format!("{path}-{number}.md")).find(|candidate| !is_taken(candidate)).unwrap_or(first)
}

fn passage(mut item: JsonItem, namespace: &str, mapping: &mut Mapping) -> Result<ImportItem, FormatProblem> {
    let text = json_items::remembered(&mut item, "text")?;
    let id = lasting(&json_items::text(&mut item, "id")?.unwrap_or_default()).to_owned();
    if json_items::taken(&mut item, "embedding").is_some_and(|vector| !vector.is_null()) {
        mapping.loses("vectors of passages are left out: they are made anew");
    }
    let said = item.members.get("created_at").and_then(Value::as_str);
    let timestamp = said.and_then(|time| times::time(time, mapping));
    let rest = MetadataValue::String(Value::Object(item.members).to_string());
    let record = record(namespace, text, timestamp, BTreeMap::from([(mem0::REST.to_owned(), rest)]));
    Ok(ImportItem { id, place: item.place, becomes: ItemTarget::Record(record) })
}

/// Returns the id of an item; empty if it is the item's number in its file (`message-3`), because
/// every file has such ids.
fn lasting(id: &str) -> &str {
    let is_number = |rest: &str| rest.chars().all(|c| c.is_ascii_digit());
    if id.split_once('-').is_some_and(|(_, rest)| is_number(rest)) { "" } else { id }
}

fn message(
    item: JsonItem,
    agent: &str,
    mapping: &mut Mapping,
) -> Result<Option<(&'static str, ImportItem)>, FormatProblem> {
    let word = |key: &str| item.members.get(key).and_then(Value::as_str);
    let role = match word("role") {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        Some("system") => {
            mapping.skip("system message", "no talk: it is the agent's prompt");
            return Ok(None);
        }
        Some(_) => Role::Other,
        None => {
            let rule = "a message must have a role";
            return Err(FormatProblem::new(
                &item.place,
                "role",
                rule,
                "remove the message, or name who spoke",
            ));
        }
    };
    let mut payload = Vec::new();
    let said = spoken(&item.members, mapping);
    if !said.trim().is_empty() {
        payload.push(PayloadItem::Message(Message { role, text: said }));
    }
    if let Some(calls) =
        item.members.get("tool_calls").filter(|calls| calls.as_array().is_some_and(|c| !c.is_empty()))
    {
        let named = serde_json::json!({ "tool_calls": calls });
        if let Ok(raw) = serde_json::value::to_raw_value(&named) {
            payload.push(PayloadItem::Json(raw));
        }
    }
    if payload.is_empty() {
        mapping.skip("empty message", "it says nothing");
        return Ok(None);
    }
    mapping.loses("of messages role, text, calls of tools and time are kept; other members are left out");
    let time = word("created_at").and_then(|time| times::time(time, mapping));
    let event = EventCreate {
        actor: agent.to_owned(),
        session: Some(format!("letta-{agent}").chars().take(100).collect()),
        time,
        payload,
        branch: None,
        metadata: BTreeMap::new(),
        extraction: Extraction::Extract,
        namespace_variables: BTreeMap::new(),
    };
    let id = lasting(word("id").unwrap_or_default()).to_owned();
    Ok(Some(("message", ImportItem { id, place: item.place.clone(), becomes: ItemTarget::Event(event) })))
}

/// Returns the text of a message: the content itself, or its text parts.
fn spoken(members: &Map<String, Value>, mapping: &mut Mapping) -> String {
    match members.get("content").or_else(|| members.get("text")) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let mut texts = Vec::new();
            for part in parts {
                match part.get("text").and_then(Value::as_str) {
                    Some(text) => texts.push(text),
                    None => mapping.skip("part of a message", "no text: images, thinking and the like"),
                }
            }
            texts.join("\n")
        }
        _ => String::new(),
    }
}
