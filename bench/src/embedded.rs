//! The engine inside this process, asked over the routes of the doors: what a program that embeds Loci is.

use std::path::Path;

use anyhow::Result;
use loci_app::wiring::{WiringOptions, wire};
use loci_engine::Engine;
use loci_server::{DoorOptions, Doors};

use crate::wire::Wire;

/// Opens a data folder: the engine, whose jobs nobody runs yet, and the way to ask it.
pub(crate) fn open(folder: &Path) -> Result<(Engine, Wire)> {
    let wiring = wire(WiringOptions::new(folder))?;
    let doors = Doors::new(wiring.engine.clone(), wiring.clock, wiring.ids, DoorOptions::default());
    Ok((wiring.engine, Wire::in_process(loci_server::router_in_process(&doors))))
}
