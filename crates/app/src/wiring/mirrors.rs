//! Mirrors of a process: where they may lie, and those of the configuration.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use loci_engine::memories::by_id_or_name;
use loci_git::LocalPlaces;
use loci_model::MemoryId;
use loci_model::ports::files::FilePlaces;
use loci_model::ports::store::StoreExt;
use loci_model::principal::Principal;
use loci_outbound::targets::Targets;
use loci_products::Loci;

use crate::adapters::MirrorPlaces;
use crate::config::documents::mirror::MirrorSection;

/// Where mirrors may lie, for a data folder.
pub fn places(section: &MirrorSection, folder: &Path, targets: &Arc<Targets>) -> Arc<dyn FilePlaces> {
    let local = LocalPlaces::new(folder.to_owned(), &section.roots);
    Arc::new(MirrorPlaces::new(local, Arc::clone(targets)))
}

/// Makes the mirrors of the configuration. One that cannot be made yet is said and passed over: it is made at the next start. A server forgets
/// those that the configuration has no more; a command may have been given another one.
pub async fn register(engine: &Loci, section: &MirrorSection, forgets: bool) {
    let caller = Principal::administrator("configuration");
    let mut names: BTreeMap<MemoryId, Vec<String>> = BTreeMap::new();
    let (mut found, mut is_unknown) = (Vec::new(), false);
    for (name, entry) in &section.named {
        let memory = match memory_of(engine, &entry.memory).await {
            Ok(Some(memory)) => memory,
            Ok(None) => {
                tracing::warn!(mirror = name, memory = entry.memory, "a configured mirror has no memory yet");
                continue;
            }
            Err(error) => {
                tracing::warn!(mirror = name, ?error, "a configured mirror is not made");
                is_unknown = true;
                continue;
            }
        };
        names.entry(memory.clone()).or_default().push(name.clone());
        found.push((name, entry, memory));
    }
    // First, for another may lie there now. Whose memory could not be looked up would be forgotten with what it knows.
    if forgets && is_unknown {
        tracing::warn!("mirrors that the configuration has no more are forgotten at the next start");
    } else if forgets && let Err(error) = engine.documents.mirrors_configured(&names).await {
        tracing::warn!(?error, "mirrors that the configuration has no more are not forgotten");
    }
    for (name, entry, memory) in found {
        let made = match entry.of(name, memory) {
            Ok(new) => engine.documents.mirror_add(&caller, new).await.map(drop).map_err(anyhow::Error::from),
            Err(error) => Err(error),
        };
        if let Err(error) = made {
            tracing::warn!(mirror = name, ?error, "a configured mirror is not made");
        }
    }
}

async fn memory_of(engine: &Loci, name_or_id: &str) -> loci_model::Result<Option<MemoryId>> {
    let named = name_or_id.to_owned();
    engine.store().read(move |tx| Ok(by_id_or_name(tx, &named)?.map(|memory| memory.id))).await
}
