//! `loci files log|diff|snapshot|restore`: the history of documents, and restoring.

use anyhow::Result;
use clap::Subcommand;
use loci_api::documents::tree as shape;

use super::files::TreeSelector;
use crate::output;
use crate::session::Session;

/// The history of documents
#[derive(Debug, Subcommand)]
pub(crate) enum History {
    /// Show the history of a document, or of all of them
    Log {
        #[command(flatten)]
        of: TreeSelector,
        /// Only changes after this state or snapshot, of all documents
        #[arg(long)]
        since: Option<String>,
        /// The document; all of them without it
        path: Option<String>,
    },
    /// Show the changes between two states
    Diff {
        #[command(flatten)]
        of: TreeSelector,
        /// Only of this document
        #[arg(long)]
        path: Option<String>,
        /// A state of the log, a snapshot's label, <record>@<version>, or 0 for the beginning
        a: String,
        /// The second state, in the same notation; the current one without it
        b: Option<String>,
    },
    /// Name the current state of the documents, or list the names
    Snapshot {
        #[command(flatten)]
        of: TreeSelector,
        /// The name; without it, list all
        label: Option<String>,
    },
    /// Restore documents to a state; without --apply only show the changes
    Restore {
        #[command(flatten)]
        of: TreeSelector,
        /// Apply the changes
        #[arg(long)]
        apply: bool,
        /// The reason, stored with the versions
        #[arg(long)]
        reason: Option<String>,
        /// A state of the log, a snapshot's label, or 0 for the beginning
        state: String,
        /// Only these documents and those below them
        paths: Vec<String>,
    },
}

impl History {
    pub(super) async fn run(self, session: &mut Session) -> Result<()> {
        match self {
            Self::Log { of, since: _, path: Some(path) } => document(session, of, path).await,
            Self::Log { of, since, path: None } => all(session, of, since).await,
            Self::Diff { of, path, a, b } => {
                let memory = of.memory.id(session).await?;
                let query = shape::DiffQuery { namespace: of.namespace, a, b, path };
                let found = session.client.tree_diff(&memory, &query).await?;
                output::result(session.json, &found, shown)
            }
            Self::Snapshot { of, label: Some(label) } => {
                let memory = of.memory.id(session).await?;
                let make = shape::SnapshotMake { namespace: of.namespace, label };
                let made = session.client.tree_snapshot(&memory, &make).await?;
                output::result(session.json, &made, |made| {
                    output::line(format!("{}  {}", made.label, made.at));
                })
            }
            Self::Snapshot { of, label: None } => snapshots(session, of).await,
            Self::Restore { of, apply, reason, state, paths } => {
                let memory = of.memory.id(session).await?;
                let namespace = of.namespace;
                let dry_run = !apply;
                let asked = shape::RestoreAsk {
                    namespace,
                    snapshot: None,
                    state: Some(state),
                    paths,
                    dry_run,
                    reason,
                };
                let done = session.client.tree_restore(&memory, &asked).await?;
                if apply {
                    session.wrote(&memory)?;
                }
                output::result(session.json, &done, restored)?;
                if done.dry_run && !done.documents.is_empty() {
                    let count = done.documents.len();
                    output::note(format!(
                        "nothing was written: {count} documents would change; --apply does it"
                    ));
                }
                Ok(())
            }
        }
    }
}

async fn document(session: &Session, of: TreeSelector, path: String) -> Result<()> {
    let memory = of.memory.id(session).await?;
    let mut query = shape::HistoryQuery { namespace: of.namespace, path, ..Default::default() };
    let mut found = session.client.document_history(&memory, &query).await?;
    while let Some(cursor) = found.next_cursor.take() {
        query.cursor = Some(cursor);
        let page = session.client.document_history(&memory, &query).await?;
        found.versions.extend(page.versions);
        found.next_cursor = page.next_cursor;
    }
    output::result(session.json, &found, |found| {
        for one in &found.versions {
            let by = one.by.as_deref().unwrap_or("-");
            let path = one.path.as_deref().unwrap_or("-");
            let reason = one.reason.as_deref().map(|reason| format!("  {reason}")).unwrap_or_default();
            let id = &one.version_id;
            output::line(format!("{}  {:<10}  {id}  {by}  {path}{reason}", one.at, one.operation));
        }
    })
}

async fn all(session: &Session, of: TreeSelector, since: Option<String>) -> Result<()> {
    let memory = of.memory.id(session).await?;
    let mut query = shape::ChangesQuery { namespace: of.namespace, since, limit: None };
    let mut found = session.client.tree_changes(&memory, &query).await?;
    loop {
        query.since = Some(found.next_since.clone());
        let page = session.client.tree_changes(&memory, &query).await?;
        found.next_since = page.next_since;
        if page.changes.is_empty() {
            break;
        }
        found.changes.extend(page.changes);
    }
    output::result(session.json, &found, |found| {
        output::note_if_empty(&found.changes, "No changes.");
        for one in &found.changes {
            let path = one.path.as_deref().or(one.path_before.as_deref()).unwrap_or("-");
            let from = one.path_before.as_deref().filter(|before| *before != path);
            let from = from.map(|from| format!("  (was {from})")).unwrap_or_default();
            output::line(format!("{}  {}  {:<10}  {path}{from}", one.state, one.at, one.operation));
        }
    })
}

async fn snapshots(session: &Session, of: TreeSelector) -> Result<()> {
    let memory = of.memory.id(session).await?;
    let mut listing = shape::TreeSnapshotListing { namespace: of.namespace, ..Default::default() };
    let mut found = session.client.tree_snapshots(&memory, &listing).await?;
    while let Some(cursor) = found.next_cursor.take() {
        listing.cursor = Some(cursor);
        let page = session.client.tree_snapshots(&memory, &listing).await?;
        found.snapshots.extend(page.snapshots);
        found.next_cursor = page.next_cursor;
    }
    output::result(session.json, &found, |found| {
        let row = |one: &shape::TreeSnapshot| vec![one.label.clone(), one.at.clone(), one.by.clone()];
        output::list(&[], found.snapshots.iter().map(row).collect(), "No snapshots.");
    })
}

fn shown(diff: &shape::TreeDiff) {
    for file in &diff.files {
        match &file.unified {
            Some(lines) if lines.is_empty() => {
                let name = |path: &Option<String>| path.clone().unwrap_or_else(|| "-".to_owned());
                output::line(format!("moved {} to {}", name(&file.path_a), name(&file.path_b)));
            }
            Some(lines) => output::text(lines),
            None => {
                output::note(format!("{} is not shown: it was taken out, or there was no room", file.record))
            }
        }
    }
    if diff.left_out > 0 {
        output::note(format!("{} documents are left out for want of room: see --path", diff.left_out));
    }
}

fn restored(done: &shape::TreeRestored) {
    for one in &done.documents {
        let what = one.operation.as_deref().unwrap_or("left");
        let gap = one.gap.as_deref().map(|gap| format!("  {gap}")).unwrap_or_default();
        output::line(format!("{what:<10}  {}{gap}", one.path.as_deref().unwrap_or("-")));
    }
    if done.documents.is_empty() {
        output::note("nothing differs");
    }
}
