//! The session-start hook: it prints facts of the repository before the first question. Clients
//! without such a hook, or that do not read its output, only receive instructions.

use serde_json::{Value, json};

use super::client::Hook;
use super::json_edit::{self, Refused, Step};
use super::request::{Request, is_our_hook};

/// Returns a hook file with Loci's hook in it, or without it.
///
/// # Errors
///
/// The reason why the text cannot be changed.
pub(super) fn edited(text: &str, hook: Hook, request: &Request) -> Result<String, Refused> {
    let (event, command) = match hook {
        Hook::Groups { .. } => ("SessionStart", request.hook_command(None)),
        Hook::List { client, .. } => ("sessionStart", request.hook_command(Some(client))),
    };
    let list = [Step::Key("hooks"), Step::Key(event)];
    let there = json_edit::get(text, &list)?.unwrap_or(Value::Null);
    let there = there.as_array().map(Vec::as_slice).unwrap_or_default();
    let ours = find(hook, there);
    let way = |inner: &[Step<'static>]| list.iter().copied().chain(inner.iter().copied()).collect::<Vec<_>>();
    if request.remove {
        return ours.map_or_else(|| Ok(text.to_owned()), |inner| json_edit::remove(text, &way(&inner)));
    }
    if let Some(mut inner) = ours {
        inner.push(Step::Key("command"));
        return json_edit::set(text, &way(&inner), &json!(command));
    }
    let mut text = text.to_owned();
    if matches!(hook, Hook::List { .. }) && json_edit::get(&text, &[Step::Key("version")])?.is_none() {
        text = json_edit::set(&text, &[Step::Key("version")], &json!(1))?;
    }
    json_edit::set(&text, &way(&[Step::End]), &entry(hook, &command))
}

fn entry(hook: Hook, command: &str) -> Value {
    match hook {
        Hook::Groups { timeout_s } => {
            let mut inner = json!({ "type": "command", "command": command });
            if let Some(timeout_s) = timeout_s {
                inner["timeout"] = json!(timeout_s);
            }
            json!({ "hooks": [inner] })
        }
        Hook::List { timeout: None, .. } => json!({ "command": command }),
        Hook::List { timeout: Some((name, seconds)), .. } => {
            let mut entry = json!({ "type": "command", "command": command });
            entry[name] = json!(seconds);
            entry
        }
    }
}

/// Returns the path from the list to Loci's hook.
fn find(hook: Hook, list: &[Value]) -> Option<Vec<Step<'static>>> {
    let is_ours = |entry: &Value| entry["command"].as_str().is_some_and(is_our_hook);
    match hook {
        Hook::List { .. } => list.iter().position(is_ours).map(|at| vec![Step::Index(at)]),
        Hook::Groups { .. } => list.iter().enumerate().find_map(|(at, group)| {
            let inner = group["hooks"].as_array()?.iter().position(is_ours)?;
            Some(vec![Step::Index(at), Step::Key("hooks"), Step::Index(inner)])
        }),
    }
}
