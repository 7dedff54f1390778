//! `loci-bench`: programs that measure Loci or try to break it, over its public doors and by real processes.
//!
//! To add one: a file here with `Arguments` and `run`, one line in the table. Nothing of the product lives here.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "benchmark programs talk to their terminal")]
#![expect(clippy::disallowed_methods, reason = "measuring needs the machine's time, environment and waits")]

mod cluster;
mod co_change;
mod consolidation;
mod costs;
mod crash;
mod dev_set;
mod documents;
mod embedded;
mod facts;
mod figures;
mod fuzz;
mod git;
mod great_tables;
mod history;
mod hydration_tasks;
mod imports;
mod indexed;
mod injection;
mod labelled_set;
mod load;
mod memory_tool;
mod migrate;
mod mirror;
mod peers;
mod pipeline_load;
mod plain_record;
mod processes;
mod progress;
mod quantities;
mod recall;
mod retrieval;
mod rot;
mod rules;
mod scanners;
mod scripted_model;
mod seeded;
mod server;
mod simulate;
mod smoke;
mod sre;
mod statements;
mod stores;
mod study;
mod texts;
mod train;
mod tree_upkeep;
mod vectors;
mod wire;
mod wire_retrieval;

use std::process::ExitCode;

use clap::Parser;

/// Measures Loci, or tries to break it.
#[derive(Debug, Parser)]
#[command(name = "loci-bench")]
enum Program {
    /// Several servers on one PostgreSQL, killed at random under load, and what they acknowledged.
    Cluster(cluster::Arguments),
    /// How long reading a history and asking what changes together takes.
    CoChange(co_change::Arguments),
    /// Labelled pairs of statements, decided by the planner that needs no model.
    Consolidation(consolidation::Arguments),
    /// What one operation takes of processors, log and disk, on both stores.
    Costs(costs::Arguments),
    /// Kills a server at random under mixed load and checks what it had acknowledged.
    Crash(crash::Arguments),
    /// A memory as files: appends of many writers, and the listing of a great tree.
    Documents(documents::Arguments),
    /// How long verified memory takes: storing, reading anew at new commits, reading of many.
    Facts(facts::Arguments),
    /// How long putting a task's block together takes, and what a budget keeps of it.
    Hydrate(facts::hydrate::Arguments),
    /// Labelled tasks, and how often they are shown the learning that they need.
    HydrationTasks(hydration_tasks::Arguments),
    /// Files that a commit touches, found by its message.
    History(history::Arguments),
    /// Imports of Python files by names, against those of Python's own parser.
    Imports(imports::Arguments),
    /// What injecting memories into a model call takes beside the search.
    Injection(injection::Arguments),
    /// Mutated requests through router, shapes and signatures.
    Fuzz(fuzz::Arguments),
    /// The steps of a fixture file, answered by the memory tool.
    MemoryTool(memory_tool::Arguments),
    /// A tree with planted duplicates and contradictions, put in order by rules and undone.
    TreeUpkeep(tree_upkeep::Arguments),
    /// A store moved into PostgreSQL and back, killed on the way, and compared.
    Migrate(migrate::Arguments),
    /// A tree as files of a directory and of a repository: the first rendering, one change, listings.
    Mirror(mirror::Arguments),
    /// Loci beside other memories and retrieval engines, in one run.
    Peers(peers::Arguments),
    /// Sessions beside each other, and CreateEvent beside a provider that takes its time.
    PipelineLoad(pipeline_load::Arguments),
    /// Several processes on one folder under mixed load.
    Processes(processes::Arguments),
    /// One of the processes of `processes`.
    #[command(hide = true)]
    Worker(processes::WorkerArguments),
    /// Labelled sentences about services, read into baselines without a model.
    Quantities(quantities::Arguments),
    /// Recall of the ranking alone, in this process.
    Retrieval(retrieval::Arguments),
    /// How well verified memory tells code that is still there from code that is not, on any git history.
    Rot(Box<rot::Arguments>),
    /// Labelled review comments: which of them state a rule, told without a model.
    Rules(rules::Arguments),
    /// Readers of foreign text on texts that were made to be dear.
    Scanners(scanners::Arguments),
    /// A local stand-in for a language model, that answers from the question alone.
    ScriptedModel(scripted_model::Arguments),
    /// Fits the weights of the ranking and judges them on conversations they did not see.
    Train(train::Arguments),
    /// A random but repeatable life with failing writes, deaths and jumps of time, checked against a plain twin.
    Simulate(simulate::Arguments),
    /// The workloads of `cargo xtask bench smoke`.
    #[command(hide = true)]
    Smoke(smoke::Arguments),
    /// How long the hooks of an investigation take beside many records.
    SreHooks(sre::hooks::Arguments),
    /// Whether questions of operations people find what is called otherwise, among many facts.
    SreRecall(sre::recall::Arguments),
    /// Labelled facts that cite code, and what the server says of their support.
    Statements(statements::Arguments),
    /// The same questions to a folder and to PostgreSQL, in every way it is searched: the same lists?
    Stores(stores::Arguments),
    /// A simulated study: mistakes, rounds and tokens of a scripted agent by tier of memory.
    Study(study::Arguments),
    /// Latency, throughput, memory and disk of a server, over the wire.
    WireLoad(load::Arguments),
    /// One of the processes of `wire-load shared`.
    #[command(hide = true)]
    LoadMember(load::MemberArguments),
    /// Recall and latency of retrieval on conversations with known evidence, over the wire.
    WireRetrieval(wire_retrieval::Arguments),
}

