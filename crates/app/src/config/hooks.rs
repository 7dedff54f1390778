//! `[[hook]]`: the alerting systems that may send alerts, their secrets, and the mapping of other
//! systems' bodies.

use anyhow::{Result, anyhow, bail};
use loci_alerts::Places;
use loci_model::ports::alerts::LabelMap;
use loci_model::services::alert_notice::AlertSource;
use serde::{Deserialize, Serialize};

/// `[[hook]]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HookEntry {
    /// `alertmanager`, `pagerduty`, `opsgenie` or `generic`.
    pub source: String,
    /// The memory that it may send to, as in the hook's address. Absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
    /// The variables with its secrets, several during a rotation.
    pub secrets_env: Vec<String>,
    /// The header with Opsgenie's secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// The labels with the location of an alert. The first existing label applies.
    #[serde(default)]
    pub labels: LabelSection,
    /// JSON pointers into bodies of a generic source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<PlacesSection>,
}

/// `[hook.labels]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LabelSection {
    /// The service.
    pub service: Vec<String>,
    /// The environment.
    pub environment: Vec<String>,
    /// The cluster.
    pub cluster: Vec<String>,
    /// The region.
    pub region: Vec<String>,
    /// The namespace of Kubernetes.
    pub k8s_namespace: Vec<String>,
}

/// `[hook.places]`
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlacesSection {
    /// The unique id of a body. Absent means that the whole body identifies it.
    pub id: Option<String>,
    /// The common fingerprint of alerts about the same problem.
    pub fingerprint: String,
    /// A one-line title.
    pub title: String,
    /// The status of the alert.
    pub status: String,
    /// Status values that open an alert.
    pub open_values: Vec<String>,
    /// Status values that close an alert.
    pub close_values: Vec<String>,
    /// The service.
    pub service: Option<String>,
    /// The environment.
    pub environment: Option<String>,
    /// The start time.
    pub starts_at: Option<String>,
    /// The end time.
    pub ends_at: Option<String>,
    /// An object of labels.
    pub labels: Option<String>,
}

impl Default for LabelSection {
    fn default() -> Self {
        let LabelMap { service, environment, cluster, region, k8s_namespace } = LabelMap::default();
        Self { service, environment, cluster, region, k8s_namespace }
    }
}

impl HookEntry {
    /// Returns the sending system.
    pub fn source(&self) -> Result<AlertSource> {
        let words: Vec<_> = AlertSource::ALL.iter().map(|source| source.as_str()).collect();
        AlertSource::parse(&self.source).ok_or_else(|| {
            anyhow!("[[hook]] source = {:?}: must be one of {}", self.source, words.join(", "))
        })
    }

    /// Returns the mapping of labels.
    pub fn label_map(&self) -> LabelMap {
        let LabelSection { service, environment, cluster, region, k8s_namespace } = self.labels.clone();
        LabelMap { service, environment, cluster, region, k8s_namespace }
    }

    /// Returns the locations of members in a body.
    pub fn places(&self) -> Places {
        let of = self.places.clone().unwrap_or_default();
        Places {
            id: of.id,
            fingerprint: of.fingerprint,
            title: of.title,
            status: of.status,
            open_values: of.open_values,
            close_values: of.close_values,
            service: of.service,
            environment: of.environment,
            starts_at: of.starts_at,
            ends_at: of.ends_at,
            labels: of.labels,
        }
    }

    /// Checks the entry.
    pub(super) fn check(&self) -> Result<()> {
        let source = self.source()?;
        if self.secrets_env.is_empty() {
            bail!(
                "[[hook]] {}: secrets_env must name a variable: anybody could send without a secret",
                self.source
            );
        }
        if self.header.is_some() && source != AlertSource::Opsgenie {
            bail!("[[hook]] {}: header is for opsgenie only", self.source);
        }
        if self.header.as_deref().is_some_and(|name| http::HeaderName::try_from(name).is_err()) {
            bail!("[[hook]] {}: header must be the name of a header", self.source);
        }
        if self.places.is_some() && source != AlertSource::Generic {
            bail!("[[hook]] {}: places are for generic only", self.source);
        }
        let read = loci_alerts::reader(source, self.label_map(), self.places());
        read.map(drop).map_err(|missing| anyhow!("[[hook]] {}: {missing}", self.source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_say_who_may_send() {
        let check = |text: &str, expect: Option<&str>| {
            let entry: HookEntry = toml::from_str(text).unwrap();
            let said = entry.check().err().map(|error| error.to_string());
            match (said.as_deref(), expect) {
                (Some(said), Some(expect)) => assert!(said.contains(expect), "{text}: {said}"),
                (said, expect) => assert_eq!(said, expect, "{text}"),
            }
        };
        check("source = 'alertmanager'\nsecrets_env = ['A']", None);
        check("source = 'opsgenie'\nsecrets_env = ['A', 'B']\nheader = 'X-Alert-Secret'", None);
        let generic = "source = 'generic'\nsecrets_env = ['A']\n[places]\nfingerprint = '/f'\ntitle = '/t'\nstatus = '/s'\nopen_values = ['down']";
        check(generic, None);
        check("source = 'nagios'\nsecrets_env = ['A']", Some("must be one of alertmanager"));
        check("source = 'pagerduty'\nsecrets_env = []", Some("without a secret"));
        check("source = 'pagerduty'\nsecrets_env = ['A']\nheader = 'x'", Some("opsgenie only"));
        check("source = 'opsgenie'\nsecrets_env = ['A']\nheader = 'x y'", Some("name of a header"));
        check("source = 'generic'\nsecrets_env = ['A']", Some("needs the JSON pointers"));
        check("source = 'pagerduty'\nsecrets_env = ['A']\n[places]\ntitle = '/t'", Some("generic only"));
        check(&generic.replace("'/s'", "'s'"), Some("begins with /"));
    }
}
