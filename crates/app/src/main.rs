//! `loci`: reads the command line and runs one command. What a command does is in `commands`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use loci_app::commands;
use loci_app::config::environment::Environment;
use loci_app::config::{default_data_dir, load};

/// Memory for agents that can show its evidence.
#[derive(Debug, Parser)]
#[command(name = "loci", version)]
struct Cli {
    /// A configuration file instead of the user's.
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    /// The data folder.
    #[arg(long, global = true)]
    data_dir: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the AgentCore wire and the native API on a data folder.
    Serve(commands::serve::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(run(cli)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<()> {
    let environment = Environment::of_process();
    let config = load(cli.config.as_deref(), &environment)?;
    let folder = match cli.data_dir.or_else(|| config.store.data_dir.clone()) {
        Some(folder) => folder,
        None => default_data_dir(&environment)?,
    };
    match cli.command {
        Command::Serve(arguments) => commands::serve::run(&arguments, config, folder, &environment).await,
    }
}

#[expect(clippy::print_stderr, reason = "an error is said to whoever started the command")]
fn complain(error: &anyhow::Error) {
    eprintln!("error: {error:#}");
}
