//! `loci mirror`: trees that are mirrored as files: creating, syncing, showing and removing a
//! mirror, and pulling commits from a clone.

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Subcommand;
use loci_api::documents::mirror as shape;

use super::files::TreeSelector;
use crate::cli::Globals;
use crate::config::documents::mirror::millis;
use crate::config::environment::Environment;
use crate::confirmation::{self, DryRun};
use crate::exit::Usage;
use crate::memory_argument::MemoryArgument;
use crate::output;
use crate::session::Session;

/// Trees mirrored as files
#[derive(Debug, Subcommand)]
pub(crate) enum MirrorCommand {
    /// Mirror a tree to a directory or a bare git repository
    Add {
        #[command(flatten)]
        of: TreeSelector,
        /// The name of the mirror
        name: String,
        /// The path, below one of mirror.roots of the configuration
        path: String,
        /// dir or git
        #[arg(long, default_value = "dir")]
        kind: String,
        /// The layout of the files
        #[arg(long, default_value = "native")]
        layout: String,
        /// two-way, export or import
        #[arg(long, default_value = "two-way")]
        direction: String,
        /// The effect of deleted files: enabled, log_only or disabled
        #[arg(long, default_value = "enabled")]
        deletes: String,
        /// The interval at which a server checks the mirror
        #[arg(long, default_value = "15s")]
        interval: String,
        /// The time within which writes of one author become one commit
        #[arg(long, default_value = "2s")]
        debounce: String,
        /// Permit the mirror to write documents that each prompt loads
        #[arg(long)]
        system: bool,
        /// Also render conversations
        #[arg(long)]
        sessions: bool,
        /// Write the record id into each file
        #[arg(long)]
        render_ids: bool,
        /// Start with existing files
        #[arg(long)]
        adopt: bool,
    },
    /// Synchronize a mirror with its tree; all mirrors of the memory without a name
    Sync {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The mirror
        name: Option<String>,
    },
    /// List the mirrors and the results of their last syncs
    Status {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The mirror
        name: Option<String>,
    },
    /// Pull the commits from a clone of a git mirror
    Pull {
        #[command(flatten)]
        memory: MemoryArgument,
        /// The mirror
        name: String,
        /// The clone
        #[arg(long)]
        from: PathBuf,
    },
    /// Remove a mirror; its files stay in place
    Rm {
        #[command(flatten)]
        memory: MemoryArgument,
        #[command(flatten)]
        dry: DryRun,
        /// The mirror
        name: String,
    },
}

impl MirrorCommand {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let mut session = Session::begin(globals, environment)?;
        session.register_mirrors().await;
        match self {
            Self::Sync { memory, name } => sync(&mut session, &memory, name).await?,
            Self::Status { memory, name } => status(&session, &memory, name).await?,
            Self::Pull { memory, name, from } => {
                let memory = memory.id(&session).await?;
                let report = pull(&session, &memory, &name, &from).await?;
                session.wrote(&memory)?;
                output::result(session.json, &report, told)?;
            }
            Self::Rm { memory, dry, name } if dry.dry_run => {
                let memory = memory.id(&session).await?;
                let found = session.client.mirror_status(&memory, &name).await?;
                let effect = format!("remove the mirror {name}; its files stay at {}", found.path);
                confirmation::would(session.json, &effect)?;
            }
            Self::Rm { memory, name, .. } => {
                let memory = memory.id(&session).await?;
                let gone = session.client.mirror_remove(&memory, &name).await?;
                output::result(session.json, &gone, |gone| {
                    output::line(format!("removed  {}  its files stay at {}", gone.name, gone.path));
                })?;
            }
            Self::Add {
                of,
                name,
                path,
                kind,
                layout,
                direction,
                deletes,
                interval,
                debounce,
                system,
                sessions,
                render_ids,
                adopt,
            } => {
                let memory = of.memory.id(&session).await?;
                let make = shape::MirrorMake {
                    name,
                    namespace: of.namespace,
                    layout: Some(layout),
                    kind: Some(kind),
                    path,
                    direction: Some(direction),
                    deletes: Some(deletes),
                    interval_ms: Some(duration("--interval", &interval)?),
                    debounce_ms: Some(duration("--debounce", &debounce)?),
                    render_ids,
                    system,
                    sessions,
                    adopt,
                };
                let made = session.client.mirror_add(&memory, &make).await?;
                output::result(session.json, &made, line)?;
            }
        }
        session.end().await
    }
}

