//! A place for files, as a command names it, and access to it.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use loci_client::backend::{
    DirectoryBackend, FileBackend, HttpBackend, LociBackend, clean_prefix, namespace,
};

use crate::bearer;
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::exit::Usage;
use crate::session::Session;

/// The directory of a tree that each writer may write.
const KNOWLEDGE: &str = "knowledge";

/// A location of files that a command names.
pub(super) enum BackendLocation {
    /// A local directory.
    Directory(PathBuf),
    /// A server of the HTTP form, and the file with its token.
    Url(String, Option<PathBuf>),
    /// The documents of a memory and a namespace.
    Memory(String, Option<String>),
}

/// An opened location of files.
pub(super) struct OpenedBackend {
    pub(super) backend: Arc<dyn FileBackend>,
    /// The prefix of the paths that the command works with.
    pub(super) prefix: String,
    /// The id of the memory, if the location is a memory.
    pub(super) memory: Option<String>,
}

impl BackendLocation {
    /// Returns the one place that a command names. `flags` are the option names for the error.
    pub(super) fn one(
        directory: Option<PathBuf>,
        url: Option<(String, Option<PathBuf>)>,
        memory: Option<(String, Option<String>)>,
        flags: &str,
    ) -> Result<Self> {
        match (directory, url, memory) {
            (Some(directory), None, None) => Ok(Self::Directory(directory)),
            (None, Some((url, token)), None) => Ok(Self::Url(url, token)),
            (None, None, Some((memory, namespace))) => Ok(Self::Memory(memory, namespace)),
            _ => Err(Usage(format!("name one place: {flags}")).into()),
        }
    }

    /// Returns true for a place that requires a session.
    pub(super) fn is_memory(&self) -> bool {
        matches!(self, Self::Memory(..))
    }

    /// Opens the place. In a memory the prefix is below `knowledge/`. With `leaves_paths` a server
    /// of the HTTP form rejects paths by its own rules.
    pub(super) async fn open(
        self,
        prefix: Option<&str>,
        session: Option<&Session>,
        leaves_paths: bool,
    ) -> Result<OpenedBackend> {
        let prefix = prefix.unwrap_or_default();
        let (backend, memory): (Arc<dyn FileBackend>, _) = match self {
            Self::Directory(directory) => {
                let opened = DirectoryBackend::open(&directory);
                let opened = opened.with_context(|| format!("opening {}", directory.display()))?;
                (Arc::new(opened), None)
            }
            Self::Url(url, token) => {
                let token = token.map(|file| bearer::of_file(&file)).transpose()?;
                let opened = HttpBackend::connect(&url, token.as_deref()).await;
                let opened = opened.with_context(|| format!("asking {url} for its capabilities"))?;
                let opened = if leaves_paths { opened.with_path_rules_of_server() } else { opened };
                (Arc::new(opened), None)
            }
            Self::Memory(memory, namespace) => {
                let session = session.context("a memory is reached through a session")?;
                let id = session.memory_named(&memory).await?;
                let opened = LociBackend::open(session.client.clone(), id.clone(), namespace).await?;
                (Arc::new(opened), Some(id))
            }
        };
        let prefix = match &memory {
            Some(_) => format!("{KNOWLEDGE}/{prefix}"),
            None => prefix.to_owned(),
        };
        Ok(OpenedBackend { backend, prefix, memory })
    }
}

impl OpenedBackend {
    /// Returns a backend for the files below the prefix.
    pub(super) fn view(&self) -> Result<Arc<dyn FileBackend>> {
        Ok(namespace(Arc::clone(&self.backend), &self.prefix)?)
    }

    /// Checks that the prefix is not a file, which the view below it would not show.
    pub(super) async fn check_prefix(&self) -> Result<()> {
        let prefix = clean_prefix(&self.prefix)?;
        if prefix.is_empty() || (self.memory.is_some() && prefix == KNOWLEDGE) {
            return Ok(());
        }
        if self.backend.exists(&prefix).await? {
            bail!("the prefix {prefix} must not be a file: give its directory, or no prefix");
        }
        Ok(())
    }
}

/// Rejects a `--token` that no place of a command uses. A token from the environment is accepted,
/// because it is for other commands.
pub(super) fn refuse_token(globals: &Globals, environment: &Environment) -> Result<()> {
    match globals.token.as_deref() {
        Some(token) if environment.get("LOCI_TOKEN") != Some(token) => {
            let rule = "--token is the token of a Loci server, which no place of this command is: give \
                        the token of the HTTP form as a file with --token-file, --from-token-file or \
                        --to-token-file";
            Err(Usage(rule.to_owned()).into())
        }
        Some(_) | None => Ok(()),
    }
}

/// Begins the session of a command if one of its places needs it.
pub(super) fn session(
    places: &[&BackendLocation],
    globals: &Globals,
    environment: &Environment,
) -> Result<Option<Session>> {
    let is_needed = places.iter().any(|place| place.is_memory());
    if !is_needed {
        refuse_token(globals, environment)?;
    }
    is_needed.then(|| Session::begin(globals, environment)).transpose()
}

/// Ends a session after running the jobs that writes to `memory` caused.
pub(super) async fn end(session: Option<Session>, memory: Option<&str>) -> Result<()> {
    let Some(mut session) = session else { return Ok(()) };
    if let Some(memory) = memory {
        session.wrote(memory)?;
    }
    session.end().await
}
