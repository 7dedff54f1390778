//! `memory-tool`: runs the steps of a fixture file in order on one empty mount of the memory tool,
//! and prints every response that differs from the expected one.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use loci_documents::memory_tool::scratch::ScratchTree;
use loci_documents::memory_tool::{MemoryToolSettings, run as answered};
use serde::Deserialize;
use serde_json::Value;

/// The file of the steps.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// File with `steps`, each with an `input` and the response to `expect`.
    #[arg(long)]
    fixtures: PathBuf,
}

#[derive(Deserialize)]
struct Fixtures {
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    step: u64,
    input: Value,
    expect: Expected,
}

#[derive(Deserialize)]
struct Expected {
    content: String,
    is_error: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let text = fs::read_to_string(&arguments.fixtures).context("reading the fixtures")?;
    let fixtures: Fixtures = serde_json::from_str(&text).context("the fixtures are not such a file")?;
    let mut tree = ScratchTree::with_read_only(&["system"]);
    let mut wrong = 0;
    for Step { step, input, expect } in &fixtures.steps {
        let answer = answered(&mut tree, input, &MemoryToolSettings::default())
            .map_err(|error| anyhow::anyhow!("step {step}: {}", error.message))?;
        if (answer.content.as_str(), answer.is_error) != (expect.content.as_str(), expect.is_error) {
            wrong += 1;
            println!(
                "step {step}: {input}\n  expected {:?}\n  answered {:?}",
                expect.content, answer.content
            );
        }
    }
    println!("{} steps, {wrong} not as expected", fixtures.steps.len());
    if wrong > 0 || fixtures.steps.is_empty() {
        bail!("the tool does not answer as the fixtures say")
    } else {
        Ok(())
    }
}
