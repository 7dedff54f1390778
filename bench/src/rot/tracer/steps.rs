//! Steps of a first-parent history, as `git log` prints them: per commit the changed files, their
//! renames, and their hunks (histogram algorithm, renames at 50 %). It only parses git's output.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use anyhow::{Context, Result, bail};

use crate::git::command;

/// Changed lines, on both sides. A length may be zero; the start is then the line before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::rot) struct Hunk {
    pub(in crate::rot) old_start: u32,
    pub(in crate::rot) new_start: u32,
    pub(in crate::rot) old: Vec<Vec<u8>>,
    pub(in crate::rot) new: Vec<Vec<u8>>,
}

impl Hunk {
    pub(super) fn old_len(&self) -> u32 {
        u32::try_from(self.old.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn new_len(&self) -> u32 {
        u32::try_from(self.new.len()).unwrap_or(u32::MAX)
    }

    /// Returns true if the hunk removes the line.
    pub(super) fn takes(&self, line: u32) -> bool {
        line >= self.old_start && line - self.old_start < self.old_len()
    }

    /// Returns true if all removed lines are before the line.
    pub(super) fn is_before(&self, line: u32) -> bool {
        if self.old.is_empty() { self.old_start < line } else { self.old_start + self.old_len() <= line }
    }
}

/// One file in one step.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::rot) struct FileChange {
    /// The old path. `None` if the file is new.
    pub(in crate::rot) old: Option<String>,
    /// The new path. `None` if the file is deleted.
    pub(in crate::rot) new: Option<String>,
    pub(in crate::rot) hunks: Vec<Hunk>,
}

impl FileChange {
    pub(super) fn paths(&self) -> impl Iterator<Item = &String> {
        self.old.iter().chain(&self.new)
    }
}

/// One commit compared with its first parent.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::rot) struct Step {
    pub(in crate::rot) commit: String,
    pub(in crate::rot) files: Vec<FileChange>,
}

/// The range of the walk.
pub(super) struct Span<'a> {
    pub(super) folder: &'a Path,
    pub(super) from: &'a str,
    pub(super) to: &'a str,
    /// Paths that are ignored.
    pub(super) left_out: &'a BTreeSet<String>,
    /// True to ignore white space.
    pub(super) loose: bool,
}

/// All steps after one commit up to another, oldest first.
pub(super) struct Steps {
    process: Child,
    text: Lines<ChildStdout>,
    ended: bool,
}

impl Steps {
    /// Starts reading.
    pub(super) fn start(span: &Span<'_>) -> Result<Self> {
        let mut git = command(span.folder);
        git.args([
            "log",
            "--first-parent",
            "--diff-merges=first-parent",
            "--reverse",
            "--format=%x01%H",
            "--raw",
        ]);
        git.args(["-p", "-U0", "--histogram", "-M50%", "--full-index", "--no-abbrev", "--text"]);
        git.args(["--no-color", "--no-ext-diff", "--no-textconv", "--indent-heuristic", "--submodule=short"]);
        git.args(["--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/"]);
        if span.loose {
            git.arg("-w");
        }
        git.args(["--end-of-options", &format!("{}..{}", span.from, span.to)]);
        if !span.left_out.is_empty() {
            git.args(["--", ":(top)"]);
            git.args(span.left_out.iter().map(|path| format!(":(top,exclude,literal){path}")));
        }
        let mut process =
            git.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().context("starting git log")?;
        let text = Lines::new(process.stdout.take().context("git log says nothing")?);
        Ok(Self { process, text, ended: false })
    }

    /// Returns the next step, or `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Step>> {
        let step = read_step(&mut self.text)?;
        if step.is_none() && !self.ended {
            self.ended = true;
            let mut said = String::new();
            if let Some(mut stderr) = self.process.stderr.take() {
                stderr.read_to_string(&mut said)?;
            }
            if !self.process.wait()?.success() {
                bail!("the history cannot be read: {}", said.trim());
            }
        }
        Ok(step)
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Lines of a stream, one of which can be put back.
struct Lines<R> {
    from: BufReader<R>,
    back: Option<Vec<u8>>,
}

impl<R: std::io::Read> Lines<R> {
    fn new(from: R) -> Self {
        Self { from: BufReader::with_capacity(1 << 18, from), back: None }
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        if let Some(line) = self.back.take() {
            return Ok(Some(line));
        }
        let mut line = Vec::new();
        if self.from.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&b'\n') {
            line.pop();
        }
        Ok(Some(line))
    }
}

fn read_step<R: std::io::Read>(text: &mut Lines<R>) -> Result<Option<Step>> {
    let mut step: Option<Step> = None;
    let mut current: Option<usize> = None;
    while let Some(line) = text.next()? {
        if let Some(commit) = line.strip_prefix(b"\x01") {
            if step.is_some() {
                text.back = Some(line);
                return Ok(step);
            }
            step = Some(Step { commit: String::from_utf8_lossy(commit).into_owned(), files: Vec::new() });
            continue;
        }
        let Some(step) = step.as_mut() else { continue };
        if line.starts_with(b":") {
            step.files.extend(raw_change(&line));
        } else if line.starts_with(b"diff --git ") {
            current = None;
        } else if let Some(path) = line.strip_prefix(b"--- ") {
            current = patch_path(path, b"a/").and_then(|path| position(step, &path, true));
        } else if let Some(path) = line.strip_prefix(b"+++ ") {
            current = patch_path(path, b"b/").and_then(|path| position(step, &path, false)).or(current);
        } else if line.starts_with(b"@@ -") {
            let hunk = read_hunk(&line, text)?;
            if let Some(file) = current.and_then(|at| step.files.get_mut(at)) {
                file.hunks.push(hunk);
            }
        }
    }
    Ok(step)
}

