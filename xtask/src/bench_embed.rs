//! `cargo xtask bench embed`: measures the speed of the built-in model, alone or against another
//! engine with the same published weights. It prepares the files and programs. The measurement
//! itself is in `bench/embed/peer.py` and in the example `embed`.

use crate::acceptance::packages;
use crate::{checkout::Checkout, model, process};
use anyhow::Result;
use clap::Parser;
use std::process::Command;

/// Speed of the built-in embedding model.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench embed")]
struct Arguments {
    /// Compare with this engine in the same run; fails when ours is slower.
    #[arg(long)]
    peer: Option<Peer>,
    /// Rounds in which every engine does the same work once.
    #[arg(long, default_value_t = 15)]
    rounds: u32,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Peer {
    /// ONNX Runtime, fp32 and dynamic int8.
    Onnxruntime,
}

/// Builds and installs the programs, then runs the benchmark.
///
/// # Errors
/// Errors if something cannot be built or installed, or if our engine is slower than the peer.
pub(crate) fn run(checkout: &Checkout, arguments: &[String]) -> Result<()> {
    let words = std::iter::once("embed").chain(arguments.iter().map(String::as_str));
    let arguments = Arguments::try_parse_from(words)?;
    let build =
        ["build", "--quiet", "--locked", "--release", "--package", "loci-embed", "--example", "embed"];
    process::run(&mut checkout.cargo(&build))?;
    let program = checkout.target.join("release").join("examples").join("embed");
    let Some(Peer::Onnxruntime) = arguments.peer else {
        return process::run(Command::new(program).arg("speed"));
    };
    let source = checkout.root.join("bench").join("embed");
    let folder = checkout.target.join("bench-embed");
    let environment =
        packages::pinned(checkout, &source.join("requirements-peer.txt"), &folder.join("venv"))?;
    let published = model::published(&folder.join("published"))?;
    let mut command = Command::new(environment.python);
    command.arg(source.join("peer.py")).args([published, program, folder]);
    process::run(command.arg("--rounds").arg(arguments.rounds.to_string()))
}
