//! Starts the programs of `loci-bench`: crash rounds, property fuzzing, benchmarks. It does not
//! know their work or their measurements.

use crate::{bench_embed, bench_smoke, checkout::Checkout, process};
use anyhow::Result;
use std::process::Command;

/// Arguments that are passed on without parsing.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Arguments of the program.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

impl Arguments {
    /// Returns the arguments as if typed on the command line.
    pub(crate) fn new(rest: &[&str]) -> Self {
        Self { rest: rest.iter().map(|r| (*r).to_owned()).collect() }
    }
}

/// Runs kill rounds against the binary of the test profile: `loci-bench crash`.
pub(crate) fn crash(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    checkout.loci()?;
    process::run(&mut tested(checkout, "crash", arguments))
}

/// Kills servers on one PostgreSQL under load: `loci-bench cluster`.
pub(crate) fn cluster(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    checkout.loci()?;
    process::run(&mut tested(checkout, "cluster", arguments))
}

/// Runs property fuzzing: `loci-bench fuzz`.
pub(crate) fn fuzz(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    checkout.loci()?;
    process::run(&mut tested(checkout, "fuzz", arguments))
}

/// Checks the detection of stale citations on a generated history and in generated cases:
/// `loci-bench rot`.
pub(crate) fn rot(checkout: &Checkout) -> Result<()> {
    checkout.loci()?;
    for suite in ["trace", "facts", "mutate", "adversarial", "branches"] {
        let arguments = Arguments::new(&["--generated", "--gate", "--suite", suite]);
        process::run(&mut tested(checkout, "rot", &arguments))?;
    }
    Ok(())
}

/// Runs a program of `loci-bench`, optimised. `index` and `embed` are examples of those crates,
/// which compile without the product. `smoke` counts instructions in the test profile.
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

/// Returns the command of a program in the test profile. The program finds `loci` in its own
/// folder.
fn tested(checkout: &Checkout, program: &str, arguments: &Arguments) -> Command {
    let mut command = Command::new(checkout.target.join("debug").join("loci-bench"));
    command.arg(program).args(&arguments.rest).current_dir(&checkout.root);
    command
}