fn position(step: &Step, path: &str, old: bool) -> Option<usize> {
    step.files.iter().position(|file| (if old { &file.old } else { &file.new }).as_deref() == Some(path))
}

/// Parses `:100644 100644 <id> <id> R097<tab>old<tab>new`.
pub(super) fn raw_change(line: &[u8]) -> Option<FileChange> {
    let mut fields = line.split(|byte| *byte == b'\t');
    let status = *fields.next()?.rsplit(|byte| *byte == b' ').next()?.first()?;
    let path = |field: Option<&[u8]>| field.and_then(unquoted);
    let first = path(fields.next());
    Some(match status {
        b'A' => FileChange { new: first, ..FileChange::default() },
        // A file that becomes a link or a submodule is no longer a file.
        b'D' | b'T' => FileChange { old: first, ..FileChange::default() },
        b'R' => FileChange { old: first, new: path(fields.next()), hunks: Vec::new() },
        _ => FileChange { old: first.clone(), new: first, hunks: Vec::new() },
    })
}

fn patch_path(field: &[u8], prefix: &[u8]) -> Option<String> {
    let field = field.strip_suffix(b"\t").unwrap_or(field);
    let path = unquoted(field)?;
    path.strip_prefix(std::str::from_utf8(prefix).ok()?).map(str::to_owned)
}

/// Parses a path as git prints it: in quotes with escapes if it contains special characters. `None`
/// if it is not UTF-8.
fn unquoted(field: &[u8]) -> Option<String> {
    let Some(inner) = field.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return String::from_utf8(field.to_vec()).ok();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let escaped = rest.next()?;
        bytes.push(match escaped {
            b'a' => 7,
            b'b' => 8,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 11,
            b'f' => 12,
            b'r' => b'\r',
            b'0'..=b'3' => {
                let digits = [escaped, rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 8).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

fn read_hunk<R: std::io::Read>(header: &[u8], text: &mut Lines<R>) -> Result<Hunk> {
    let (old_start, old_len, new_start, new_len) =
        ranges(header).with_context(|| format!("a hunk {:?}", String::from_utf8_lossy(header)))?;
    let mut hunk = Hunk { old_start, new_start, ..Hunk::default() };
    while hunk.old_len() < old_len || hunk.new_len() < new_len {
        let line = text.next()?.context("a hunk ends too early")?;
        match line.split_first() {
            Some((b'-', rest)) => hunk.old.push(rest.to_vec()),
            Some((b'+', rest)) => hunk.new.push(rest.to_vec()),
            Some((b'\\', _)) => {}
            _ => bail!("a hunk holds {:?}", String::from_utf8_lossy(&line)),
        }
    }
    Ok(hunk)
}

/// Parses `@@ -a,b +c,d @@`.
fn ranges(header: &[u8]) -> Option<(u32, u32, u32, u32)> {
    let text = String::from_utf8_lossy(header);
    let mut fields = text.split(' ').skip(1);
    let range = |field: &str| {
        let (start, length) = field.split_once(',').unwrap_or((field, "1"));
        Some((start.parse::<u32>().ok()?, length.parse::<u32>().ok()?))
    };
    let (old_start, old_len) = range(fields.next()?.strip_prefix('-')?)?;
    let (new_start, new_len) = range(fields.next()?.strip_prefix('+')?)?;
    Some((old_start, old_len, new_start, new_len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_read_step_by_step() -> Result<()> {
        let log = b"\x01aaaa\n\n:100644 100644 1 2 M\tx y\n:100644 000000 1 0 D\tgone\n:100644 100644 1 2 R090\told\tnew\n\n\
            diff --git a/x y b/x y\nindex 1..2 100644\n--- a/x y\t\n+++ b/x y\t\n@@ -2 +2,2 @@ fn\n---- a/q\n+one\n+++ two\n\\ No newline at end of file\n\
            diff --git a/gone b/gone\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-last\n\
            diff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\n--- a/old\n+++ b/new\n@@ -3,0 +4 @@\n+more\n\
            \x01bbbb\n";
        let mut lines = Lines::new(&log[..]);
        let step = read_step(&mut lines)?.context("one step")?;
        assert_eq!(step.commit, "aaaa");
        assert_eq!(step.files.len(), 3);
        assert_eq!(step.files[0].hunks[0].old, [b"--- a/q".to_vec()]);
        assert_eq!(step.files[0].hunks[0].new, [b"one".to_vec(), b"++ two".to_vec()]);
        assert_eq!(step.files[1].hunks[0].old_len(), 1);
        assert_eq!((step.files[2].old.as_deref(), step.files[2].new.as_deref()), (Some("old"), Some("new")));
        assert!(step.files[2].hunks[0].is_before(4) && !step.files[2].hunks[0].is_before(3));
        assert_eq!(read_step(&mut lines)?.map(|step| step.commit).as_deref(), Some("bbbb"));
        assert_eq!(read_step(&mut lines)?, None);
        Ok(())
    }

    #[test]
    fn quoted_paths() {
        assert_eq!(unquoted(br#""a\tb\303\274\"c""#).as_deref(), Some("a\tb\u{fc}\"c"));
        assert_eq!(unquoted(b"plain").as_deref(), Some("plain"));
    }
}
