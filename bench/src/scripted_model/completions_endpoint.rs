//! The endpoint of the scripted model: `POST /v1/chat/completions` on a free port of loopback, with
//! parallel requests. The program that starts it may watch the requests and withhold a response.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use loci_store_conformance::plain_answers::{Form, answer};

/// A request as it arrived.
#[derive(Debug)]
pub(crate) struct ReceivedQuestion {
    /// The number of the request, from 1, in the order of arrival.
    pub(crate) number: u64,
    pub(crate) form: Form,
    pub(crate) input: String,
}

/// An observer of the requests.
pub(crate) trait Watch: Send + Sync + 'static {
    /// Handles the arrival of a request. Returns false to withhold the response.
    fn asked(&self, _asked: &ReceivedQuestion) -> bool {
        true
    }

    /// Handles the moment before the response is sent.
    fn answers(&self, _asked: &ReceivedQuestion) {}
}

#[derive(Clone)]
struct Door {
    delay: Duration,
    watch: Arc<dyn Watch>,
    number: Arc<AtomicU64>,
}

/// A running scripted model. It stops when this is dropped.
pub(crate) struct Scripted {
    port: u16,
    task: JoinHandle<std::io::Result<()>>,
}

impl Scripted {
    /// Starts listening. Each response is delayed by `delay`.
    pub(crate) async fn start(delay: Duration, watch: Arc<dyn Watch>) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("listening for questions")?;
        let port = listener.local_addr()?.port();
        let door = Door { delay, watch, number: Arc::default() };
        let router = Router::new().route("/v1/chat/completions", post(completion)).with_state(door);
        let task = tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self { port, task })
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Waits until it ends, which happens only after a failure.
    pub(crate) async fn ended(mut self) -> Result<()> {
        (&mut self.task).await.context("the scripted model broke down")?.context("the scripted model ended")
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn completion(State(door): State<Door>, Json(body): Json<Value>) -> (StatusCode, Json<Value>) {
    let said = |role: &str| {
        let messages = body.get("messages").and_then(Value::as_array);
        let found = messages.into_iter().flatten().find(|message| message.get("role") == Some(&json!(role)));
        found
            .and_then(|message| message.get("content"))
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let form = Form::of(&said("system"), body.pointer("/response_format/json_schema/schema"));
    let number = door.number.fetch_add(1, Ordering::SeqCst) + 1;
    let asked = ReceivedQuestion { number, form, input: said("user") };
    if !door.watch.asked(&asked) {
        return (StatusCode::SERVICE_UNAVAILABLE, Json(json!({"error": {"message": "no answer"}})));
    }
    tokio::time::sleep(door.delay).await;
    let content = answer(form, &asked.input);
    door.watch.answers(&asked);
    let tokens = |text: &str| text.len().div_ceil(4);
    let (prompt, completion) = (tokens(&asked.input), tokens(&content));
    let answer = json!({
        "id": format!("chatcmpl-{number}"), "object": "chat.completion", "created": 0,
        "model": body.get("model").cloned().unwrap_or_default(),
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content, "refusal": null},
                     "finish_reason": "stop"}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    });
    (StatusCode::OK, Json(answer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    #[derive(Default)]
    struct Silent(AtomicBool);

    impl Watch for Silent {
        fn asked(&self, asked: &ReceivedQuestion) -> bool {
            assert_eq!(asked.form, Form::Plain);
            !self.0.load(Ordering::SeqCst)
        }
    }

    #[tokio::test]
    async fn a_question_is_answered_or_watched_away() {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let watch = Arc::new(Silent::default());
        let model = Scripted::start(Duration::ZERO, watch.clone()).await.unwrap();
        let ask = || async {
            let body = json!({"model": "m", "messages": [{"role": "user", "content": "there?"}]});
            let url = format!("http://127.0.0.1:{}/v1/chat/completions", model.port());
            let answer = reqwest::Client::new().post(url).json(&body).send().await.unwrap();
            (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
        };
        let (status, answer) = ask().await;
        assert_eq!((status, answer.pointer("/choices/0/message/content")), (200, Some(&json!("ok"))));
        assert_eq!(answer["id"], json!("chatcmpl-1"));
        watch.0.store(true, Ordering::SeqCst);
        assert_eq!(ask().await.0, 503);
    }
}
