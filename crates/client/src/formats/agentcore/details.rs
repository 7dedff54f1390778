//! The settings of a remote memory. A caller without the right to read them may still read and
//! write the contents.

use super::super::item::Mapping;
use super::shapes::{MemoryAnswer, WireMemory};
use super::wire::{Plane, Wire, WireError, get, path};

/// Reads the settings, by the memory's id or ARN.
pub(super) async fn details(
    wire: &dyn Wire,
    memory: &str,
    mapping: &mut Mapping,
) -> Result<WireMemory, WireError> {
    let id = memory.rsplit('/').next().unwrap_or_default();
    match wire.call(get(Plane::Control, path(&["memories", id, "details"]))).await {
        Ok(text) => Ok(super::wire::read::<MemoryAnswer>(&text)?.memory),
        Err(WireError::Refused { status: 403, .. }) => {
            mapping.loses(
                "strategies of records are left out: the credentials may not read the memory's settings",
            );
            Ok(WireMemory::default())
        }
        Err(error) => Err(error),
    }
}
