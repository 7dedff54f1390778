//! Wiring of the hook of GitHub.

use std::sync::Arc;

use anyhow::Result;
use loci_forges::github_hook::GitHubHooks;
use loci_server::v1::hooks::Hook;

use super::hooks::keys;
use crate::config::Config;
use crate::config::environment::Environment;

/// Returns the configured hook.
///
/// # Errors
/// A variable for a secret is unset or blank.
pub(super) fn github_hook(config: &Config, environment: &Environment) -> Result<Hook> {
    let names = &config.coding.github.webhook_secrets_env;
    let keys = keys("coding.github.webhook_secrets_env", names, environment)?;
    Ok(Hook { keys, reader: Some(Arc::new(GitHubHooks)) })
}
