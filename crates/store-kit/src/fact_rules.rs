//! Rules of facts and repositories that are equal in SQLite and PostgreSQL, and parts of SQL
//! statements on them. The SQL here is only conditions that both databases accept.

use std::collections::BTreeSet;

use loci_model::facts::fact::Fact;
use loci_model::facts::repository::Repository;
use loci_model::ports::store::{FactSums, PathChoice};
use loci_model::record::RecordState;
use loci_model::{Error, ErrorKind, Reason, RecordId, Result, Timestamp, limits};

use crate::codes::{key_of, of_code};
use crate::sql::BoundParameters;

/// The columns that [`crate::fact_rows::fact`] reads. In the statement, `f` is the table of facts
/// and `n` the table `fact_reads`.
pub const FACT_COLUMNS: &str = "f.key, f.repository, f.hash, f.status, f.proposed, f.refreshed, f.created, f.used, f.expires, \
     f.verifications, f.rejections, f.applied, n.retrieved, n.swept, f.body";

/// The columns that [`crate::fact_rows::fact_event`] reads. In the statement, `e` is the table of
/// fact events.
pub const EVENT_COLUMNS: &str = "e.id, e.repository, e.key, e.kind, e.at, e.verdict, e.cause, e.duration, e.principal, e.agent, \
     e.session, e.reference, e.revision, e.method, e.details";

/// An SQL condition for fact events that report a verification with its duration. It is the
/// condition of their partial index; the numbers are the codes of the kinds.
pub const TIMED: &str = "kind IN (2, 3, 14) AND duration IS NOT NULL";

/// Returns the paths of a fact's citations for the table of paths.
///
/// # Errors
/// A bug if it has no citation; too large if a path exceeds the limit of an index.
pub fn paths_of(fact: &Fact) -> Result<Vec<String>> {
    if fact.detail.citations.is_empty() {
        return Err(Error::bug("a fact without a citation was to be stored"));
    }
    let paths = fact.paths();
    if paths.iter().any(|path| path.len() > limits::CODE_PATH_BYTES_MAX) {
        let max = limits::CODE_PATH_BYTES_MAX;
        let message = format!("path has more than {max} bytes: cite a file of a shorter path");
        return Err(Error::new(ErrorKind::TooLarge, message).on("path"));
    }
    Ok(paths)
}

/// Returns true for an active fact that is not proposed: no two of these facts in a repository
/// may have the same content.
pub fn is_unique(fact: &Fact) -> bool {
    fact.status == RecordState::Active && !fact.proposed
}

/// Returns the error for a new fact whose content an active fact of the repository already has.
pub fn said_already() -> Error {
    Error::conflict("an active fact of the repository says the same: refresh that one")
        .because(Reason::ResourceConflict)
}

/// Returns the error for a repository whose key belongs to another repository.
pub fn key_taken() -> Error {
    Error::conflict("a repository of that name is registered: give this one another key")
        .because(Reason::ResourceConflict)
}

/// Returns the error for a fact whose record does not exist.
pub fn recordless() -> Error {
    Error::not_found("the record of the fact does not exist")
}

/// Returns the names by which a repository is found, without duplicates.
pub fn names(repository: &Repository) -> BTreeSet<String> {
    let mut names = repository.aliases.clone();
    names.insert(repository.key.clone());
    names
}

/// Merges several sorted pages of facts into one page of at most `limit` facts in the same order.
pub fn merged(pages: Vec<Vec<Fact>>, limit: usize) -> Vec<Fact> {
    let mut pages: Vec<Vec<Fact>> = pages.into_iter().filter(|page| !page.is_empty()).collect();
    if pages.len() < 2 {
        return pages.pop().unwrap_or_default();
    }
    let mut all: Vec<Fact> = pages.into_iter().flatten().collect();
    all.sort_by_cached_key(|fact| (std::cmp::Reverse(fact.refreshed_at), key_of(&fact.record)));
    all.truncate(limit);
    all
}

/// Reads a row that counts facts by state. Returns the state, the number of facts, and the time
/// of their last confirmation.
///
/// # Errors
/// A bug, if the row is damaged.
pub fn standing(state: i64, facts: i64, refreshed: i64) -> Result<(RecordState, u64, Timestamp)> {
    let facts = u64::try_from(facts).unwrap_or(0);
    Ok((of_code(RecordState::ALL, state)?, facts, Timestamp::clamped(refreshed)))
}

/// Returns the sums over all facts from rows with one state each. The columns are: state, count,
/// verifications, rejections, applied, last confirmation, first and last creation.
///
/// # Errors
/// A bug, if a row is damaged.
pub fn sums(rows: impl IntoIterator<Item = [i64; 8]>) -> Result<FactSums> {
    let count = |value: i64| u64::try_from(value).unwrap_or(0);
    let mut sums = FactSums::default();
    for [state, facts, verifications, rejections, applied, refreshed, first, last] in rows {
        let state = of_code(RecordState::ALL, state)?;
        sums.by_status.push((state, count(facts)));
        if state == RecordState::Active {
            sums.verifications += count(verifications);
        }
        sums.rejections += count(rejections);
        sums.applied += count(applied);
        sums.refreshed_last = sums.refreshed_last.max(Some(Timestamp::clamped(refreshed)));
        let (first, last) = (Timestamp::clamped(first), Timestamp::clamped(last));
        sums.created = Some(sums.created.map_or((first, last), |(f, l)| (f.min(first), l.max(last))));
    }
    Ok(sums)
}

/// Returns an SQL condition on `path` and `key` that selects the paths of `choice` after the
/// position `after`. An index evaluates the condition as one range. The values are added to
/// `bound`.
pub fn path_condition<'a>(
    choice: &'a PathChoice,
    after: Option<&'a (String, RecordId)>,
    bound: &mut BoundParameters<'a>,
) -> String {
    match choice {
        PathChoice::Exact(wanted) => {
            let mut condition = format!("path = {}", bound.put(wanted));
            if let Some((last, record)) = after.filter(|(last, _)| last >= wanted) {
                match last == wanted {
                    true => condition.push_str(&format!(" AND key > {}", bound.put(key_of(record)))),
                    false => condition.push_str(" AND 1 = 0"),
                }
            }
            condition
        }
        PathChoice::Prefix(prefix) => {
            let mut condition = match after.filter(|(last, _)| last >= prefix) {
                Some((last, record)) => {
                    let last = bound.put(last);
                    format!("(path, key) > ({last}, {})", bound.put(key_of(record)))
                }
                None => format!("path >= {}", bound.put(prefix)),
            };
            if let Some(end) = behind(prefix) {
                condition.push_str(&format!(" AND path < {}", bound.put(end)));
            }
            condition
        }
    }
}

/// Returns the smallest text that sorts after all texts with this prefix; `None` if no text does.
fn behind(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_prefixes() {
        let check =
            |prefix: &str, expect: Option<&str>| assert_eq!(behind(prefix).as_deref(), expect, "{prefix}");
        check("", None);
        check("src/", Some("src0"));
        check("a\u{d7ff}", Some("a\u{e000}"));
        check("a\u{10ffff}", Some("b"));
        check("\u{10ffff}", None);
    }
}
