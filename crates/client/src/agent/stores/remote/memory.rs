//! The memory of a remote store when the store is initialized: it is found, or created on request,
//! and the rights of the key are checked. Errors are reported before the agent's first message.

use loci_api::key::Capability;
use loci_api::memory::{Memory, MemoryCreate, MemoryListing, StrategyCreate, StrategyKind};

use super::errors::store_error;
use super::rights;
use crate::agent::error::StoreError;
use crate::call::Client;
use crate::error::ClientError;

/// The name of the strategy in a memory that a store creates.
const STRATEGY_NAME: &str = "said";

/// The requirements of a store on its memory and key.
pub(super) struct MemoryRequirements<'a> {
    /// The name or id of the memory.
    pub(super) name_or_id: &'a str,
    /// The namespace template for the records of a new memory. `None` if a missing memory must not
    /// be created.
    pub(super) template: Option<&'a str>,
    /// The actor whose events the store writes.
    pub(super) actor: Option<&'a str>,
    /// True if the store writes to the memory.
    pub(super) writes: bool,
}

/// Returns the memory, checked against the requirements of the store.
pub(super) async fn ready(client: &Client, wanted: &MemoryRequirements<'_>) -> Result<Memory, StoreError> {
    let name = wanted.name_or_id;
    let found = find(client, name).await.map_err(|error| store_error("the memory cannot be read", error))?;
    let memory = match (found, wanted.template) {
        (Some(memory), _) => memory,
        (None, Some(template)) => {
            let made = make(client, name, template).await;
            made.map_err(|error| store_error("the memory cannot be made", error))?
        }
        (None, None) => {
            return Err(StoreError::permanent(format!(
                "there is no memory '{name}': make it first, or let the store do so with `create`"
            )));
        }
    };
    check_rights(client, wanted, &memory.id).await?;
    Ok(memory)
}

/// Finds a memory. Ids contain a dash, and names do not.
async fn find(client: &Client, name_or_id: &str) -> Result<Option<Memory>, ClientError> {
    if name_or_id.contains('-') {
        return match client.memory_get(name_or_id).await {
            Err(ClientError::Refused { status: 404, .. }) => Ok(None),
            memory => memory.map(Some),
        };
    }
    let name = Some(name_or_id.to_owned());
    let listing = MemoryListing { name, limit: Some(1), ..MemoryListing::default() };
    Ok(client.memory_list(&listing).await?.memories.into_iter().next())
}

/// Creates the memory. If another client created one with the name meanwhile, that one is returned.
async fn make(client: &Client, name: &str, template: &str) -> Result<Memory, ClientError> {
    let strategy = StrategyCreate {
        kind: StrategyKind::Semantic,
        name: STRATEGY_NAME.to_owned(),
        description: None,
        namespace: Some(template.to_owned()),
        reflection_namespace: None,
        metadata: Vec::new(),
        record_expiry_days: None,
    };
    let new = MemoryCreate { name: name.to_owned(), strategies: vec![strategy], ..MemoryCreate::default() };
    match client.memory_create(&new).await {
        Err(refused @ ClientError::Refused { status: 409, .. }) => find(client, name).await?.ok_or(refused),
        made => made,
    }
}

/// Checks that the grants of the key permit what the store does.
async fn check_rights(
    client: &Client,
    wanted: &MemoryRequirements<'_>,
    memory: &str,
) -> Result<(), StoreError> {
    let identity = match client.identity().await {
        Ok(identity) => identity,
        // An older server has no such endpoint; it rejects calls without a right later.
        Err(ClientError::Refused { status: 404, .. }) => return Ok(()),
        Err(error) => return Err(store_error("the server does not say who we are", error)),
    };
    if is_older(&identity.server_version, env!("CARGO_PKG_VERSION")) {
        tracing::warn!(
            "server=<{}>, client=<{}> | the server is older than its client, and may refuse what it does not know",
            identity.server_version,
            env!("CARGO_PKG_VERSION")
        );
    }
    let needs = if wanted.writes { &[Capability::Read, Capability::Write][..] } else { &[Capability::Read] };
    for capability in needs {
        if !rights::allows(&identity.grants, memory, wanted.actor, *capability) {
            let word = rights::word(*capability);
            return Err(StoreError::permanent(format!(
                "the key of '{}' may not {word} in the memory '{}': give it a grant with {word}",
                identity.name, wanted.name_or_id
            )));
        }
    }
    Ok(())
}

/// Returns true if the server has an older major or minor version than the client. A text that is
/// not a version counts as new enough.
fn is_older(server: &str, client: &str) -> bool {
    let numbers = |version: &str| -> Option<(u32, u32)> {
        let mut parts = version.split('.');
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    };
    numbers(server).zip(numbers(client)).is_some_and(|(server, client)| server < client)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let check = |server: &str, expect: bool| assert_eq!(is_older(server, "1.10.3"), expect, "{server}");
        check("1.9.9", true);
        check("1.10.0", false);
        check("2.0.0", false);
        check("0.99.0", true);
        check("nightly", false);
    }
}
