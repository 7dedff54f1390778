//! `documents`: a memory as files under load: appends of many writers through two servers of one folder, and the listing of a great tree.

mod appends;
mod listing;

use std::path::PathBuf;

use anyhow::Result;

/// What is measured.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
    /// The `loci` to run; the one beside this program if absent.
    #[arg(long, global = true)]
    binary: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Writers that append to one document through two servers: nothing lost, nothing twice.
    Appends(appends::Arguments),
    /// The listing of a tree: the same bytes each time, within its time.
    Listing(listing::Arguments),
}

/// Measures it.
pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let binary = crate::server::binary(arguments.binary.as_deref())?;
    match arguments.what {
        What::Appends(arguments) => appends::run(&binary, &arguments).await,
        What::Listing(arguments) => listing::run(&binary, &arguments).await,
    }
}
