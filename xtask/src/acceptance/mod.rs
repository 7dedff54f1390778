//! `cargo xtask acceptance …`: runs unmodified foreign clients, at pinned versions, against a
//! freshly started server. Each suite lives in `compat/`. This module gives it packages, a server
//! and an environment, and reads its totals.

mod agentcore;
mod default_build;
mod environment;
mod mcp;
pub(crate) mod packages;
mod server;
mod suites;

use crate::checkout::Checkout;
use crate::reduced_builds;
use anyhow::Result;

/// Options of an acceptance run: the suite and the configuration of the server.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Suite to run.
    suite: Suite,
    /// Extract before answering CreateEvent: faster polls, but not how the server is used.
    #[arg(long)]
    sync: bool,
    /// Language model that reads conversations.
    #[arg(long, value_enum, default_value_t = Model::None)]
    model: Model,
    /// Store of the server.
    #[arg(long, value_enum, default_value_t = Store::Folder)]
    store: Store,
}

/// The store of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Store {
    /// A folder of its own.
    Folder,
    /// A PostgreSQL of its own, started for the suite.
    Postgres,
}

/// The language model that reads conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Model {
    /// No language model: only the deterministic parts of the strategies run.
    None,
    /// The scripted model of `loci-bench scripted-model`, as a provider.
    Scripted,
}

/// A set of tests with one kind of client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Suite {
    /// The 49 public integration tests of the Python SDK.
    Agentcore,
    /// Every operation with boto3, including cases that the public tests leave out.
    Boto3,
    /// Every operation with the AWS SDK for JavaScript, and the npm memory store.
    Js,
    /// Checkpoints and store of LangGraph.
    Langgraph,
    /// Random commands of the memory tool, compared with the reference of Anthropic's SDK for
    /// Python, and the example that uses it.
    MemoryTool,
    /// A mirror in a bucket of an S3-compatible server.
    Bucket,
    /// The S3 API with boto3 and with the stock stores of Strands.
    StrandsS3,
    /// Stock agents of Strands in Python and TypeScript.
    Strands,
    /// The rows of the source designs, each with the calls of its design.
    Designs,
    /// The conformance suite of MCP, its inspector, and the official SDKs.
    Mcp,
    /// The tests of the build without features.
    DefaultBuild,
    /// The public tests of the Python SDK and every operation with boto3, against a binary without
    /// products.
    WireAlone,
    /// All suites.
    All,
}

/// Runs the suite that the command line selects.
///
/// # Errors
/// Errors if a test fails or if fewer tests ran than exist.
pub(crate) fn run(checkout: &Checkout, arguments: &Arguments) -> Result<()> {
    run_with(checkout, arguments.suite, arguments.sync, arguments.model, arguments.store)
}

/// Runs one suite with the server in its ordinary, asynchronous mode.
///
/// # Errors
/// As [`run`].
pub(crate) fn suite(checkout: &Checkout, suite: Suite) -> Result<()> {
    run_with(checkout, suite, false, Model::None, Store::Folder)
}

/// Runs one suite against a server that reads conversations with the scripted model.
///
/// # Errors
/// As [`run`].
pub(crate) fn suite_with_model(checkout: &Checkout, suite: Suite) -> Result<()> {
    run_with(checkout, suite, false, Model::Scripted, Store::Folder)
}

/// Runs one suite against a server over PostgreSQL.
///
/// # Errors
/// As [`run`].
pub(crate) fn suite_on_postgres(checkout: &Checkout, suite: Suite) -> Result<()> {
    run_with(checkout, suite, false, Model::None, Store::Postgres)
}

fn run_with(checkout: &Checkout, suite: Suite, sync: bool, model: Model, store: Store) -> Result<()> {
    let loci = match suite {
        Suite::WireAlone => reduced_builds::wire_alone(checkout)?,
        _ => checkout.loci()?,
    };
    let server = server::Options { loci, sync, model, store };
    match suite {
        Suite::Agentcore => agentcore::run(checkout, &server),
        Suite::Boto3 => suites::boto3(checkout, &server, &[]),
        Suite::Js => suites::js(checkout, &server),
        Suite::Langgraph => suites::langgraph(checkout, &server),
        Suite::MemoryTool => suites::memory_tool(checkout, &server),
        Suite::Bucket => suites::bucket(checkout, &server),
        Suite::StrandsS3 => suites::strands_s3(checkout, &server),
        Suite::Strands => suites::strands(checkout, &server),
        Suite::Designs => suites::designs(checkout, &server),
        Suite::Mcp => mcp::run(checkout, &server),
        Suite::DefaultBuild => default_build::run(checkout),
        Suite::WireAlone => {
            agentcore::run(checkout, &server)?;
            // This file tests the records that operations memory makes of an agent's events.
            suites::boto3(checkout, &server, &["test_operations_agent.py"])
        }
        Suite::All => {
            agentcore::run(checkout, &server)?;
            suites::boto3(checkout, &server, &[])?;
            suites::js(checkout, &server)?;
            suites::langgraph(checkout, &server)?;
            suites::memory_tool(checkout, &server)?;
            suites::bucket(checkout, &server)?;
            suites::strands_s3(checkout, &server)?;
            suites::strands(checkout, &server)?;
            suites::designs(checkout, &server)?;
            default_build::run(checkout)?;
            mcp::run(checkout, &server)?;
            run_with(checkout, Suite::WireAlone, sync, Model::None, Store::Folder)
        }
    }
}
