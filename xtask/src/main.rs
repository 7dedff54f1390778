//! `cargo xtask …`: tests, tidy, acceptance with foreign clients, and the budget of the build. It
//! decides nothing about the product: benchmarks, crash rounds and fuzzing are programs of
//! `loci-bench` that it starts.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool talks to its terminal")]
#![expect(
    clippy::disallowed_methods,
    reason = "it reads the machine's time and environment, and waits for processes"
)]

mod acceptance;
mod bench_embed;
mod bench_programs;
mod bench_smoke;
mod book;
mod build_report;
mod checkout;
mod clients;
mod counted_program;
mod dependency_features;
mod docs;
mod memory_folder;
mod model;
mod parallel_commands;
mod postgres;
mod process;
mod processor_time;
mod reduced_builds;
mod scanners;
mod test_programs;
mod test_run;
mod tidy;
mod tools;
mod walk;

use anyhow::Result;
use checkout::Checkout;
use clap::Parser;
use std::process::ExitCode;

/// Tests, tidy, acceptance and build budget of Loci.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Everything CI runs, in order, stopping at the first failure.
    Test(test_run::Arguments),
    /// House rules that a machine can check.
    Tidy,
    /// Foreign clients against a fresh server.
    Acceptance(acceptance::Arguments),
    /// Makes the built-in embedding model's file from the published weights.
    Model(model::Arguments),
    /// The code blocks of README and guides, as a reader pastes them.
    Docs(docs::Arguments),
    /// The site of the documentation, in `target/book`; a dead link is an error.
    Book,
    /// Whole ways through the product, with the binary and real git.
    Walk(walk::Arguments),
    /// A PostgreSQL with pgvector for the tests, in the folder where they look for it.
    Postgres,
    /// Worst-case texts for the parsers of foreign text: instructions must not grow faster than the
    /// text.
    Scanners,
    /// Packages, build time and size, against the budget.
    BuildReport(build_report::Arguments),
    /// Kills a server under load, or between the steps of its pipeline, and checks the acknowledged
    /// data; arguments go to `loci-bench crash`.
    Crash(bench_programs::Arguments),
    /// Random operations against the model of a store; arguments go to `loci-bench fuzz`.
    Fuzz(bench_programs::Arguments),
    /// A benchmark program of `loci-bench`, or `index`, `embed` or `smoke`, optimised; arguments go
    /// to it.
    Bench(bench_programs::Arguments),
}

fn main() -> ExitCode {
    match run(Task::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without the backtrace that `Debug` adds: the steps and commands in the error chain
            // locate the failure.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Result<()> {
    let checkout = Checkout::find()?;
    match task {
        Task::Test(arguments) => test_run::run(&checkout, &arguments),
        Task::Tidy => tidy::run(&checkout.root),
        Task::Acceptance(arguments) => acceptance::run(&checkout, &arguments),
        Task::Model(arguments) => model::run(&checkout, &arguments),
        Task::Docs(arguments) => docs::run(&checkout, &arguments),
        Task::Book => book::run(&checkout),
        Task::Walk(arguments) => walk::run(&checkout, &arguments),
        Task::Postgres => postgres::run(&checkout),
        Task::Scanners => scanners::run(&checkout),
        Task::BuildReport(arguments) => build_report::run(&checkout, &arguments),
        Task::Crash(arguments) => bench_programs::crash(&checkout, &arguments),
        Task::Fuzz(arguments) => bench_programs::fuzz(&checkout, &arguments),
        Task::Bench(arguments) => bench_programs::bench(&checkout, &arguments),
    }
}
