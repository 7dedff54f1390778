//! Which memory a call of a tool means, where its arguments do not say: the one place that decides.

use loci_engine::Engine;
use loci_model::memory::Memory;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, MemoryId, Result};
use loci_products::Loci;

/// Memories that one call looks at, at most, where it names none.
pub(super) const MEMORIES_MAX: u32 = 20;

/// What is known of the memory before a call is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceAsk {
    /// The header `X-Loci-Memory`: an id or a name.
    pub asked: Option<String>,
    /// The configured memory for tools: an id or a name.
    pub configured: Option<String>,
    /// The directory in which the caller works, where that is a process of this machine.
    pub directory: Option<std::path::PathBuf>,
    /// The header `X-Loci-User`: the user that the request is for.
    pub user: Option<String>,
    /// The call says that a person asks, by the command line. It counts where the key may act as
    /// one.
    pub by_person: bool,
}

/// The memory meant: the one of the header, else the only one of the caller's grants, else the configured one, else the only
/// one there is.
///
/// # Errors
/// `NotFound` where the one asked for is not there, `Invalid` where it is not clear which is meant.
pub async fn place(engine: &Loci, caller: &Principal, ask: &PlaceAsk) -> Result<MemoryId> {
    if let Some(asked) = &ask.asked {
        return Ok(named(engine, caller, asked).await?.id);
    }
    if let Some(only) = only_granted(caller) {
        return Ok(only);
    }
    if let Some(configured) = &ask.configured {
        return Ok(named(engine, caller, configured).await?.id);
    }
    let mut visible = visible(engine, caller, 3).await?;
    // The memory for code is made beside the others, and meant by its own tools.
    if visible.len() > 1 {
        visible.retain(|memory| !engine.makes_memory(&memory.name));
    }
    match visible.as_slice() {
        [only] => Ok(only.id.clone()),
        [] => Err(Error::not_found("there is no memory yet: make one with `loci memory create NAME`")),
        _ => Err(Error::invalid(
            "X-Loci-Memory",
            "there are several memories: name one in the header X-Loci-Memory, in the argument stores where the tool has it, or in the configuration under [mcp] memory",
        )),
    }
}

/// A memory by id or name.
pub(super) async fn named(engine: &Engine, caller: &Principal, name_or_id: &str) -> Result<Memory> {
    let id = engine.memory_id(caller, name_or_id).await.map_err(|error| error.on("X-Loci-Memory"))?;
    engine.memory_get(caller, &id).await
}

/// The memories that the caller may know of, newest first.
pub(super) async fn visible(engine: &Engine, caller: &Principal, limit: u32) -> Result<Vec<Memory>> {
    Ok(engine.memory_list(caller, None, limit).await?.items)
}

/// The one memory that all grants name.
fn only_granted(caller: &Principal) -> Option<MemoryId> {
    let mut granted = caller
        .grants
        .iter()
        .filter(|grant| {
            grant.capabilities.contains(&Capability::Read) || grant.capabilities.contains(&Capability::Write)
        })
        .map(|grant| grant.memory.as_ref());
    let first = granted.next()??;
    granted.all(|memory| memory == Some(first)).then(|| first.clone())
}

#[cfg(test)]
mod tests {
    use loci_model::principal::Grant;

    use super::*;

    #[test]
    fn only_what_all_grants_name_is_meant() {
        let id = |text: &str| MemoryId::parse(text).unwrap();
        let check = |memories: &[Option<&str>], expect: Option<&str>| {
            let grants = memories
                .iter()
                .map(|memory| Grant { memory: memory.map(id), ..Grant::everything() })
                .collect();
            let caller = Principal { name: "p".into(), grants };
            assert_eq!(only_granted(&caller), expect.map(id), "{memories:?}");
        };
        check(&[], None);
        check(&[None], None);
        check(&[Some("shop-abcdefghij")], Some("shop-abcdefghij"));
        check(&[Some("shop-abcdefghij"), Some("shop-abcdefghij")], Some("shop-abcdefghij"));
        check(&[Some("shop-abcdefghij"), Some("site-abcdefghij")], None);
        check(&[Some("shop-abcdefghij"), None], None);
    }
}
