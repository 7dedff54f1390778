//! `cargo xtask acceptance …`: unmodified foreign clients, at pinned versions, against a freshly started server. Each
//! suite lives in `compat/`; here they get their packages, a server and an environment, and their totals are read.

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

/// Which suite to run, and how.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Suite to run.
    suite: Suite,
    /// Extract before answering CreateEvent: faster polls, but not how the server is used.
    #[arg(long)]
    sync: bool,
    /// Who reads conversations.
    #[arg(long, value_enum, default_value_t = Model::None)]
    model: Model,
    /// Where the server keeps what it is told.
    #[arg(long, value_enum, default_value_t = Store::Folder)]
    store: Store,
}

/// Where the server keeps what it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Store {
    /// A folder of its own.
    Folder,
    /// A PostgreSQL of its own, started for the suite.
    Postgres,
}

/// Who reads conversations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Model {
    /// No language model: the deterministic halves of the strategies.
    None,
    /// The stand-in of `loci-bench scripted-model`, as a provider.
    Scripted,
}

/// A set of tests with one kind of client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Suite {
    /// The 49 public integration tests of the Python SDK.
    Agentcore,
    /// Every operation with boto3, and what the public tests leave out.
    Boto3,
    /// Every operation with the AWS SDK for JavaScript, and the npm memory store.
    Js,
    /// Checkpoints and store of LangGraph.
    Langgraph,
    /// Random commands of the memory tool beside the reference of Anthropic's SDK for Python, and the example that uses it.
    MemoryTool,
    /// A mirror in a bucket of a server that speaks the protocol of S3.
    Bucket,
    /// The S3 door with boto3, and with the stock stores of Strands.
    StrandsS3,
    /// Stock agents of Strands in Python and TypeScript.
    Strands,
    /// The rows of the source designs, each by the design's own calls.
    Designs,
    /// The conformance suite of MCP, its inspector, and the official SDKs.
    Mcp,
    /// The tests of the build without features.
    DefaultBuild,
    /// The public tests of the Python SDK and every operation with boto3, with a program that has no
    /// product.
    WireAlone,
    /// All of them.
    All,
}

/// Runs what the command line asks for.
///
/// # Errors
/// When a test fails or fewer ran than there are.
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

/// Runs one suite against a server that reads with a model.
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
            // These ask for what operations memory makes of an agent's events.
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
