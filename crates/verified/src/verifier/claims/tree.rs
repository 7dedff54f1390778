//! Claims about all files of a kind, bounded by files, bytes and time. Files that were not read
//! leave the claim unknown, unless those that were read decide it.

use loci_model::facts::code::{CodeFile, EntryKind};
use loci_model::facts::verdict::Unverifiable;

use super::evaluate::ClaimResult;
use super::pattern::ClaimPattern;
use crate::verifier::names::glob::Glob;
use crate::verifier::session::verifier::Verifier;

/// The largest file that such a claim reads, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// Holds if no file of the glob matches.
pub(super) fn absent(verifier: &Verifier<'_>, glob: &str, regex: &str) -> ClaimResult {
    let found =
        |path: &str, matches: bool| matches.then(|| ClaimResult::because(false, format!("found in {path}")));
    each(verifier, glob, regex, &found).unwrap_or_else(|_| ClaimResult::holds(true))
}

/// Holds if at least one file fits the glob, and each matches.
pub(super) fn every_file(verifier: &Verifier<'_>, glob: &str, regex: &str) -> ClaimResult {
    let found = |path: &str, matches: bool| {
        (!matches).then(|| ClaimResult::because(false, format!("not found in {path}")))
    };
    each(verifier, glob, regex, &found).unwrap_or_else(|files| match files {
        0 => ClaimResult::because(false, "no file fits the glob"),
        _ => ClaimResult::holds(true),
    })
}

/// Reads each file until one decides. Returns the number of files if none does.
fn each(
    verifier: &Verifier<'_>,
    glob: &str,
    regex: &str,
    decides: &dyn Fn(&str, bool) -> Option<ClaimResult>,
) -> Result<ClaimResult, usize> {
    let pattern = glob;
    let (Ok(glob), Some(regex)) = (Glob::parse(pattern), ClaimPattern::parse(regex)) else {
        return Ok(ClaimResult::hindered(Unverifiable::TooLarge, "the pattern is too large"));
    };
    let tree = match verifier.tree(None) {
        Ok(tree) => tree,
        Err(error) => return Ok(ClaimResult::unread(&error)),
    };
    let files = tree.iter().filter(|file| file.entry.kind == EntryKind::File && glob.matches(&file.path));
    let mut look = PatternSearch {
        verifier,
        regex,
        started_us: verifier.clock.monotonic_us(),
        files: 0,
        bytes: 0,
        unknown: None,
    };
    for file in files {
        if let Some(cut_off) = look.is_over() {
            return Ok(cut_off);
        }
        if let Some(found) = look.matches(file).and_then(|matches| decides(&file.path, matches)) {
            return Ok(found);
        }
    }
    match look.unknown.or_else(|| unlisted(verifier, pattern, &glob)) {
        Some(unknown) => Ok(unknown),
        None => Err(look.files),
    }
}

/// Returns unknown if a file that cannot be listed may fit the glob.
fn unlisted(verifier: &Verifier<'_>, pattern: &str, glob: &Glob) -> Option<ClaimResult> {
    let unlisted = match verifier.unlisted() {
        Ok(unlisted) => unlisted,
        Err(error) => return Some(ClaimResult::unread(&error)),
    };
    let may_be = |path: &&String| match path.strip_suffix('/') {
        Some(directory) => may_be_below(pattern, directory),
        None => glob.matches(path),
    };
    let path = unlisted.iter().find(may_be)?;
    Some(ClaimResult::unknown(format!("{path} cannot be read: its name is no text, or it is too large")))
}

/// Returns true if files of the glob can exist below a directory. Only the prefix of its path is
/// known.
fn may_be_below(pattern: &str, directory: &str) -> bool {
    let fixed = pattern.split(['*', '?', '[', '{', '\\']).next().unwrap_or_default();
    let known = directory.split('\u{fffd}').next().unwrap_or_default();
    fixed.starts_with(known) || known.starts_with(fixed)
}

struct PatternSearch<'v, 'a> {
    verifier: &'v Verifier<'a>,
    regex: ClaimPattern,
    started_us: u64,
    files: usize,
    bytes: u64,
    unknown: Option<ClaimResult>,
}

impl PatternSearch<'_, '_> {
    /// Returns the reason why no more files are read.
    fn is_over(&self) -> Option<ClaimResult> {
        let limits = &self.verifier.limits;
        let spent_us = self.verifier.clock.monotonic_us().saturating_sub(self.started_us);
        let too_large = |what: String| Some(ClaimResult::hindered(Unverifiable::TooLarge, what));
        if self.files >= limits.claim_files_max {
            return too_large(format!("stopped after {} files", self.files));
        }
        if self.bytes >= limits.claim_bytes_max {
            return too_large(format!("stopped after {} bytes", self.bytes));
        }
        let late = || format!("stopped after {} ms, at {} files", limits.claim_ms_max, self.files);
        (spent_us > limits.claim_ms_max.saturating_mul(1_000))
            .then(|| ClaimResult::hindered(Unverifiable::Deadline, late()))
    }

    /// Returns true if a file matches; `None` if that is unknown.
    fn matches(&mut self, file: &CodeFile) -> Option<bool> {
        self.files += 1;
        if file.entry.bytes.is_some_and(|bytes| bytes > FILE_BYTES_MAX) {
            let detail = || format!("{} is too large", file.path);
            self.unknown.get_or_insert_with(|| ClaimResult::hindered(Unverifiable::TooLarge, detail()));
            return None;
        }
        match self.verifier.lines(&file.entry) {
            Ok(lines) => {
                let text = lines.raw(1, u32::MAX);
                self.bytes = self.bytes.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
                let regex = self.regex.within(text);
                if regex.is_none() {
                    let detail = || format!("{} is too large for the pattern", file.path);
                    self.unknown
                        .get_or_insert_with(|| ClaimResult::hindered(Unverifiable::TooLarge, detail()));
                }
                regex.map(|regex| regex.is_match(text))
            }
            Err(error) => {
                let detail = || format!("{}: unverifiable: {}", file.path, error.why.as_str());
                self.unknown.get_or_insert_with(|| ClaimResult::hindered(error.why, detail()));
                None
            }
        }
    }
}
