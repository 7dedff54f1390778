//! `loci repo quarantine`, `release`, `snapshots`, `rollback`, `purge`: safeguards of a
//! repository's memory. A command with large effects previews its changes first.

use anyhow::Result;
use loci_api::coding::safeguard::{
    PurgeAsk, PurgeFilter, Purged, RepositoryQuarantine, RollbackAsk, RolledBack, SnapshotListing,
};
use loci_api::quarantine::Quarantined;

use crate::commands::verified::code_memory::CodeMemory;
use crate::commands::verified::repository_words::{PositionedRepository, Surroundings, repository_and_words};
use crate::exit::Usage;
use crate::output;

/// The memories, and the reason
#[derive(Debug, clap::Args)]
pub(crate) struct Quarantine {
    /// The records; other conditions narrow them. Before them the repository, as owner/name
    /// [default: that of the working directory]
    #[arg(num_args = 0.., value_names = ["REPO", "RECORD"])]
    records: Vec<String>,
    /// Only records that match this question well
    #[arg(long)]
    query: Option<String>,
    /// Only records whose text or title matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pattern: Option<String>,
    /// Only records that this task wrote
    #[arg(long)]
    task: Option<String>,
    /// Only records from the comments of this reviewer, by login
    #[arg(long, value_name = "LOGIN")]
    reviewer: Option<String>,
    /// Created at or after this time
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Created before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// The reason, stored with each record
    #[arg(long)]
    reason: String,
    /// Only list the affected records
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    at: CodeMemory,
}

impl Quarantine {
    fn asked(&self, records: &[String]) -> RepositoryQuarantine {
        RepositoryQuarantine {
            ids: records.to_vec(),
            query: self.query.clone(),
            pattern: self.pattern.clone(),
            task_id: self.task.clone(),
            reviewer: self.reviewer.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            reason: self.reason.clone(),
            dry_run: self.dry_run,
        }
    }

    pub(in crate::commands) async fn hold(&self, around: Surroundings<'_>) -> Result<()> {
        let (repo, records) = repository_and_words(&self.records);
        let meant = around.meant(&self.at, repo).await?;
        let done = meant.client.repository_quarantine(meant.parts(), &self.asked(records)).await?;
        quarantined(around.session.json, &done, if self.dry_run { "would be held back" } else { "held back" })
    }

    pub(in crate::commands) async fn release(&self, around: Surroundings<'_>) -> Result<()> {
        let (repo, records) = repository_and_words(&self.records);
        let meant = around.meant(&self.at, repo).await?;
        let done = meant.client.repository_release(meant.parts(), &self.asked(records)).await?;
        quarantined(around.session.json, &done, if self.dry_run { "would be let go" } else { "let go" })
    }
}

fn quarantined(as_json: bool, done: &Quarantined, what: &str) -> Result<()> {
    output::result(as_json, done, |done| {
        done.ids.iter().for_each(output::line);
        output::line(format!("{} {what}", done.matched));
    })
}

/// The repository
#[derive(Debug, clap::Args)]
pub(crate) struct Snapshots {
    #[command(flatten)]
    of: PositionedRepository,
}

impl Snapshots {
    pub(in crate::commands) async fn run(&self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let found = meant.client.snapshots_list(meant.parts(), &SnapshotListing::default()).await?;
        output::result(around.session.json, &found, |found| {
            output::note_if_empty(&found.snapshots, "No snapshots.");
            for one in &found.snapshots {
                let of = match (&one.task_id, &one.before_rollback_to) {
                    (Some(task), _) => format!("task {task}"),
                    (None, Some(to)) => format!("before the rollback to {to}"),
                    (None, None) => String::new(),
                };
                output::line(format!("{}  {}  {of}", one.id, one.at));
            }
        })
    }
}

/// The snapshot to restore, and the reason
#[derive(Debug, clap::Args)]
pub(crate) struct Rollback {
    #[command(flatten)]
    of: PositionedRepository,
    /// The snapshot, from `loci repo snapshots`
    #[arg(long, value_name = "SNAPSHOT")]
    to: String,
    /// The reason, stored with each record
    #[arg(long)]
    reason: String,
    /// Only list the changes
    #[arg(long)]
    dry_run: bool,
}

impl Rollback {
    pub(in crate::commands) async fn run(&self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let ask = RollbackAsk { to: self.to.clone(), reason: self.reason.clone(), dry_run: self.dry_run };
        let done = meant.client.repository_rollback(meant.parts(), &ask).await?;
        output::result(around.session.json, &done, rolled_back)
    }
}

