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
        /// It began, or began again.
        Opened = "opened",
        /// The signal ended. No person stated that the incident is resolved.
        Cleared = "cleared",
        /// Someone closed it.
        Closed = "closed",
        /// It was escalated to someone else.
        Escalated = "escalated",
        /// Any other action, such as a note.
        Noted = "noted",
    }
}

/// One notice of one alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertNotice {
    /// The identity of the notice: a repetition of it has the same one, and no other notice has it.
    pub identity: String,
    /// The sender's word for the change.
    pub event: String,
    /// The change; none: the notice has no effect.
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
    /// The start time.
    #[serde(default)]
    pub starts_at: Option<Timestamp>,
    /// The end time.
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

/// The content of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlertBody {
    /// A test of the connection by the sender.
    Ping,
    /// Notices, in the order of the body.
    News(Vec<AlertNotice>),
}
