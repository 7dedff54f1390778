//! `cargo xtask walk`: whole ways through the product with the binary and real git, on a repository that is made for it; each step
//! says what it looked at. `stage` is where they happen, `coding` and `reviews` the way of a
//! coding agent's task, `forge` who answers it there.

mod coding;
mod forge;
mod reviews;
mod stage;

use crate::checkout::Checkout;
use anyhow::Result;
use std::path::PathBuf;

/// Which way.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[arg(value_enum)]
    way: Way,
    /// This binary, instead of one that is built first.
    #[arg(long, value_name = "FILE")]
    loci: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Way {
    /// A coding agent's task: hooks, commits, its end, and back from a line to it.
    Coding,
}

/// Goes a way.
pub(crate) fn run(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    let built = || checkout.loci();
    let loci = arguments.loci.clone().map_or_else(built, Ok)?;
    match arguments.way {
        Way::Coding => coding::walk(&loci),
    }
}

/// Goes the way of a coding agent's task, with a binary that is built first.
pub(crate) fn coding(checkout: &Checkout) -> Result<()> {
    coding::walk(&checkout.loci()?)
}
