//! Adds a bullet to a Markdown file as a unified diff: under a heading of its own, which is added
//! at the end if it is missing. Pure.

use std::fmt::Write as _;

/// The heading of the rules.
const HEADING: &str = "## Conventions from reviews";
/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// A file and the bullet to add.
pub(super) struct BulletPatch<'a> {
    pub(super) path: &'a str,
    /// The content of the file; `None` if it does not exist.
    pub(super) old: Option<&'a str>,
    pub(super) bullet: &'a str,
}

/// Returns the change as a patch; empty if the file already contains the bullet.
pub(super) fn with_bullet(change: &BulletPatch<'_>) -> String {
    let Some(old) = change.old.filter(|old| !old.is_empty()) else { return created(change) };
    // Added lines have the same line ends as the file.
    let end = if old.contains("\r\n") { "\r" } else { "" };
    let lines: Vec<&str> = old.split_terminator('\n').collect();
    let bare = |line: &str| line.trim_end_matches('\r').trim_end().to_owned();
    if lines.iter().any(|line| bare(line) == change.bullet) {
        return String::new();
    }
    let (at, added) = place(&lines, change.bullet);
    let mut patch = head(change.path, change.old.is_some());
    let from = at.saturating_sub(CONTEXT);
    let to = (at + CONTEXT).min(lines.len());
    let (before, behind) = (at - from, to - at);
    let old_start = if before + behind == 0 { 0 } else { from + 1 };
    let _ = writeln!(
        patch,
        "@@ -{old_start},{} +{},{} @@",
        before + behind,
        from + 1,
        before + behind + added.len()
    );
    let is_open = !old.ends_with('\n');
    let mut put = |mark: char, line: &str, is_last: bool| {
        let _ = writeln!(patch, "{mark}{line}");
        if is_last {
            let _ = writeln!(patch, "\\ No newline at end of file");
        }
    };
    // A last line without a line end gets one if a line follows.
    let is_cut = is_open && at == lines.len();
    for (number, line) in lines.iter().enumerate().take(at).skip(from) {
        let is_last = is_cut && number + 1 == lines.len();
        if is_last {
            put('-', line, true);
            put('+', line, false);
        } else {
            put(' ', line, false);
        }
    }
    for line in &added {
        put('+', &format!("{line}{end}"), false);
    }
    for (number, line) in lines.iter().enumerate().take(to).skip(at) {
        put(' ', line, is_open && number + 1 == lines.len());
    }
    patch
}

/// Returns the line before which the bullet is inserted, and the added lines.
fn place(lines: &[&str], bullet: &str) -> (usize, Vec<String>) {
    let bare = |line: &&str| line.trim_end().to_owned();
    let heading = lines.iter().position(|line| bare(line) == HEADING);
    let Some(heading) = heading else {
        let gap = lines.last().is_some_and(|last| !last.trim().is_empty());
        let mut added = if gap { vec![String::new()] } else { Vec::new() };
        added.extend([HEADING.to_owned(), String::new(), bullet.to_owned()]);
        return (lines.len(), added);
    };
    let section = lines.iter().skip(heading + 1).take_while(|line| !line.starts_with('#'));
    let filled = section.enumerate().filter(|(_, line)| !line.trim().is_empty()).map(|(at, _)| at).last();
    match filled {
        Some(last) => (heading + last + 2, vec![bullet.to_owned()]),
        None => (heading + 1, vec![String::new(), bullet.to_owned()]),
    }
}

fn head(path: &str, is_there: bool) -> String {
    match is_there {
        true => format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"),
        false => format!("diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n"),
    }
}

/// Returns the patch that creates the file.
fn created(change: &BulletPatch<'_>) -> String {
    let bullet = change.bullet;
    let mut patch = head(change.path, change.old.is_some());
    let _ = write!(patch, "@@ -0,0 +1,3 @@\n+{HEADING}\n+\n+{bullet}\n");
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(old: Option<&str>) -> String {
        with_bullet(&BulletPatch { path: "AGENTS.md", old, bullet: "- Sort imports." })
    }

    /// Applies a patch, and checks that every context line and removed line matches.
    fn applied(old: &str, patch: &str) -> String {
        let lines: Vec<&str> = old.split_inclusive('\n').collect();
        let mut hunk = patch.lines().skip_while(|line| !line.starts_with("@@"));
        let header = hunk.next().unwrap();
        let start: usize = header[4..].split(',').next().unwrap().parse().unwrap();
        let mut at = start.saturating_sub(1);
        let mut new: Vec<String> = lines[..at].iter().map(|line| (*line).to_owned()).collect();
        let mut last_mark = " ";
        for line in hunk {
            if line.starts_with('\\') {
                if last_mark != "-" {
                    new.last_mut().unwrap().pop();
                }
                continue;
            }
            let (mark, text) = line.split_at(1);
            last_mark = mark;
            if mark != "+" {
                assert_eq!(lines[at].trim_end_matches('\n'), text, "{patch}");
                at += 1;
            }
            if mark != "-" {
                new.push(format!("{text}\n"));
            }
        }
        new.extend(lines[at..].iter().map(|line| (*line).to_owned()));
        new.concat()
    }

    #[test]
    fn a_bullet_goes_into_its_section() {
        let check = |old: &str, expect: &str| {
            let patch = patch(Some(old));
            assert_eq!(applied(old, &patch), expect, "{patch}");
        };
        check("# A\n", "# A\n\n## Conventions from reviews\n\n- Sort imports.\n");
        check("# A", "# A\n\n## Conventions from reviews\n\n- Sort imports.\n");
        check("# A\n\n", "# A\n\n## Conventions from reviews\n\n- Sort imports.\n");
        check(
            "# A\n\n## Conventions from reviews\n\n- One.\n\n## Build\n\nRun it.\n",
            "# A\n\n## Conventions from reviews\n\n- One.\n- Sort imports.\n\n## Build\n\nRun it.\n",
        );
        check(
            "# A\n\n## Conventions from reviews\n\n- One.\n",
            "# A\n\n## Conventions from reviews\n\n- One.\n- Sort imports.\n",
        );
        check("## Conventions from reviews\n", "## Conventions from reviews\n\n- Sort imports.\n");
        let long = (1..20).map(|line| format!("line {line}\n")).collect::<String>();
        check(&long, &format!("{long}\n## Conventions from reviews\n\n- Sort imports.\n"));
    }

    #[test]
    fn what_is_there_is_not_added() {
        assert_eq!(patch(Some("## Conventions from reviews\n\n- Sort imports.\n")), "");
    }

    #[test]
    fn a_file_is_made() {
        let whole = "diff --git a/AGENTS.md b/AGENTS.md\nnew file mode 100644\n--- /dev/null\n+++ b/AGENTS.md\n@@ -0,0 +1,3 @@\n\
                     +## Conventions from reviews\n+\n+- Sort imports.\n";
        assert_eq!(patch(None), whole);
        assert!(!patch(Some("")).contains("/dev/null"));
    }

    #[test]
    fn lines_end_as_the_file_has_them() {
        let patch = patch(Some("# A\r\nText\r\n"));
        assert!(patch.contains("+- Sort imports.\r\n") && patch.contains(" Text\r\n"), "{patch:?}");
    }
}
