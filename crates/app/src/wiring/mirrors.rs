//! Mirrors of a process: their permitted locations, and the configured ones.

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

/// Returns the permitted locations of mirrors for a data folder.
pub fn places(section: &MirrorSection, folder: &Path, targets: &Arc<Targets>) -> Arc<dyn FilePlaces> {
    let local = LocalPlaces::new(folder.to_owned(), &section.roots);
    Arc::new(MirrorPlaces::new(local, Arc::clone(targets)))
}

/// Creates the configured mirrors. A mirror that cannot be created yet is reported and skipped. The
/// next start creates it. With `forgets`, a server forgets mirrors that are no longer configured. A
/// command does not, because it may have another configuration.
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
    // Removal comes first, because another mirror may use the location now. It is skipped if a
    // memory could not be looked up, because its mirrors would be forgotten with their state.
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
