//! Determines the memory of a tool call if its arguments do not name it. No other module decides
//! this.

use loci_engine::Engine;
use loci_model::memory::Memory;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, MemoryId, Result};
use loci_products::Loci;

/// The maximum number of memories in one call that names none.
pub(super) const MEMORIES_MAX: u32 = 20;

/// The inputs that determine the memory before a call is parsed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceAsk {
    /// The header `X-Loci-Memory`: an id or a name.
    pub asked: Option<String>,
    /// The configured memory of the tools: an id or a name.
    pub configured: Option<String>,
    /// The directory in which the caller works, if it is a process of this machine.
    pub directory: Option<std::path::PathBuf>,
    /// The header `X-Loci-User`: the user of the request.
    pub user: Option<String>,
    /// True if the command line declares that a person asks. It counts only if the key may act as a
    /// person.
    pub by_person: bool,
}

/// Returns the memory of a call: that of the header, else the only one in the caller's grants, else
/// the configured one, else the only existing one.
///
/// # Errors
/// `NotFound` if the requested memory does not exist, `Invalid` if the choice is ambiguous.
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
    // The memory for code is created in addition to the others, and its own tools select it.
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

/// Returns a memory by id or name.
pub(super) async fn named(engine: &Engine, caller: &Principal, name_or_id: &str) -> Result<Memory> {
    let id = engine.memory_id(caller, name_or_id).await.map_err(|error| error.on("X-Loci-Memory"))?;
    engine.memory_get(caller, &id).await
}

/// Returns the memories that the caller may see, newest first.
pub(super) async fn visible(engine: &Engine, caller: &Principal, limit: u32) -> Result<Vec<Memory>> {
    Ok(engine.memory_list(caller, None, limit).await?.items)
}

/// Returns the memory that all grants name, if there is only one.
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
