//! Budgets of request bodies compared to the largest body of each kind. A body that never fits
//! would be throttled forever.

use anyhow::{Result, ensure};
use loci_model::limits;
use loci_server::bodies::Bodies;

use super::Config;

/// Checks that a body of the largest size fits the budget of each interface.
pub(super) fn check(config: &Config) -> Result<()> {
    let server = &config.server;
    ensure!(
        server.body_bytes_max <= limits::BODIES_UNVERIFIED_BYTES_MAX,
        "[server] body_bytes_max must be at most {}: so many bytes may wait for the check of their signatures",
        limits::BODIES_UNVERIFIED_BYTES_MAX
    );
    // The services that may send to this server.
    let senders = [
        false,
        #[cfg(feature = "operations")]
        !config.hooks.is_empty(),
        #[cfg(feature = "coding")]
        !config.coding.github.webhook_secrets_env.is_empty(),
    ];
    let hook = if senders.contains(&true) { limits::HOOK_BODY_BYTES_MAX } else { 0 };
    let kinds = [
        ("[server] body_bytes_max", server.body_bytes_max),
        ("[mcp] max_body_bytes", config.mcp.max_body_bytes),
        ("the body of a hook", hook),
    ];
    let largest = Bodies::largest(server.bodies_bytes_max);
    for (kind, bytes) in kinds {
        ensure!(
            bytes <= largest,
            "[server] bodies_bytes_max = {} takes bodies of at most {largest} bytes, because an eighth is for small \
             ones, and {kind} may have {bytes}: raise bodies_bytes_max, or lower that",
            server.bodies_bytes_max
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_body_fits_everywhere() {
        const MIB: usize = 1 << 20;
        let check = |text: &str, expect: Option<&str>| {
            let config: Config = toml::from_str(text).unwrap();
            let said = check(&config).err().map(|error| error.to_string());
            match (&said, expect) {
                (Some(said), Some(expect)) => assert!(said.contains(expect), "{text}: {said}"),
                (said, expect) => assert_eq!(said.as_deref(), expect, "{text}"),
            }
        };
        let server =
            |all: usize, one: usize| format!("[server]\nbodies_bytes_max = {all}\nbody_bytes_max = {one}\n");
        check("", None);
        check(&server(128 * MIB, 64 * MIB), None);
        check(&server(128 * MIB, 64 * MIB + 1), Some("wait for the check of their signatures"));
        check(&server(16 * MIB, 14 * MIB), None);
        check(&server(16 * MIB, 14 * MIB + 1), Some("[server] body_bytes_max may have 14680065"));
        let mcp = |bytes: usize| server(16 * MIB, MIB) + &format!("[mcp]\nmax_body_bytes = {bytes}\n");
        check(&mcp(14 * MIB), None);
        check(&mcp(14 * MIB + 1), Some("[mcp] max_body_bytes"));
        let hook = "[[hook]]\nsource = 'pagerduty'\nsecrets_env = ['A']\n";
        let enough = (loci_model::limits::HOOK_BODY_BYTES_MAX / 1024 * 8).div_ceil(7) * 1024 + 1024;
        check(&(server(enough, MIB) + hook), None);
        check(&(server(28 * MIB, MIB) + hook), Some("the body of a hook"));
        let github = "[coding.github]\nwebhook_secrets_env = ['A']\n";
        check(&(server(28 * MIB, MIB) + github), Some("the body of a hook"));
    }
}
