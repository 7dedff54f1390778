//! `documents`: documents under load. It measures appends of many writers through two servers on
//! one folder, and the listing of a large tree.

mod appends;
mod listing;

use std::path::PathBuf;

use anyhow::Result;

/// The measurement to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
    /// The `loci` to run; by default the one next to this program.
    #[arg(long, global = true)]
    binary: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Writers that append to one document through two servers: nothing is lost or duplicated.
    Appends(appends::Arguments),
    /// The listing of a tree: the same bytes each time, within its time.
    Listing(listing::Arguments),
}

/// Runs the measurement.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = crate::server::binary(arguments.binary.as_deref())?;
    match arguments.what {
        What::Appends(arguments) => appends::run(&binary, &arguments).await,
        What::Listing(arguments) => listing::run(&binary, &arguments).await,
    }
}
