//! The memories of a run: they have different strategies, some have a stream, and the configuration
//! names the targets of their notifications.

use anyhow::Result;
use serde_json::{Value, json};

use crate::wire::{Wire, text_at};

const STREAM: &str = "arn:aws:kinesis:us-west-2:000000000000:stream/records";
const ENDS: &str = "ends-of-jobs";

/// A memory.
pub(super) struct Memory {
    pub(super) name: String,
    pub(super) id: String,
    /// True if the memory has a summary of each session.
    pub(super) summarizes: bool,
    /// True if followers get a notification of every change of a record.
    pub(super) streams: bool,
}

/// Returns the configuration of the targets of notifications.
pub(super) fn configuration(url: &str) -> String {
    format!(
        "[[target]]\nname = \"{STREAM}\"\nurl = \"{url}\"\n[[target]]\nname = \"{ENDS}\"\nurl = \"{url}\"\n\
         [[webhook]]\ntarget = \"{ENDS}\"\non = [\"job.done\", \"job.failed\"]\nmemory = \"{}\"\n",
        name(1)
    )
}

fn name(number: usize) -> String {
    format!("cluster{number}")
}

/// Creates the memories.
pub(super) async fn make(wire: &Wire) -> Result<Vec<Memory>> {
    let semantic =
        || json!({"semanticMemoryStrategy": {"name": "facts", "namespaceTemplates": ["/facts/{actorId}/"]}});
    let summary = || {
        json!({"summaryMemoryStrategy": {"name": "summaries",
            "namespaceTemplates": ["/summaries/{actorId}/{sessionId}/"]}})
    };
    let preference = || {
        json!({"userPreferenceMemoryStrategy": {"name": "preferences",
            "namespaceTemplates": ["/preferences/{actorId}/"]}})
    };
    let episodic = || {
        json!({"episodicMemoryStrategy": {"name": "episodes",
            "namespaceTemplates": ["/episodes/{actorId}/{sessionId}/"],
            "reflectionConfiguration": {"namespaceTemplates": ["/episodes/{actorId}/"]}}})
    };
    let kinds: [(Vec<Value>, bool); 4] = [
        (vec![semantic(), summary()], true),
        (vec![semantic()], false),
        (vec![semantic(), preference(), summary(), episodic()], false),
        (vec![semantic(), preference()], true),
    ];
    let mut memories = Vec::new();
    for (number, (strategies, streams)) in kinds.into_iter().enumerate() {
        let summarizes = strategies.iter().any(|strategy| strategy.get("summaryMemoryStrategy").is_some());
        let mut body =
            json!({"name": name(number), "eventExpiryDuration": 90, "memoryStrategies": strategies});
        if streams {
            let content = json!([{"type": "MEMORY_RECORDS", "level": "FULL_CONTENT"}]);
            let kinesis = json!({"dataStreamArn": STREAM, "contentConfigurations": content});
            body["streamDeliveryResources"] = json!({"resources": [{"kinesis": kinesis}]});
        }
        let made = wire.ask("POST", "/memories/create", Some(&body)).await?;
        memories.push(Memory { name: name(number), id: text_at(&made, "/memory/id")?, summarizes, streams });
    }
    Ok(memories)
}
