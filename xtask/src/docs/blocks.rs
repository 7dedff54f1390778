//! The code blocks of a page that a reader runs, each with the output that the page shows for it.

use anyhow::{Result, bail};

/// Languages of blocks that run.
const RUN: [&str; 2] = ["sh", "python"];
/// The language of a block that shows what the block before it prints.
const OUTPUT: &str = "output";
/// Begins a comment before a block that does not run; its reason follows.
const SKIP: &str = "<!-- not run:";

/// A block of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The number of its first line, from 1.
    pub(super) line: usize,
    pub(super) language: String,
    pub(super) code: String,
    /// The reason for which it does not run.
    pub(super) reason: Option<String>,
    /// The output that the page shows.
    pub(super) output: Option<String>,
}

/// Returns the blocks of a page that run, and those that would if they had no reason not to.
///
/// # Errors
/// For an output without a block, and for a reason that is empty.
pub(super) fn read(text: &str) -> Result<Vec<Block>> {
    let (mut blocks, mut open, mut reason) = (Vec::<Block>::new(), None::<Block>, None);
    // False where a heading or a block of another language came between a block and an output.
    let mut is_behind_block = false;
    for (at, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (Some(_), Some(_)) => {
                let Some(block) = open.take() else { continue };
                let is_run = RUN.contains(&block.language.as_str());
                match (block.language.as_str(), blocks.last_mut()) {
                    (OUTPUT, Some(shown)) if is_behind_block => shown.output = Some(block.code),
                    (OUTPUT, _) => bail!("line {}: an output behind no block that runs", block.line),
                    _ if is_run => blocks.push(block),
                    _ => {}
                }
                is_behind_block = is_run;
            }
            (Some(block), None) => {
                block.code.push_str(line);
                block.code.push('\n');
            }
            (None, Some(language)) => {
                let language = language.trim().to_owned();
                let reason = reason.take();
                open = Some(Block { line: at + 1, language, code: String::new(), reason, output: None });
            }
            (None, None) => {
                if let Some(rest) = line.strip_prefix(SKIP) {
                    let given = rest.trim_end_matches("-->").trim();
                    if given.is_empty() {
                        bail!("line {}: a block does not run and no reason is given", at + 1);
                    }
                    reason = Some(given.to_owned());
                }
                is_behind_block &= !line.starts_with('#');
            }
        }
    }
    if let Some(block) = open {
        bail!("line {}: a block that does not end", block.line);
    }
    Ok(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_in_order_with_outputs_and_reasons() {
        let text = "# A\n\n```sh\nloci a\n```\n\n```output\nB\n```\n<!-- not run: needs an account -->\n```sh\nloci c\n```\n```toml\na = 1\n```\n```python\nd()\n```\n";
        let found = read(text).unwrap();
        let short: Vec<_> = found
            .iter()
            .map(|one| (one.line, one.language.as_str(), one.output.as_deref(), one.reason.as_deref()))
            .collect();
        assert_eq!(
            short,
            [
                (3, "sh", Some("B\n"), None),
                (11, "sh", None, Some("needs an account")),
                (17, "python", None, None)
            ]
        );
        assert!(read("```output\nB\n```\n").is_err());
        assert!(read("```sh\na\n```\n# B\n```output\nB\n```\n").is_err());
        assert!(read("```sh\na\n").is_err());
        assert!(read("<!-- not run: -->\n```sh\na\n```\n").is_err());
    }
}