fn main() -> ExitCode {
    // Already there only if a library installed one, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| runtime.block_on(run(Program::parse())));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            rot::exit_code(&error)
        }
    }
}

async fn run(program: Program) -> anyhow::Result<()> {
    match program {
        Program::Cluster(arguments) => cluster::run(arguments).await,
        Program::CoChange(arguments) => co_change::run(arguments).await,
        Program::Consolidation(arguments) => consolidation::run(&arguments),
        Program::Costs(arguments) => costs::run(arguments).await,
        Program::Crash(arguments) => crash::run(arguments).await,
        Program::Facts(arguments) => facts::run(arguments).await,
        Program::Quantities(arguments) => quantities::run(&arguments),
        Program::Retrieval(arguments) => retrieval::run(arguments).await,
        Program::Rot(arguments) => rot::run(*arguments).await,
        Program::Rules(arguments) => rules::run(&arguments),
        Program::Scanners(arguments) => scanners::run(&arguments),
        Program::ScriptedModel(arguments) => scripted_model::run(arguments).await,
        Program::Hydrate(arguments) => facts::hydrate::run(arguments).await,
        Program::HydrationTasks(arguments) => hydration_tasks::run(arguments).await,
        Program::History(arguments) => history::run(arguments).await,
        Program::Imports(arguments) => imports::run(arguments).await,
        Program::Injection(arguments) => injection::run(arguments).await,
        Program::Documents(arguments) => documents::run(arguments).await,
        Program::MemoryTool(arguments) => memory_tool::run(&arguments),
        Program::TreeUpkeep(arguments) => tree_upkeep::run(&arguments),
        Program::Migrate(arguments) => migrate::run(arguments).await,
        Program::Mirror(arguments) => mirror::run(arguments).await,
        Program::Fuzz(arguments) => fuzz::run(&arguments),
        Program::Peers(arguments) => peers::run(arguments).await,
        Program::PipelineLoad(arguments) => pipeline_load::run(arguments).await,
        Program::Processes(arguments) => processes::run(arguments).await,
        // It waits for futures itself.
        Program::Simulate(arguments) => tokio::task::block_in_place(|| simulate::run(&arguments)),
        Program::Smoke(arguments) => smoke::run(&arguments),
        Program::SreHooks(arguments) => sre::hooks::run(arguments).await,
        Program::SreRecall(arguments) => sre::recall::run(arguments).await,
        Program::Statements(arguments) => statements::run(arguments).await,
        Program::Stores(arguments) => stores::run(arguments).await,
        Program::Study(arguments) => study::run(arguments).await,
        Program::Worker(arguments) => processes::run_worker(arguments).await,
        Program::Train(arguments) => train::run(arguments).await,
        Program::WireLoad(arguments) => load::run(arguments).await,
        Program::LoadMember(arguments) => load::run_member(arguments).await,
        Program::WireRetrieval(arguments) => wire_retrieval::run(arguments).await,
    }
}
