//! `cargo xtask test`: the steps of CI in order, with their times, stopping at the first failure.
//! Steps that wait or use one processor run side by side, each in a process of its own. It has no
//! logic of a step: each is a cargo command or another task.

use crate::checkout::{BUILT, Checkout};
use crate::lanes::{Ended, Job};
use crate::memory_folder::MemoryFolder;
use crate::test_programs::TestProgram;
use crate::{
    acceptance, bench_programs, bench_smoke, build_report, clients, dependency_features, lanes,
    memory_folder, postgres, process, processor_time, reduced_builds, test_programs, tidy, tools, walk,
};
use anyhow::{Context, Result, bail};
use std::path::Path;
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

struct Step {
    name: &'static str,
    run: fn(&Checkout) -> Result<()>,
    /// Others of its kind may run at the same time: it shares no file, port or figure with them.
    is_concurrent: bool,
    /// It compiles something else than the tests, under cargo's lock.
    is_cargo: bool,
}

const fn alone(name: &'static str, run: fn(&Checkout) -> Result<()>) -> Step {
    Step { name, run, is_concurrent: false, is_cargo: false }
}

const fn concurrent(name: &'static str, run: fn(&Checkout) -> Result<()>) -> Step {
    Step { name, run, is_concurrent: true, is_cargo: false }
}

const fn compiling(name: &'static str, run: fn(&Checkout) -> Result<()>) -> Step {
    Step { name, run, is_concurrent: true, is_cargo: true }
}

const STEPS: &[Step] = &[
    alone("tools", tools::check),
    alone("postgres", postgres::run),
    alone("fmt", |c| process::run(&mut c.cargo(&["fmt", "--all", "--check"]))),
    alone("tidy", |c| tidy::run(&c.root)),
    alone("dependency-features", dependency_features::check),
    alone("build-report", |c| build_report::run(c, &build_report::Arguments::default())),
    alone("build", build),
    // It builds the client in its folder, for `designs` and `strands` too.
    alone("typescript-client", clients::typescript),
    // The long ones first.
    concurrent("test", tests),
    concurrent("engine-postgres", engine_on_postgres),
    compiling("doc", doc),
    compiling("doc-tests", doc_tests),
    compiling("reduced-builds", reduced_builds::check),
    concurrent("fuzz", |c| bench_programs::fuzz(c, &bench_programs::Arguments::new(&["--seconds", "60"]))),
    concurrent("mcp", |c| acceptance::suite(c, acceptance::Suite::Mcp)),
    concurrent("python-client", clients::python),
    concurrent("designs", |c| acceptance::suite(c, acceptance::Suite::Designs)),
    concurrent("walk", walk::all),
    concurrent("smoke", |c| bench_smoke::run(c, &[])),
    concurrent("crash", |c| bench_programs::crash(c, &bench_programs::Arguments::new(&["--rounds", "10"]))),
    concurrent("crash-pipeline", |c| {
        bench_programs::crash(c, &bench_programs::Arguments::new(&["--pipeline", "--every", "6"]))
    }),
    concurrent("crash-facts", crash_facts),
    concurrent("crash-hooks", crash_hooks),
    concurrent("crash-files", |c| {
        bench_programs::crash(c, &bench_programs::Arguments::new(&["--files", "--rounds", "4"]))
    }),
    concurrent("cluster", |c| {
        bench_programs::cluster(c, &bench_programs::Arguments::new(&["--rounds", "3", "--expire-leases"]))
    }),
    concurrent("rot", bench_programs::rot),
    concurrent("agentcore", |c| acceptance::suite(c, acceptance::Suite::Agentcore)),
    concurrent("agentcore-model", |c| acceptance::suite_with_model(c, acceptance::Suite::Agentcore)),
    concurrent("agentcore-postgres", |c| acceptance::suite_on_postgres(c, acceptance::Suite::Agentcore)),
    concurrent("boto3", |c| acceptance::suite(c, acceptance::Suite::Boto3)),
    concurrent("js", |c| acceptance::suite(c, acceptance::Suite::Js)),
    concurrent("langgraph", |c| acceptance::suite(c, acceptance::Suite::Langgraph)),
    concurrent("bucket", |c| acceptance::suite(c, acceptance::Suite::Bucket)),
    concurrent("memory-tool", |c| acceptance::suite(c, acceptance::Suite::MemoryTool)),
    concurrent("strands-s3", |c| acceptance::suite(c, acceptance::Suite::StrandsS3)),
    concurrent("strands", |c| acceptance::suite(c, acceptance::Suite::Strands)),
];

fn step_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(STEPS.iter().map(|s| s.name))
}

/// Steps side by side: most of them wait for leases, pauses or the disk.
const STEPS_AT_ONCE: usize = 3;
/// Tests that run at a time for each processor: most of them wait for the disk half of their time.
const TESTS_PER_PROCESSOR: usize = 2;

/// All tests, and the programs that are part of none.
fn build(checkout: &Checkout) -> Result<()> {
    test_programs::of_workspace(checkout)?;
    checkout.loci().map(drop)
}

/// All test programs side by side, those of one long test with those of many.
fn tests(checkout: &Checkout) -> Result<()> {
    let programs = test_programs::of_workspace(checkout)?;
    let command = |program: &TestProgram| {
        let mut command = program.command(&[]);
        with_test_threads(&mut command, lanes::LANES);
        Job { name: program.label(), command, is_cargo: false }
    };
    lanes::succeed(programs.iter().map(command).collect())
}

