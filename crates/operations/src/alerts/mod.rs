//! Alerts, as hooks bring them: stored once and answered, dealt with later, in the order in which
//! they came.
//!
//! | file | idea |
//! |---|---|
//! | `receiving` | a piece of news is stored once, and its alert's job asked for |
//! | `handling` | the job: what came for one alert, one after the other |
//! | `effect` | what an alert makes of an investigation: pure |

mod effect;
mod handling;
mod receiving;

pub(crate) use receiving::ALERT_KEY;
pub use receiving::{AlertDelivery, AlertTaken};
