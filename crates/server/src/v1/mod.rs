//! The native API: one file per group of operations, each a few lines around an operation of the
//! engine or of a product. Each product has a folder (`verified`, `coding`, `documents`,
//! `operations`). The other modules belong to the kernel, and `protocol` has the parts that all
//! operations share.
//!
//! To add an operation: its shapes and a line of its table in `loci-api`, a function in the file of
//! its noun in the folder of its product, one line in that file's `operations`. The router and the
//! OpenAPI document are both built from these lines.

mod admin;
#[cfg(feature = "coding")]
pub(crate) mod coding;
mod deliveries;
#[cfg(feature = "documents")]
mod documents;
mod events;
pub mod hooks;
mod identity;
mod jobs;
mod keys;
mod memories;
#[cfg(feature = "operations")]
pub(crate) mod operations;
mod profiles;
pub(crate) mod protocol;
mod pull;
mod quarantine;
mod records;
mod scanners;
mod search;
pub(crate) mod tools;
pub mod transfer;
#[cfg(feature = "verified")]
mod verified;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::Request;
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use http::header;

use crate::auth::site::OpenEndpoint;
use crate::doors::Doors;
use crate::operations::health;
pub(crate) use protocol::call::warn_of_repair;
use protocol::table::Table;
pub use scanners::SCANNERS;
pub use tools::error_of as tool_error_of;

/// Returns all operations: those of the kernel, then those of each product.
fn operations() -> Table {
    let table = memories::operations(Table::default());
    let table = memories::ensure::operations(table);
    let table = memories::recreate::operations(table);
    let table = events::operations(table);
    let table = records::operations(table);
    let table = search::operations(table);
    let table = tools::operations(table);
    let table = profiles::operations(table);
    let table = identity::operations(table);
    let table = events::session_end::operations(table);
    let table = quarantine::operations(table);
    let table = records::feedback::operations(table);
    let table = pull::operations(table);
    let table = deliveries::operations(table);
    let table = jobs::operations(table);
    let table = keys::operations(table);
    let table = admin::operations(table);
    let table = transfer::export::operations(table);
    let table = transfer::import::operations(table);
    #[cfg(feature = "verified")]
    let table = verified::operations(table);
    #[cfg(feature = "coding")]
    let table = coding::operations(table);
    #[cfg(feature = "documents")]
    let table = documents::operations(table);
    #[cfg(feature = "operations")]
    let table = operations::operations(table);
    table
}

/// Returns the routes, and the route of the OpenAPI document, which is built at its first request.
pub(crate) fn router() -> Router<Doors> {
    let Table { router, described } = operations();
    let document = Arc::new(LazyLock::new(move || Bytes::from(protocol::openapi::document(&described))));
    let text = move |request: Request| async move {
        match health::refused(OpenEndpoint::Description, &request) {
            Some(refused) => refused,
            None => {
                let document = Bytes::clone(&**document);
                ([(header::CONTENT_TYPE, "application/json")], document).into_response()
            }
        }
    };
    let router = router
        .route("/openapi.json", get(text))
        .method_not_allowed_fallback(protocol::problem::other_method_required);
    // `/v2` belongs to no other interface, and a client of a later version can read this error.
    ["/v1", "/v2"]
        .into_iter()
        .flat_map(|version| ["", "/", "/{*path}"].map(|rest| format!("{version}{rest}")))
        .fold(router, |router, path| router.route(&path, axum::routing::any(protocol::call::unknown)))
}

#[cfg(all(test, feature = "coding", feature = "documents", feature = "operations"))]
mod tests {
    use std::collections::BTreeSet;

    use loci_api::operation;

    use super::operations;

    #[test]
    fn every_operation_of_the_tables_is_served() {
        let tables: BTreeSet<_> = operation::places().map(|place| (place.method, place.path)).collect();
        let table = operations();
        let served = table.described.iter().map(|one| (one.place.method, one.place.path)).collect();
        assert_eq!(tables, served);
    }
}
