//! `scripted-model`: a stand-in for a language model, behind OpenAI's chat completions on loopback.
//! Its answer follows from the question alone (`loci_store_conformance::plain_answers`), so two
//! runs over the same talk give the same memories.
//!
//! Other programs here start it in their own process and look at what it is asked (`door`). It says nothing of how well a
//! real model reads.

mod door;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};

pub(crate) use door::{Asked, Scripted, Watch};

/// How to answer.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Where to write the port, once it listens.
    #[arg(long)]
    port_file: PathBuf,
    /// Every answer comes so late.
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
}

/// Says what it is asked.
struct Talkative;

impl Watch for Talkative {
    fn asked(&self, asked: &Asked) -> bool {
        println!("asked for {:?}", asked.form);
        true
    }
}

/// Answers until it is killed; prints a line for each question.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let model = Scripted::start(Duration::from_millis(arguments.delay_ms), Arc::new(Talkative)).await?;
    write_whole(&arguments.port_file, &model.port().to_string())?;
    model.ended().await
}

/// A reader of the file sees nothing or all of it.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    let aside = path.with_extension("partial");
    std::fs::write(&aside, text).with_context(|| format!("writing {}", aside.display()))?;
    std::fs::rename(&aside, path).with_context(|| format!("writing {}", path.display()))
}

/// What a server's configuration says that reads with a model at this port, asked so many questions at once.
pub(crate) fn configuration(port: u16, concurrency: u64) -> String {
    format!(
        "[llm]\nmode = \"provider\"\nmodel = \"scripted\"\n\n[[model]]\nname = \"scripted\"\nprotocol = \
         \"openai\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\nmodel = \"scripted\"\nconcurrency = {concurrency}\n"
    )
}
