//! What an alerting system tells by a hook: normalised, so that nothing behind the door knows which
//! one it was. Texts in it are what outsiders wrote. What follows from it is the engine's matter.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::words::closed_words;

closed_words! {
    /// Which kind of system sends.
    AlertSource {
        /// Prometheus' Alertmanager, payloads of version 4.
        Alertmanager = "alertmanager",
        /// PagerDuty, webhooks of version 3.
        Pagerduty = "pagerduty",
        /// Opsgenie's outgoing webhooks.
        Opsgenie = "opsgenie",
        /// Any other, read by places that the configuration names.
        Generic = "generic",
    }
}

closed_words! {
    /// What happened to an alert.
    AlertChange {
        /// It began, or began again.
        Opened = "opened",
        /// The signal ended by itself: nobody says that the matter is settled.
        Cleared = "cleared",
        /// Somebody closed it.
        Closed = "closed",
        /// It went to somebody else.
        Escalated = "escalated",
        /// Something else was done or said.
        Noted = "noted",
    }
}

/// One piece of news of one alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertNotice {
    /// What a repetition of this piece of news says again: no two others share it.
    pub identity: String,
    /// The sender's word for what happened.
    pub event: String,
    /// What happened; none: nothing follows from it.
    pub change: Option<AlertChange>,
    /// What the same trouble has in common, each time it comes.
    pub fingerprint: String,
    /// What it is, in a line.
    pub title: String,
    /// Where it happened.
    #[serde(default)]
    pub place: AlertPlace,
    /// Labels as they were sent, at most [`crate::limits::ALERT_LABELS_MAX`].
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// When it began.
    #[serde(default)]
    pub starts_at: Option<Timestamp>,
    /// When it ended.
    #[serde(default)]
    pub ends_at: Option<Timestamp>,
    /// What it came with.
    #[serde(default)]
    pub group_key: Option<String>,
    /// Where it is seen.
    #[serde(default)]
    pub url: Option<String>,
}

/// Where an alert happened, as far as its labels say.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AlertPlace {
    /// The service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// `prod`, `staging`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The namespace of Kubernetes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k8s_namespace: Option<String>,
}

/// What a body says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlertBody {
    /// The sender tries whether it is heard.
    Ping,
    /// News, in the order of the body.
    News(Vec<AlertNotice>),
}
