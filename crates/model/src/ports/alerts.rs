//! The port for bodies of alerting systems. The HTTP layer verifies signatures.

use std::collections::BTreeMap;

use crate::Result;
use crate::services::alert_notice::AlertBody;

/// Reads bodies of one alerting system.
pub trait AlertReader: Send + Sync {
    /// Parses a body.
    ///
    /// # Errors
    /// `Invalid`, naming the member, if the body does not have that system's form.
    fn read(&self, body: &[u8]) -> Result<AlertBody>;
}

/// The labels that state where an alert happened. For each place the list holds the labels to
/// check, and the first one that is present counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelMap {
    /// The labels that may name the service.
    pub service: Vec<String>,
    /// The labels that may name the environment.
    pub environment: Vec<String>,
    /// The labels that may name the cluster.
    pub cluster: Vec<String>,
    /// The labels that may name the region.
    pub region: Vec<String>,
    /// The labels that may name the Kubernetes namespace.
    pub k8s_namespace: Vec<String>,
}

impl Default for LabelMap {
    fn default() -> Self {
        let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            service: of(&["service", "app", "job", "deployment"]),
            environment: of(&["environment", "env", "stage"]),
            cluster: of(&["cluster"]),
            region: of(&["region"]),
            k8s_namespace: of(&["namespace"]),
        }
    }
}

impl LabelMap {
    /// Returns the place of an alert with these labels.
    pub fn place(&self, labels: &BTreeMap<String, String>) -> crate::services::alert_notice::AlertPlace {
        let first = |names: &[String]| {
            names.iter().find_map(|name| labels.get(name)).filter(|text| !text.trim().is_empty()).cloned()
        };
        crate::services::alert_notice::AlertPlace {
            service: first(&self.service),
            environment: first(&self.environment),
            cluster: first(&self.cluster),
            region: first(&self.region),
            k8s_namespace: first(&self.k8s_namespace),
        }
    }
}
