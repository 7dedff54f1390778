//! `cargo xtask tidy`: the house rules that a machine can check. One check per file, one line per
//! check in [`CHECKS`].
//!
//! A new check needs a file in this folder with `pub(super) fn check(tree: &Tree) -> Vec<Finding>`,
//! a test that shows it failing on a bad sample, and a line in the table. Checks do not judge
//! taste: names, comments and design are for review.

mod cfg_feature;
mod cited_sections;
mod comment_openers;
mod decision_numbers;
mod dependency_direction;
mod dependency_homes;
mod duplicates;
mod exceptions;
mod file_names;
mod file_size;
mod folder_width;
mod forbidden_words;
mod function_size;
mod headers;
mod licences;
mod line_width;
mod lint_tables;
mod machine_paths;
mod no_mocks;
mod paper_sizes;
mod path_once;
mod product_folders;
mod product_order;
mod prose_width;
mod rust_text;
mod spdx;
mod tree;
mod unsafe_home;
mod unused_dependencies;

use anyhow::{Result, bail};
use std::fmt;
use std::path::Path;

pub(crate) use tree::Tree;

/// One violation of a rule, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The path from the root of the workspace.
    pub(crate) file: String,
    /// The one-based line, or 0 for the whole file.
    pub(crate) line: usize,
    /// The name of the rule, as in the list of exceptions.
    pub(crate) rule: &'static str,
    /// The violation, in a sentence.
    pub(crate) what: String,
    /// The remedy, in a sentence.
    pub(crate) remedy: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: [{}] {} {}", self.file, self.rule, self.what, self.remedy),
            line => write!(f, "{}:{line}: [{}] {} {}", self.file, self.rule, self.what, self.remedy),
        }
    }
}

/// A check. It fails the run, unless `warns` is true: then its findings are only printed.
struct Check {
    run: fn(&Tree) -> Vec<Finding>,
    warns: bool,
}

const fn fails(run: fn(&Tree) -> Vec<Finding>) -> Check {
    Check { run, warns: false }
}

const fn warns(run: fn(&Tree) -> Vec<Finding>) -> Check {
    Check { run, warns: true }
}

const CHECKS: &[Check] = &[
    fails(headers::check),
    fails(file_size::check),
    fails(function_size::check),
    fails(file_names::check),
    fails(folder_width::check),
    fails(product_order::check),
    fails(product_folders::check),
    fails(path_once::check),
    fails(cfg_feature::check),
    fails(unsafe_home::check),
    fails(lint_tables::check),
    fails(dependency_direction::check),
    fails(dependency_homes::check),
    fails(licences::check),
    fails(unused_dependencies::check),
    fails(forbidden_words::check),
    fails(machine_paths::check),
    fails(no_mocks::check),
    fails(paper_sizes::check),
    fails(decision_numbers::check),
    fails(cited_sections::check),
    fails(comment_openers::check),
    fails(line_width::check),
    fails(prose_width::check),
    warns(duplicates::check),
];

/// Checks the workspace at `root` and prints every finding.
///
/// # Errors
/// Errors if a rule is violated, an exception is stale, or the tree cannot be read.
pub(crate) fn run(root: &Path) -> Result<()> {
    let tree = Tree::read(root)?;
    let listed = exceptions::read(root)?;
    let (mut findings, mut warnings) = (Vec::new(), Vec::new());
    for check in CHECKS {
        let found = (check.run)(&tree);
        if check.warns { warnings.extend(found) } else { findings.extend(found) }
    }
    let findings = exceptions::apply(findings, &listed);
    for warning in &warnings {
        println!("warning: {warning}");
    }
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("tidy: {} finding(s) in {} files", findings.len(), tree.files.len());
    }
    println!(
        "tidy: {} files, {} checks, {} exception(s), nothing to say",
        tree.files.len(),
        CHECKS.len(),
        listed.len()
    );
    Ok(())
}
