//! The working directory of a command, its repository, and a client that stands there. Where the server is elsewhere, the facts that
//! a command reads are checked against the code here, as `loci mcp --url` does.

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

/// Where a command stands.
pub(crate) struct Here {
    /// The API, told of the directory where the server is of this machine.
    pub(crate) client: Client,
    repo: Option<String>,
    /// Why there is none.
    why_none: Option<String>,
    /// The code here, where the server is elsewhere.
    elsewhere: Option<Elsewhere>,
}

impl Here {
    /// At a directory, else the working directory, for a client that asks the memory which is meant. A clone
    /// there is registered; over a URL it is known by the name of its remote.
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

    /// Calls a tool. Where nothing else is said, facts are read as the files are that lie here: by
    /// whoever can read them, and of the directory's own repository that is this process where the
    /// server is elsewhere. Who names a repository asks the server, and one that knows another
    /// repository by this name answers by its own code.
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

    /// The repository that is named, else that of the directory.
    pub(crate) fn repo(&self, named: Option<String>) -> Result<String> {
        self.repo_or(named, "name the repository with --repo")
    }

    /// As [`Self::repo`], for commands that are given the repository in another way; `remedy` names it.
    pub(super) fn repo_or(&self, named: Option<String>, remedy: &str) -> Result<String> {
        let missing = || {
            let why = self.why_none.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
            Usage(format!("{remedy}, or work in a clone of it{why}"))
        };
        Ok(self.known_repo(named).ok_or_else(missing)?)
    }

    /// The same, where there is one.
    pub(crate) fn known_repo(&self, named: Option<String>) -> Option<String> {
        named.or_else(|| self.repo.clone())
    }
}
