//! The report of an import, or of an export through a wire: the mapping, lossy conversions,
//! omissions and errors.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};
use loci_client::formats::{FormatProblem, Mapping, Skipped};
use serde::Serialize;

use crate::output;

/// The maximum number of problems for people. Programs get all.
const SHOWN: usize = 20;

#[derive(Debug, Serialize)]
struct MappedMember {
    from: &'static str,
    to: &'static str,
    count: usize,
}

/// The report about an import or export, for people or as JSON.
#[derive(Debug, Serialize)]
pub(in crate::commands) struct MappingReport {
    format: &'static str,
    dry_run: bool,
    items: usize,
    #[serde(serialize_with = "as_list")]
    mapped: BTreeMap<(&'static str, &'static str), usize>,
    pub(in crate::commands) created: u64,
    pub(in crate::commands) updated: u64,
    pub(in crate::commands) unchanged: u64,
    /// The SHA-256 of all content that the format keeps without loss. `None` if the format has no
    /// such checksum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::commands) checksum: Option<String>,
    lossy: BTreeSet<String>,
    skipped: Vec<Skipped>,
    pub(super) problems: Vec<FormatProblem>,
}

impl MappingReport {
    pub(in crate::commands) fn new(format: &'static str, dry_run: bool) -> Self {
        Self {
            format,
            dry_run,
            items: 0,
            mapped: BTreeMap::new(),
            created: 0,
            updated: 0,
            unchanged: 0,
            checksum: None,
            lossy: BTreeSet::new(),
            skipped: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Adds the report of a reader or writer about a part.
    pub(in crate::commands) fn absorb(&mut self, part: &Mapping) {
        for (what, count) in &part.mapped {
            *self.mapped.entry(*what).or_default() += count;
            self.items += count;
        }
        self.lossy.extend(part.lossy.iter().cloned());
        for Skipped { what, count, why } in &part.skipped {
            self.skip_many(what, *count, why);
        }
        self.problems.extend(part.problems.iter().cloned());
    }

    /// True if there was nothing to transfer.
    pub(in crate::commands) fn is_empty(&self) -> bool {
        self.items == 0 && self.problems.is_empty()
    }

    /// Prints the report. Failed parts make the command fail.
    pub(in crate::commands) fn tell(&self, as_json: bool) -> Result<()> {
        output::result(as_json, self, Self::show)?;
        match self.problems.len() {
            0 => Ok(()),
            problems => bail!("{problems} parts were left behind; the others came through, and stay"),
        }
    }

    pub(super) fn skip(&mut self, what: &str, why: &str) {
        self.skip_many(what, 1, why);
    }

    /// Counts omitted parts. Zero adds no line.
    pub(in crate::commands) fn skip_many(&mut self, what: &str, count: usize, why: &str) {
        if count == 0 {
            return;
        }
        match self.skipped.iter_mut().find(|skipped| skipped.what == what && skipped.why == why) {
            Some(skipped) => skipped.count += count,
            None => self.skipped.push(Skipped { what: what.to_owned(), count, why: why.to_owned() }),
        }
    }

    /// Adds an item that the server rejected.
    pub(super) fn refused(&mut self, place: &str, message: &str) {
        self.problem(place, message, "correct it in the source, and import again");
    }

    pub(super) fn problem(&mut self, place: &str, rule: &str, remedy: &str) {
        let (place, field) = (place.to_owned(), String::new());
        self.problems.push(FormatProblem { place, field, rule: rule.to_owned(), remedy: remedy.to_owned() });
    }

    pub(super) fn warned(&mut self, place: &str, warnings: &[String]) {
        self.lossy.extend(warnings.iter().map(|warning| format!("{place}: {warning}")));
    }

    /// Adds a note about lone surrogates in the source, if there are any.
    pub(super) fn halves(&mut self, count: usize) {
        if count > 0 {
            self.lossy
                .insert(format!("{count} halves of letters (lone surrogates), each of which became U+FFFD"));
        }
    }

    fn show(&self) {
        for ((from, to), count) in &self.mapped {
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
            output::note(format!("and {more} more problems: --json lists all"));
        }
        if self.dry_run {
            output::line(format!("{} items of {}; nothing was stored", self.items, self.format));
        } else {
            let Self { created, updated, unchanged, .. } = self;
            output::line(format!("{created} new, {updated} changed, {unchanged} as they were"));
        }
        if let Some(checksum) = &self.checksum {
            output::line(format!("sha256 {checksum} of what the format carries without loss"));
        }
    }
}

fn as_list<S: serde::Serializer>(
    mapped: &BTreeMap<(&'static str, &'static str), usize>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_seq(mapped.iter().map(|((from, to), count)| MappedMember { from, to, count: *count }))
}
