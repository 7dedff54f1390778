//! `cargo xtask test`: the steps of CI in order, with their times, stopping at the first failure. It has no logic of a
//! step: each is a cargo command or another task.

use crate::checkout::Checkout;
use crate::{
    acceptance, bench_programs, bench_smoke, clients, postgres, process, test_programs, tidy, tools, walk,
};
use anyhow::{Context, Result, bail};
use std::process::Command;
use std::time::{Duration, Instant};

/// Which steps to run; all of them when nothing is said.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Start at this step, to go on after a repair.
    #[arg(long, value_parser = step_names())]
    from: Option<String>,
    /// Run this step only.
    #[arg(long, conflicts_with = "from", value_parser = step_names())]
    only: Option<String>,
}

/// All features of the binary and of the client.
const FEATURES: &str = "loci/onnx,loci/otel,loci-client/agentcore";

struct Step {
    name: &'static str,
    run: fn(&Checkout) -> Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "tools", run: tools::check },
    Step { name: "postgres", run: postgres::run },
    Step { name: "fmt", run: |c| process::run(&mut c.cargo(&["fmt", "--all", "--check"])) },
    Step { name: "tidy", run: |c| tidy::run(&c.root) },
    Step { name: "clippy", run: clippy },
    Step { name: "test", run: tests },
    Step { name: "walk", run: walk::all },
    Step { name: "engine-postgres", run: engine_on_postgres },
    Step { name: "doc", run: doc },
    Step { name: "features", run: features },
    Step {
        name: "crash",
        run: |c| bench_programs::crash(c, &bench_programs::Arguments::new(&["--rounds", "10"])),
    },
    Step {
        name: "crash-pipeline",
        run: |c| bench_programs::crash(c, &bench_programs::Arguments::new(&["--pipeline", "--every", "6"])),
    },
    Step { name: "crash-facts", run: crash_facts },
    Step { name: "crash-hooks", run: crash_hooks },
    Step {
        name: "crash-files",
        run: |c| bench_programs::crash(c, &bench_programs::Arguments::new(&["--files", "--rounds", "4"])),
    },
    Step {
        name: "cluster",
        run: |c| {
            bench_programs::cluster(c, &bench_programs::Arguments::new(&["--rounds", "3", "--expire-leases"]))
        },
    },
    Step {
        name: "fuzz",
        run: |c| bench_programs::fuzz(c, &bench_programs::Arguments::new(&["--seconds", "60"])),
    },
    Step { name: "rot", run: bench_programs::rot },
    Step { name: "smoke", run: |c| bench_smoke::run(c, &[]) },
    Step { name: "python-client", run: clients::python },
    Step { name: "typescript-client", run: clients::typescript },
    Step { name: "agentcore", run: |c| acceptance::suite(c, acceptance::Suite::Agentcore) },
    Step { name: "agentcore-model", run: |c| acceptance::suite_with_model(c, acceptance::Suite::Agentcore) },
    Step {
        name: "agentcore-postgres",
        run: |c| acceptance::suite_on_postgres(c, acceptance::Suite::Agentcore),
    },
    Step { name: "boto3", run: |c| acceptance::suite(c, acceptance::Suite::Boto3) },
    Step { name: "js", run: |c| acceptance::suite(c, acceptance::Suite::Js) },
    Step { name: "langgraph", run: |c| acceptance::suite(c, acceptance::Suite::Langgraph) },
    Step { name: "bucket", run: |c| acceptance::suite(c, acceptance::Suite::Bucket) },
    Step { name: "memory-tool", run: |c| acceptance::suite(c, acceptance::Suite::MemoryTool) },
    Step { name: "strands-s3", run: |c| acceptance::suite(c, acceptance::Suite::StrandsS3) },
    Step { name: "strands", run: |c| acceptance::suite(c, acceptance::Suite::Strands) },
];

fn step_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(STEPS.iter().map(|s| s.name))
}

/// Lints with all features: they add to the default build, and take away one file that says so.
fn clippy(checkout: &Checkout) -> Result<()> {
    let arguments = ["clippy", "--locked", "--workspace", "--features", FEATURES, "--all-targets"];
    process::run(checkout.cargo(&arguments).args(["--", "-D", "warnings"]))
}

/// Tests of a program that run at a time for each processor: most of them wait for the disk half of
/// their time.
const TESTS_PER_PROCESSOR: usize = 2;

fn tests(checkout: &Checkout) -> Result<()> {
    process::run(with_test_threads(&mut checkout.cargo(&["test", "--locked", "--workspace"])))
}

/// The command with more tests at a time than there are processors, unless somebody said how many.
fn with_test_threads(command: &mut Command) -> &mut Command {
    if std::env::var_os("RUST_TEST_THREADS").is_none() {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        command.env("RUST_TEST_THREADS", (processors * TESTS_PER_PROCESSOR).to_string());
    }
    command
}

