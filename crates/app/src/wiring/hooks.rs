//! Wiring of hooks: the services that may send to this server, and the secrets of the environment
//! for their signatures.

use anyhow::{Context, Result};
use loci_server::v1::hooks::{HookKeys, Hooks};

#[cfg(feature = "operations")]
use super::alert_hooks::alert_hook;
#[cfg(feature = "coding")]
use super::github_hook::github_hook;
use crate::config::Config;
use crate::config::environment::Environment;

/// Returns the configured hooks.
///
/// # Errors
/// A variable for a secret is unset or blank.
#[cfg_attr(
    all(feature = "coding", feature = "operations"),
    expect(clippy::needless_update, reason = "each product that is left out leaves its member")
)]
pub fn hooks(config: &Config, environment: &Environment) -> Result<Hooks> {
    Ok(Hooks {
        #[cfg(feature = "coding")]
        github: github_hook(config, environment)?,
        #[cfg(feature = "operations")]
        alerts: config.hooks.iter().map(|entry| alert_hook(entry, environment)).collect::<Result<_>>()?,
        ..Hooks::default()
    })
}

/// Returns the keys in the variables of the environment.
pub(super) fn keys(member: &str, names: &[String], environment: &Environment) -> Result<HookKeys> {
    let secrets = names.iter().map(|name| {
        let secret = environment.secret(name).filter(|secret| !secret.trim().is_empty());
        secret.with_context(|| format!("{member}: the variable {name} is not set, or blank"))
    });
    HookKeys::new(secrets.collect::<Result<_>>()?).map_err(|error| anyhow::anyhow!("{}", error.message))
}
