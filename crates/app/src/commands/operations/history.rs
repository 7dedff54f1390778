//! `loci sre history`: lists all versions of the knowledge about a service, with their periods of
//! validity.

use anyhow::Result;
use clap::Args;
use loci_api::operations::knowledge as shape;

use super::memory_selection::OperationsMemory;
use crate::output;
use crate::session::Session;

/// The maximum number of characters of a version on a line.
const TEXT_CHARS_MAX: usize = 80;

/// The subject of the history
#[derive(Debug, Args)]
pub(crate) struct History {
    /// The service, as saved
    #[arg(long)]
    service: String,
    /// dependency, pattern, config or baseline [default: all of them]
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only this metric, setting or target
    #[arg(long)]
    metric: Option<String>,
    /// Only this environment, as prod or prod/cluster
    #[arg(long)]
    environment: Option<String>,
    #[command(flatten)]
    at: OperationsMemory,
}

impl History {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let memory = self.at.memory(session).await?;
        let asked = shape::SreHistoryAsk {
            service: self.service.clone(),
            knowledge_type: self.kind.clone(),
            metric: self.metric.clone(),
            environment: self.environment.clone(),
        };
        let history = session.client.sre_history(&memory, &asked).await?;
        output::result(session.json, &history, shown)
    }
}

fn shown(history: &shape::SreHistory) {
    if history.versions.is_empty() {
        output::note("nothing was ever known of that");
    } else {
        let heads = ["FROM", "TO", "STATE", "TYPE", "WHERE", "SAID BY", "RECORD", "SAYS"];
        let mut rows = vec![heads.map(str::to_owned).to_vec()];
        rows.extend(history.versions.iter().map(row));
        output::table(&rows);
    }
    for one in &history.skipped {
        output::note(format!("{} cannot be read: {}", one.record_id, one.reason));
    }
    history.warnings.iter().for_each(output::note);
}

fn row(version: &shape::SreVersion) -> Vec<String> {
    let member = |name: &str| version.content.get(name).and_then(|value| value.as_str());
    let place = [member("environment"), member("cluster")];
    let place: Vec<&str> = place.into_iter().flatten().collect();
    let data = version.content.get("knowledge_data").unwrap_or(&version.content);
    let speaker = version.provenance.agent.as_deref();
    vec![
        version.valid_from.clone(),
        version.valid_to.clone().unwrap_or_else(|| "now".to_owned()),
        version.state.clone(),
        member("knowledge_type").unwrap_or("-").to_owned(),
        place.join("/"),
        speaker.map_or(version.source.clone(), |agent| format!("{agent} ({})", version.source)),
        version.record_id.clone(),
        output::short(&data.to_string(), TEXT_CHARS_MAX),
    ]
}
