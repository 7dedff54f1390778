//! `loci consolidate`: consolidation of a tree, on a server or in a plain directory, for people,
//! cron and CI. Without `--apply` it plans and writes nothing. It has its own exit codes: 0 nothing
//! to do or applied, 2 a plan was made, 3 conflict, 4 validation failed, 1 other.

mod path;
mod run_report;

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use loci_api::documents::consolidation as shape;
use loci_client::ClientError;
use loci_model::ports::clock::Clock;

use crate::adapters::SystemClock;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::{CommandOutcome, PendingPlan};
use crate::memory_argument::MemoryArgument;
use crate::output::wait_notice::waited_for;
use crate::session::Session;

/// The polling interval in milliseconds for a run that a model plans.
const LOOK_MS: u64 = 500;

/// The documents that a run considers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Changes since the last applied run
    SinceLast,
    /// All documents
    All,
}

/// The planner of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Planner {
    /// Rules, followed by a model if the memory uses one
    Auto,
    /// Rules only
    Deterministic,
    /// Rules and a model
    Llm,
}

/// The output format of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// For a pull request
    Markdown,
}

/// Consolidate a tree of documents: plan it, apply the plan, or undo it
#[derive(Debug, Args)]
pub(crate) struct Consolidate {
    /// The memory, by name or id [default: LOCI_MEMORY, or the only one]
    #[arg(long, conflicts_with = "path")]
    memory: Option<String>,
    /// The namespace of the documents; `/` without it
    #[arg(long)]
    namespace: Option<String>,
    /// A plain directory, without any server; an archived document is a deleted file there
    #[arg(long, value_name = "DIR", conflicts_with_all = ["namespace", "run", "revert"])]
    path: Option<PathBuf>,
    /// The layout of the directory; derived from its files without it
    #[arg(long, requires = "path")]
    layout: Option<String>,
    /// The permitted operations [default: deduplicate,reorganize]; also resolve_contradictions,
    /// derive_insights, prune
    #[arg(long, value_delimiter = ',')]
    ops: Vec<String>,
    /// The scope [default: since-last; of a directory: all]
    #[arg(long, value_enum)]
    scope: Option<Scope>,
    /// The planner
    #[arg(long, value_enum, default_value_t = Planner::Auto)]
    planner: Planner,
    /// Apply the actions that need no decision
    #[arg(long)]
    apply: bool,
    /// An existing run: show it, apply it with --apply, undo it with --revert
    #[arg(long)]
    run: Option<String>,
    /// Undo the run
    #[arg(long, requires = "run", conflicts_with = "apply")]
    revert: bool,
    /// Only these actions of the run, including held ones
    #[arg(long, requires = "run", value_delimiter = ',')]
    actions: Vec<String>,
    /// The output format
    #[arg(long, value_enum)]
    format: Option<Format>,
}

impl Consolidate {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let format = self.format.unwrap_or(if globals.json { Format::Json } else { Format::Text });
        let outcome = match self.path.clone() {
            Some(directory) => path::run(&self, &directory),
            None => self.on_server(globals, environment).await,
        };
        let run = outcome.map_err(|error| CommandOutcome::of(code_of(&error), error))?;
        run_report::show(&run, format)?;
        self.ended(&run)
    }

    /// Converts the state of the run to an exit code.
    fn ended(&self, run: &shape::ConsolidationRun) -> Result<()> {
        let say = |code: u8, text: String| Err(CommandOutcome { code, text }.into());
        let open = run.plan.iter().filter(|one| matches!(one.status.as_str(), "planned" | "held")).count();
        match run.status.as_str() {
            "applied" | "reverted" | "cancelled" => Ok(()),
            "planned" if open == 0 => Ok(()),
            "planned" => {
                let next = "nothing was written; look at them, then apply them with --apply";
                Err(PendingPlan(format!("{open} actions are planned: {next}")).into())
            }
            "conflict" => say(3, "the tree kept changing while it was planned".to_owned()),
            "failed" if !run.violations.is_empty() => {
                say(4, format!("the plan breaks {} rules: nothing of it is applied", run.violations.len()))
            }
            "failed" => say(1, run.failure.clone().unwrap_or_else(|| "the run failed".to_owned())),
            _ => say(1, format!("run {} is {} still: look at it with --run", run.id, run.status)),
        }
    }

    async fn on_server(
        &self,
        globals: &Globals,
        environment: &Environment,
    ) -> Result<shape::ConsolidationRun> {
        let mut session = Session::begin(globals, environment)?;
        let memory = MemoryArgument::of(self.memory.clone(), environment).id(&session).await?;
        let namespace = self.namespace.clone();
        let meanwhile = session.work_meanwhile();
        let outcome = self.asked(&session, &memory, namespace).await;
        if let Some(meanwhile) = meanwhile {
            meanwhile.end().await?;
        }
        let run = outcome?;
        if run.status == "applied" {
            session.wrote(&memory)?;
        }
        session.end().await?;
        Ok(run)
    }

    async fn asked(
        &self,
        session: &Session,
        memory: &str,
        namespace: Option<String>,
    ) -> Result<shape::ConsolidationRun> {
        let client = &session.client;
        if let Some(run) = &self.run {
            if self.revert {
                let asked = shape::ConsolidationRevert { namespace, force: false };
                return Ok(client.consolidation_revert(memory, run, &asked).await?);
            }
            if self.apply {
                let actions = (!self.actions.is_empty()).then(|| self.actions.clone());
                let asked = shape::ConsolidationApply { namespace, actions };
                return Ok(client.consolidation_apply(memory, run, &asked).await?);
            }
            let asked = shape::ConsolidationAsk { namespace };
            return Ok(client.consolidation_get(memory, run, &asked).await?);
        }
        let start = shape::ConsolidationStart {
            namespace: namespace.clone(),
            operations: (!self.ops.is_empty()).then(|| self.ops.clone()),
            scope: self.scope.map(|scope| shape::ConsolidationScope {
                kind: if scope == Scope::All { "all" } else { "since_last" }.to_owned(),
                paths: Vec::new(),
            }),
            planner: Some(self.planner.word().to_owned()),
            dry_run: Some(!self.apply),
            ..shape::ConsolidationStart::default()
        };
        let mut run = client.consolidation_start(memory, &start).await?;
        let asked = shape::ConsolidationAsk { namespace };
        // A run that a model plans is a job. If the caller's own model plans it, the run has no
        // time limit.
        let planned = async {
            let (clock, mut waited) = (SystemClock::new(), 0);
            while run.status == "planning" && waited < session.wait_ms() {
                clock.sleep(LOOK_MS).await;
                waited += LOOK_MS;
                run = client.consolidation_get(memory, &run.id, &asked).await?;
            }
            Ok(run)
        };
        let most = session.wait_ms().div_ceil(1_000);
        waited_for(planned, &format!("waiting for the model that plans, at most {most} s (--wait-ms)")).await
    }
}

impl Planner {
    fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Deterministic => "deterministic",
            Self::Llm => "llm",
        }
    }
}

/// Returns the exit code of an error.
fn code_of(error: &anyhow::Error) -> u8 {
    if let Some(outcome) = error.downcast_ref::<CommandOutcome>() {
        return outcome.code;
    }
    let is_conflict = error.chain().any(|cause| {
        let client = cause.downcast_ref::<ClientError>().and_then(ClientError::status);
        matches!(client, Some(409 | 412))
    });
    if is_conflict { 3 } else { 1 }
}
