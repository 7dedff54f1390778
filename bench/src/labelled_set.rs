//! Reads files of labelled cases for all programs here: a file by its path, with its name for
//! figures, and JSON lines by their numbers.

use std::path::Path;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

/// Returns the text of a file.
pub(crate) fn text(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

/// Returns the name of a file without its extension.
pub(crate) fn stem(path: &Path) -> Result<&str> {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    stem.with_context(|| format!("{} has no name", path.display()))
}

/// Returns the number and the value of each line that is not blank.
pub(crate) fn json_lines<T: DeserializeOwned>(text: &str) -> impl Iterator<Item = Result<(usize, T)>> {
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(number, line)| {
        let value = serde_json::from_str(line).with_context(|| format!("line {number}"))?;
        Ok((number, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_numbers_of_their_file() {
        let read = |text: &str| json_lines::<u8>(text).collect::<Result<Vec<_>>>();
        assert_eq!(read("1\n\n 2 \n").unwrap(), [(1, 1), (3, 2)]);
        assert!(read("1\nx\n").unwrap_err().to_string().contains("line 2"));
    }
}
