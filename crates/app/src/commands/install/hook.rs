//! The session-start hook: it prints facts of the repository before the first question. Clients
//! without such a hook, or that do not read its output, only receive instructions.

use serde_json::{Value, json};

use super::client::HookFormat;
use super::json_edit::{self, EditRefusal, JsonPathStep};
use super::request::{InstallRequest, is_our_hook};

/// Returns a hook file with Loci's hook in it, or without it.
///
/// # Errors
///
/// The reason why the text cannot be changed.
pub(super) fn edited(text: &str, hook: HookFormat, request: &InstallRequest) -> Result<String, EditRefusal> {
    let (event, command) = match hook {
        HookFormat::Groups { .. } => ("SessionStart", request.hook_command(None)),
        HookFormat::List { client, .. } => ("sessionStart", request.hook_command(Some(client))),
    };
    let list = [JsonPathStep::Key("hooks"), JsonPathStep::Key(event)];
    let there = json_edit::get(text, &list)?.unwrap_or(Value::Null);
    let there = there.as_array().map(Vec::as_slice).unwrap_or_default();
    let ours = find(hook, there);
    let way = |inner: &[JsonPathStep<'static>]| {
        list.iter().copied().chain(inner.iter().copied()).collect::<Vec<_>>()
    };
    if request.remove {
        return ours.map_or_else(|| Ok(text.to_owned()), |inner| json_edit::remove(text, &way(&inner)));
    }
    if let Some(mut inner) = ours {
        inner.push(JsonPathStep::Key("command"));
        return json_edit::set(text, &way(&inner), &json!(command));
    }
    let mut text = text.to_owned();
    if matches!(hook, HookFormat::List { .. })
        && json_edit::get(&text, &[JsonPathStep::Key("version")])?.is_none()
    {
        text = json_edit::set(&text, &[JsonPathStep::Key("version")], &json!(1))?;
    }
    json_edit::set(&text, &way(&[JsonPathStep::End]), &entry(hook, &command))
}

fn entry(hook: HookFormat, command: &str) -> Value {
    match hook {
        HookFormat::Groups { timeout_s } => {
            let mut inner = json!({ "type": "command", "command": command });
            if let Some(timeout_s) = timeout_s {
                inner["timeout"] = json!(timeout_s);
            }
            json!({ "hooks": [inner] })
        }
        HookFormat::List { timeout: None, .. } => json!({ "command": command }),
        HookFormat::List { timeout: Some((name, seconds)), .. } => {
            let mut entry = json!({ "type": "command", "command": command });
            entry[name] = json!(seconds);
            entry
        }
    }
}

/// Returns the path from the list to Loci's hook.
fn find(hook: HookFormat, list: &[Value]) -> Option<Vec<JsonPathStep<'static>>> {
    let is_ours = |entry: &Value| entry["command"].as_str().is_some_and(is_our_hook);
    match hook {
        HookFormat::List { .. } => list.iter().position(is_ours).map(|at| vec![JsonPathStep::Index(at)]),
        HookFormat::Groups { .. } => list.iter().enumerate().find_map(|(at, group)| {
            let inner = group["hooks"].as_array()?.iter().position(is_ours)?;
            Some(vec![JsonPathStep::Index(at), JsonPathStep::Key("hooks"), JsonPathStep::Index(inner)])
        }),
    }
}
