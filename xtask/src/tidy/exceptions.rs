//! The only list of exceptions, `xtask/tidy-exceptions.toml`. Each entry names a rule, a file and a
//! reason. The list may only shrink, so an entry that excuses nothing is a finding too.

use super::Finding;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::path::Path;

/// The path of the list.
pub(super) const PATH: &str = "xtask/tidy-exceptions.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    #[serde(default)]
    exception: Vec<Exception>,
}

/// One entry: the findings that it excuses, and the reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Exception {
    rule: String,
    file: String,
    /// Text that the finding must contain. Without it, the entry excuses every finding of the rule
    /// in the file.
    #[serde(default)]
    about: String,
    reason: String,
}

pub(super) fn read(root: &Path) -> Result<Vec<Exception>> {
    parse(&std::fs::read_to_string(root.join(PATH)).context(PATH)?)
}

fn parse(text: &str) -> Result<Vec<Exception>> {
    let list: List = toml::from_str(text).context(PATH)?;
    for exception in &list.exception {
        let (rule, file) = (&exception.rule, &exception.file);
        ensure!(exception.reason.len() >= 20, "{PATH}: the exception of {rule} for {file} gives no reason");
    }
    Ok(list.exception)
}

/// Returns the findings that no exception excuses, and one finding for each exception that excuses
/// nothing.
pub(super) fn apply(findings: Vec<Finding>, exceptions: &[Exception]) -> Vec<Finding> {
    let mut used = vec![false; exceptions.len()];
    let mut left = Vec::new();
    for finding in findings {
        let excused = exceptions.iter().position(|e| e.excuses(&finding));
        match excused.and_then(|i| used.get_mut(i)) {
            Some(flag) => *flag = true,
            None => left.push(finding),
        }
    }
    let stale = exceptions.iter().zip(used).filter(|(_, used)| !used).map(|(e, _)| Finding {
        file: PATH.to_owned(),
        line: 0,
        rule: "stale-exception",
        what: format!("the exception of {} for {} excuses nothing.", e.rule, e.file),
        remedy: "Remove it: the list may only shrink.",
    });
    left.extend(stale);
    left
}

impl Exception {
    fn excuses(&self, finding: &Finding) -> bool {
        self.rule == finding.rule && self.file == finding.file && finding.what.contains(&self.about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(file: &str, what: &str) -> Finding {
        Finding { file: file.to_owned(), line: 1, rule: "file-size", what: what.to_owned(), remedy: "" }
    }

    #[test]
    fn an_exception_excuses_its_finding_only_and_a_stale_one_is_found() -> Result<()> {
        let list = parse(concat!(
            "[[exception]]\nrule = \"file-size\"\nfile = \"a.rs\"\nreason = \"one table, better read in one place\"\n",
            "[[exception]]\nrule = \"file-size\"\nfile = \"gone.rs\"\nreason = \"one table, better read in one place\"\n",
        ))?;
        let left = apply(vec![finding("a.rs", "x"), finding("b.rs", "y")], &list);
        let said: Vec<_> = left.iter().map(|f| (f.rule, f.file.as_str())).collect();
        assert_eq!(said, [("file-size", "b.rs"), ("stale-exception", PATH)]);
        Ok(())
    }

    #[test]
    fn an_exception_without_a_reason_is_refused() {
        assert!(parse("[[exception]]\nrule = \"x\"\nfile = \"a.rs\"\nreason = \"because\"\n").is_err());
        assert!(parse("[[exception]]\nrule = \"x\"\nfile = \"a.rs\"\n").is_err());
    }
}