/// The examples in doc comments.
fn doc_tests(checkout: &Checkout) -> Result<()> {
    process::run(&mut checkout.workspace(&["test", "--doc"]))
}

/// The command with its part of the tests that run at a time, unless somebody said how many.
fn with_test_threads(command: &mut Command, programs: usize) -> &mut Command {
    if std::env::var_os("RUST_TEST_THREADS").is_none() {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (processors * TESTS_PER_PROCESSOR).div_ceil(programs);
        command.env("RUST_TEST_THREADS", threads.to_string());
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
    let programs = test_programs::of_package(checkout, "engine")?;
    let it = programs.iter().find(|p| p.name == "it").context("the engine has no test program `it`")?;
    process::run(with_test_threads(it.command(&arguments).env("LOCI_TEST_STORE", "postgres"), 1))
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

/// The two packages whose dependencies give common crates further features are documented apart: all
/// others share what `reduced-builds` checks.
fn doc(checkout: &Checkout) -> Result<()> {
    let apart = ["xtask", "loci-onnx"];
    let others = ["--workspace", "--exclude", apart[0], "--exclude", apart[1]];
    for packages in [&others[..], &["--package", apart[0], "--package", apart[1]]] {
        let mut command = checkout.cargo(&["doc", "--locked", "--no-deps"]);
        process::run(command.args(packages).env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    Ok(())
}

/// Runs the steps and prints what each took.
///
/// # Errors
/// When a step fails; the steps after it are not run.
pub(crate) fn run(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    let (steps, folder) = (chosen(arguments), tempfile::tempdir()?);
    let program = folder.path().join("xtask");
    let mut memory = None;
    if steps.len() > 1 {
        // Builds of the workspace replace the program that runs.
        std::fs::copy(std::env::current_exe()?, &program).context("a copy of this program")?;
        build_what_is_left_out(checkout, &steps)?;
        memory = MemoryFolder::new();
    }
    let mut done: Vec<Ended> = Vec::new();
    let started = Instant::now();
    for steps in steps.chunk_by(|one, next| one.is_concurrent && next.is_concurrent) {
        match steps {
            [step] => {
                println!("\n── {} ──", step.name);
                let (began, before) = (Instant::now(), processor_time::of_this_process());
                let outcome = (step.run)(checkout);
                let processor = processor_time::of_this_process().zip(before).map(|(now, then)| now - then);
                done.push(Ended { name: step.name.to_owned(), took: began.elapsed(), processor, outcome });
            }
            steps => {
                let commands = steps.iter().map(|step| by_itself(&program, step, memory.as_ref())).collect();
                done.extend(lanes::run(commands, STEPS_AT_ONCE));
            }
        }
        if done.iter().any(|step| step.outcome.is_err()) {
            break;
        }
    }
    if done.is_empty() {
        bail!("no step was chosen");
    }
    // Those side by side ended in another order: the first that failed is where to go on.
    done.sort_by_key(|ended| STEPS.iter().position(|step| step.name == ended.name));
    print_times(&done, started.elapsed());
    let failed = done.iter().filter(|step| step.outcome.is_err()).count();
    println!("xtask: {} passed, {failed} failed", done.len() - failed);
    for step in done {
        step.outcome.with_context(|| format!("step `{}`; go on with --from {0}", step.name))?;
    }
    Ok(())
}

/// Builds what the steps side by side find built, where the steps that build it are not chosen.
fn build_what_is_left_out(checkout: &Checkout, steps: &[&Step]) -> Result<()> {
    let is_chosen = |name| steps.iter().any(|step| step.name == name);
    if !is_chosen("build") {
        build(checkout)?;
    }
    if !is_chosen("typescript-client") {
        clients::built_typescript(checkout)?;
    }
    Ok(())
}

/// The step in a process of its own, which finds built what the step `build` has built.
fn by_itself(program: &Path, step: &Step, temporary: Option<&MemoryFolder>) -> Job {
    let mut command = Command::new(program);
    command.args(["test", "--only", step.name]).env(BUILT, "1");
    if let Some(folder) = temporary {
        command.env(memory_folder::VARIABLE, folder.path());
    }
    Job { name: step.name.to_owned(), command, is_cargo: step.is_cargo }
}

fn chosen(arguments: &Arguments) -> Vec<&'static Step> {
    let from =
        arguments.from.as_deref().and_then(|name| STEPS.iter().position(|s| s.name == name)).unwrap_or(0);
    STEPS.iter().skip(from).filter(|s| arguments.only.as_deref().is_none_or(|only| only == s.name)).collect()
}

fn print_times(done: &[Ended], total: Duration) {
    println!("\n{:<20} {:>8} {:>10}", "step", "seconds", "processors");
    let seconds =
        |time: Option<Duration>| time.map_or_else(String::new, |t| format!("{:.1}", t.as_secs_f64()));
    for Ended { name, took, processor, outcome } in done {
        let mark = if outcome.is_err() { "  failed" } else { "" };
        println!("{name:<20} {:>8.1} {:>10}{mark}", took.as_secs_f64(), seconds(*processor));
    }
    let processors = done.iter().map(|ended| ended.processor).sum();
    println!("{:<20} {:>8.1} {:>10}", "total", total.as_secs_f64(), seconds(processors));
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
        let alone = STEPS.iter().position(|s| s.is_concurrent).unwrap_or_default();
        assert!(STEPS.iter().skip(alone).all(|s| s.is_concurrent), "those side by side are one group");
        assert_eq!(
            check(Some("js"), None),
            ["js", "langgraph", "bucket", "memory-tool", "strands-s3", "strands"]
        );
    }
}
