//! A report as Markdown, for a comment on a pull request. Facts and paths are texts from strangers.
//! Each is in a code fence or a code span that it cannot close, without invisible characters, so
//! that it links, mentions, embeds and formats nothing. A forge limits the length of a comment, so
//! facts that do not fit are counted.

use loci_engine::safety::sanitise;
use loci_model::limits;

use super::report::{CitationReport, Finding, Side, VerifyReport, at};
use super::table::counted;

/// The maximum number of facts of one list that are printed. The others are counted.
const SHOWN_MAX: usize = 20;
/// The characters of a report reserved for text around facts: titles, counts, revisions.
const FRAME_CHARS: usize = 4_000;

/// Returns the report.
pub(super) fn render(report: &VerifyReport) -> String {
    let mut out = format!("## {}\n\n{}\n", capitalised(&report.summary), span(counted(report).trim_end()));
    let mut left = limits::REPORT_CHARS_MAX.saturating_sub(FRAME_CHARS);
    for (title, findings, is_open) in [
        ("Invalidated", &report.invalidated, true),
        ("Drifted, and let pass", &report.drifted, false),
        ("Moved: served with the new place", &report.relocated, false),
        ("Could not be checked: evidence of nothing", &report.unchecked, false),
    ] {
        section(&mut out, &mut left, title, findings, is_open);
    }
    if !report.invalidated.is_empty() {
        out.push_str(
            "\nRead the difference, then replace each fact (`loci fact supersede`), declare it wrong (`loci fact invalidate`), \
             or keep the code. Nothing was changed by this check.\n",
        );
    }
    out
}

/// Appends one list. `left` is the number of characters available for its facts and those of the
/// following lists.
fn section(out: &mut String, left: &mut usize, title: &str, findings: &[Finding], is_open: bool) {
    if findings.is_empty() {
        return;
    }
    let count = findings.len();
    if is_open {
        out.push_str(&format!("\n### {title} ({count})\n"));
    } else {
        out.push_str(&format!("\n<details><summary>{title} ({count})</summary>\n"));
    }
    let mut shown = 0;
    for finding in findings {
        if shown == SHOWN_MAX {
            break;
        }
        // A fact that is too long does not hide shorter ones.
        let text = one(finding);
        if let Some(rest) = left.checked_sub(text.chars().count()) {
            *left = rest;
            shown += 1;
            out.push_str(&text);
        }
    }
    if shown < count {
        out.push_str(&format!("\n… and {} more: see `loci verify --json`.\n", count - shown));
    }
    if !is_open {
        out.push_str("\n</details>\n");
    }
}

fn one(finding: &Finding) -> String {
    let text = format!("{}: {}", finding.subject, finding.fact);
    let mut out =
        format!("\n**{}** {}\n\n{}", finding.verdict.as_str(), span(&finding.memory_id), fenced(&text));
    for cited in &finding.citations {
        out.push_str(&format!("- {}\n", place(cited)));
    }
    for claim in &finding.false_claims {
        out.push_str(&format!("- claim {claim} is false\n"));
    }
    for other in &finding.other_values {
        out.push_str(&format!("- {}\n", span(&other.shown())));
    }
    out
}

fn place(cited: &CitationReport) -> String {
    let side = if cited.side == Side::Since { " before the change" } else { "" };
    let why = match (&cited.reason, &cited.before) {
        (Some(reason), _) => format!(", {}", span(reason)),
        (None, Some(before)) if *before != cited.place => format!(", from {}", span(&at(before))),
        (None, _) => String::new(),
    };
    format!("{}{side}{why}", span(&cited.at()))
}

/// Returns a text on one line as a code span that it cannot close.
fn span(text: &str) -> String {
    let clean = sanitise(text);
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let fence = "`".repeat(longest_run(&line) + 1);
    // Both sides get a space, because a text may begin or end with a backtick.
    format!("{fence} {line} {fence}")
}

/// Returns a text as a code block that it cannot close.
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
    use proptest::prelude::*;

    use super::*;
    use crate::commands::verified::verify::report::{Counts, Revision};
    use crate::commands::verified::verify::samples;

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
                // Only a line of at least as many backticks and nothing else closes a block.
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

    /// Returns the line without its code spans, by the rules of Markdown: a run of backticks closes
    /// at the next run of the same length.
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
    fn a_report_is_as_long_as_a_comment_may_be() {
        let length = |text: &str| text.chars().count();
        let around = length(&one(&samples::report(&["é"]).invalidated[0])) - 1;
        let fits = loci_model::limits::REPORT_CHARS_MAX - FRAME_CHARS - around;
        for (characters, is_shown) in [(fits, true), (fits + 1, false)] {
            let long = "é".repeat(characters);
            let mut report = samples::report(&[&long, "short"]);
            report.summarise();
            let text = render(&report);
            assert!(length(&text) <= loci_model::limits::REPORT_CHARS_MAX, "{}", length(&text));
            assert_eq!(text.contains(&long), is_shown, "{characters}");
            // The next fact uses the remaining space.
            assert_eq!((text.contains(": short"), text.contains("… and 1 more")), (!is_shown, true));
        }
    }

    proptest! {
        #![proptest_config(
            ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() }
        )]
        #[test]
        fn no_input_makes_more(
            facts in prop::collection::vec(("[a`<\\n\u{1f600}]{1,40}", 1..200_usize), 0..60),
            name in "[a`/\u{e9}]{1,9}",
            times in 1..200_usize,
            counts in 0..usize::MAX,
            lists in prop::collection::vec(0..6_usize, 60),
        ) {
            let facts: Vec<String> = facts.into_iter().map(|(text, times)| text.repeat(times)).collect();
            let mut report = samples::report(&facts.iter().map(String::as_str).collect::<Vec<_>>());
            let long = name.repeat(times);
            report.repo.clone_from(&long);
            report.rev.name.clone_from(&long);
            report.since = Some(Revision {
                name: long.clone(),
                commit: Some(long.clone()),
                parted_from: Some(long.clone()),
                dirty: true,
            });
            report.counts = Counts {
                facts: counts,
                holding: counts,
                verified: counts,
                cited: counts,
                contradicted: counts,
            };
            for (number, mut finding) in std::mem::take(&mut report.invalidated).into_iter().enumerate() {
                finding.citations = vec![finding.citations[0].clone(); number];
                finding.citations.iter_mut().for_each(|cited| cited.place.path.clone_from(&long));
                finding.false_claims = (0..number).collect();
                let list = match lists[number] {
                    0 => &mut report.drifted,
                    1 => &mut report.relocated,
                    2 => &mut report.unchecked,
                    3 => &mut report.before,
                    _ => &mut report.invalidated,
                };
                list.push(finding);
            }
            report.summarise();
            let shown = render(&report).chars().count();
            prop_assert!(shown <= loci_model::limits::REPORT_CHARS_MAX, "{}", shown);
        }
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
