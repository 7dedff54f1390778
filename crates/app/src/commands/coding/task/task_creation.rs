//! Creation of a task, now or later. `loci task create` sends the request to a server, or spools it
//! if none is reachable, so that later reports about the task find it. A rejection by a reachable
//! server is reported to the caller, because retrying does not help.

use anyhow::Result;
use loci_api::coding::task::{TaskCreate, TaskTaken};
use loci_api::verified::repository::RepositoryAdd;
use loci_client::{Client, ClientError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::delivery::{DeliveryOptions, entry, spool_it};
use super::entry_sender::{CALL, PROBE, say_once};
use super::failure_class::CallFailureClass;
use crate::cli::Globals;
use crate::commands::verified::code_memory::of_memory;
use crate::config::environment::Environment;
use crate::config::load;
use crate::exit::Usage;
use crate::local_code::LocalCode;
use crate::output;
use crate::session::Session;
use crate::spool::{SpoolCall, SpoolEntry};

/// The request that creates a task, as it is sent and spooled.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct TaskCreation {
    create: TaskCreate,
    /// The directory of the clone, for a server of this machine, which registers it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    directory: Option<String>,
    /// True if no repository was named. The repository is that of the clone, under the server's
    /// name for it.
    #[serde(default)]
    is_of_clone: bool,
}

impl TaskCreation {
    /// Prepares the creation in the working directory. The repository is the named one, else that
    /// of the clone.
    ///
    /// # Errors
    /// A usage error if nothing names a repository.
    pub(super) async fn here(
        globals: &Globals,
        environment: &Environment,
        create: TaskCreate,
        named: Option<String>,
        is_on_none: bool,
    ) -> Result<Self> {
        let directory = std::path::PathBuf::from(".").canonicalize();
        let clone = match (&directory, is_on_none || named.is_some()) {
            (Ok(directory), false) => {
                let config = load(globals.config.as_deref(), environment)?;
                LocalCode::around(&config, directory).await.ok().flatten().map(|code| code.name())
            }
            _ => None,
        };
        let missing = || Usage("name the repository with --repo, or work in a clone of it".to_owned());
        let is_of_clone = !is_on_none && named.is_none();
        let repo = match named.or(clone) {
            None if is_of_clone => return Err(missing().into()),
            repo => repo,
        };
        let here = directory.ok().filter(|_| globals.url.is_none());
        let directory = here.and_then(|directory| directory.into_os_string().into_string().ok());
        Ok(Self { create: TaskCreate { repo, ..create }, directory, is_of_clone })
    }

    /// Sends the creation to a server, or spools it, and prints the id.
    ///
    /// # Errors
    /// A server rejects it; with `--strict` also if no server is reachable.
    pub(super) async fn say(
        &self,
        globals: &Globals,
        environment: &Environment,
        helper: &DeliveryOptions,
    ) -> Result<()> {
        let task = self.create.task_id.as_deref().unwrap_or_default();
        let entry = entry(globals, (task, helper.memory()), SpoolCall::Create, serde_json::to_value(self)?)?;
        match send(globals, environment, &entry).await {
            Ok(answer) => {
                let taken: TaskTaken = serde_json::from_value(answer)?;
                taken.warnings.iter().for_each(output::note);
                output::result(globals.json, &taken, |taken| output::line(&taken.task.task_id))
            }
            Err(
                CallFailureClass::Out(error) | CallFailureClass::Slow(error) | CallFailureClass::Later(error),
            ) if !helper.is_strict() => {
                output::note(format!("loci task create: {error:#}"));
                let spooled = spool_it(globals, environment, entry).await;
                let warning = format!("NOT_SENT: {error:#}");
                let answer = json!({ "task_id": task, "spooled": spooled, "warnings": [warning] });
                output::result(globals.json, &answer, |_| output::line(task))
            }
            Err(failure) => Err(failure.into_error()),
        }
    }
}

async fn send(
    globals: &Globals,
    environment: &Environment,
    entry: &SpoolEntry,
) -> Result<Value, CallFailureClass> {
    let session = Session::begin(globals, environment).map_err(CallFailureClass::Out)?;
    let client = of_memory(&session.client, entry.memory.as_deref()).map_err(CallFailureClass::refused)?;
    is_there(&client, &entry.task).await?;
    let answer = say_once(&client, entry, CALL).await?;
    session.end().await.map_err(CallFailureClass::Out)?;
    Ok(answer)
}

/// Checks that a server is reachable, regardless of its answer about the task.
async fn is_there(client: &Client, task: &str) -> Result<(), CallFailureClass> {
    match tokio::time::timeout(PROBE, client.task_get(task)).await {
        Ok(Err(error)) if error.status().is_none_or(|status| status >= 500) => {
            Err(CallFailureClass::Out(error.into()))
        }
        Ok(_) => Ok(()),
        Err(_) => {
            let waited = PROBE.as_millis();
            Err(CallFailureClass::Out(anyhow::anyhow!("the server did not answer within {waited} ms")))
        }
    }
}

/// Creates a task. `once` is the client with the idempotency key of the call.
pub(super) async fn take_in(client: &Client, once: &Client, body: &Value) -> Result<Value, ClientError> {
    let unread = |error| ClientError::Request(format!("a task that cannot be read: {error}"));
    let mut taking: TaskCreation = serde_json::from_value(body.clone()).map_err(unread)?;
    if taking.directory.is_some() {
        // A clone that cannot be registered may already be known.
        let add = RepositoryAdd { directory: taking.directory.clone(), ..RepositoryAdd::default() };
        let added = client.clone().with_person().repository_add(&add).await.ok();
        if let (true, Some(added)) = (taking.is_of_clone, added) {
            taking.create.repo = Some(added.repository.repo);
        }
    }
    let taken = once.task_create(&taking.create).await?;
    serde_json::to_value(taken).map_err(unread)
}
