//! Wiring of notifications: the configured targets with the secrets of the environment.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use loci_model::ports::BoxFuture;
use loci_model::ports::clock::Clock;
use loci_outbound::request::{OutboundAnswer, OutboundError, OutboundRequest, Transport};
use loci_outbound::secret::Secret;
use loci_outbound::targets::{Address, ClientTargets, NamedSecret, Target, Targets};

use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::targets::TargetEntry;

/// The subfolder of the data folder within which clients may choose `file://` targets.
const OUTBOX: &str = "outbox";
/// The region of services other than AWS that have none.
const REGION: &str = "us-east-1";

/// The settings of a process for its targets, with the secrets from the environment.
#[derive(Debug, Default)]
pub struct TargetsPlan {
    targets: Vec<Target>,
    clients: ClientTargets,
}

impl TargetsPlan {
    /// Reads the plan from the configuration.
    ///
    /// # Errors
    /// An address or a folder cannot be parsed.
    pub fn of(config: &Config, environment: &Environment, folder: &Path) -> Result<Self> {
        let targets = config.targets.iter().map(|entry| target(entry, environment)).collect::<Result<_>>()?;
        // Addresses of clients are absolute, and the data folder may be relative.
        let folder = std::path::absolute(folder.join(OUTBOX)).context("the folder of the data")?;
        let clients = ClientTargets { allowed: config.compat.client_targets, folder };
        Ok(Self { targets, clients })
    }

    /// True if nothing leaves this machine, so that no HTTP client is needed.
    pub fn is_quiet(&self) -> bool {
        let is_local = |target: &Target| matches!(target.address, Address::Folder(_) | Address::Lines(_));
        !self.clients.allowed && self.targets.iter().all(is_local)
    }

    /// Creates the targets.
    ///
    /// # Errors
    /// A secret cannot be used for signatures.
    pub fn make(self, transport: Arc<dyn Transport>, clock: Arc<dyn Clock>) -> Result<Arc<Targets>> {
        Ok(Arc::new(Targets::new(self.targets, self.clients, transport, clock)?))
    }
}

/// The transport that replaces an HTTP client if nothing leaves this machine.
#[derive(Debug, Clone, Copy)]
pub struct NoNetwork;

impl Transport for NoNetwork {
    fn send(&self, _: OutboundRequest) -> BoxFuture<'_, std::result::Result<OutboundAnswer, OutboundError>> {
        let why = "this process has no HTTP client: its configuration names no target";
        Box::pin(async move { Err(OutboundError::Connect(why.to_owned())) })
    }
}

fn target(entry: &TargetEntry, environment: &Environment) -> Result<Target> {
    let named = |variable: &Option<String>| match variable {
        None => NamedSecret::None,
        Some(variable) => match environment.secret(variable) {
            Some(secret) => NamedSecret::Given(Secret::new(secret)),
            None => {
                tracing::warn!(target = %entry.name, variable, "a variable that a target needs is not set");
                NamedSecret::Missing(variable.clone())
            }
        },
    };
    Ok(Target {
        name: entry.name.clone(),
        address: entry.address()?,
        secret: named(&entry.secret_env),
        endpoint: entry.endpoint.clone(),
        region: entry.region.clone().unwrap_or_else(|| REGION.to_owned()),
        access_key: named(&entry.access_key_env),
        secret_key: named(&entry.secret_key_env),
        session_token: named(&entry.session_token_env),
        path_style: entry.path_style,
        conditional_writes: entry.conditional_writes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_reach_the_outbox_of_a_folder_that_is_said_relatively() {
        let config: Config = toml::from_str("[compat]\nclient_targets = true\n").unwrap();
        let plan = TargetsPlan::of(&config, &Environment::of(&[]), Path::new("data")).unwrap();
        let expect = std::env::current_dir().unwrap().join("data").join(OUTBOX);
        assert!(plan.clients.allowed);
        assert_eq!(plan.clients.folder, expect);
    }
}