/// What the engine's tests say of tasks, facts, jobs, deliveries and servers on the other store. Those that begin anew for every
/// write that may fail would take too long there.
fn engine_on_postgres(checkout: &Checkout) -> Result<()> {
    let tests = [
        "coding::",
        "facts::",
        "files::",
        "tree_plans::",
        "servers::",
        "deliveries::",
        "handovers::",
        "failures::",
        "housekeeping::",
        "pulling::",
    ];
    let arguments = [&tests[..], &["--skip", "any_write_may_fail"]].concat();
    let programs = test_programs::of_package(checkout, "engine", "")?;
    let it = programs.iter().find(|p| p.name == "it").context("the engine has no test program `it`")?;
    process::run(with_test_threads(it.command(&arguments).env("LOCI_TEST_STORE", "postgres")))
}

/// Facts superseded, refreshed and invalidated while servers and databases are killed, on both stores.
fn crash_facts(checkout: &Checkout) -> Result<()> {
    for rest in [&["--facts", "--rounds", "8"][..], &["--facts", "--rounds", "5", "--store", "postgres"]] {
        bench_programs::crash(checkout, &bench_programs::Arguments::new(rest))?;
    }
    Ok(())
}

/// Webhooks of a forge while servers and databases are killed, on both stores.
fn crash_hooks(checkout: &Checkout) -> Result<()> {
    for rest in [&["--hooks", "--rounds", "2"][..], &["--hooks", "--rounds", "2", "--store", "postgres"]] {
        bench_programs::crash(checkout, &bench_programs::Arguments::new(rest))?;
    }
    Ok(())
}

/// Parts that the default build leaves out. Behind the tests: only what depends on a feature is
/// compiled again, and of the application's great test program only what needs a feature runs
/// again.
fn features(checkout: &Checkout) -> Result<()> {
    for package in ["app", "client"] {
        for program in test_programs::of_package(checkout, package, FEATURES)? {
            let chosen: &[&str] =
                if (package, &*program.name) == ("app", "it") { &["onnx::", "traces::"] } else { &[] };
            process::run(&mut program.command(chosen))?;
        }
    }
    Ok(())
}

fn doc(checkout: &Checkout) -> Result<()> {
    let mut command = checkout.cargo(&["doc", "--locked", "--workspace", "--no-deps"]);
    process::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs the steps and prints what each took.
///
/// # Errors
/// When a step fails; the steps after it are not run.
pub(crate) fn run(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    let mut done: Vec<(&str, Duration)> = Vec::new();
    let started = Instant::now();
    for step in chosen(arguments) {
        println!("\n── {} ──", step.name);
        let began = Instant::now();
        let outcome = (step.run)(checkout);
        done.push((step.name, began.elapsed()));
        if outcome.is_err() {
            let passed = done.len() - 1;
            print_times(&done, started.elapsed(), true);
            println!("xtask: {passed} passed, 1 failed");
            return outcome.with_context(|| format!("step `{}`; go on with --from {0}", step.name));
        }
    }
    if done.is_empty() {
        bail!("no step was chosen");
    }
    print_times(&done, started.elapsed(), false);
    println!("xtask: {} passed, 0 failed", done.len());
    Ok(())
}

fn chosen(arguments: &Arguments) -> Vec<&'static Step> {
    let from =
        arguments.from.as_deref().and_then(|name| STEPS.iter().position(|s| s.name == name)).unwrap_or(0);
    STEPS.iter().skip(from).filter(|s| arguments.only.as_deref().is_none_or(|only| only == s.name)).collect()
}

fn print_times(done: &[(&str, Duration)], total: Duration, last_failed: bool) {
    println!("\n{:<16} {:>8}", "step", "seconds");
    for (i, (name, took)) in done.iter().enumerate() {
        let mark = if last_failed && i + 1 == done.len() { "  failed" } else { "" };
        println!("{name:<16} {:>8.1}{mark}", took.as_secs_f64());
    }
    println!("{:<16} {:>8.1}", "total", total.as_secs_f64());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_chosen_by_name() {
        let check = |from: Option<&str>, only: Option<&str>| {
            let arguments = Arguments { from: from.map(str::to_owned), only: only.map(str::to_owned) };
            chosen(&arguments).iter().map(|s| s.name).collect::<Vec<_>>()
        };
        assert_eq!(check(None, None).len(), STEPS.len());
        assert_eq!(check(None, Some("doc")), ["doc"]);
        assert_eq!(
            check(Some("js"), None),
            ["js", "langgraph", "bucket", "memory-tool", "strands-s3", "strands"]
        );
    }
}
