//! Bodies that alerting systems send, each system by a file of its own. They are read with tolerance, for no sender sends again what was
//! refused: unknown members are passed over, odd ones left out by name, one unreadable item costs itself, and what is of no use says so.
//! Only a body that is no JSON is refused. No signatures, which are the door's matter, and no I/O.
//!
//! | file | system |
//! |---|---|
//! | `alertmanager` | Prometheus' Alertmanager |
//! | `pagerduty` | PagerDuty |
//! | `opsgenie` | Opsgenie |
//! | `generic` | any other, by places that the configuration names |
//! | `reading`, `members` | what they share |
//!
//! To add one: a file with an `impl AlertReader`, a word of `AlertSource`, a line in `reader`.

mod alertmanager;
mod generic;
mod members;
mod opsgenie;
mod pagerduty;
mod reading;
mod scanners;

use std::sync::Arc;

use loci_model::ports::alerts::{AlertReader, LabelMap};
use loci_model::services::alert_notice::AlertSource;

pub use generic::{Places, PlacesMissing};
pub use scanners::SCANNERS;

/// The reader of a system's bodies; `places` are those of a generic one.
///
/// # Errors
/// A generic system whose places leave out what a body must say.
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
