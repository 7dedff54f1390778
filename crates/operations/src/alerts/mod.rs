//! Alerts received through hooks. The endpoint stores each notice once and responds; a job
//! processes the notices later, in the order in which they arrived.
//!
//! | file | idea |
//! |---|---|
//! | `alert_delivery` | stores each notice once and enqueues the job of its alert |
//! | `alert_job` | the job: processes the notices of one alert in order |
//! | `effect` | the effect of a notice on investigations: pure |

mod alert_delivery;
mod alert_job;
mod effect;

pub(crate) use alert_delivery::ALERT_KEY;
pub use alert_delivery::{AlertDelivery, AlertTaken};
