//! `loci repo sync`: pushes a clone's default branch to a bare mirror that a server reads, and
//! registers the mirror there. Git transfers the objects over its own transports. The server runs
//! nothing, and this command sends it only the mirror's name and path. `target` locates the mirror,
//! `refs` selects the commits, and `mirror` pushes them.

mod mirror;
mod refs;
mod target;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use loci_api::verified::repository::RepositoryAdd;
use loci_client::Client;
use loci_model::limits;
use serde::Serialize;

use super::code_memory::of_memory;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::config::{Config, load};
use crate::exit::{NotFound, Usage};
use crate::git_program::GitProgram;
use crate::local_code::LocalCode;
use crate::output;
use crate::session::Session;
use mirror::{Mirror, RefChange, changes};
use refs::MirroredCommit;
use target::MirrorTarget;

/// Push a clone's default branch to a bare mirror that a server reads
#[derive(Debug, Args)]
pub(crate) struct Sync {
    /// A clone, a bare repository or a worktree [default: the one around the working directory]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// The repository's name on the server [default: derived from its remote origin]
    #[arg(long, value_name = "REPO")]
    name: Option<String>,
    /// The mirror: a path, or a URL of ssh or https [default: its path in the folder
    /// verified.mirrors]
    #[arg(long, value_name = "MIRROR")]
    to: Option<String>,
    /// The mirror's path on the server's machine [default: derived from --to]
    #[arg(long, value_name = "PATH", conflicts_with = "no_register")]
    server_path: Option<String>,
    /// Another branch or tag to push; repeatable
    #[arg(long = "ref", value_name = "NAME")]
    refs: Vec<String>,
    /// Push without registering the mirror
    #[arg(long)]
    no_register: bool,
    /// Push nothing, and print the planned push
    #[arg(long)]
    dry_run: bool,
    /// The maximum number of bytes to push; a created mirror accepts no larger push
    #[arg(long, value_name = "BYTES", default_value_t = limits::MIRROR_BYTES_MAX_DEFAULT)]
    max_bytes: u64,
    /// The memory, by name or id [default: the one for code]
    #[arg(long, value_name = "MEMORY", env = "LOCI_MEMORY")]
    memory: Option<String>,
}

/// The result of `loci repo sync`.
#[derive(Debug, Serialize)]
struct Synced {
    repo: String,
    mirror: String,
    /// True if the command created the mirror.
    made: bool,
    refs: Vec<SyncedRef>,
    /// The size of the objects that the mirror lacked, in bytes.
    bytes: u64,
    dry_run: bool,
    /// The path from which the server reads it, if it was registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    registered: Option<String>,
    warnings: Vec<String>,
}

/// A branch or tag of the mirror after the push.
#[derive(Debug, Serialize)]
struct SyncedRef {
    name: String,
    commit: String,
    change: RefChange,
}

impl Sync {
    pub(crate) async fn run(self, globals: &Globals, environment: &Environment) -> Result<()> {
        let config = load(globals.config.as_deref(), environment)?;
        let code = self.code(&config).await?;
        let name = self.name.clone().unwrap_or_else(|| code.name());
        let target = self.target(&config, &name)?;
        let server_path = self.server_path(&target)?;
        let sent = refs::chosen(&code, &self.refs).await?;
        let mut synced = self.send(globals, &config, &code, &target, &sent).await?;
        synced.repo.clone_from(&name);
        if let (Some(path), false) = (server_path, self.dry_run) {
            let session = Session::begin(globals, environment)?;
            let client = of_memory(&session.client, self.memory.as_deref())?;
            let branch = sent.first().map(|one| one.name.as_str());
            let registered = register(&client, &name, &path, default_ref(&target, branch)).await;
            let remedy = "the mirror is up to date, but the server did not register it";
            let (repo, warnings) = registered.context(remedy)?;
            synced = Synced { repo, registered: Some(path), warnings, ..synced };
            session.end().await?;
        }
        output::result(globals.json, &synced, lines)?;
        let would_change = synced.refs.iter().any(|one| one.change != RefChange::Unchanged);
        if self.dry_run && would_change {
            output::dry_run();
        }
        Ok(())
    }

    async fn code(&self, config: &Config) -> Result<LocalCode> {
        let directory = self.path.clone().unwrap_or_else(|| PathBuf::from("."));
        let directory =
            directory.canonicalize().with_context(|| format!("the directory {}", directory.display()))?;
        let none = || NotFound(format!("there is no git repository at or above {}", directory.display()));
        let code = LocalCode::around(config, &directory).await?.ok_or_else(none)?;
        let shallow = code.found().common_dir.join("shallow");
        if std::fs::metadata(shallow).is_ok_and(|file| file.len() > 0) {
            let rule = "the clone's history is cut off, and a mirror needs it: git fetch --unshallow";
            return Err(Usage(rule.to_owned()).into());
        }
        Ok(code)
    }

    fn target(&self, config: &Config, name: &str) -> Result<MirrorTarget> {
        let target = match (&self.to, &config.verified.mirrors) {
            (Some(to), _) => MirrorTarget::parse(to)?,
            (None, Some(folder)) => MirrorTarget::in_folder(folder, name)?,
            (None, None) => {
                let rule = "give the location of the mirror: --to, or the folder verified.mirrors of the configuration";
                return Err(Usage(rule.to_owned()).into());
            }
        };
        Ok(match target {
            MirrorTarget::Local(path) => {
                MirrorTarget::Local(std::path::absolute(path).context("the mirror's path")?)
            }
            remote @ MirrorTarget::Remote(_) => remote,
        })
    }

