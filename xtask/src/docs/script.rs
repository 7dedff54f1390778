//! The blocks of a page as one shell script. Each block's output goes to a file of its own.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::blocks::Block;

/// Names the folder with the outputs.
pub(super) const OUTPUTS: &str = "DOCS_OUTPUTS";
/// The address where a server of a page listens.
pub(super) const ADDRESS: &str = "127.0.0.1:8411";
/// Waits for the server that a block started, as a reader does before the next paste.
const WAIT: &str = "for _ in $(seq 300); do curl -sf http://127.0.0.1:8411/healthz >/dev/null && break; sleep 0.1; done\ncurl -sSf http://127.0.0.1:8411/healthz >/dev/null\n";

/// Returns the script, which ends the servers that it started.
pub(super) fn of(blocks: &[Block]) -> String {
    let mut script = String::from("trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n");
    for block in blocks {
        // A group, so that folders, variables and servers of a block are there for the next.
        script.push_str("{\n");
        if block.language == "python" {
            // A string takes all.
            let _ = write!(script, "python3 - <<'END_OF_BLOCK'\n{}END_OF_BLOCK\n", block.code);
        } else {
            script.push_str(&block.code);
        }
        let _ = writeln!(script, "}} > \"${OUTPUTS}/{}\"", block.line); // as above
        let starts_server =
            |line: &str| line.split('#').next().is_some_and(|code| code.trim().ends_with('&'));
        if block.code.lines().any(starts_server) {
            script.push_str(WAIT);
        }
    }
    script
}

/// Returns what a block printed.
pub(super) fn output_of(outputs: &Path, block: &Block) -> Result<String> {
    let file = file(outputs, block);
    let bytes = std::fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the last block that began.
pub(super) fn last_begun<'b>(outputs: &Path, blocks: &'b [Block]) -> Option<&'b Block> {
    blocks.iter().rev().find(|block| file(outputs, block).exists())
}

fn file(outputs: &Path, block: &Block) -> PathBuf {
    outputs.join(block.line.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_groups_of_one_script() {
        let block = |line, language: &str, code: &str| Block {
            line,
            language: language.to_owned(),
            code: code.to_owned(),
            reason: None,
            output: None,
        };
        let script = of(&[block(3, "sh", "loci b &   # serves\n"), block(9, "python", "d()\n")]);
        assert!(script.contains("{\nloci b &   # serves\n} > \"$DOCS_OUTPUTS/3\"\nfor _ in"), "{script}");
        assert!(script.contains("{\npython3 - <<'END_OF_BLOCK'\nd()\nEND_OF_BLOCK\n} > "), "{script}");
    }
}
