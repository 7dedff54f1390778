//! The identity of the caller and of this server.

use loci_api::identity::Identity;
use loci_api::table as api;
use loci_model::Result;

use super::keys::grant_shown;
use super::protocol::call::Call;
use super::protocol::table::Table;

pub(super) fn operations(table: Table) -> Table {
    table.plain(api::IDENTITY, identity)
}

async fn identity(call: Call) -> Result<Identity> {
    Ok(Identity {
        name: call.caller.name.clone(),
        grants: call.caller.grants.iter().map(grant_shown).collect(),
        server_version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}
