//! Starts the programs of `loci-bench`: crash rounds, property fuzzing, benchmarks. What they do and measure is theirs.

use crate::{bench_embed, bench_smoke, checkout::Checkout, process};
use anyhow::Result;
use std::process::Command;

/// Handed through unread.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Arguments of the program.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

impl Arguments {
    /// Arguments as if typed.
    pub(crate) fn new(rest: &[&str]) -> Self {
        Self { rest: rest.iter().map(|r| (*r).to_owned()).collect() }
    }
}

/// Kill rounds: `loci-bench crash`, against the binary of the tests' profile.
pub(crate) fn crash(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    checkout.loci()?;
    process::run(&mut tested(checkout, "crash", arguments))
}

/// Servers on one PostgreSQL, killed under load: `loci-bench cluster`.
pub(crate) fn cluster(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    checkout.loci()?;
    process::run(&mut tested(checkout, "cluster", arguments))
}

/// Property fuzzing: `loci-bench fuzz`.
pub(crate) fn fuzz(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    checkout.loci()?;
    process::run(&mut tested(checkout, "fuzz", arguments))
}

/// Is cited code still there, on a made-up history and in made-up cases: `loci-bench rot`.
pub(crate) fn rot(checkout: &Checkout) -> Result<()> {
    checkout.loci()?;
    for suite in ["trace", "facts", "mutate", "adversarial", "branches"] {
        let arguments = Arguments::new(&["--generated", "--gate", "--suite", suite]);
        process::run(&mut tested(checkout, "rot", &arguments))?;
    }
    Ok(())
}

/// Any program of `loci-bench`, optimised; `index` and `embed` are examples of those crates, which compile without the
/// product, and `smoke` counts in the profile of the tests.
pub(crate) fn bench(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    if let Some((program, rest)) = arguments.rest.split_first() {
        if program == "index" {
            let growth =
                ["run", "--quiet", "--locked", "--release", "--package", "loci-index", "--example", "growth"];
            return process::run(checkout.cargo(&growth).arg("--").args(rest));
        }
        if program == "embed" {
            return bench_embed::run(checkout, rest);
        }
        if program == "smoke" {
            return bench_smoke::run(checkout, rest);
        }
    }
    let build = ["build", "--quiet", "--locked", "--release", "--package", "loci", "--package", "loci-bench"];
    process::run(&mut checkout.cargo(&build))?;
    let mut command = Command::new(checkout.target.join("release").join("loci-bench"));
    process::run(command.args(&arguments.rest).current_dir(&checkout.root))
}

/// A program in the profile of the tests; it finds `loci` beside itself.
fn tested(checkout: &Checkout, program: &str, arguments: &Arguments) -> Command {
    let mut command = Command::new(checkout.target.join("debug").join("loci-bench"));
    command.arg(program).args(&arguments.rest).current_dir(&checkout.root);
    command
}
