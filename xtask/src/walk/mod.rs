//! `cargo xtask walk`: whole ways through the product with the binary, and real git where it takes
//! part; each step reports what it checked. `stage` is where they happen, `coding` and `reviews`
//! the way of a coding agent's task, `forge` who answers it there; `operations` is the way of an
//! alert, `wire` how it asks, `civil` what day it is.

mod civil;
mod coding;
mod forge;
mod operations;
mod reviews;
mod stage;
mod wire;

use crate::checkout::Checkout;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::time::Instant;

/// A step of a workflow: its description and its function.
type Step<W> = (&'static str, fn(&mut W) -> Result<()>);

/// The workflow to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[arg(value_enum)]
    way: Workflow,
    /// Use this binary instead of building one first.
    #[arg(long, value_name = "FILE")]
    loci: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Workflow {
    /// A coding agent's task: hooks, commits, its end, and the way back from a line to the task.
    Coding,
    /// An operations agent's investigation: from an alert to its outcome, and a similar alert a
    /// week later.
    Sre,
}

/// Runs a workflow.
pub(crate) fn run(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    // Absolute, because commands run in folders of the walk.
    let given = arguments.loci.as_deref().map(std::path::absolute).transpose()?;
    let loci = given.map_or_else(|| checkout.loci(), Ok)?;
    match arguments.way {
        Workflow::Coding => coding::walk(&loci),
        Workflow::Sre => operations::walk(&loci),
    }
}

/// Runs every workflow, with a binary that is built first.
pub(crate) fn all(checkout: &Checkout) -> Result<()> {
    let loci = checkout.loci()?;
    coding::walk(&loci)?;
    operations::walk(&loci)
}

/// Runs the steps in order.
fn go<W>(way: &mut W, steps: &[Step<W>]) -> Result<()> {
    let began = Instant::now();
    for (what, step) in steps {
        let began = Instant::now();
        step(way).with_context(|| format!("step `{what}`"))?;
        println!("{:>6.1} s  {what}", began.elapsed().as_secs_f64());
    }
    println!("walk: {} steps in {:.1} s", steps.len(), began.elapsed().as_secs_f64());
    Ok(())
}
