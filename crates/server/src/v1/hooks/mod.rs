//! Hooks: what other services send here, each by a file of its own. A body is read by whoever knows its sender, and only behind its
//! signature (`signature`); it is stored, answered, and dealt with later.
//!
//! | file | idea |
//! |---|---|
//! | `github` | what GitHub sends |
//! | `alerts`, `proof` | what alerting systems send, and how they show who they are |
//! | `signature` | keyed digests and secrets |
//! | `deliveries` | what came in, listed and tried again |
//!
//! To add a sender: a file with its scheme of signatures and its headers, a member of [`Hooks`], a line in `operations`. To add an alerting
//! system: a reader in `loci-alerts`, its scheme in `proof`, a line in `operations`.

mod alerts;
pub(super) mod deliveries;
mod github;
mod proof;
mod signature;

use loci_api::table as api;
use std::sync::Arc;

use loci_api::hook as shape;
use loci_api::operation::Place;
use loci_model::Result;
use loci_model::json::reserved_names;
use loci_model::ports::forge::NoticeReader;
use loci_model::services::alert_notice::AlertSource;

use super::protocol::table::{Described, Form, Table};
pub use alerts::AlertHook;
pub use signature::HookKeys;

/// Who may send, by sender.
#[derive(Clone, Default)]
pub struct Hooks {
    /// GitHub.
    pub github: Hook,
    /// Alerting systems: each may stand several times.
    pub alerts: Vec<AlertHook>,
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
        f.debug_struct("Hooks").field("github", &self.github.keys).field("alerts", &self.alerts).finish()
    }
}

/// Refuses a proven body with a member that our JSON library would read as something else than it says.
/// What is no text is no JSON either, which its reader says.
///
/// # Errors
/// `Invalid`, naming the rule.
fn check_names(body: &[u8]) -> Result<()> {
    std::str::from_utf8(body).map_or(Ok(()), reserved_names::refuse)
}

/// Where alerting systems send.
const ALERTS: [(AlertSource, Place); 4] = [
    (AlertSource::Alertmanager, api::ALERTMANAGER_HOOK.place),
    (AlertSource::Pagerduty, api::PAGERDUTY_HOOK.place),
    (AlertSource::Opsgenie, api::OPSGENIE_HOOK.place),
    (AlertSource::Generic, api::GENERIC_HOOK.place),
];

pub(super) fn operations(mut table: Table) -> Table {
    let place = api::GITHUB_HOOK.place;
    let answer = table.named::<shape::HookAnswer>();
    let described = Described { place, request: Form::None, answer };
    table = table.stream(described, |doors, request| async move { github::take(doors, request).await });
    for (source, place) in ALERTS {
        let answer = table.named::<shape::AlertAnswer>();
        let described = Described { place, request: Form::None, answer };
        table = table.stream(described, move |doors, request| async move {
            alerts::take(doors, source, request).await
        });
    }
    table.query(api::HOOK_DELIVERY_LIST, deliveries::list).plain(api::HOOK_DELIVERY_RETRY, deliveries::retry)
}
