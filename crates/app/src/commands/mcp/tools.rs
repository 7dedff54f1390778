//! Tool calls by the native API: over a URL, by the server that has the folder open, or in this
//! process. If that server ends, this process opens the folder and repeats the call.

use loci_api::ErrorCode;
use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::Result;
use loci_api::tool::{ToolArguments, ToolListing};
use loci_api::verified::repository::{RepositoryAdd, RepositoryListing};
use loci_api::verified::verdict::ToolVerdicts;
use loci_client::{Client, ClientError};
use loci_model::ports::BoxFuture;
use loci_server::mcp::loci::ToolBox;
use loci_server::mcp::provider::Caller;
use loci_server::tools::error::ToolError;
use loci_server::tools::tool::{ReceivedArguments, ToolOutcome, ToolRight, is_of_agents};
use loci_server::v1::tool_error_of;
use tokio::sync::{Mutex, RwLock};

use super::elsewhere::{Elsewhere, VERIFY, Way, as_asked, at_commit, look_before_use};
use crate::cli::Globals;
use crate::config::environment::Environment;
use crate::session::{CommandJobs, Session};

use super::repository;
use super::task::TaskOfProcess;

/// The default memory, user and directory of tool calls.
pub(super) struct ToolsPlace {
    pub(super) memory: Option<String>,
    pub(super) user: Option<String>,
    pub(super) directory: Option<PathBuf>,
}

/// Tool calls by the native API.
pub(super) struct ClientTools {
    globals: Globals,
    environment: Environment,
    place: ToolsPlace,
    task: TaskOfProcess,
    /// The local code, if the store is remote.
    elsewhere: Option<Elsewhere>,
    /// The name of the repository around the working directory, once known.
    own: OnceLock<String>,
    session: RwLock<Session>,
    meanwhile: Mutex<Vec<CommandJobs>>,
}

impl ClientTools {
    /// Connects to the API.
    pub(super) fn begin(
        globals: &Globals,
        environment: &Environment,
        mut place: ToolsPlace,
        elsewhere: Option<Elsewhere>,
    ) -> Result<Self> {
        let session = Session::begin(globals, environment)?;
        let meanwhile = session.work_meanwhile().into_iter().collect();
        let own = OnceLock::new();
        if let Some(elsewhere) = &elsewhere {
            own.get_or_init(|| elsewhere.name());
        }
        // A remote server has other directories.
        place.directory = place.directory.filter(|_| globals.url.is_none());
        Ok(Self {
            own,
            globals: globals.clone(),
            environment: environment.clone(),
            place,
            task: TaskOfProcess::of(environment),
            elsewhere,
            session: RwLock::new(session),
            meanwhile: Mutex::new(meanwhile),
        })
    }

    /// Registers the repository around the working directory under the names of its remotes. If
    /// there is none, or the caller lacks the right, the tools report it when called.
    pub(super) async fn register(&self) {
        let Some(directory) = self.place.directory.as_ref().and_then(|path| path.to_str()) else { return };
        let add = RepositoryAdd { directory: Some(directory.to_owned()), ..RepositoryAdd::default() };
        let added = self.ask(|client| {
            let add = add.clone();
            async move { client.repository_add(&add).await }
        });
        match added.await {
            Ok(added) => {
                tracing::info!(repository = added.repository.repo, "the working directory's repository");
                self.own.get_or_init(|| added.repository.repo);
            }
            Err(error) => {
                tracing::info!(error.message, "the working directory's repository is not registered")
            }
        }
    }

    /// Waits for jobs and closes the store.
    pub(super) async fn end(&self) -> Result<()> {
        for meanwhile in self.meanwhile.lock().await.drain(..) {
            meanwhile.end().await?;
        }
        self.session.write().await.close().await
    }

    async fn client(&self) -> Result<Client, ClientError> {
        let client = self.session.read().await.client.clone();
        let client = match &self.place.memory {
            Some(memory) => client.with_memory(memory)?,
            None => client,
        };
        let client = match &self.place.user {
            Some(user) => client.with_user(user)?,
            None => client,
        };
        self.place
            .directory
            .as_deref()
            .map_or(Ok(client.clone()), |directory| client.with_directory(directory))
    }

    /// Sends a request. If the server of the folder has ended, reconnects once.
    async fn ask<T, W>(&self, ask: impl Fn(Client) -> W) -> Result<T, ToolError>
    where
        W: Future<Output = Result<T, ClientError>>,
    {
        let first = match self.client().await {
            Ok(client) => ask(client).await,
            Err(error) => Err(error),
        };
        let outcome = match first {
            Err(ClientError::Unreachable { .. }) if self.globals.url.is_none() => {
                self.find_another_way().await?;
                match self.client().await {
                    Ok(client) => ask(client).await,
                    Err(error) => Err(error),
                }
            }
            outcome => outcome,
        };
        outcome.map_err(told)
    }

    async fn theirs(&self, name: &str, arguments: ReceivedArguments) -> ToolOutcome {
        let arguments = ToolArguments(arguments);
        let asked = self.ask(|client| {
            let arguments = arguments.clone();
            async move { client.tool(name, &arguments).await }
        });
        asked.await.map(|result| result.0)
    }

