//! A report as Markdown, for a comment on a pull request. Facts and paths are texts from strangers: each stands in a code fence or
//! a code span that it cannot end, without what hides, so that it links, mentions, embeds and formats nothing.

use loci_engine::safety::sanitise;

use super::report::{Cited, Finding, Report, Side, at};
use super::table::counted;

/// Facts of one list that are written out; the others are counted.
const SHOWN_MAX: usize = 20;

/// The report.
pub(super) fn render(report: &Report) -> String {
    let mut out = format!("## {}\n\n{}\n", capitalised(&report.summary), span(counted(report).trim_end()));
    for (title, findings, is_open) in [
        ("Invalidated", &report.invalidated, true),
        ("Drifted, and let pass", &report.drifted, false),
        ("Moved: served with the new place", &report.relocated, false),
        ("Could not be checked: evidence of nothing", &report.unchecked, false),
    ] {
        section(&mut out, title, findings, is_open);
    }
    if !report.invalidated.is_empty() {
        out.push_str(
            "\nRead the difference, then replace each fact (`loci fact supersede`), declare it wrong (`loci fact invalidate`), \
             or keep the code. Nothing was changed by this check.\n",
        );
    }
    out
}

fn section(out: &mut String, title: &str, findings: &[Finding], is_open: bool) {
    if findings.is_empty() {
        return;
    }
    let count = findings.len();
    if is_open {
        out.push_str(&format!("\n### {title} ({count})\n"));
    } else {
        out.push_str(&format!("\n<details><summary>{title} ({count})</summary>\n"));
    }
    for finding in findings.iter().take(SHOWN_MAX) {
        one(out, finding);
    }
    if count > SHOWN_MAX {
        out.push_str(&format!("\n… and {} more: see `loci verify --json`.\n", count - SHOWN_MAX));
    }
    if !is_open {
        out.push_str("\n</details>\n");
    }
}

fn one(out: &mut String, finding: &Finding) {
    let text = format!("{}: {}", finding.subject, finding.fact);
    out.push_str(&format!(
        "\n**{}** {}\n\n{}",
        finding.verdict.as_str(),
        span(&finding.memory_id),
        fenced(&text)
    ));
    for cited in &finding.citations {
        out.push_str(&format!("- {}\n", place(cited)));
    }
    for claim in &finding.false_claims {
        out.push_str(&format!("- claim {claim} is false\n"));
    }
}

fn place(cited: &Cited) -> String {
    let side = if cited.side == Side::Since { " before the change" } else { "" };
    let why = match (&cited.reason, &cited.before) {
        (Some(reason), _) => format!(", {}", span(reason)),
        (None, Some(before)) if *before != cited.place => format!(", from {}", span(&at(before))),
        (None, _) => String::new(),
    };
    format!("{}{side}{why}", span(&cited.at()))
}

/// A text on one line as a code span that it cannot end.
fn span(text: &str) -> String {
    let clean = sanitise(text);
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let fence = "`".repeat(longest_run(&line) + 1);
    // A space on both sides: a text may begin or end with a backtick.
    format!("{fence} {line} {fence}")
}

/// A text as a code block that it cannot end.
fn fenced(text: &str) -> String {
    let clean = sanitise(text);
    let fence = "`".repeat(longest_run(&clean).max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n\n", clean.trim_end())
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::verify::samples;

    #[test]
    fn texts_cannot_leave_their_code() {
        let hostile =
            "``` ends here\n```\n@everyone <img src=x onerror=y> [go](http://evil.example)\u{202e}\u{1b}[31m";
        let mut report = samples::report(&[hostile, "`", "````` five"]);
        report.invalidated[0].memory_id = "`` @team ``".to_owned();
        report.invalidated[0].citations[0].place.path = "a`b``\n- @team/x".to_owned();
        report.summarise();
        let text = render(&report);
        let mut fence: Option<usize> = None;
        for line in text.lines() {
            let ticks = line.len() - line.trim_start_matches('`').len();
            match fence {
                // Only a line of nothing but as many backticks ends a block.
                Some(open) if ticks >= open && line.trim_start_matches('`').trim().is_empty() => fence = None,
                Some(_) => {}
                None if ticks >= 3 => fence = Some(ticks),
                None => {
                    let outside: String = outside_spans(line);
                    let bad = ["@", "<img", "](", "http"].into_iter().find(|bad| outside.contains(bad));
                    assert_eq!(bad, None, "{line}");
                }
            }
        }
        assert_eq!(fence, None, "every block is closed: {text}");
        assert!(!text.contains(['\u{202e}', '\u{1b}']), "{text}");
        assert!(text.contains("This change invalidates 3 memories"), "{text}");
    }

    /// The line without its code spans, read as Markdown reads it: a run of backticks ends at the next run of the same length.
    fn outside_spans(line: &str) -> String {
        let (mut out, mut rest) = (String::new(), line);
        while let Some(at) = rest.find('`') {
            out.push_str(&rest[..at]);
            let run = rest[at..].len() - rest[at..].trim_start_matches('`').len();
            let inner = &rest[at + run..];
            let mut from = 0;
            let end = loop {
                let Some(next) = inner[from..].find('`') else { break None };
                let start = from + next;
                let length = inner[start..].len() - inner[start..].trim_start_matches('`').len();
                if length == run {
                    break Some(start + length);
                }
                from = start + length;
            };
            match end {
                Some(end) => rest = &inner[end..],
                None => {
                    out.push_str(inner);
                    return out;
                }
            }
        }
        out + rest
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let many: Vec<String> = (0..SHOWN_MAX + 7).map(|number| format!("fact {number}")).collect();
        let mut report = samples::report(&many.iter().map(String::as_str).collect::<Vec<_>>());
        report.summarise();
        let text = render(&report);
        assert!(text.contains("… and 7 more") && !text.contains("fact 20\n"), "{text}");
    }
}
