//! The working directory of a command, its repository, and a client that stands there.

use std::path::PathBuf;

use anyhow::{Context, Result};
use loci_api::repository::RepositoryAdd;
use loci_client::Client;

use crate::cli::Globals;
use crate::exit::Usage;
use crate::session::Session;

/// The files as they lie in the directory.
const WORKTREE: &str = "WORKTREE";

/// Where a command stands.
pub(crate) struct Here {
    /// The API, told of the directory where the server is of this machine.
    pub(crate) client: Client,
    repo: Option<String>,
    /// It is in a working tree that the other side can read.
    has_worktree: bool,
}

impl Here {
    /// At a directory, else the working directory. A clone there is registered; over a URL nothing is said of it.
    pub(crate) async fn at(session: &Session, globals: &Globals, directory: Option<PathBuf>) -> Result<Self> {
        let client = session.client.clone().with_person();
        if globals.url.is_some() {
            return Ok(Self { client, repo: None, has_worktree: false });
        }
        let directory = match directory {
            Some(directory) => directory,
            None => PathBuf::from("."),
        };
        let directory =
            directory.canonicalize().with_context(|| format!("the directory {}", directory.display()))?;
        let client = client.with_directory(&directory)?;
        let named = directory.to_str().map(str::to_owned);
        let add = RepositoryAdd { directory: named, ..RepositoryAdd::default() };
        let repo = client.repository_add(&add).await.ok().map(|added| added.repository.repo);
        // A bare repository has no such entry.
        let is_in_clone = directory.ancestors().any(|directory| directory.join(".git").exists());
        Ok(Self { client, has_worktree: repo.is_some() && is_in_clone, repo })
    }

    /// The revision at which facts are looked at: who works here means the files as they are, committed or not.
    pub(crate) fn revision(&self, named: Option<String>, repo: Option<&String>) -> Option<String> {
        named.or_else(|| (self.has_worktree && repo.is_none()).then(|| WORKTREE.to_owned()))
    }

    /// The repository that is named, else that of the directory.
    pub(crate) fn repo(&self, named: Option<String>) -> Result<String> {
        let missing = || Usage("name the repository with --repo, or work in a clone of it".to_owned());
        Ok(self.known_repo(named).ok_or_else(missing)?)
    }

    /// The same, where there is one.
    pub(crate) fn known_repo(&self, named: Option<String>) -> Option<String> {
        named.or_else(|| self.repo.clone())
    }
}
