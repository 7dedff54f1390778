//! A report for a person at a terminal.

use loci_engine::safety::sanitise;

use super::report::{CitationReport, Finding, Side, VerifyReport, at};
use crate::output::{self, short};

/// The maximum number of characters of a fact on its line.
const FACT_CHARS: usize = 160;
/// The maximum number of characters of a repository's or a revision's name.
const NAME_CHARS: usize = 100;

/// Returns the report as lines. The summary comes last, where a person sees it.
pub(super) fn render(report: &VerifyReport) -> String {
    let mut out = String::new();
    for (title, findings) in [
        ("Invalidated", &report.invalidated),
        ("Drifted, and let pass", &report.drifted),
        ("Moved: served with the new place", &report.relocated),
        ("Could not be checked: evidence of nothing", &report.unchecked),
    ] {
        if findings.is_empty() {
            continue;
        }
        out.push_str(&format!("{title}\n"));
        findings.iter().for_each(|finding| one(&mut out, finding));
        out.push('\n');
    }
    out.push_str(&counted(report));
    out.push_str(&format!("{}\n", report.summary));
    out
}

fn one(out: &mut String, finding: &Finding) {
    let text = format!("{}: {}", finding.subject, finding.fact);
    out.push_str(&format!("  {}  {}\n", finding.verdict.as_str(), short(&sanitise(&text), FACT_CHARS)));
    for cited in &finding.citations {
        out.push_str(&format!("      {}\n", short(&sanitise(&place(cited)), FACT_CHARS)));
    }
    for claim in &finding.false_claims {
        out.push_str(&format!("      claim {claim} is false\n"));
    }
    for other in &finding.other_values {
        out.push_str(&format!("      {}\n", short(&sanitise(&other.shown()), FACT_CHARS)));
    }
    out.push_str(&format!("      {}\n", short(&sanitise(&finding.memory_id), FACT_CHARS)));
}

/// Returns the location of a citation, and its fault or its previous location.
fn place(cited: &CitationReport) -> String {
    let side = if cited.side == Side::Since { " (before)" } else { "" };
    let why = match (&cited.reason, &cited.before) {
        (Some(reason), _) => format!("  {reason}"),
        (None, Some(before)) if *before != cited.place => format!("  from {}", at(before)),
        (None, _) => String::new(),
    };
    format!("{}{side}{why}", cited.at())
}

/// Returns the checked revisions, and the counts.
pub(super) fn counted(report: &VerifyReport) -> String {
    let named = |revision: &super::report::Revision| match &revision.commit {
        Some(commit) => {
            let dirty = if revision.dirty { " and the files of the worktree" } else { "" };
            format!("{}{dirty}", commit.chars().take(12).collect::<String>())
        }
        None => short(&revision.name, NAME_CHARS),
    };
    let since = report.since.as_ref().map(|since| {
        let parted = since.parted_from.as_ref();
        let parted = parted.map(|_| format!(" (merge base with {})", short(&since.name, NAME_CHARS)));
        format!(" compared with {}{}", named(since), parted.unwrap_or_default())
    });
    let since = since.unwrap_or_default();
    let mut parts = vec![format!("{} hold", report.counts.holding)];
    let counts = &report.counts;
    for (count, what) in [
        (report.relocated.len(), "moved"),
        (report.invalidated.len(), "invalidated"),
        (report.drifted.len(), "drifted"),
        (report.unchecked.len(), "not checked"),
        (report.before.len(), "did not hold before either"),
        (report.restored.len(), "hold again"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    let support =
        [(counts.verified, "verified"), (counts.cited, "cited"), (counts.contradicted, "contradicted")];
    let support = support.map(|(count, what)| format!("{count} {what}")).join(", ");
    let (repo, facts) = (short(&report.repo, NAME_CHARS), output::counted(counts.facts, "fact"));
    format!("{repo}: {facts} at {}{since}: {} ({support})\n", named(&report.rev), parts.join(", "))
}
