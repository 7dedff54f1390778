//! The working directory of a command, its repository, and a client for it. With a remote server,
//! the facts that a command reads are checked against the local code, as `loci mcp --url` does.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use loci_api::tool::ToolArguments;
use loci_api::verified::repository::RepositoryAdd;
use loci_api::verified::verdict::ToolVerdicts;
use loci_client::Client;
use serde_json::{Map, Value};

use super::elsewhere::{Elsewhere, Way, as_asked, at_commit};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::config::load;
use crate::exit::Usage;
use crate::local_code::LocalCode;

/// The context of a command about code: a client, and the repository of its directory.
pub(crate) struct LocalRepository {
    /// The API client, which sends the directory to a server of this machine.
    pub(crate) client: Client,
    repo: Option<String>,
    /// The reason why the directory has no repository. `None` if it has one.
    why_none: Option<String>,
    /// The code of this machine, if the server is remote.
    elsewhere: Option<Elsewhere>,
}

impl LocalRepository {
    /// Returns the context for a directory, else the working directory, with a client of the
    /// requested memory. A clone there is registered. Over a URL the name of its remote identifies
    /// it.
    pub(crate) async fn at(
        client: Client,
        globals: &Globals,
        environment: &Environment,
        directory: Option<PathBuf>,
    ) -> Result<Self> {
        let client = client.with_person();
        let directory = directory.unwrap_or_else(|| PathBuf::from("."));
        let directory =
            directory.canonicalize().with_context(|| format!("the directory {}", directory.display()))?;
        if globals.url.is_some() {
            return Self::of_server_elsewhere(client, globals, environment, &directory).await;
        }
        let client = client.with_directory(&directory)?;
        let named = directory.to_str().map(str::to_owned);
        let add = RepositoryAdd { directory: named, ..RepositoryAdd::default() };
        let (repo, why_none) = match client.repository_add(&add).await {
            Ok(added) => (Some(added.repository.repo), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Ok(Self { client, repo, why_none, elsewhere: None })
    }

    async fn of_server_elsewhere(
        client: Client,
        globals: &Globals,
        environment: &Environment,
        directory: &Path,
    ) -> Result<Self> {
        let config = load(globals.config.as_deref(), environment)?;
        let (elsewhere, why_none) = match LocalCode::around(&config, directory).await {
            Ok(Some(code)) => (Some(Elsewhere::of(code)), None),
            Ok(None) => (None, Some(format!("there is none at or above {}", directory.display()))),
            Err(error) => (None, Some(format!("{error:#}"))),
        };
        let repo = elsewhere.as_ref().map(Elsewhere::name);
        Ok(Self { client, repo, why_none, elsewhere })
    }

    /// Calls a tool. By default, facts are verified against the local files by the process that can
    /// read them. With a remote server, that is this process for the directory's own repository. A
    /// call that names another repository goes to the server. If the server knows a different
    /// repository by this name, it answers by its own code.
    pub(crate) async fn tool(&self, name: &str, arguments: Map<String, Value>) -> Result<Value> {
        let theirs = async |arguments| anyhow::Ok(self.client.tool(name, &ToolArguments(arguments)).await?.0);
        let is_own = self.repo.as_deref() == arguments.get("repo").and_then(Value::as_str);
        let Some(elsewhere) = self.elsewhere.as_ref().filter(|_| is_own) else {
            return theirs(arguments).await;
        };
        let meant = elsewhere.meant(name, &arguments);
        match elsewhere.way(&self.client, name, &meant).await? {
            Way::Theirs => theirs(arguments).await,
            Way::TheirsAt(commit) => Ok(as_asked(theirs(at_commit(meant.clone(), &commit)).await?, &meant)),
            Way::Ours(verdicts) => {
                let call = ToolVerdicts { arguments: ToolArguments(meant), verdicts };
                Ok(self.client.tool_verdicts(name, &call).await?.0)
            }
        }
    }

    /// Returns the named repository, else that of the directory.
    pub(crate) fn repo(&self, named: Option<String>) -> Result<String> {
        self.repo_or(named, "name the repository with --repo")
    }

    /// Returns the same as [`Self::repo`], for commands with another way to name the repository.
    /// `remedy` describes it.
    pub(super) fn repo_or(&self, named: Option<String>, remedy: &str) -> Result<String> {
        let missing = || {
            let why = self.why_none.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            Usage(format!("{remedy}, or work in a clone of it{why}"))
        };
        Ok(self.known_repo(named).ok_or_else(missing)?)
    }

    /// Returns the same as [`Self::repo`], or `None` if there is no repository.
    pub(crate) fn known_repo(&self, named: Option<String>) -> Option<String> {
        named.or_else(|| self.repo.clone())
    }
}
