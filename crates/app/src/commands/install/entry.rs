//! The entry for Loci in the server list of each client. The clients define the shapes, and the
//! editor modules change the text. Other members stay unchanged.

use serde_json::{Value, json};

use super::client::{Client, InstallScope, ServerListFormat};
use super::json_edit::{self, EditRefusal, JsonPathStep};
use super::request::{ClientConnection, InstallRequest};
use super::toml_table::{self, Member};

/// The name of the Loci server in the server list of each client.
const NAME: &str = "loci";
const TOML_PLACE: [&str; 2] = ["mcp_servers", NAME];
/// The id of the token prompt in VS Code.
const INPUT: &str = "loci-token";

/// The desired value of a member.
#[derive(Debug, PartialEq)]
enum DesiredMember {
    /// This value.
    Is(Value),
    /// This value, unless one is present.
    Present(Value),
    /// One of these values. A different value becomes the first.
    OneOf(&'static [&'static str]),
    /// Absent, unless the member has this value.
    GoneUnless(&'static str),
    Gone,
}

/// Returns a server list with the requested entry for Loci, or without one.
///
/// # Errors
///
/// The reason why the text cannot be changed.
pub(super) fn edited(
    text: &str,
    servers: ServerListFormat,
    request: &InstallRequest,
) -> Result<String, EditRefusal> {
    match (servers, request.remove) {
        (ServerListFormat::Toml, false) => toml_table::set(text, TOML_PLACE, &toml_members(request)),
        (ServerListFormat::Toml, true) => toml_table::remove(text, TOML_PLACE),
        (ServerListFormat::Json(list), false) => with_input(&json_set(text, list, request)?, request),
        (ServerListFormat::Json(list), true) => with_input(
            &json_edit::remove(text, &[JsonPathStep::Key(list), JsonPathStep::Key(NAME)])?,
            request,
        ),
    }
}

fn json_set(text: &str, list: &str, request: &InstallRequest) -> Result<String, EditRefusal> {
    let place = [JsonPathStep::Key(list), JsonPathStep::Key(NAME)];
    let wants = wants(request);
    if !json_edit::get(text, &place)?.is_some_and(|entry| entry.is_object()) {
        let mut entry = json!({});
        for (way, want) in &wants {
            let value = match want {
                DesiredMember::Is(value) | DesiredMember::Present(value) => value.clone(),
                DesiredMember::OneOf(values) => values.first().map_or(Value::Null, |value| json!(value)),
                DesiredMember::GoneUnless(_) | DesiredMember::Gone => continue,
            };
            match way {
                [name] => entry[*name] = value,
                [outer, name] => entry[*outer][*name] = value,
                _ => {}
            }
        }
        return json_edit::set(text, &place, &entry);
    }
    let mut text = text.to_owned();
    for (names, want) in wants {
        let way: Vec<_> =
            place.iter().copied().chain(names.iter().map(|name| JsonPathStep::Key(name))).collect();
        let is = json_edit::get(&text, &way)?;
        let is_one_of =
            |values: &[&str]| is.as_ref().and_then(Value::as_str).is_some_and(|is| values.contains(&is));
        text = match want {
            DesiredMember::Is(value) => json_edit::set(&text, &way, &value)?,
            DesiredMember::Present(value) if is.is_none() => json_edit::set(&text, &way, &value)?,
            DesiredMember::OneOf(values) if !is_one_of(values) => {
                json_edit::set(&text, &way, &values.first().map_or(Value::Null, |value| json!(value)))?
            }
            DesiredMember::GoneUnless(value) if !is_one_of(&[value]) => json_edit::remove(&text, &way)?,
            DesiredMember::Gone => json_edit::remove(&text, &way)?,
            DesiredMember::Present(_) | DesiredMember::OneOf(_) | DesiredMember::GoneUnless(_) => text,
        };
    }
    Ok(text)
}

type DesiredMembers = Vec<(&'static [&'static str], DesiredMember)>;

