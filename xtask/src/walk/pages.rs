//! Runs the code blocks of pages as a reader pastes them: in order, in one shell, in a separate
//! home. A block after a comment that begins with `<!-- not run` is skipped. It checks that each
//! block succeeds, not its output.

use super::stage::Stage;
use crate::acceptance::packages;
use crate::checkout::Checkout;
use crate::process;
use anyhow::{Context, Result, bail, ensure};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The pages, in the order in which a newcomer reads them. Each has its own home.
const PAGES: &[&str] = &["README.md", "docs/guides/first-steps.md", "docs/guides/file-backends.md"];
/// A replacement for cargo in builds and runs of a checkout, because `loci` is built already.
const CARGO: &str = "#!/bin/sh\ncase \"$1\" in\nbuild) exit 0 ;;\nrun) while [ \"$1\" != -- ]; do shift; done; shift; exec loci \"$@\" ;;\nesac\nexit 64\n";
/// Waits for the server that a block started, as a reader does before the next paste.
const WAIT: &str = "for _ in $(seq 300); do curl -sf http://127.0.0.1:8411/healthz >/dev/null && break; sleep 0.1; done\ncurl -sSf http://127.0.0.1:8411/healthz >/dev/null\n";

/// A block of a page.
#[derive(Debug, PartialEq, Eq)]
struct Block {
    /// The number of the block's first line.
    line: usize,
    language: String,
    code: String,
    is_run: bool,
}

/// Runs the blocks of every page with the binary.
pub(super) fn walk(checkout: &Checkout, loci: &Path) -> Result<()> {
    let python = packages::python(checkout, "agentcore")?;
    for page in PAGES {
        let text =
            std::fs::read_to_string(checkout.root.join(page)).with_context(|| format!("reading {page}"))?;
        let blocks: Vec<Block> = blocks(&text).into_iter().filter(|block| block.is_run).collect();
        ensure!(!blocks.is_empty(), "{page} has no block that runs");
        run(checkout, &blocks, loci, &python.python).with_context(|| format!("the blocks of {page}"))?;
        println!("pages: {} blocks of {page}", blocks.len());
    }
    Ok(())
}

fn run(checkout: &Checkout, blocks: &[Block], loci: &Path, python: &Path) -> Result<()> {
    if std::net::TcpStream::connect("127.0.0.1:8411").is_ok() {
        bail!("port 8411, which the pages name, is in use: stop the server that listens there");
    }
    let stage = Stage::empty(loci)?;
    let bin = stage.beside("bin");
    std::fs::create_dir_all(&bin)?;
    std::os::unix::fs::symlink(loci, bin.join("loci"))?;
    std::fs::write(bin.join("cargo"), CARGO)?;
    // The environment has no pip of its own.
    let installer = packages::installer(checkout)?;
    let pip =
        format!("#!/bin/sh\nexec '{}' pip \"$@\" --python '{}'\n", installer.display(), python.display());
    std::fs::write(bin.join("pip"), pip)?;
    process::run(Command::new("chmod").arg("+x").arg(bin.join("cargo")).arg(bin.join("pip")))?;
    let environment = python.parent().context("an interpreter in a folder")?;
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", &script(blocks)?]).stdin(Stdio::null());
    let bash = stage.prepared(&mut bash, &stage.shop).env_remove("LOCI_DATA_DIR");
    process::run(bash.env("PATH", format!("{}:{}:/usr/bin:/bin", bin.display(), environment.display())))
}

/// Returns the blocks as one script, which ends the servers that they started.
fn script(blocks: &[Block]) -> Result<String> {
    let mut script = String::from("trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n");
    for block in blocks {
        writeln!(script, "echo '── block at line {} ──'", block.line)?;
        match block.language.as_str() {
            "sh" => script.push_str(&block.code),
            "python" => write!(script, "python3 - <<'END_OF_BLOCK'\n{}END_OF_BLOCK\n", block.code)?,
            other => bail!("line {}: blocks of `{other}` cannot run; mark it with <!-- not run", block.line),
        }
        let starts_server =
            |line: &str| line.split('#').next().is_some_and(|code| code.trim().ends_with('&'));
        if block.code.lines().any(starts_server) {
            script.push_str(WAIT);
        }
    }
    Ok(script)
}

/// Returns the code blocks of a page that name a language.
fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut open, mut is_run) = (Vec::new(), None::<Block>, true);
    for (at, line) in text.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (Some(_), Some(_)) => blocks.extend(open.take().filter(|block| !block.language.is_empty())),
            (Some(block), None) => {
                block.code.push_str(line);
                block.code.push('\n');
            }
            (None, Some(language)) => {
                let language = language.trim().to_owned();
                open = Some(Block { line: at + 1, language, code: String::new(), is_run });
                is_run = true;
            }
            (None, None) if line.starts_with("<!-- not run") => is_run = false,
            (None, None) => {}
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_in_order_and_some_are_left_out() {
        let text = "# A\n\n```sh\nloci a\nloci b &   # serves\n```\n\n<!-- not run: a reason -->\n```sh\nloci c\n```\n```\nplain\n```\n```python\nd()\n```\n";
        let found = blocks(text);
        let short: Vec<_> = found.iter().map(|one| (one.line, one.language.as_str(), one.is_run)).collect();
        assert_eq!(short, [(3, "sh", true), (9, "sh", false), (15, "python", true)]);
        let script = script(&found).unwrap();
        assert!(script.contains("loci b &   # serves\nfor _ in"), "{script}");
        assert!(script.contains("python3 - <<'END_OF_BLOCK'\nd()\nEND_OF_BLOCK\n"), "{script}");
        let odd = Block { line: 1, language: "toml".into(), code: String::new(), is_run: true };
        assert!(super::script(&[odd]).is_err());
    }
}
