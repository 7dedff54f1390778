//! `cargo xtask test`: runs the steps of CI, prints their times, and stops at the first failure.
//! Steps run in parallel, each in its own process, after the steps whose results they use. It has
//! no logic of a step: each step is a cargo command or another task.

use crate::checkout::{BUILT, Checkout};
use crate::memory_folder::MemoryFolder;
use crate::parallel_commands::{CommandEnd, Job};
use crate::test_programs::TestProgram;
use crate::{
    acceptance, bench_programs, bench_smoke, book, build_report, clients, dependency_features, docs,
    memory_folder, parallel_commands, postgres, process, processor_time, reduced_builds, test_programs, tidy,
    tools, walk,
};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The steps to run. The default is all of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Start at this step, to continue after a repair.
    #[arg(long, value_parser = step_names())]
    from: Option<String>,
    /// Run this step only.
    #[arg(long, conflicts_with = "from", value_parser = step_names())]
    only: Option<String>,
}

struct Step {
    name: &'static str,
    run: fn(&Checkout) -> Result<()>,
    /// The names of the steps that must end before this one begins.
    after: &'static [&'static str],
    /// True if the step compiles, under cargo's lock.
    is_cargo: bool,
}

/// Returns a step that reads only the sources.
const fn early(name: &'static str, run: fn(&Checkout) -> Result<()>) -> Step {
    Step { name, run, after: &["tools"], is_cargo: false }
}

/// Returns a step that uses the build of the step `build`.
const fn built(name: &'static str, run: fn(&Checkout) -> Result<()>) -> Step {
    Step { name, run, after: BUILD, is_cargo: false }
}

/// Returns a step that also uses the TypeScript client.
const fn with_client(name: &'static str, run: fn(&Checkout) -> Result<()>) -> Step {
    Step { name, run, after: CLIENT, is_cargo: false }
}

/// Returns a step that compiles other code than the tests.
const fn compiling(name: &'static str, run: fn(&Checkout) -> Result<()>) -> Step {
    Step { name, run, after: BUILD, is_cargo: true }
}

const BUILD: &[&str] = &["build", "postgres"];
const CLIENT: &[&str] = &["build", "postgres", "typescript-client"];

/// The steps of CI. Steps that may run at the same time share no file, port or figure.
const STEPS: &[Step] = &[
    Step { name: "tools", run: tools::check, after: &[], is_cargo: false },
    early("fmt", |c| process::run(&mut c.cargo(&["fmt", "--all", "--check"]))),
    early("tidy", |c| tidy::run(&c.root)),
    // The slow steps begin after the quick ones found nothing.
    Step { name: "build", run: build, after: &["fmt", "tidy"], is_cargo: true },
    early("postgres", postgres::run),
    early("dependency-features", dependency_features::check),
    early("book", book::run),
    early("build-report", |c| build_report::run(c, &build_report::Arguments::default())),
    // The long steps come first.
    built("test", tests),
    built("engine-postgres", engine_on_postgres),
    built("typescript-client", clients::typescript),
    compiling("doc", doc),
    compiling("doc-tests", doc_tests),
    compiling("reduced-builds", reduced_builds::check),
    built("fuzz", |c| bench_programs::fuzz(c, &bench_programs::Arguments::new(&["--seconds", "60"]))),
    built("mcp", |c| acceptance::suite(c, acceptance::Suite::Mcp)),
    built("python-client", clients::python),
    with_client("designs", |c| acceptance::suite(c, acceptance::Suite::Designs)),
    built("walk", walk::all),
    built("docs", |c| docs::run(c, &docs::Arguments::default())),
    built("smoke", |c| bench_smoke::run(c, &[])),
    built("crash", |c| bench_programs::crash(c, &bench_programs::Arguments::new(&["--rounds", "10"]))),
    built("crash-pipeline", |c| {
        bench_programs::crash(c, &bench_programs::Arguments::new(&["--pipeline", "--every", "6"]))
    }),
    built("crash-facts", crash_facts),
    built("crash-hooks", crash_hooks),
    built("crash-files", |c| {
        bench_programs::crash(c, &bench_programs::Arguments::new(&["--files", "--rounds", "4"]))
    }),
    built("cluster", |c| {
        bench_programs::cluster(c, &bench_programs::Arguments::new(&["--rounds", "3", "--expire-leases"]))
    }),
    built("rot", bench_programs::rot),
    built("agentcore", |c| acceptance::suite(c, acceptance::Suite::Agentcore)),
    built("agentcore-model", |c| acceptance::suite_with_model(c, acceptance::Suite::Agentcore)),
    built("agentcore-postgres", |c| acceptance::suite_on_postgres(c, acceptance::Suite::Agentcore)),
    built("boto3", |c| acceptance::suite(c, acceptance::Suite::Boto3)),
    built("js", |c| acceptance::suite(c, acceptance::Suite::Js)),
    built("langgraph", |c| acceptance::suite(c, acceptance::Suite::Langgraph)),
    built("bucket", |c| acceptance::suite(c, acceptance::Suite::Bucket)),
    built("memory-tool", |c| acceptance::suite(c, acceptance::Suite::MemoryTool)),
    built("strands-s3", |c| acceptance::suite(c, acceptance::Suite::StrandsS3)),
    with_client("strands", |c| acceptance::suite(c, acceptance::Suite::Strands)),
];

