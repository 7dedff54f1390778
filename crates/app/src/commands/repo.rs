//! `loci repo`: repositories with stored facts.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Subcommand;
use loci_api::verified::repository::{Repository, RepositoryAdd, RepositoryListing};
use loci_client::Client;

use super::verified::code_memory::CodeMemory;
use super::verified::repo_sync;
use super::verified::repository_words::{Surroundings, repository_and_word};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::output;
use crate::session::Session;

/// Repositories.
#[derive(Debug, Subcommand)]
pub(crate) enum Repo {
    /// Register a repository, or another name or location of a known one
    Add {
        /// owner/name or host/owner/name [default: derived from its remote origin]
        name: Option<String>,
        /// A clone, a bare repository or a worktree [default: the one around the working directory]
        #[arg(long, value_name = "DIR")]
        path: Option<PathBuf>,
        /// Read the repository from its forge, not from this machine
        #[arg(long, conflicts_with = "path", requires = "name")]
        at_forge: bool,
        /// The known name of the same repository
        #[arg(long, value_name = "REPO")]
        same_as: Option<String>,
        /// The repository that it was forked from
        #[arg(long, value_name = "REPO")]
        parent: Option<String>,
        /// The ref whose verdicts change states [default: the repository's own default branch]
        #[arg(long, value_name = "REF")]
        default_ref: Option<String>,
        /// The number of citations that must be valid [default: all]
        #[arg(long, value_name = "N")]
        quorum: Option<u32>,
        /// The forge's number of the repository, as HOST:NUMBER
        #[arg(long, value_name = "ID")]
        forge_id: Option<String>,
        #[command(flatten)]
        at: CodeMemory,
    },
    /// List repositories
    List {
        #[command(flatten)]
        at: CodeMemory,
    },
    #[cfg(feature = "coding")]
    /// Show a repository with its settings and their sources
    Show(super::coding::repository_settings::Show),
    #[cfg(feature = "coding")]
    /// Change settings of a repository
    Set(super::coding::repository_settings::Set),
    #[cfg(feature = "coding")]
    /// Show or close the recurring gaps that several tasks of a repository reported
    Themes(super::coding::themes::Themes),
    #[cfg(feature = "coding")]
    /// Show the outcomes of a repository's tasks, and the effect of memories on them
    Metrics(super::coding::metrics::Metrics),
    #[cfg(feature = "coding")]
    /// Quarantine memories of a repository, starting with the next hydration
    Quarantine(super::coding::safeguards::Quarantine),
    #[cfg(feature = "coding")]
    /// Release quarantined memories of a repository
    Release(super::coding::safeguards::Quarantine),
    #[cfg(feature = "coding")]
    /// List the snapshots of a repository's memory
    Snapshots(super::coding::safeguards::Snapshots),
    #[cfg(feature = "coding")]
    /// Restore a repository's memory to a snapshot
    Rollback(super::coding::safeguards::Rollback),
    #[cfg(feature = "coding")]
    /// Erase memories of a repository permanently
    Purge(Box<super::coding::safeguards::Purge>),
    /// Push a clone's default branch to a bare mirror that a server reads
    Sync(repo_sync::Sync),
    /// Add another name of a repository
    Alias {
        /// The other name, or the URL of a remote; before it the repository [default: that of the
        /// working directory]
        #[arg(required = true, num_args = 1..=2, value_names = ["[REPO]", "ALIAS"])]
        alias: Vec<String>,
        #[command(flatten)]
        at: CodeMemory,
    },
}

impl Repo {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        if let Self::Sync(sync) = self {
            return sync.run(globals, environment).await;
        }
        let session = Session::begin(globals, environment)?;
        let around = Surroundings { session: &session, globals, environment };
        match self {
            Self::Sync(_) => {}
            #[cfg(feature = "coding")]
            Self::Show(show) => show.run(around).await?,
            #[cfg(feature = "coding")]
            Self::Set(set) => set.run(around).await?,
            #[cfg(feature = "coding")]
            Self::Metrics(metrics) => metrics.run(around).await?,
            #[cfg(feature = "coding")]
            Self::Themes(themes) => themes.run(around).await?,
            #[cfg(feature = "coding")]
            Self::Quarantine(ask) => ask.hold(around).await?,
            #[cfg(feature = "coding")]
            Self::Release(ask) => ask.release(around).await?,
            #[cfg(feature = "coding")]
            Self::Snapshots(ask) => ask.run(around).await?,
            #[cfg(feature = "coding")]
            Self::Rollback(ask) => ask.run(around).await?,
            #[cfg(feature = "coding")]
            Self::Purge(ask) => ask.run(around).await?,
            Self::Add { name, path, at_forge, same_as, parent, default_ref, quorum, forge_id, at } => {
                let directory = if at_forge { None } else { Some(absolute(path)?) };
                let add = RepositoryAdd {
                    name,
                    directory,
                    aliases: Vec::new(),
                    forge_id,
                    at_forge,
                    same_as,
                    parent,
                    default_ref,
                    quorum,
                };
                added(&session, &at.of(&session.client)?, &add).await?;
            }
            Self::Alias { alias, at } => {
                let (repo, alias) = repository_and_word(&alias);
                let meant = around.meant(&at, repo).await?;
                let aliases = vec![alias.to_owned()];
                let add = RepositoryAdd { same_as: Some(meant.whole()), aliases, ..RepositoryAdd::default() };
                added(&session, &meant.client, &add).await?;
            }
            Self::List { at } => {
                let list = at.of(&session.client)?.repository_list(&RepositoryListing::default()).await?;
                output::result(session.json, &list, |list| {
                    let rows = list.repositories.iter().map(row).collect();
                    let empty = "No repositories: `loci repo add` in a clone registers it.";
                    output::list(&["REPO", "NAMES", "READ AT"], rows, empty);
                })?;
            }
        }
        session.end().await
    }
}

async fn added(session: &Session, client: &Client, add: &RepositoryAdd) -> Result<()> {
    let added = client.repository_add(add).await?;
    output::result(session.json, &added, |added| {
        let what = if added.created { "registered" } else { "known" };
        output::line(format!("{} {what}", added.repository.repo));
        for warning in &added.warnings {
            output::note(warning);
        }
    })
}

fn absolute(path: Option<PathBuf>) -> Result<String> {
    let path = path.unwrap_or_else(|| PathBuf::from("."));
    let path = path.canonicalize().with_context(|| format!("the directory {}", path.display()))?;
    path.into_os_string().into_string().map_err(|_| anyhow::anyhow!("the directory's name must be UTF-8"))
}

fn row(repository: &Repository) -> Vec<String> {
    vec![repository.repo.clone(), repository.aliases.join(" "), repository.places.join(" ")]
}
