//! Which paths of a worktree git does not look at: `.gitignore` of each directory, and `info/exclude` of the repository. Files
//! of the person's own configuration are not read: they lie outside.

use loci_model::ports::code::CodeResult;

use super::glob::{Glob, Steps};
use crate::beneath::Dir;
use crate::fault;
use crate::limits::{CONFIG_BYTES_MAX, IGNORING_STEPS_MAX};

/// Rules of one file, at most.
const RULES_MAX: usize = 10_000;
/// Bytes of one pattern, at most.
const PATTERN_BYTES_MAX: usize = 4_096;

/// One line.
struct Rule {
    glob: Glob,
    /// Fits the path from the directory of its file; otherwise the last component alone.
    from_base: bool,
    directories_only: bool,
    /// `!`: what fits is not ignored after all.
    kept: bool,
}

/// The rules of one file.
struct Rules {
    /// The directory they count for, with a slash behind it; empty for the root.
    base: String,
    rules: Vec<Rule>,
}

/// The rules that count in one directory: its own, and those above.
pub(super) struct Ignored {
    levels: Vec<Rules>,
    steps: Steps,
}

impl Ignored {
    /// The rules of the whole repository.
    pub(super) fn of_repository(shared: &Dir) -> CodeResult<Self> {
        let content = shared.read(b"info/exclude", CONFIG_BYTES_MAX)?.unwrap_or_default();
        Ok(Self::of_rules(&content))
    }

    /// These rules alone.
    pub(super) fn of_rules(content: &[u8]) -> Self {
        let levels = vec![Rules { base: String::new(), rules: parse(content) }];
        Self { levels, steps: Steps::new(IGNORING_STEPS_MAX) }
    }

    /// Takes in the rules of a directory that is entered.
    pub(super) fn enter(&mut self, dir: &Dir, directory: &str) -> CodeResult<()> {
        // One that is too large to be one says nothing.
        let content = match dir.file(b".gitignore")? {
            Some((file, stamp)) if stamp.bytes <= CONFIG_BYTES_MAX => {
                crate::beneath::read_all(file, &stamp, CONFIG_BYTES_MAX)?
            }
            Some(_) | None => Vec::new(),
        };
        let base = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        self.levels.push(Rules { base, rules: parse(&content) });
        Ok(())
    }

    /// Forgets the rules of the directory that is left.
    pub(super) fn leave(&mut self) {
        self.levels.pop();
    }

    /// True for a path that is ignored, unless it is tracked. What lies in an ignored directory is ignored too: that is the
    /// caller's to remember. Errors if all paths together took more steps than are taken for a list.
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

/// Spaces at the end do not count, unless the last one is escaped.
fn without_spaces_behind(mut line: &[u8]) -> &[u8] {
    while let Some(shorter) = line.strip_suffix(b" ") {
        if shorter.ends_with(b"\\") {
            break;
        }
        line = shorter;
    }
    line
}
