//! What an import does, or would do: what becomes of what, what does not come back as it was, what is left out, what is wrong.

use loci_client::formats::{FormatProblem, Mapping, Skipped};
use serde::Serialize;

use super::foreign::refusal;
use crate::output;

/// Problems that are shown to people; programs get all.
const SHOWN: usize = 20;

#[derive(Debug, Serialize)]
struct Mapped {
    from: &'static str,
    to: &'static str,
    count: usize,
}

/// The report.
#[derive(Debug, Serialize)]
pub(super) struct MappingReport {
    format: &'static str,
    dry_run: bool,
    items: usize,
    mapped: Vec<Mapped>,
    pub(super) created: u64,
    pub(super) updated: u64,
    pub(super) unchanged: u64,
    lossy: Vec<String>,
    skipped: Vec<Skipped>,
    pub(super) problems: Vec<FormatProblem>,
}

impl MappingReport {
    pub(super) fn of(format: &'static str, dry_run: bool, mapping: &Mapping) -> Self {
        let mapped = mapping.mapped.iter().map(|((from, to), count)| Mapped { from, to, count: *count });
        Self {
            format,
            dry_run,
            items: mapping.items.len(),
            mapped: mapped.collect(),
            created: 0,
            updated: 0,
            unchanged: 0,
            lossy: mapping.lossy.iter().cloned().collect(),
            skipped: mapping.skipped.clone(),
            problems: mapping.problems.clone(),
        }
    }

    pub(super) fn skip(&mut self, what: &str, why: &str) {
        match self.skipped.iter_mut().find(|skipped| skipped.what == what && skipped.why == why) {
            Some(skipped) => skipped.count += 1,
            None => self.skipped.push(Skipped { what: what.to_owned(), count: 1, why: why.to_owned() }),
        }
    }

    pub(super) fn refused(&mut self, place: &str, message: &str) {
        self.problems.push(refusal(place, message));
    }

    pub(super) fn warned(&mut self, place: &str, warnings: &[String]) {
        self.lossy.extend(warnings.iter().map(|warning| format!("{place}: {warning}")));
    }

    pub(super) fn show(&self) {
        for Mapped { from, to, count } in &self.mapped {
            output::line(format!("{count} × {from} → {to}"));
        }
        for what in &self.lossy {
            output::line(format!("not as it was: {what}"));
        }
        for Skipped { what, count, why } in &self.skipped {
            output::line(format!("left out: {count} × {what}: {why}"));
        }
        for problem in self.problems.iter().take(SHOWN) {
            output::note(problem);
        }
        if self.problems.len() > SHOWN {
            let more = self.problems.len() - SHOWN;
            output::note(format!("and {more} problems more: --json tells all"));
        }
        if self.dry_run {
            output::line(format!("{} items of {}; nothing was stored", self.items, self.format));
        } else {
            let Self { created, updated, unchanged, .. } = self;
            output::line(format!("{created} new, {updated} changed, {unchanged} as they were"));
        }
    }
}
