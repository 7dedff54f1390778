//! `loci job`: lists jobs, restarts failed ones, and waits for extraction.

use anyhow::Result;
use clap::Subcommand;
use loci_api::job as shape;
use loci_api::pull::{JobGivenUp, JobNext, JobResult, JobResultTaken};

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::{Difference, NotFound};
use crate::input::text_of;
use crate::memory_argument::{self, MemoryArgument};
use crate::output;
use crate::output::wait_notice::waited_for;
use crate::session::Session;

/// List jobs and wait for them
#[derive(Debug, Subcommand)]
pub(crate) enum Job {
    /// List jobs, latest change first
    List {
        #[command(flatten)]
        memory: MemoryArgument,
        /// pending, running, failed or done
        #[arg(long)]
        state: Option<String>,
    },
    /// Show a job
    Get {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The job
        job: String,
    },
    /// Restart a failed job
    Start {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The job
        job: String,
    },
    /// Lease a question for your own model (pull mode); exit code 3 if there is none
    Next {
        /// Only of this memory, by name or id [default: LOCI_MEMORY, or all]
        #[arg(long, value_name = "MEMORY")]
        memory: Option<String>,
        /// Only of this kind: extract, summarise, consolidate, reflect, review_rules, tree_plan,
        /// agent_response
        #[arg(long)]
        kind: Option<String>,
        /// The duration of the lease in milliseconds
        #[arg(long, default_value_t = 300_000)]
        lease_ms: u64,
        /// The time to wait for a question in milliseconds
        #[arg(long, default_value_t = 0)]
        poll_ms: u64,
    },
    /// Submit the answer to a question; exit code 2 if it does not have the requested form
    Result {
        /// The question
        job: String,
        /// The file with the answer; - reads standard input
        #[arg(long)]
        output: String,
        /// The answering model
        #[arg(long)]
        model: Option<String>,
        /// The cost in US dollars
        #[arg(long)]
        cost_usd: Option<f64>,
    },
    /// Release a question for others
    Fail {
        /// The question
        job: String,
        /// The reason
        #[arg(long, default_value = "")]
        error: String,
    },
    /// Wait at most --wait-ms until extraction is complete; exit code 5 if jobs are still pending
    /// then
    Wait {
        #[command(flatten)]
        memory: MemoryArgument,
    },
}

impl Job {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        match self {
            Self::List { memory, state } => {
                let memory = memory.id(&session).await?;
                let mut listing = shape::JobListing { state, ..Default::default() };
                let mut jobs = Vec::new();
                loop {
                    let page = session.client.job_list(&memory, &listing).await?;
                    jobs.extend(page.jobs);
                    listing.cursor = page.next_cursor;
                    if listing.cursor.is_none() {
                        break;
                    }
                }
                output::result(session.json, &shape::JobList { jobs, next_cursor: None }, shown)?;
            }
            Self::Get { memory, job } => {
                let memory = memory.id(&session).await?;
                output::details(session.json, &session.client.job_get(&memory, &job).await?)?;
            }
            Self::Start { memory, job } => {
                let memory = memory.id(&session).await?;
                let started = session.client.job_start(&memory, &job).await?;
                session.wrote(&memory)?;
                output::result(session.json, &started, |started| {
                    output::line(format!("started {}", started.id))
                })?;
            }
            Self::Next { memory, kind, lease_ms, poll_ms } => {
                let memory = memory_argument::named_id(memory, &session, environment).await?;
                let next = JobNext { kinds: kind, memory, lease_ms: Some(lease_ms), wait_ms: Some(poll_ms) };
                return come_for(session, &next).await;
            }
            Self::Result { job, output: file, model, cost_usd } => {
                let result = JobResult { output: text_of(&file, "the answer")?, model, cost_usd };
                let taken = session.client.pulled_result(&job, &result).await?;
                session.wrote(memory_of(&job))?;
                output::result(session.json, &taken, shown_taken)?;
            }
            Self::Fail { job, error } => {
                let nothing = session.client.pulled_fail(&job, &JobGivenUp { error }).await?;
                session.wrote(memory_of(&job))?;
                output::result(session.json, &nothing, |_| output::line(format!("gave {job} up")))?;
            }
            Self::Wait { memory } => {
                let memory = memory.id(&session).await?;
                let state = session.settle(&memory).await?;
                output::result(session.json, &state, |state| {
                    output::line(format!("{} pending, {} failed", state.pending, state.failed));
                })?;
                session.end().await?;
                let unsettled = !state.complete || state.failed > 0;
                return if unsettled {
                    Err(Difference("not everything is extracted".to_owned()).into())
                } else {
                    Ok(())
                };
            }
        }
        session.end().await
    }
}

/// Leases a question from the server and prints it, if there is one.
async fn come_for(session: Session, next: &JobNext) -> Result<()> {
    let waiting = "waiting for a question to your model; --poll-ms sets for how long";
    let client = session.client.clone().without_meanwhile();
    let found = waited_for(client.pulled_next(next), waiting).await?;
    session.end().await?;
    let none = || NotFound("no question is pending: see `loci job list`".to_owned());
    output::json(&found.ok_or_else(none)?)
}

fn shown_taken(taken: &JobResultTaken) {
    output::line(format!("{} accepted, {} discarded, {}", taken.accepted, taken.discarded, taken.state));
    taken.records.iter().for_each(output::line);
}

/// Returns the memory that the id of a question contains.
fn memory_of(job: &str) -> &str {
    job.split_once('.').map_or(job, |(memory, _)| memory)
}

fn shown(list: &shape::JobList) {
    let mut rows = Vec::new();
    for job in &list.jobs {
        rows.push(vec![
            job.id.clone(),
            job.kind.clone(),
            job.state.clone(),
            job.actor.clone().unwrap_or_default(),
            job.session.clone().unwrap_or_default(),
            job.attempts.to_string(),
            job.failure_reason.clone().unwrap_or_default(),
        ]);
    }
    let heads = ["JOB", "KIND", "STATE", "ACTOR", "SESSION", "TRIED", "WHY"];
    output::list(&heads, rows, "No jobs.");
}
