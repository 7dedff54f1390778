//! Tools that ask first: a form, a model, the client's folders, in one round or several.

use loci_server::mcp::fault::McpFault;
use loci_server::mcp::message::Params;
use loci_server::mcp::provider::{CallReply, HandlerRequest};
use serde_json::{Map, Value, json};

use super::contents::{defaults, enums, one, text};

/// Returns questions by their names.
fn ask(questions: Vec<(&str, Value)>, state: Value) -> CallReply {
    let requests = questions.into_iter().map(|(name, question)| (name.to_owned(), question)).collect();
    CallReply::Ask { requests, state }
}

/// Returns a form.
pub(super) fn form(message: &str, schema: Value) -> Value {
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

/// Returns a question to a model.
fn model(prompt: &str, tokens: u32) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    json!({ "method": "sampling/createMessage", "params": { "messages": [message], "maxTokens": tokens } })
}

/// Returns a request for the client's folders.
fn roots() -> Value {
    json!({ "method": "roots/list", "params": {} })
}

/// Returns a value of a form that was filled in.
pub(super) fn filled<'a>(asking: &'a HandlerRequest, name: &str, member: &str) -> Option<&'a Value> {
    let answer = asking.inputs.responses.get(name)?;
    (answer.get("action")?.as_str()? == "accept").then_some(())?;
    answer.get("content")?.get(member)
}

/// Returns the answer to a question, if there is one.
fn answered<'a>(asking: &'a HandlerRequest, name: &str) -> Option<&'a Value> {
    asking.inputs.responses.get(name)
}

/// Returns the outcome of a form, in words.
fn outcome(answer: &Value) -> String {
    let action = answer.get("action").and_then(Value::as_str).unwrap_or("none");
    format!("action={action}, content={}", answer.get("content").unwrap_or(&Value::Null))
}

fn state(asking: &HandlerRequest, round: u32) -> bool {
    asking.inputs.state.get("round").and_then(Value::as_u64) == Some(u64::from(round))
}

/// Calls one of these tools; `None` for an unknown name.
pub(super) fn call(
    asking: &HandlerRequest,
    name: &str,
    arguments: &Params,
) -> Option<Result<CallReply, McpFault>> {
    let given = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let done = |said: String| Ok(CallReply::Done(text(said)));
    let reply = match name {
        "test_sampling" => match answered(asking, "llm") {
            Some(answer) => {
                done(format!("LLM response: {}", answer.pointer("/content/text").unwrap_or(&Value::Null)))
            }
            None => Ok(ask(vec![("llm", model(given("prompt"), 100))], Value::Null)),
        },
        "test_elicitation" => match answered(asking, "user") {
            Some(answer) => done(format!("User response: {}", outcome(answer))),
            None => Ok(ask(vec![("user", form(given("message"), contact()))], Value::Null)),
        },
        "test_elicitation_sep1034_defaults" => asked_once(asking, "Fill in the form", defaults()),
        "test_elicitation_sep1330_enums" => asked_once(asking, "Choose", enums()),
        "test_streaming_elicitation" => asked_once(asking, "Go on?", one("ok", "boolean")),
        "test_missing_capability" => match answered(asking, "llm") {
            Some(_) => done("The client can sample".to_owned()),
            None => Ok(ask(vec![("llm", model("Say something", 10))], Value::Null)),
        },
        _ => return rounds(asking, name),
    };
    Some(reply)
}

fn contact() -> Value {
    json!({
        "type": "object",
        "properties": {
            "username": { "type": "string", "description": "User's response" },
            "email": { "type": "string", "description": "User's email address" },
        },
        "required": ["username", "email"],
    })
}

fn asked_once(asking: &HandlerRequest, message: &str, schema: Value) -> Result<CallReply, McpFault> {
    match answered(asking, "form") {
        Some(answer) => Ok(CallReply::Done(text(format!("Elicitation completed: {}", outcome(answer))))),
        None => Ok(ask(vec![("form", form(message, schema))], Value::Null)),
    }
}

/// Calls the tools that test the rounds of the newest revision.
fn rounds(asking: &HandlerRequest, name: &str) -> Option<Result<CallReply, McpFault>> {
    let done = |said: &str| Ok(CallReply::Done(text(said)));
    let name_form = || form("What is your name?", one("name", "string"));
    let reply = match name {
        "test_input_required_result_elicitation" => {
            match filled(asking, "user_name", "name").and_then(Value::as_str) {
                Some(name) => done(&format!("Hello, {name}!")),
                None => Ok(ask(vec![("user_name", name_form())], Value::Null)),
            }
        }
        "test_input_required_result_sampling" => match answered(asking, "capital_question") {
            Some(answer) => {
                done(&format!("The model said: {}", answer.pointer("/content/text").unwrap_or(&Value::Null)))
            }
            None => {
                Ok(ask(vec![("capital_question", model("What is the capital of France?", 100))], Value::Null))
            }
        },
        "test_input_required_result_list_roots" => match answered(asking, "client_roots") {
            Some(answer) => done(&format!("Roots: {}", answer.get("roots").unwrap_or(&Value::Null))),
            None => Ok(ask(vec![("client_roots", roots())], Value::Null)),
        },
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => {
            if state(asking, 1) && filled(asking, "confirm", "ok").is_some() {
                done("state-ok")
            } else {
                let question = form("Please confirm", one("ok", "boolean"));
                Ok(ask(vec![("confirm", question)], json!({ "round": 1 })))
            }
        }
        "test_input_required_result_multiple_inputs" => {
            let all = ["user_name", "greeting", "client_roots"];
            if state(asking, 1) && all.iter().all(|name| answered(asking, name).is_some()) {
                done("All inputs have come")
            } else {
                let greeting = model("Generate a greeting", 50);
                let questions =
                    vec![("user_name", name_form()), ("greeting", greeting), ("client_roots", roots())];
                Ok(ask(questions, json!({ "round": 1 })))
            }
        }
        "test_input_required_result_multi_round" => Ok(multi_round(asking)),
        "test_input_required_result_capabilities" => Ok(by_capability(asking)),
        _ => return None,
    };
    Some(reply)
}

fn multi_round(asking: &HandlerRequest) -> CallReply {
    let first = filled(asking, "step1", "name").and_then(Value::as_str);
    let known = asking.inputs.state.get("name").and_then(Value::as_str);
    if let (Some(name), Some(color)) = (known, filled(asking, "step2", "color").and_then(Value::as_str)) {
        return CallReply::Done(text(format!("{name} likes {color}")));
    }
    match (state(asking, 1), first) {
        (true, Some(name)) => {
            let question = form("Step 2: What is your favorite color?", one("color", "string"));
            ask(vec![("step2", question)], json!({ "round": 2, "name": name }))
        }
        _ => {
            let question = form("Step 1: What is your name?", one("name", "string"));
            ask(vec![("step1", question)], json!({ "round": 1 }))
        }
    }
}

/// Asks only questions for which the client has the capability.
fn by_capability(asking: &HandlerRequest) -> CallReply {
    let mut questions: Map<String, Value> = Map::new();
    if asking.can("elicitation") {
        questions.insert("user".to_owned(), form("What is your name?", one("name", "string")));
    }
    if asking.can("sampling") {
        questions.insert("model".to_owned(), model("Say something", 10));
    }
    let all = questions.keys().all(|name| answered(asking, name).is_some());
    if all {
        CallReply::Done(text("Nothing is left to ask"))
    } else {
        CallReply::Ask { requests: questions, state: Value::Null }
    }
}
