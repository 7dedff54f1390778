//! The engine in this process, called over the routes of the server, as in a program that embeds
//! Loci.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use loci_app::wiring::store::StorePlan;
use loci_app::wiring::{Wiring, WiringOptions, wire};
use loci_model::ports::store::Store;
use loci_products::Loci;
use loci_server::{DoorOptions, Doors};

use crate::wire::Wire;

/// Opens a data folder. Returns the engine, whose jobs do not run yet, and the client for it.
pub(crate) fn open(folder: &Path) -> Result<(Loci, Wire)> {
    let (engine, wire, _) = open_store(StorePlan::folder_at(folder))?;
    Ok((engine, wire))
}

/// Opens a store in the same way, and returns it too. The caller closes it.
pub(crate) fn open_store(store: StorePlan) -> Result<(Loci, Wire, Arc<dyn Store>)> {
    let folder = store.folder().to_owned();
    let Wiring { engine, clock, ids, store, .. } =
        wire(WiringOptions { store, ..WiringOptions::new(folder) })?;
    let doors = Doors::new(engine.clone(), clock, ids, DoorOptions::default());
    Ok((engine, Wire::in_process(loci_server::router_in_process(&doors)), store))
}
