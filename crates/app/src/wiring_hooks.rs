//! Wiring of hooks: whose deliveries are taken, and with which secrets of the environment.

use std::sync::Arc;

use anyhow::{Context, Result};
use loci_forges::github_hook::GitHubHooks;
use loci_server::v1::hooks::{Hook, HookKeys, Hooks};

use crate::config::Config;
use crate::config::environment::Environment;

/// The hooks of the configuration.
///
/// # Errors
/// A variable that should hold a secret and does not, or holds a blank one.
pub fn hooks(config: &Config, environment: &Environment) -> Result<Hooks> {
    let names = &config.coding.github.webhook_secrets_env;
    let secrets = names.iter().map(|name| {
        let secret = environment.secret(name).filter(|secret| !secret.trim().is_empty());
        secret.with_context(|| {
            format!("coding.github.webhook_secrets_env: the variable {name} is not set, or blank")
        })
    });
    let keys = HookKeys::new(secrets.collect::<Result<_>>()?)
        .map_err(|error| anyhow::anyhow!("{}", error.message))?;
    Ok(Hooks { github: Hook { keys, reader: Some(Arc::new(GitHubHooks)) } })
}
