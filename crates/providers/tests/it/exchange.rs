//! The recorded exchanges, read from their files.

use loci_model::job::exchange::Step;
use loci_model::ports::language_model::{Completion, Finish, ModelError, OutputForm, Reply};
use serde_json::{Value, json};

use crate::vendor::VendorAnswer;

/// The schema of exchanges with JSON output.
const SCHEMA: &str = r#"{"type":"object","required":["items"],"properties":{"items":{"type":"array","items":
    {"type":"object","required":["fact"],"properties":{"fact":{"type":"string"},"scope":{"type":"string"}}}}}}"#;

/// One exchange of a file.
pub(crate) struct Exchange {
    pub(crate) name: String,
    /// The members of the configuration that differ from the defaults.
    pub(crate) config: Value,
    pub(crate) completion: Completion,
    /// The number of calls; the outcome is that of the last one.
    pub(crate) calls: usize,
    /// The expected requests. If there are fewer than actual requests, the remaining ones are not
    /// checked.
    pub(crate) requests: Vec<Value>,
    pub(crate) answers: Vec<VendorAnswer>,
    /// The expected outcome, in the format of [`outcome`].
    pub(crate) expect: Value,
    /// The total number of requests.
    pub(crate) tries: usize,
}

/// Returns all exchanges of a vendor.
pub(crate) fn of(file: &str) -> Vec<Exchange> {
    let file: Value = serde_json::from_str(file).unwrap();
    file.as_array().unwrap().iter().map(read).collect()
}

fn read(case: &Value) -> Exchange {
    const KNOWN: [&str; 8] = ["name", "config", "asks", "calls", "requests", "answers", "expect", "tries"];
    let members = case.as_object().unwrap();
    assert!(members.keys().all(|name| KNOWN.contains(&name.as_str())), "{case}");
    let list = |name: &str| case.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let count =
        |name: &str| case.get(name).map_or(1, |count| usize::try_from(count.as_u64().unwrap()).unwrap());
    Exchange {
        name: case["name"].as_str().unwrap().to_owned(),
        config: case.get("config").cloned().unwrap_or(Value::Null),
        completion: Completion {
            step: Step::Extract,
            system: "Find facts.".to_owned(),
            input: "My <question>.".to_owned(),
            output: match case["asks"].as_str() {
                Some("text") => OutputForm::Text,
                Some("json") | None => OutputForm::Json { name: "facts", schema: SCHEMA.to_owned() },
                Some(other) => panic!("{other}"),
            },
            max_output_tokens: 500,
        },
        calls: count("calls"),
        requests: list("requests"),
        answers: list("answers").iter().map(answer).collect(),
        expect: case["expect"].clone(),
        tries: count("tries"),
    }
}

fn answer(answer: &Value) -> VendorAnswer {
    match answer {
        Value::String(word) if word == "breaks off" => VendorAnswer::BreaksOff,
        Value::String(word) if word == "silent" => VendorAnswer::Silent,
        Value::Object(said) => VendorAnswer::Said {
            status: said.get("status").map_or(200, |status| u16::try_from(status.as_u64().unwrap()).unwrap()),
            headers: said
                .get("headers")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned()))
                .collect(),
            body: match &said["body"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
        },
        other => panic!("{other}"),
    }
}

/// Returns the outcome of a call.
pub(crate) fn outcome(outcome: &Result<Reply, ModelError>) -> Value {
    match outcome {
        Ok(reply) => json!({
            "text": reply.text,
            "model": reply.model,
            "tokens": [reply.usage.input_tokens, reply.usage.output_tokens],
            "finish": match &reply.finish {
                Finish::Complete => "complete".to_owned(),
                Finish::CutOff => "cut off".to_owned(),
                Finish::Refused(why) => format!("refused: {why}"),
            },
        }),
        Err(error) => {
            let mut told = json!({"error": error.kind.as_str(), "message": error.message});
            if let Some(pause) = error.retry_after_ms {
                told["pause_ms"] = json!(pause);
            }
            told
        }
    }
}
