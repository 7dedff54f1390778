//! `scripted-model`: a stand-in for a language model, with OpenAI's chat completions on loopback.
//! Its response depends only on the request (`loci_store_conformance::plain_answers`), so two runs
//! over the same conversation give the same memories.
//!
//! Other programs here start it in their own process and watch its requests
//! (`completions_endpoint`). It does not show the extraction quality of a real model.

mod completions_endpoint;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};

pub(crate) use completions_endpoint::{ReceivedQuestion, Scripted, Watch};

/// Options of the scripted model.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File for the port, written once the server listens.
    #[arg(long)]
    port_file: PathBuf,
    /// Delay of each response, in milliseconds.
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
}

/// An observer that prints each request.
struct Talkative;

impl Watch for Talkative {
    fn asked(&self, asked: &ReceivedQuestion) -> bool {
        println!("asked for {:?}", asked.form);
        true
    }
}

/// Answers until it is killed, and prints a line for each request.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let model = Scripted::start(Duration::from_millis(arguments.delay_ms), Arc::new(Talkative)).await?;
    write_whole(&arguments.port_file, &model.port().to_string())?;
    model.ended().await
}

/// Writes a file atomically: a reader sees nothing or all of it.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    let aside = path.with_extension("partial");
    std::fs::write(&aside, text).with_context(|| format!("writing {}", aside.display()))?;
    std::fs::rename(&aside, path).with_context(|| format!("writing {}", path.display()))
}

/// Returns the configuration of a server that extracts with a model at this port, with this many
/// parallel requests.
pub(crate) fn configuration(port: u16, concurrency: u64) -> String {
    format!(
        "[llm]\nmode = \"provider\"\nmodel = \"scripted\"\n\n[[model]]\nname = \"scripted\"\nprotocol = \
         \"openai\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"scripted\"\nconcurrency = {concurrency}\n"
    )
}