fn step_names() -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(STEPS.iter().map(|s| s.name))
}

/// The number of steps that run at a time. Most of them wait for leases, pauses or the disk.
const STEPS_AT_ONCE: usize = 3;
/// The number of tests that run at a time for each processor. Most of them wait for the disk half
/// of their time.
const TESTS_PER_PROCESSOR: usize = 2;

/// Builds all tests and the programs that are part of no test.
fn build(checkout: &Checkout) -> Result<()> {
    test_programs::of_workspace(checkout)?;
    checkout.loci().map(drop)
}

/// Runs all test programs in parallel, so that programs with one long test overlap with programs of
/// many tests.
fn tests(checkout: &Checkout) -> Result<()> {
    let programs = test_programs::of_workspace(checkout)?;
    let command = |program: &TestProgram| {
        let mut command = program.command(&[]);
        with_test_threads(&mut command, parallel_commands::LANES);
        Job { name: program.label(), command, is_cargo: false, after: &[] }
    };
    parallel_commands::succeed(programs.iter().map(command).collect())
}

/// Runs the examples in doc comments.
fn doc_tests(checkout: &Checkout) -> Result<()> {
    process::run(&mut checkout.workspace(&["test", "--doc"]))
}

/// Gives the command its share of the tests that run at a time, unless the environment already sets
/// the number.
fn with_test_threads(command: &mut Command, programs: usize) -> &mut Command {
    if std::env::var_os("RUST_TEST_THREADS").is_none() {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (processors * TESTS_PER_PROCESSOR).div_ceil(programs);
        command.env("RUST_TEST_THREADS", threads.to_string());
    }
    command
}

/// Runs the engine's tests of tasks, facts, jobs, deliveries and servers on PostgreSQL. It skips
/// the tests that restart for every write that may fail, because they would take too long there.
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

/// Supersedes, refreshes and invalidates facts while servers and databases are killed, on both
/// stores.
fn crash_facts(checkout: &Checkout) -> Result<()> {
    for rest in [&["--facts", "--rounds", "8"][..], &["--facts", "--rounds", "5", "--store", "postgres"]] {
        bench_programs::crash(checkout, &bench_programs::Arguments::new(rest))?;
    }
    Ok(())
}

/// Sends webhooks of a forge while servers and databases are killed, on both stores.
fn crash_hooks(checkout: &Checkout) -> Result<()> {
    for rest in [&["--hooks", "--rounds", "2"][..], &["--hooks", "--rounds", "2", "--store", "postgres"]] {
        bench_programs::crash(checkout, &bench_programs::Arguments::new(rest))?;
    }
    Ok(())
}