fn rolled_back(done: &RolledBack) {
    for (what, ids) in
        [("rolled back", &done.rolled_back), ("in force again", &done.restored), ("as it was", &done.changed)]
    {
        ids.iter().for_each(|id| output::line(format!("{what:<16}{id}")));
    }
    for one in &done.not_undone {
        output::line(format!("{:<16}{} ({})", "not undone", one.id, one.reason));
    }
    match &done.before {
        Some(before) => output::note(format!("to undo this, go back to {before}")),
        None if done.applied => output::note("nothing has changed since"),
        None => output::note("nothing was changed: without --dry-run it is"),
    }
}

/// The memories to erase, and the reason
#[derive(Debug, clap::Args)]
pub(crate) struct Purge {
    /// The records; other conditions narrow them. Before them the repository, as owner/name
    /// [default: that of the working directory]
    #[arg(num_args = 0.., value_names = ["REPO", "RECORD"])]
    records: Vec<String>,
    /// knowledge, `self_feedback`, fact, episode, rule, reflection or preference
    #[arg(long)]
    kind: Option<String>,
    /// The namespace, including those beneath it
    #[arg(long)]
    namespace: Option<String>,
    /// Only records from the comments of this reviewer, by login
    #[arg(long, value_name = "LOGIN")]
    reviewer: Option<String>,
    /// Only records of this person's tasks, by login or number
    #[arg(long, value_name = "LOGIN")]
    user: Option<String>,
    /// Only records that this task wrote
    #[arg(long)]
    task: Option<String>,
    /// Created at or after this time
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Created before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only records whose text or title contains this
    #[arg(long, value_name = "WORDS")]
    content: Option<String>,
    /// Only records whose text or title matches this regular expression
    #[arg(long, value_name = "REGEX")]
    pattern: Option<String>,
    /// The reason
    #[arg(long)]
    reason: String,
    /// The name of the repository again, instead of --yes; or the number of records, as reported
    /// without this option: then exactly so many are erased [default: only list them]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["yes", "dry_run"])]
    confirm: Option<String>,
    /// Erase the records, however many there are, without confirmation
    #[arg(long, conflicts_with = "dry_run")]
    yes: bool,
    /// Only list the records, as without --confirm and --yes
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    at: CodeMemory,
}

impl Purge {
    pub(in crate::commands) async fn run(&self, around: Surroundings<'_>) -> Result<()> {
        let (repo, records) = repository_and_words(&self.records);
        let meant = around.meant(&self.at, repo).await?;
        let filter = PurgeFilter {
            ids: records.to_vec(),
            kind: self.kind.clone(),
            namespace: self.namespace.clone(),
            reviewer: self.reviewer.clone(),
            user: self.user.clone(),
            task: self.task.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            content: self.content.clone(),
            pattern: self.pattern.clone(),
        };
        let name = meant.whole();
        let (is_confirmed, confirm) = self.confirmed(&name)?;
        let (reason, dry_run) = (self.reason.clone(), confirm.is_none());
        let mut ask = PurgeAsk { filter, reason, dry_run, confirm };
        let mut done = meant.client.repository_purge(meant.parts(), &ask).await?;
        if is_confirmed && done.matched > 0 {
            (ask.dry_run, ask.confirm) = (false, Some(done.matched));
            done = meant.client.repository_purge(meant.parts(), &ask).await?;
        }
        output::result(around.session.json, &done, |done| purged(done, &name))
    }

    /// Returns true if the records are erased, however many there are; else the confirmed number.
    fn confirmed(&self, name: &str) -> Result<(bool, Option<u64>)> {
        let Some(confirm) = &self.confirm else { return Ok((self.yes, None)) };
        match confirm.parse() {
            Ok(number) => Ok((false, Some(number))),
            Err(_) if confirm.eq_ignore_ascii_case(name) => Ok((true, None)),
            Err(_) => {
                let rule = format!(
                    "nothing was changed: --confirm must be the repository, {name}, or the number of its \
                     records to erase"
                );
                Err(Usage(rule).into())
            }
        }
    }
}

fn purged(done: &Purged, name: &str) {
    done.ids.iter().for_each(output::line);
    if done.applied {
        let (sessions, reviews) = (done.session_items, done.reviews);
        output::line(format!(
            "{} meant and erased; {sessions} items of sessions, {reviews} reviews",
            done.matched
        ));
    } else {
        output::line(format!("{} would be erased", done.matched));
        output::note(format!("to erase them, for good: --yes, or --confirm {name}"));
    }
}
