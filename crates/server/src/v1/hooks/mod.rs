//! Hooks: what other services send here, each by a file of its own. A body is read by whoever knows its sender, and only behind its
//! signature (`signature`); it is stored, answered, and dealt with later.
//!
//! To add a sender: a file with its scheme of signatures and its headers, a member of [`Hooks`], a line in `operations`.

pub(super) mod deliveries;
mod github;
mod signature;

use std::sync::Arc;

use loci_api::hook as shape;
use loci_model::ports::forge::NoticeReader;

use super::table::{Described, Form, Table, get, post};
pub use signature::HookKeys;

/// Who may send, by sender.
#[derive(Clone, Default)]
pub struct Hooks {
    /// GitHub.
    pub github: Hook,
}

/// One sender.
#[derive(Clone, Default)]
pub struct Hook {
    /// Secrets that its signatures are made with; none: it may not send.
    pub keys: HookKeys,
    /// Reads its bodies.
    pub reader: Option<Arc<dyn NoticeReader>>,
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hooks").field("github", &self.github.keys).finish()
    }
}

pub(super) fn operations(mut table: Table) -> Table {
    let place = post("/v1/hooks/github", "Take what GitHub sends, by its signature.");
    let answer = table.named::<shape::HookAnswer>();
    let described = Described { place, request: Form::None, answer };
    table
        .stream(described, |doors, request| async move { github::take(doors, request).await })
        .query(get("/v1/hooks/deliveries", "List what hooks brought in, newest first."), deliveries::list)
        .plain(
            post("/v1/hooks/deliveries/{guid}/retry", "Deal again with a delivery that failed."),
            deliveries::retry,
        )
}
