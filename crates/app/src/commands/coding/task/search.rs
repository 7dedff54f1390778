//! `loci task search`: searches the memories of a task's repository by a query and filters, as its
//! agent would.

use anyhow::{Result, bail};
use loci_api::coding::repository_search::{FoundRecord, RepositoryFound, RepositorySearch, SearchFilters};
use loci_client::Client;

use crate::commands::verified::code_memory::CodeMemory;
use crate::output;

/// The maximum number of characters of text on a line.
const TEXT_CHARS_MAX: usize = 160;

/// The query and the filters
#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// The searching task: its arm applies, and the results are recorded as shown to it
    task: String,
    /// The query; without one, only the filters apply
    query: Option<String>,
    /// The repository [default: the task's]
    #[arg(long)]
    repo: Option<String>,
    /// knowledge, self_feedback, episode, reflection, rule or preference; repeatable
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    /// Only records of tasks with this pull request
    #[arg(long, value_name = "N")]
    pr: Option<u64>,
    /// Only records learned at this commit, or by the task that made it
    #[arg(long, value_name = "SHA")]
    commit: Option<String>,
    /// Only records of tasks about this issue
    #[arg(long, value_name = "N")]
    issue: Option<u64>,
    /// Only records of tasks with this status: completed, failed, …
    #[arg(long)]
    status: Option<String>,
    /// Only episodes with this outcome
    #[arg(long)]
    outcome: Option<String>,
    /// Only records of tasks that this user requested
    #[arg(long)]
    user: Option<String>,
    /// A file, a directory or a pattern
    #[arg(long)]
    path: Option<String>,
    /// First written at or after this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// First written before this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The maximum number of results
    #[arg(long)]
    limit: Option<u32>,
    /// The revision at which citations are verified [default: WORKTREE, the current files; HEAD if
    /// there is none, and with --url, of the server's code]
    #[arg(long = "ref", value_name = "REF")]
    reference: Option<String>,
    #[command(flatten)]
    at: CodeMemory,
}

impl Search {
    pub(super) async fn run(self, client: &Client, as_json: bool) -> Result<()> {
        let client = self.at.of(client)?;
        let repo = match &self.repo {
            Some(repo) => repo.clone(),
            None => match client.task_get(&self.task).await?.repo {
                Some(repo) => repo,
                None => bail!("task {} is on no repository: name one with --repo", self.task),
            },
        };
        let Some(name) = repo.split_once('/') else { bail!("--repo must be owner/name") };
        let found = client.repository_search(name, &self.asked()).await?;
        output::result(as_json, &found, shown)
    }

    fn asked(self) -> RepositorySearch {
        RepositorySearch {
            query: self.query,
            kinds: self.kinds,
            filters: SearchFilters {
                pr: self.pr,
                commit: self.commit,
                issue: self.issue,
                status: self.status,
                outcome: self.outcome,
                user: self.user,
                path: self.path,
                since: self.since,
                until: self.until,
            },
            limit: self.limit,
            task_id: Some(self.task),
            reference: self.reference,
        }
    }
}

fn shown(found: &RepositoryFound) {
    found.results.iter().for_each(line);
    if found.results.is_empty() {
        output::note("nothing was found");
    }
    found.warnings.iter().for_each(output::note);
}

fn line(one: &FoundRecord) {
    let record = &one.record;
    let of = [
        record.scope.clone().map(|scope| format!("for {scope}")),
        record.outcome.clone(),
        one.verdict.clone(),
    ];
    let notes: Vec<String> = of.into_iter().flatten().collect();
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join("; ")) };
    output::line(format!("{:.2}  {}  {}{notes}", one.score, record.kind, record.id));
    // The text of a learning already begins with its topic.
    let topic = record.topic.as_ref().map(|topic| format!("{topic}: "));
    let topic = topic.filter(|topic| !record.text.starts_with(topic.as_str())).unwrap_or_default();
    output::line(format!("      {}", output::short(&format!("{topic}{}", record.text), TEXT_CHARS_MAX)));
}
