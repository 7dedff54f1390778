//! `loci-bench`: programs that measure Loci or try to break it, over its public APIs and with real
//! processes.
//!
//! A new program needs a file here with `Arguments` and `run`, and one line in the table. No code
//! of the product lives here.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "benchmark programs talk to their terminal")]
#![expect(clippy::disallowed_methods, reason = "measuring needs the machine's time, environment and waits")]

mod cluster;
mod co_change;
mod consolidation;
mod conversation_index;
mod costs;
mod crash;
mod dev_set;
mod documents;
mod embedded_engine;
mod facts;
mod figures;
mod fuzz;
mod git;
mod great_tables;
mod history;
mod hydration_tasks;
mod imports;
mod injection;
mod labelled_set;
mod load;
mod memory_tool;
mod migrate;
mod mirror;
mod operations;
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
mod seeded_random;
mod server;
mod simulate;
mod smoke;
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
    /// Several servers on one PostgreSQL, killed at random under load, and the data that they
    /// acknowledged.
    Cluster(cluster::Arguments),
    /// Latency of reading a history and of queries for files that change together.
    CoChange(co_change::Arguments),
    /// Labelled pairs of statements, decided by the planner without a model.
    Consolidation(consolidation::Arguments),
    /// Processor time, log and disk space of one operation, on both stores.
    Costs(costs::Arguments),
    /// Kills a server at random under mixed load and checks the data that it acknowledged.
    Crash(crash::Arguments),
    /// Documents: appends of many writers, and the listing of a large tree.
    Documents(documents::Arguments),
    /// Latency of verified memory: storing, verifying at new commits, reading from many facts.
    Facts(facts::Arguments),
    /// Latency of the hydration of a task, and its recall under a token budget.
    Hydrate(facts::hydrate::Arguments),
    /// Labelled tasks, and the share that gets the learning that it needs.
    HydrationTasks(hydration_tasks::Arguments),
    /// Files of a commit, found by its message.
    History(history::Arguments),
    /// Imports of Python files by name, compared with those of Python's own parser.
    Imports(imports::Arguments),
    /// Time that injecting memories into a model call adds to the search.
    Injection(injection::Arguments),
    /// Mutated requests through router, shapes and signatures.
    Fuzz(fuzz::Arguments),
    /// The steps of a fixture file, answered by the memory tool.
    MemoryTool(memory_tool::Arguments),
    /// A tree with planted duplicates and contradictions, consolidated by rules and undone.
    TreeUpkeep(tree_upkeep::Arguments),
    /// A store moved into PostgreSQL and back, killed during the move, and compared.
    Migrate(migrate::Arguments),
    /// A tree as files of a directory and of a repository: the first rendering, one change,
    /// listings.
    Mirror(mirror::Arguments),
    /// Loci and other memory and retrieval engines, in one run.
    Peers(peers::Arguments),
    /// Parallel sessions, and CreateEvent during calls to a slow provider.
    PipelineLoad(pipeline_load::Arguments),
    /// Several processes on one folder under mixed load.
    Processes(processes::Arguments),
    /// One of the processes of `processes`.
    #[command(hide = true)]
    Worker(processes::WorkerArguments),
    /// Labelled sentences about services, converted into baselines without a model.
    Quantities(quantities::Arguments),
    /// Recall of the ranking alone, in this process.
    Retrieval(retrieval::Arguments),
    /// Detection of missing and of existing code by verified memory, on any git history.
    Rot(Box<rot::Arguments>),
    /// Labelled review comments: detection of those that state a rule, without a model.
    Rules(rules::Arguments),
    /// Parsers of foreign text on worst-case texts.
    Scanners(scanners::Arguments),
    /// A local stand-in for a language model that answers from the request alone.
    ScriptedModel(scripted_model::Arguments),
    /// Fits the weights of the ranking and judges them on unseen conversations.
    Train(train::Arguments),
    /// A random but repeatable simulation with failing writes, crashes and clock jumps, compared
    /// with a plain twin.
    Simulate(simulate::Arguments),
    /// The workloads of `cargo xtask bench smoke`.
    #[command(hide = true)]
    Smoke(smoke::Arguments),
    /// Latency of the hooks of an investigation in a memory of many records.
    SreHooks(operations::hooks::Arguments),
    /// Recall of questions about services whose facts use other words, among many facts.
    SreRecall(operations::recall::Arguments),
    /// Labelled facts that cite code, and the server's verdict on their support.
    Statements(statements::Arguments),
    /// Compares the results of a folder and of PostgreSQL for the same queries, in each mode of
    /// search.
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
    // The installation fails only if a library has installed a provider already, which is
    // sufficient.
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
        // This program waits for futures itself.
        Program::Simulate(arguments) => tokio::task::block_in_place(|| simulate::run(&arguments)),
        Program::Smoke(arguments) => smoke::run(&arguments),
        Program::SreHooks(arguments) => operations::hooks::run(arguments).await,
        Program::SreRecall(arguments) => operations::recall::run(arguments).await,
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
