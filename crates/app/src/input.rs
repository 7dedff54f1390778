//! Texts that a command is given as the name of a file; `-` is standard input.

use anyhow::{Context, Result};

/// The text of a file, or of standard input; `what` names it where it cannot be read.
pub(crate) fn text_of(file: &str, what: &str) -> Result<String> {
    if file == "-" {
        return std::io::read_to_string(std::io::stdin())
            .with_context(|| format!("reading {what} from standard input"));
    }
    std::fs::read_to_string(file).with_context(|| format!("reading {what} from {file}"))
}