fn duration(option: &str, text: &str) -> Result<u64> {
    let rule = || Usage(format!("{option} must be a number with ms, s, m or h behind it, such as 15s"));
    Ok(millis(text).ok_or_else(rule)?)
}

async fn sync(session: &mut Session, memory: &MemoryArgument, name: Option<String>) -> Result<()> {
    let memory = memory.id(session).await?;
    let names = match name {
        Some(name) => vec![name],
        None => session.client.mirrors_list(&memory).await?.mirrors.into_iter().map(|one| one.name).collect(),
    };
    for name in names {
        let report = session.client.mirror_sync(&memory, &name).await?;
        if report.taken + report.created + report.moved + report.put_away > 0 {
            session.wrote(&memory)?;
        }
        output::result(session.json, &report, told)?;
    }
    Ok(())
}

async fn status(session: &Session, memory: &MemoryArgument, name: Option<String>) -> Result<()> {
    let memory = memory.id(session).await?;
    let Some(name) = name else {
        let found = session.client.mirrors_list(&memory).await?;
        return output::result(session.json, &found, |found| {
            found.mirrors.iter().for_each(line);
            if found.mirrors.is_empty() {
                output::note("no tree of this memory is kept elsewhere: see loci mirror add");
            }
        });
    };
    let mirror = session.client.mirror_status(&memory, &name).await?;
    output::result(session.json, &mirror, |mirror| {
        line(mirror);
        if let Some(last) = &mirror.last {
            told(last);
        }
    })
}

async fn pull(
    session: &Session,
    memory: &str,
    name: &str,
    from: &std::path::Path,
) -> Result<shape::MirrorReport> {
    let clone = loci_git::Cloned::open(from)?;
    let asked = shape::MirrorBaseAsk { commits: clone.commits()? };
    let Some(base) = session.client.mirror_base(memory, name, &asked).await?.base else {
        bail!(
            "no commit of {} is one of the mirror {name}: clone that one, or fetch and rebase",
            from.display()
        );
    };
    let mut files = Vec::new();
    for changed in clone.changed_since(&base)? {
        let content = match changed.content.map(String::from_utf8).transpose() {
            Ok(content) => content,
            Err(_) => {
                output::note(format!("{}: it is no UTF-8 text, and is left out", changed.path));
                continue;
            }
        };
        files.push(shape::PulledFile { path: changed.path, content, executable: changed.executable });
    }
    Ok(session.client.mirror_pull(memory, name, &shape::MirrorPull { base, files }).await?)
}

fn line(mirror: &shape::Mirror) {
    let shape::Mirror { name, kind, layout, path, direction, namespace, .. } = mirror;
    let last = mirror.last.as_ref().and_then(|last| last.ended_at.as_deref()).unwrap_or("never");
    let conflicts = match mirror.open_conflicts {
        0 => String::new(),
        open => format!("  {open} conflicts wait for a decision"),
    };
    output::line(format!(
        "{name}  {kind}/{layout}  {direction}  {namespace}  {path}  synced {last}{conflicts}"
    ));
}

fn told(report: &shape::MirrorReport) {
    let counts = [
        ("files", report.files),
        ("written", report.written),
        ("removed", report.removed),
        ("taken", report.taken),
        ("created", report.created),
        ("moved", report.moved),
        ("put away", report.put_away),
        ("commits", report.commits),
        ("deletions waiting", report.waiting_deletes),
    ];
    let said: Vec<String> = counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(what, count)| format!("{count} {what}"))
        .collect();
    output::line(format!("{}  {}", report.finding, said.join(", ")));
    for (what, remarks) in
        [("conflict", &report.conflicts), ("refused", &report.refused), ("note", &report.notes)]
    {
        for remark in remarks {
            output::line(format!("  {what}  {}  {}", remark.path, remark.what));
        }
    }
    if let Some(error) = &report.error {
        output::note(error);
    }
}
