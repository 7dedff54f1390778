//! The ignored paths of a worktree: `.gitignore` of each directory, and `info/exclude` of the
//! repository. The user's own configuration is outside the repository, and not read.

use loci_model::ports::code::CodeResult;

use super::glob::{Glob, Steps};
use crate::confined_files::Dir;
use crate::fault;
use crate::limits::{CONFIG_BYTES_MAX, IGNORING_STEPS_MAX};

/// The maximum number of rules per file.
const RULES_MAX: usize = 10_000;
/// The maximum length of a pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 4_096;

/// A rule of an ignore file.
struct Rule {
    glob: Glob,
    /// True if the rule matches the path from the directory of its file. Otherwise it matches the
    /// last component.
    from_base: bool,
    directories_only: bool,
    /// True for a rule that begins with `!`: matching paths are not ignored.
    kept: bool,
}

/// The rules of one file.
struct Rules {
    /// The directory of the rules, with a trailing slash; empty for the root.
    base: String,
    rules: Vec<Rule>,
}

/// The rules that apply in a directory: its own, and those above.
pub(super) struct Ignored {
    levels: Vec<Rules>,
    steps: Steps,
}

impl Ignored {
    /// Returns the rules of the whole repository.
    pub(super) fn of_repository(shared: &Dir) -> CodeResult<Self> {
        let content = shared.read(b"info/exclude", CONFIG_BYTES_MAX)?.unwrap_or_default();
        Ok(Self::of_rules(&content))
    }

    /// Returns only these rules.
    pub(super) fn of_rules(content: &[u8]) -> Self {
        let levels = vec![Rules { base: String::new(), rules: parse(content) }];
        Self { levels, steps: Steps::new(IGNORING_STEPS_MAX) }
    }

    /// Adds the rules of an entered directory.
    pub(super) fn enter(&mut self, dir: &Dir, directory: &str) -> CodeResult<()> {
        // A file that is too large is ignored.
        let content = match dir.file(b".gitignore")? {
            Some((file, stamp)) if stamp.bytes <= CONFIG_BYTES_MAX => {
                crate::confined_files::read_all(file, &stamp, CONFIG_BYTES_MAX)?
            }
            Some(_) | None => Vec::new(),
        };
        let base = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        self.levels.push(Rules { base, rules: parse(&content) });
        Ok(())
    }

    /// Removes the rules of the directory that is left.
    pub(super) fn leave(&mut self) {
        self.levels.pop();
    }

    /// True for an ignored path, unless it is tracked. Paths in an ignored directory are ignored
    /// too, which the caller must track. Returns an error if all paths together exceed the step
    /// limit of a list.
    pub(super) fn has(&self, path: &str, is_directory: bool) -> CodeResult<bool> {
        for level in self.levels.iter().rev() {
            let Some(relative) = path.strip_prefix(&level.base) else { continue };
            let name = relative.rsplit('/').next().unwrap_or(relative);
            for rule in level.rules.iter().rev() {
                let compared = if rule.from_base { relative } else { name };
                let fits = rule.glob.fits(compared, &self.steps);
                if self.steps.is_spent() {
                    return Err(fault::too_large("the work of comparing paths with patterns of .gitignore"));
                }
                if fits && (is_directory || !rule.directories_only) {
                    return Ok(!rule.kept);
                }
            }
        }
        Ok(false)
    }
}

fn parse(content: &[u8]) -> Vec<Rule> {
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    content.split(|byte| *byte == b'\n').take(RULES_MAX).filter_map(rule).collect()
}

fn rule(line: &[u8]) -> Option<Rule> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = without_spaces_behind(line);
    if line.is_empty() || line.starts_with(b"#") || line.len() > PATTERN_BYTES_MAX {
        return None;
    }
    let (kept, line) = line.strip_prefix(b"!").map_or((false, line), |rest| (true, rest));
    let (directories_only, line) = line.strip_suffix(b"/").map_or((false, line), |rest| (true, rest));
    let from_base = line.contains(&b'/');
    let line = line.strip_prefix(b"/").unwrap_or(line);
    let glob = Glob::parse(line)?;
    Some(Rule { glob, from_base, directories_only, kept })
}

/// Removes trailing spaces, unless the last one is escaped.
fn without_spaces_behind(mut line: &[u8]) -> &[u8] {
    while let Some(shorter) = line.strip_suffix(b" ") {
        if shorter.ends_with(b"\\") {
            break;
        }
        line = shorter;
    }
    line
}
