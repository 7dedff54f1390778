//! Alerts received through hooks. The endpoint stores each notice once and responds; a job
//! processes the notices later, in the order in which they arrived.
//!
//! | file | idea |
//! |---|---|
//! | `receiving` | stores each notice once and enqueues the job of its alert |
//! | `handling` | the job: processes the notices of one alert in order |
//! | `effect` | the effect of a notice on investigations: pure |

mod effect;
mod handling;
mod receiving;

pub(crate) use receiving::ALERT_KEY;
pub use receiving::{AlertDelivery, AlertTaken};