/// Builds the documentation. The two packages whose dependencies give common crates further
/// features are documented separately. All others share the artifacts of `reduced-builds`.
fn doc(checkout: &Checkout) -> Result<()> {
    let apart = ["xtask", "loci-onnx"];
    let others = ["--workspace", "--exclude", apart[0], "--exclude", apart[1]];
    for packages in [&others[..], &["--package", apart[0], "--package", apart[1]]] {
        let mut command = checkout.cargo(&["doc", "--locked", "--no-deps"]);
        process::run(command.args(packages).env("RUSTDOCFLAGS", "-D warnings"))?;
    }
    Ok(())
}

/// Runs the steps and prints the time of each.
///
/// # Errors
/// Errors if a step fails. The steps after it do not run.
pub(crate) fn run(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    let steps = chosen(arguments);
    let started = Instant::now();
    let mut done = match &steps[..] {
        [] => bail!("no step was chosen"),
        [step] => vec![here(checkout, step)],
        steps => side_by_side(checkout, steps)?,
    };
    // The steps end in another order. The first that failed is the one to continue from.
    done.sort_by_key(|ended| STEPS.iter().position(|step| step.name == ended.name));
    print_times(&done, started.elapsed());
    let failed = done.iter().filter(|step| step.outcome.is_err()).count();
    println!("xtask: {} passed, {failed} failed", done.len() - failed);
    for step in done {
        step.outcome.with_context(|| format!("step `{}`; go on with --from {0}", step.name))?;
    }
    Ok(())
}

/// Runs a step in this process.
fn here(checkout: &Checkout, step: &Step) -> CommandEnd {
    let (began, before) = (Instant::now(), processor_time::of_this_process());
    let outcome = (step.run)(checkout);
    let processor = processor_time::of_this_process().zip(before).map(|(now, then)| now - then);
    CommandEnd { name: step.name.to_owned(), took: began.elapsed(), processor, outcome }
}

/// Runs each step in its own process.
fn side_by_side(checkout: &Checkout, steps: &[&Step]) -> Result<Vec<CommandEnd>> {
    let folder = tempfile::tempdir()?;
    let program = folder.path().join("xtask");
    // Builds of the workspace replace the running program.
    std::fs::copy(std::env::current_exe()?, &program).context("a copy of this program")?;
    build_what_is_left_out(checkout, steps)?;
    let memory = MemoryFolder::new();
    let jobs = steps.iter().map(|step| by_itself(&program, step, memory.as_ref())).collect();
    Ok(parallel_commands::run(jobs, STEPS_AT_ONCE))
}

/// Builds the programs that the steps need, if the steps that build them are not selected.
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

/// Returns the step as a job in its own process. After the step `build`, it uses the existing
/// build.
fn by_itself(program: &Path, step: &Step, temporary: Option<&MemoryFolder>) -> Job {
    let mut command = Command::new(program);
    command.args(["test", "--only", step.name]);
    if step.after.contains(&BUILD[0]) {
        command.env(BUILT, "1");
    }
    if let Some(folder) = temporary {
        command.env(memory_folder::VARIABLE, folder.path());
    }
    Job { name: step.name.to_owned(), command, is_cargo: step.is_cargo, after: step.after }
}

fn chosen(arguments: &Arguments) -> Vec<&'static Step> {
    let from =
        arguments.from.as_deref().and_then(|name| STEPS.iter().position(|s| s.name == name)).unwrap_or(0);
    STEPS.iter().skip(from).filter(|s| arguments.only.as_deref().is_none_or(|only| only == s.name)).collect()
}

fn print_times(done: &[CommandEnd], total: Duration) {
    println!("\n{:<20} {:>8} {:>10}", "step", "seconds", "processors");
    let seconds =
        |time: Option<Duration>| time.map_or_else(String::new, |t| format!("{:.1}", t.as_secs_f64()));
    for CommandEnd { name, took, processor, outcome } in done {
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
        for (number, step) in STEPS.iter().enumerate() {
            let is_before = |name: &&str| STEPS[..number].iter().any(|s| s.name == *name);
            assert!(step.after.iter().all(is_before), "{} is behind what it waits for", step.name);
        }
        assert_eq!(
            check(Some("js"), None),
            ["js", "langgraph", "bucket", "memory-tool", "strands-s3", "strands"]
        );
    }
}
