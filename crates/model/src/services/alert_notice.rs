//! A notice that an alerting system sends to a hook, normalised so that no code behind the HTTP
//! layer depends on the system. Outsiders wrote its texts. The engine decides the consequences.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::words::closed_words;

closed_words! {
    /// The kind of system that sends alerts.
    AlertSource {
        /// Prometheus' Alertmanager, payloads of version 4.
        Alertmanager = "alertmanager",
        /// PagerDuty, webhooks of version 3.
        Pagerduty = "pagerduty",
        /// Opsgenie's outgoing webhooks.
        Opsgenie = "opsgenie",
        /// Any other system, read by JSON pointers from the configuration.
        Generic = "generic",
    }
}

closed_words! {
    /// A change of an alert.
    AlertChange {
        /// The alert began, or began again.
        Opened = "opened",
        /// The signal ended. No person stated that the incident is resolved.
        Cleared = "cleared",
        /// A person closed the alert.
        Closed = "closed",
        /// The alert was escalated to another person.
        Escalated = "escalated",
        /// Any other action, such as a note.
        Noted = "noted",
    }
}

/// One notice of one alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertNotice {
    /// The identity of the notice. A repeated notice has the same identity, and no other notice has
    /// it.
    pub identity: String,
    /// The sender's word for the change.
    pub event: String,
    /// The change that the notice reports; `None` if the notice has no effect.
    pub change: Option<AlertChange>,
    /// The value that all notices of one alert share, each time it occurs.
    pub fingerprint: String,
    /// The title, in one line.
    pub title: String,
    /// The place of the alert.
    #[serde(default)]
    pub place: AlertPlace,
    /// Labels as they were sent, at most [`crate::limits::ALERT_LABELS_MAX`].
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The time at which the alert began.
    #[serde(default)]
    pub starts_at: Option<Timestamp>,
    /// The time at which the alert ended.
    #[serde(default)]
    pub ends_at: Option<Timestamp>,
    /// The key of the group that the alert arrived with.
    #[serde(default)]
    pub group_key: Option<String>,
    /// The URL of the alert in the alerting system.
    #[serde(default)]
    pub url: Option<String>,
}

/// The place of an alert, as far as its labels state it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AlertPlace {
    /// The name of the service that the alert is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The name of the environment: `prod`, `staging`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// The name of the cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The name of the region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The Kubernetes namespace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k8s_namespace: Option<String>,
}

/// The content of a request body from an alerting system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlertBody {
    /// A test of the connection by the sender.
    Ping,
    /// Notices, in the order of the body.
    News(Vec<AlertNotice>),
}