    /// Returns the path to register, or `None` without registration.
    fn server_path(&self, target: &MirrorTarget) -> Result<Option<String>> {
        if self.no_register {
            return Ok(None);
        }
        let rule = "give the mirror's path on the server's machine with --server-path, or use --no-register";
        let path = self.server_path.clone().or_else(|| target.server_path());
        path.map(Some).ok_or_else(|| Usage(rule.to_owned()).into())
    }

    async fn send(
        &self,
        globals: &Globals,
        config: &Config,
        code: &LocalCode,
        target: &MirrorTarget,
        sent: &[MirroredCommit],
    ) -> Result<Synced> {
        let digits = sent.first().map_or(40, |one| one.commit.to_string().len());
        let with_progress = !globals.json && std::io::stderr().is_terminal();
        let git = GitProgram::over(&code.found().common_dir, digits, !with_progress)?;
        let mirror = Mirror::new(&git, target);
        let made = match target {
            MirrorTarget::Local(path) => !is_bare(config, path).await?,
            MirrorTarget::Remote(_) => false,
        };
        let there = if made { Vec::new() } else { mirror.refs()? };
        let changes = changes(sent, &there);
        let both = || sent.iter().zip(&changes);
        let wanted: Vec<&MirroredCommit> =
            both().filter(|(_, change)| **change != RefChange::Unchanged).map(|(one, _)| one).collect();
        let bytes = if wanted.is_empty() { 0 } else { mirror.bytes(&wanted, &there, self.max_bytes)? };
        if !self.dry_run {
            if let (MirrorTarget::Local(path), true, Some(first)) = (target, made, sent.first()) {
                mirror.make(path, digits, &first.name, self.max_bytes)?;
            }
            if !wanted.is_empty() {
                mirror.push(&wanted, with_progress)?;
            }
            if let MirrorTarget::Local(path) = target {
                read_back(config, path, sent).await?;
            }
        }
        let shown = |(one, change): (&MirroredCommit, &RefChange)| SyncedRef {
            name: one.name.clone(),
            commit: one.commit.to_string(),
            change: *change,
        };
        Ok(Synced {
            repo: String::new(),
            mirror: target.shown(),
            made,
            refs: both().map(shown).collect(),
            bytes,
            dry_run: self.dry_run,
            registered: None,
            warnings: Vec::new(),
        })
    }
}

/// Returns true for a bare repository, and false if the path does not exist. Fails for anything
/// else, without changing it.
async fn is_bare(config: &Config, path: &Path) -> Result<bool> {
    let is_empty = || std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    if !path.try_exists().with_context(|| format!("looking at {}", path.display()))? || is_empty() {
        return Ok(false);
    }
    let real = path.canonicalize().with_context(|| format!("looking at {}", path.display()))?;
    let found = LocalCode::around(config, &real).await?;
    let is_bare =
        found.is_some_and(|code| code.found().worktree.is_none() && code.found().common_dir == real);
    if is_bare {
        return Ok(true);
    }
    Err(Usage(format!("{} is there, and is no bare repository: name another place", path.display())).into())
}

/// Checks that the mirror contains the pushed commits, because a server will read them.
async fn read_back(config: &Config, path: &Path, sent: &[MirroredCommit]) -> Result<()> {
    let lost = || format!("the mirror at {} cannot be read", path.display());
    let code = LocalCode::around(config, path).await?.with_context(lost)?;
    let names: Vec<String> = sent.iter().map(|one| one.name.clone()).collect();
    let found = code.read(move |source| names.iter().map(|name| source.resolve(name)).collect()).await;
    let found: Vec<_> = found.map_err(|error| anyhow::anyhow!("{}: {}", lost(), error.detail))?;
    for (one, found) in sent.iter().zip(found) {
        let commit = found.and_then(|revision| revision.commit());
        anyhow::ensure!(
            commit == Some(one.commit),
            "{} is another commit in the mirror now: was it pushed twice?",
            one.name
        );
    }
    Ok(())
}

/// Returns the default branch to register for a mirror created elsewhere, unless its name is `main`
/// or `master`, which the server finds itself.
fn default_ref(target: &MirrorTarget, branch: Option<&str>) -> Option<String> {
    let usual = ["refs/heads/main", "refs/heads/master"];
    let branch = branch.filter(|branch| matches!(target, MirrorTarget::Remote(_)) && !usual.contains(branch));
    branch.map(str::to_owned)
}

/// Returns the repository's key, and notes.
async fn register(
    client: &Client,
    name: &str,
    path: &str,
    default_ref: Option<String>,
) -> Result<(String, Vec<String>)> {
    let add = RepositoryAdd {
        name: Some(name.to_owned()),
        directory: Some(path.to_owned()),
        default_ref,
        ..RepositoryAdd::default()
    };
    let added = client.repository_add(&add).await?;
    Ok((added.repository.repo, added.warnings))
}

fn lines(synced: &Synced) {
    let made = if synced.made { " (new)" } else { "" };
    output::line(format!("{} -> {}{made}", synced.repo, synced.mirror));
    for one in &synced.refs {
        let word = match one.change {
            RefChange::Unchanged => "is there",
            RefChange::Created => "new",
            RefChange::Updated => "moved on",
        };
        output::line(format!("  {}  {}  {word}", one.commit.chars().take(12).collect::<String>(), one.name));
    }
    output::note(format!("{} bytes of objects", synced.bytes));
    synced.warnings.iter().for_each(output::note);
}
