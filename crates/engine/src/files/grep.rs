//! `tree_grep`: lines of documents that a pattern matches. Patterns take time in proportion to the text alone, and the whole of it ends
//! after two seconds with what was found (files-and-git.md §7.3).

use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{Error, RecordId, Result, limits};
use regex::{Regex, RegexBuilder};

use super::list::{directory, is_below};
use super::tree::TreeAsk;
use crate::Engine;
use crate::access;

/// Lines that are found where nobody says how many.
pub(super) const MATCHES: u32 = 50;
/// Most lines that may be asked for.
const MATCHES_MAX: u32 = 1_000;
/// Most lines around each that may be asked for.
const CONTEXT_MAX: u32 = 20;
/// Characters of a line that are shown.
const LINE_CHARS: usize = 300;
/// Documents that are read at once.
const CHUNK: usize = 100;
/// After this, what was found is all.
const TIME_US: u64 = 2_000_000;

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeGrep {
    /// The tree.
    pub tree: TreeAsk,
    /// A regular expression, for each line.
    pub pattern: String,
    /// Only in this document, or below this directory.
    pub path: Option<String>,
    /// Letters of either case.
    pub ignore_case: bool,
    /// At most so many lines; none: 50.
    pub max_matches: Option<u32>,
    /// Lines around each.
    pub context: u32,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepLine {
    /// The document.
    pub path: String,
    /// The line's number, from 1.
    pub line: u64,
    /// What it says.
    pub text: String,
    /// It is longer than what is shown.
    pub is_cut: bool,
    /// The pattern matches it; else it stands around one that does.
    pub is_match: bool,
}

/// Lines that were found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grepped {
    /// By path and number.
    pub lines: Vec<GrepLine>,
    /// Lines that match.
    pub matches: u64,
    /// There are more matches than were asked for.
    pub more: bool,
    /// Not everything was looked at in time.
    pub timed_out: bool,
}

impl Engine {
    /// Looks for lines.
    ///
    /// # Errors
    /// `Invalid` for the pattern, the path and the numbers; `Denied` without a grant of read on the whole namespace.
    pub async fn tree_grep(&self, caller: &Principal, asked: &TreeGrep) -> Result<Grepped> {
        let ask = &asked.tree;
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let pattern = compiled(&asked.pattern, asked.ignore_case)?;
        let most = asked.max_matches.unwrap_or(MATCHES);
        if !(1..=MATCHES_MAX).contains(&most) {
            return Err(Error::invalid("max_matches", format!("max_matches must be 1 to {MATCHES_MAX}")));
        }
        if asked.context > CONTEXT_MAX {
            return Err(Error::invalid("context", format!("context must be 0 to {CONTEXT_MAX}")));
        }
        let below = directory(asked.path.as_deref()).map_err(|error| error.on("path"))?;
        let ends = self.clock.monotonic_us().saturating_add(TIME_US);
        let (view, now) = (self.tree_view(ask).await?, self.clock.now());
        let entries: Vec<_> = view
            .live
            .iter()
            .filter(|entry| entry.is_live(now) && (is_below(&entry.key, &below) || entry.key == below))
            .collect();
        let mut out = Grepped::default();
        for chunk in entries.chunks(CHUNK) {
            let ids: Vec<RecordId> = chunk.iter().map(|entry| entry.record.clone()).collect();
            let memory = ask.memory.clone();
            let records = self.store.read(move |tx| tx.records().get_many(&memory, &ids)).await?;
            for entry in chunk {
                if self.clock.monotonic_us() > ends {
                    out.timed_out = true;
                    return Ok(out);
                }
                let Some(record) = records.iter().find(|record| record.id == entry.record) else { continue };
                search(&mut out, &entry.path, &record.text, &pattern, (most, asked.context));
                if out.more {
                    return Ok(out);
                }
            }
        }
        Ok(out)
    }
}

fn compiled(pattern: &str, ignore_case: bool) -> Result<Regex> {
    if pattern.is_empty() || pattern.chars().count() > limits::PATTERN_CHARS_MAX {
        let rule = format!("pattern must have 1 to {} characters", limits::PATTERN_CHARS_MAX);
        return Err(Error::invalid("pattern", rule));
    }
    RegexBuilder::new(pattern)
        .case_insensitive(ignore_case)
        .size_limit(limits::PATTERN_SIZE_MAX)
        .build()
        .map_err(|error| {
            let rule = "pattern must be a regular expression without look-around and back-references";
            Error::invalid("pattern", rule).caused_by(error)
        })
}

fn search(out: &mut Grepped, path: &str, text: &str, pattern: &Regex, (most, context): (u32, u32)) {
    let lines: Vec<&str> = text.lines().collect();
    let context = context as usize;
    let mut shown_to = 0;
    for (number, line) in lines.iter().enumerate() {
        if !pattern.is_match(line) {
            continue;
        }
        if out.matches >= u64::from(most) {
            out.more = true;
            return;
        }
        out.matches += 1;
        let from = number.saturating_sub(context).max(shown_to);
        let to = (number + context + 1).min(lines.len());
        for (place, around) in lines.iter().enumerate().take(to).skip(from) {
            out.lines.push(shown(path, place, around, pattern.is_match(around)));
        }
        shown_to = shown_to.max(to);
        // A match within what stands around the one before is counted, and shown already.
        if from > number
            && let Some(line) = out.lines.iter_mut().rev().find(|one| one.line == number as u64 + 1)
        {
            line.is_match = true;
        }
    }
}

fn shown(path: &str, place: usize, line: &str, is_match: bool) -> GrepLine {
    let text: String = line.chars().take(LINE_CHARS).collect();
    GrepLine {
        path: path.to_owned(),
        line: place as u64 + 1,
        is_cut: text.len() < line.len(),
        text,
        is_match,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, pattern: &str, most: u32, context: u32) -> (Vec<(u64, bool)>, bool) {
        let mut out = Grepped::default();
        search(&mut out, "p", text, &compiled(pattern, false).unwrap(), (most, context));
        (out.lines.iter().map(|line| (line.line, line.is_match)).collect(), out.more)
    }

    #[test]
    fn lines_and_what_stands_around_them() {
        let text = "a\nb\na\nc\nd\ne\na";
        assert_eq!(found(text, "a", 9, 0), (vec![(1, true), (3, true), (7, true)], false));
        assert_eq!(found(text, "a", 2, 0), (vec![(1, true), (3, true)], true));
        let around = vec![(1, true), (2, false), (3, true), (4, false), (6, false), (7, true)];
        assert_eq!(found(text, "^a$", 9, 1), (around, false));
        assert_eq!(found(text, "x", 9, 1), (Vec::new(), false));
    }

    #[test]
    fn long_lines_are_cut_and_say_so() {
        let line = shown("p", 0, &"é".repeat(301), true);
        assert_eq!((line.text.chars().count(), line.is_cut), (300, true));
        assert!(!shown("p", 0, &"é".repeat(300), true).is_cut);
    }

    #[test]
    fn patterns() {
        assert!(compiled("(a", false).is_err() && compiled("", false).is_err());
        assert!(compiled("a(?=b)", false).is_err());
        assert!(compiled("A", true).unwrap().is_match("a"));
    }
}
