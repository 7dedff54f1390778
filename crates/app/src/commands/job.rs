//! `loci job`: jobs, starting failed ones again, and waiting for extraction.

use anyhow::Result;
use clap::Subcommand;
use loci_api::job as shape;

use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Difference;
use crate::output;
use crate::session::Session;

/// Jobs, and waiting for them
#[derive(Debug, Subcommand)]
pub(crate) enum Job {
    /// List jobs, latest change first
    List {
        /// The memory, by name or id
        #[arg(long)]
        memory: String,
        /// pending, running, failed or done
        #[arg(long)]
        state: Option<String>,
    },
    /// Show a job
    Get {
        /// The memory, by name or id
        #[arg(long)]
        memory: String,
        /// The job
        job: String,
    },
    /// Start a failed job again
    Start {
        /// The memory, by name or id
        #[arg(long)]
        memory: String,
        /// The job
        job: String,
    },
    /// Wait, at most --wait-ms, until everything is extracted; exit code 5 if something is pending then
    Wait {
        /// The memory, by name or id
        #[arg(long)]
        memory: String,
    },
}

impl Job {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        match self {
            Self::List { memory, state } => {
                let memory = session.memory(&memory).await?;
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
                let memory = session.memory(&memory).await?;
                output::json(&session.client.job_get(&memory, &job).await?)?;
            }
            Self::Start { memory, job } => {
                let memory = session.memory(&memory).await?;
                let started = session.client.job_start(&memory, &job).await?;
                session.wrote(&memory)?;
                output::result(session.json, &started, |started| {
                    output::line(format!("started {}", started.id))
                })?;
            }
            Self::Wait { memory } => {
                let memory = session.memory(&memory).await?;
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

fn shown(list: &shape::JobList) {
    let mut rows =
        vec![["JOB", "KIND", "STATE", "ACTOR", "SESSION", "TRIED", "WHY"].map(str::to_owned).to_vec()];
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
    output::table(&rows);
}
