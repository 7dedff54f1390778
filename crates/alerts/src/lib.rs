//! Bodies that alerting systems send, one file for each system. The readers are tolerant, because
//! senders do not repeat a rejected request. A reader ignores unknown members and leaves out
//! malformed ones by name. An unreadable item loses only that item, and a notice without effect is
//! marked as such. A reader rejects only a body that is not JSON. The crate does no I/O. The HTTP
//! server verifies signatures.
//!
//! | file | system |
//! |---|---|
//! | `alertmanager` | Prometheus' Alertmanager |
//! | `pagerduty` | PagerDuty |
//! | `opsgenie` | Opsgenie |
//! | `generic` | any other, by JSON pointers from the configuration |
//! | `body_fields`, `members` | helpers that the readers share |
//!
//! To add one: a file with an `impl AlertReader`, a word of `AlertSource`, a line in `reader`.

mod alertmanager;
mod body_fields;
mod generic;
mod members;
mod opsgenie;
mod pagerduty;
mod scanners;

use std::sync::Arc;

use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::services::alert_notice::AlertSource;

pub use generic::{Places, PlacesMissing};
pub use scanners::SCANNERS;

/// Returns the reader of a system's bodies. Only the generic reader uses `places`.
///
/// # Errors
/// A generic system whose `places` lack a required pointer.
pub fn reader(
    source: AlertSource,
    labels: LabelMap,
    places: Places,
) -> Result<Arc<dyn AlertReader>, PlacesMissing> {
    Ok(match source {
        AlertSource::Alertmanager => Arc::new(alertmanager::Alertmanager { labels }),
        AlertSource::Pagerduty => Arc::new(pagerduty::PagerDuty { labels }),
        AlertSource::Opsgenie => Arc::new(opsgenie::Opsgenie { labels }),
        AlertSource::Generic => Arc::new(generic::Generic::new(places, labels)?),
    })
}