    /// Sends a call to the server. If the server rejects the use of a fact because it cannot verify
    /// the code, this process verifies the local code and repeats the call.
    async fn theirs_after_a_look(
        &self,
        caller: &Caller,
        name: &str,
        arguments: ReceivedArguments,
    ) -> ToolOutcome {
        let first = self.theirs(name, arguments.clone()).await;
        let Some(look) = self.elsewhere.as_ref().and_then(|_| look_before_use(name, &arguments)) else {
            return first;
        };
        match first {
            Err(refused) if matches!(refused.code, ErrorCode::NotVerified | ErrorCode::Unverifiable) => {
                if let Err(error) = self.call(caller, VERIFY, look).await {
                    tracing::debug!(error.message, "the code here cannot be verified either");
                    return Err(refused);
                }
                self.theirs(name, arguments).await
            }
            answered => answered,
        }
    }

    async fn find_another_way(&self) -> Result<(), ToolError> {
        let mut session = self.session.write().await;
        let next = Session::begin(&self.globals, &self.environment).map_err(|error| {
            tracing::error!(%error, "the store cannot be reached");
            ToolError::new(ErrorCode::Bug, "the store cannot be reached: is its folder in order?")
        })?;
        self.meanwhile.lock().await.extend(next.work_meanwhile());
        let mut last = std::mem::replace(&mut *session, next);
        last.close().await.map_err(|error| ToolError::new(ErrorCode::Bug, error.to_string()))
    }
}

fn told(error: ClientError) -> ToolError {
    match error {
        ClientError::Refused { problem, .. } => tool_error_of(*problem),
        ClientError::Unreachable { message, .. } => ToolError::new(ErrorCode::Bug, message),
        ClientError::Unexpected(message) | ClientError::Request(message) => {
            let mut error = ToolError::new(ErrorCode::Bug, message);
            error.retryable = false;
            error
        }
    }
}

impl ToolBox for ClientTools {
    fn scopes<'a>(&'a self, _caller: &'a Caller) -> BoxFuture<'a, Result<Vec<ToolRight>, ToolError>> {
        Box::pin(async move {
            let listing = ToolListing::default();
            let list = self.ask(|client| {
                let listing = listing.clone();
                async move { client.tool_list(&listing).await }
            });
            let list = list.await?;
            // An agent also sees the agent tools, although it has none of their scopes.
            let (of_agents, others): (Vec<_>, Vec<_>) =
                list.tools.iter().partition(|tool| is_of_agents(&tool.name));
            let has = |scope: &str| others.iter().any(|tool| tool.scope == scope);
            let held = |scope: &ToolRight| match scope {
                ToolRight::Agent => of_agents.iter().any(|tool| !has(&tool.scope)),
                scope => has(scope.as_str()),
            };
            Ok(ToolRight::ALL.into_iter().filter(held).collect())
        })
    }

    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        name: &'a str,
        arguments: ReceivedArguments,
    ) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let arguments = self.task.named(name, arguments);
            let arguments = repository::named(self.own.get(), name, arguments);
            let meant = match &self.elsewhere {
                Some(elsewhere) => elsewhere.meant(name, &arguments),
                None => arguments.clone(),
            };
            let way = match &self.elsewhere {
                Some(elsewhere) => {
                    let client = self.client().await.map_err(told)?;
                    elsewhere.way(&client, name, &meant).await.map_err(told)?
                }
                None => Way::Theirs,
            };
            match way {
                Way::Theirs => {
                    let answer = self.theirs_after_a_look(caller, name, arguments).await;
                    answer.map_err(|error| repository::naming(error, self.own.get()))
                }
                Way::TheirsAt(commit) => {
                    let result = self.theirs(name, at_commit(meant.clone(), &commit)).await?;
                    Ok(as_asked(result, &meant))
                }
                Way::Ours(verdicts) => {
                    let call = ToolVerdicts { arguments: ToolArguments(meant), verdicts };
                    let asked = self.ask(|client| {
                        let call = call.clone();
                        async move { client.tool_verdicts(name, &call).await }
                    });
                    asked.await.map(|result| result.0)
                }
            }
        })
    }

    fn repository(&self) -> Option<String> {
        self.own.get().cloned()
    }

    fn repositories<'a>(&'a self, _caller: &'a Caller) -> BoxFuture<'a, Result<Vec<String>, ToolError>> {
        Box::pin(async move {
            let asked =
                self.ask(|client| async move { client.repository_list(&RepositoryListing::default()).await });
            Ok(asked.await?.repositories.into_iter().map(|repository| repository.repo).collect())
        })
    }

    fn mark<'a>(&'a self, _caller: &'a Caller, repo: &'a str) -> BoxFuture<'a, Result<String, ToolError>> {
        Box::pin(async move {
            let asked = self.ask(|client| async move { client.repository_mark(repo).await });
            Ok(asked.await?.mark)
        })
    }
}
