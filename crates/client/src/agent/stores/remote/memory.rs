//! The memory of a store on a server, at its start: found, or made where that is wanted, and looked at with the eyes of the key. What
//! fails here fails before an agent says a word.

use loci_api::key::Capability;
use loci_api::memory::{Memory, MemoryCreate, MemoryListing, StrategyCreate, StrategyKind};

use super::errors::store_error;
use super::rights;
use crate::agent::error::StoreError;
use crate::call::Client;
use crate::error::ClientError;

/// The strategy of a memory that a store made.
const STRATEGY_NAME: &str = "said";

/// What a store needs of a memory.
pub(super) struct Wanted<'a> {
    /// Its name or id.
    pub(super) name_or_id: &'a str,
    /// Where none has the name, one is made, whose records go to this template of a namespace.
    pub(super) template: Option<&'a str>,
    /// Whose memory.
    pub(super) actor: Option<&'a str>,
    /// It is written to.
    pub(super) writes: bool,
}

/// The memory, with everything that the store needs.
pub(super) async fn ready(client: &Client, wanted: &Wanted<'_>) -> Result<Memory, StoreError> {
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

/// Names have no dash, ids have one.
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

/// Makes it. Where somebody else made one of the name meanwhile, it is theirs.
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

/// Looks whether the key may do what the store is for.
async fn check_rights(client: &Client, wanted: &Wanted<'_>, memory: &str) -> Result<(), StoreError> {
    let identity = match client.identity().await {
        Ok(identity) => identity,
        // An older server does not tell; it will refuse what it refuses.
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

/// By the first two numbers, within which nothing is taken away; what is no version is as good as any.
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
