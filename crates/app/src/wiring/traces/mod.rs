//! Wiring of traces: their target, their spans, and the task that sends them. Without a configured
//! address there are none.

mod job_links;
mod spans;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, anyhow};
use loci_model::ports::clock::Clock;
use loci_model::ports::ids::IdSource;
use loci_model::ports::observe::Observe;
use loci_outbound::otlp::{Collector, Exporter, headers};
use loci_outbound::request::Transport;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::config::Config;
use crate::config::embedding::EmbedderProtocol;
use crate::config::environment::Environment;
use crate::config::models::ModelProtocol;
use job_links::JobLinks;
use spans::{ServiceKind, Spans};

/// The target of traces, and their permitted content, with the secrets from the environment.
#[derive(Debug, Default)]
pub struct TracesPlan(Option<Plan>);

#[derive(Debug)]
struct Plan {
    collector: Collector,
    capture_content: bool,
    vendors: BTreeMap<(ServiceKind, String), &'static str>,
}

impl TracesPlan {
    /// Reads the plan from the configuration.
    ///
    /// # Errors
    /// The headers cannot be parsed.
    pub fn read(config: &Config, environment: &Environment) -> Result<Self> {
        let section = &config.telemetry;
        let Some(endpoint) = section.endpoint() else { return Ok(Self(None)) };
        let headers = match &section.headers_env {
            None => Vec::new(),
            Some(variable) => match environment.secret(variable) {
                Some(text) => headers(&text)
                    .map_err(|why| anyhow!("{variable}, which telemetry.headers_env names: {why}"))?,
                None => {
                    tracing::warn!(variable, "the variable with the headers of the collector is not set");
                    Vec::new()
                }
            },
        };
        let collector =
            Collector { endpoint: endpoint.to_owned(), headers, version: env!("CARGO_PKG_VERSION") };
        let plan = Plan { collector, capture_content: section.capture_content, vendors: vendors(config) };
        Ok(Self(Some(plan)))
    }

    /// True if no traces are sent.
    pub fn is_quiet(&self) -> bool {
        self.0.is_none()
    }

    /// Starts to queue spans in addition to the counters of `metrics`.
    pub fn begin(self, metrics: Arc<dyn Observe>, clock: &Arc<dyn Clock>, ids: &Arc<dyn IdSource>) -> Traces {
        let Some(plan) = self.0 else { return Traces { observe: metrics, exporter: None, sending: None } };
        let exporter = Arc::new(Exporter::new(plan.collector, Arc::clone(clock), Arc::clone(&metrics)));
        let spans = Spans {
            metrics,
            exporter: Arc::clone(&exporter),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
            capture_content: plan.capture_content,
            vendors: plan.vendors,
            links: JobLinks::default(),
        };
        Traces { observe: Arc::new(spans), exporter: Some(exporter), sending: None }
    }
}

/// The traces of a process.
pub struct Traces {
    observe: Arc<dyn Observe>,
    exporter: Option<Arc<Exporter>>,
    sending: Option<Mutex<Option<Sending>>>,
}

struct Sending {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Traces {
    /// Returns the observer of the process.
    pub fn observe(&self) -> Arc<dyn Observe> {
        Arc::clone(&self.observe)
    }

    /// Starts to send.
    ///
    /// # Errors
    /// There is no runtime to send from.
    pub fn send_over(self, transport: &Arc<dyn Transport>) -> Result<Self> {
        let Some(exporter) = self.exporter.clone() else { return Ok(self) };
        let runtime = Handle::try_current().context("traces are sent by tasks of tokio")?;
        let (stop, stopped) = oneshot::channel();
        let transport = Arc::clone(transport);
        let task = runtime.spawn(async move {
            // A dropped sender ends the sending too.
            let stopped = Box::pin(async move { stopped.await.unwrap_or(()) });
            exporter.run(transport.as_ref(), stopped).await;
        });
        Ok(Self { sending: Some(Mutex::new(Some(Sending { stop, task }))), ..self })
    }

    /// Sends the queued spans once, and ends.
    pub async fn end(&self) {
        let Some(sending) = &self.sending else { return };
        let taken = sending.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Sending { stop, task }) = taken {
            let _ = stop.send(()); // the task may have ended already
            if task.await.is_err() {
                tracing::warn!("the task that sends traces did not end well");
            }
        }
    }
}

/// Returns vendors by configured name, in the terms of the convention.
fn vendors(config: &Config) -> BTreeMap<(ServiceKind, String), &'static str> {
    let models = config.models.iter().map(|model| {
        let vendor = match model.protocol {
            ModelProtocol::OpenAi => "openai",
            ModelProtocol::Anthropic => "anthropic",
            ModelProtocol::Bedrock => "aws.bedrock",
            ModelProtocol::Gemini => "gcp.gemini",
        };
        ((ServiceKind::Model, model.name.clone()), vendor)
    });
    let embedders = config.embedders.iter().map(|embedder| {
        let vendor = match embedder.protocol {
            EmbedderProtocol::OpenAi => "openai",
            EmbedderProtocol::Bedrock => "aws.bedrock",
            EmbedderProtocol::Gemini => "gcp.gemini",
            EmbedderProtocol::Onnx => "loci",
        };
        ((ServiceKind::Embedder, embedder.name.clone()), vendor)
    });
    models.chain(embedders).collect()
}