fn wants(request: &InstallRequest) -> DesiredMembers {
    let is_http = matches!(request.form, ClientConnection::Http { .. });
    // Claude Code and Copilot both read `.mcp.json`, so the kind is one that both know.
    let kind: Option<DesiredMember> = match (request.client, is_http) {
        (Client::Vscode, false) => Some(DesiredMember::Is(json!("stdio"))),
        (Client::Copilot, false) if request.scope == InstallScope::Project => {
            Some(DesiredMember::Is(json!("stdio")))
        }
        (Client::Copilot, false) => Some(DesiredMember::OneOf(&["local", "stdio"])),
        (Client::ClaudeCode | Client::Vscode | Client::Copilot, true) => {
            Some(DesiredMember::Is(json!("http")))
        }
        (Client::ClaudeCode | Client::Cursor, false) => Some(DesiredMember::GoneUnless("stdio")),
        (Client::Cursor, true) => Some(DesiredMember::GoneUnless("http")),
        (Client::Windsurf | Client::Codex, _) => None,
    };
    let mut wants: DesiredMembers = kind.into_iter().map(|want| (["type"].as_slice(), want)).collect();
    match &request.form {
        ClientConnection::Stdio { .. } => wants.extend([
            (["command"].as_slice(), DesiredMember::Is(json!(request.program))),
            (["args"].as_slice(), DesiredMember::Is(json!(request.arguments()))),
            (["url"].as_slice(), DesiredMember::Gone),
            (["serverUrl"].as_slice(), DesiredMember::Gone),
            (["headers"].as_slice(), DesiredMember::Gone),
        ]),
        ClientConnection::Http { base } => {
            let url = DesiredMember::Is(json!(format!("{base}/mcp")));
            let (name, other): (&'static [_], &'static [_]) = if request.client == Client::Windsurf {
                (&["serverUrl"], &["url"])
            } else {
                (&["url"], &["serverUrl"])
            };
            wants.extend([
                (name, url),
                (["headers", "Authorization"].as_slice(), DesiredMember::Is(json!(bearer(request.client)))),
                (other, DesiredMember::Gone),
                (["command"].as_slice(), DesiredMember::Gone),
                (["args"].as_slice(), DesiredMember::Gone),
            ]);
        }
    }
    if request.client == Client::Copilot {
        wants.push((["tools"].as_slice(), DesiredMember::Present(json!(["*"]))));
    }
    wants
}

/// Returns the header with the token: a placeholder in the client's own syntax.
fn bearer(client: Client) -> String {
    let token = match client {
        Client::ClaudeCode | Client::Copilot | Client::Codex => "${LOCI_TOKEN}",
        Client::Cursor | Client::Windsurf => "${env:LOCI_TOKEN}",
        Client::Vscode => "${input:loci-token}",
    };
    format!("Bearer {token}")
}

fn toml_members(request: &InstallRequest) -> Vec<(&'static str, Member)> {
    match &request.form {
        ClientConnection::Stdio { .. } => {
            let mut members = vec![
                ("command", Member::Text(request.program.clone())),
                ("args", Member::Texts(request.arguments())),
            ];
            // Codex passes only a few variables to servers by default.
            if request.needs_token() {
                members.push(("env_vars", Member::Texts(vec!["LOCI_TOKEN".to_owned()])));
            }
            let of_http = ["url", "bearer_token_env_var", "http_headers", "env_http_headers"];
            members.extend(of_http.map(|name| (name, Member::Gone)));
            members
        }
        ClientConnection::Http { base } => {
            let mut members = vec![
                ("url", Member::Text(format!("{base}/mcp"))),
                ("bearer_token_env_var", Member::Text("LOCI_TOKEN".to_owned())),
            ];
            // Codex rejects a server with an address and any of these.
            members.extend(["command", "args", "env", "env_vars", "cwd"].map(|name| (name, Member::Gone)));
            members
        }
    }
}

/// Adds the token prompt of VS Code if and only if the server needs it.
fn with_input(text: &str, request: &InstallRequest) -> Result<String, EditRefusal> {
    if request.client != Client::Vscode {
        return Ok(text.to_owned());
    }
    let inputs = json_edit::get(text, &[JsonPathStep::Key("inputs")])?;
    let inputs = inputs.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let at = inputs.iter().position(|input| input["id"] == INPUT);
    let is_wanted = !request.remove && matches!(request.form, ClientConnection::Http { .. });
    match at {
        None if is_wanted => {
            let input = json!({
                "type": "promptString",
                "id": INPUT,
                "description": "Token of the Loci server",
                "password": true,
            });
            json_edit::set(text, &[JsonPathStep::Key("inputs"), JsonPathStep::End], &input)
        }
        Some(at) if !is_wanted => {
            json_edit::remove(text, &[JsonPathStep::Key("inputs"), JsonPathStep::Index(at)])
        }
        Some(_) | None => Ok(text.to_owned()),
    }
}
