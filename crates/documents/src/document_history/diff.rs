//! `tree_diff`: the changes between two states of a tree, as unified diffs of its files. A state
//! is a sequence of the memory, a snapshot, or one version of a document. The change log determines
//! the documents to read, and `line_diffs` compares their lines.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use loci_api::documents::tree::TreeDiff;
use loci_engine::access;
use loci_engine::document_text::content::{DocumentContent, is_redacted};
use loci_engine::document_text::path::DocumentPath;
use loci_engine::memories::existing;
use loci_model::ports::store::{ReadTx, StoreExt};
use loci_model::principal::{Capability, Principal};
use loci_model::record::Record;
use loci_model::trees::tree_entry::TreeSnapshot;
use loci_model::{Error, RecordId, Result, limits};
use similar::TextDiff;

use super::line_diffs::{Changed, LineDiffs};
use super::versions::Versions;
use crate::Documents;
use crate::trees::state_names::{is_name, unknown};
use crate::trees::tree::{Tree, TreeAsk};

/// The number of changes per read.
const PAGE: usize = 1_000;
/// The maximum number of changes between the two states of a call.
const CHANGES_MAX: usize = 100_000;
/// The number of documents per transaction.
const DOCUMENTS: usize = 100;
/// The maximum size of all diffs in one answer, in bytes. Further documents are named without their
/// lines.
pub(crate) const DIFF_BYTES_MAX: usize = 1 << 20;
/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// A state of a tree, or a version of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Point {
    /// The current state.
    Now,
    /// The state after the change with this sequence. 0 is the state before the first change.
    Sequence(u64),
    /// A state, by the name that an earlier answer returned.
    State(String),
    /// A snapshot, by its label.
    Label(String),
    /// One version of one record.
    Version(RecordId, u32),
}

impl Point {
    /// Parses the text of a state: `now`, `0`, the name of a state, `<record>@<version>`, or the
    /// label of a snapshot. `field` names the request member in errors.
    ///
    /// # Errors
    /// `Invalid`, naming the request member, if the text has none of these forms.
    pub fn parse(word: &str, field: &str) -> Result<Self> {
        if word == "now" {
            return Ok(Self::Now);
        }
        if is_name(word) {
            return Ok(Self::State(word.to_owned()));
        }
        if word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty() {
            return if word == "0" { Ok(Self::Sequence(0)) } else { Err(number(field)) };
        }
        if let Some((record, version)) = word.split_once('@') {
            let rule = || Error::invalid(field, format!("{field} must be <record>@<version>, like mem-…@2"));
            return Ok(Self::Version(
                RecordId::parse(record).map_err(|_| rule())?,
                version.parse().map_err(|_| rule())?,
            ));
        }
        TreeSnapshot::check_label(word).map_err(|_| {
            let rule =
                "must be a state of tree/changes, the label of a snapshot, <record>@<version>, 0 or now";
            Error::invalid(field, format!("{field} {rule}"))
        })?;
        Ok(Self::Label(word.to_owned()))
    }
}

/// Returns the error for a number, which named a state in earlier versions of Loci.
fn number(field: &str) -> Error {
    let rule = "must not be a number: send a state of tree/changes, the label of a snapshot, or 0 for the \
                beginning";
    Error::invalid(field, format!("{field} {rule}"))
}

/// The versions that a record had at two states of its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Between {
    pub(super) before: Option<u32>,
    pub(super) after: Option<u32>,
}

impl Documents {
    /// Returns the changes from one state to another, of all documents or of one.
    ///
    /// # Errors
    /// `NotFound` for a missing label or version; `Invalid` for a path, and for a version compared
    /// with a state of the whole tree; `Denied` without a grant of read on the whole namespace.
    pub async fn tree_diff(
        &self,
        caller: &Principal,
        ask: &TreeAsk,
        (a, b): (Point, Point),
        path: Option<&str>,
    ) -> Result<TreeDiff> {
        access::tree_view(caller, &ask.memory, &ask.namespace, Capability::Read)?;
        let path = path.map(DocumentPath::parse).transpose()?;
        self.caught_up(ask).await?;
        let (a, b) = (self.located(ask, a, "a").await?, self.located(ask, b, "b").await?);
        let tree = Tree::of(ask);
        if let (Point::Version(first, from), Point::Version(second, to)) = (&a, &b) {
            let (first, second) = ((first.clone(), *from), (second.clone(), *to));
            let read = self.engine.store().read(move |tx| {
                existing(tx, &tree.memory)?;
                of_versions(tx, &tree, (&first.0, first.1), (&second.0, second.1))
            });
            let (changed, files) = read.await?;
            let diffs = LineDiffs::new(Arc::clone(self.engine.clock()));
            let diffs = self.engine.caller_work().run(move || diffs.with(vec![(changed, files)])).await?;
            return Ok(diffs.answer);
        }
        let of = tree.clone();
        let between = self.engine.store().read(move |tx| {
            existing(tx, &of.memory)?;
            let (from, to) = (of.sequence_of(tx, &a, "a")?, of.sequence_of(tx, &b, "b")?);
            let mut between = of.between(tx, from.min(to), from.max(to))?;
            if from > to {
                for versions in between.values_mut() {
                    std::mem::swap(&mut versions.before, &mut versions.after);
                }
            }
            Ok(between.into_iter().collect::<Vec<_>>())
        });
        self.diff_of(&tree, between.await?, path.as_ref()).await
    }

    /// Returns the documents that differ, sorted by path. Each batch is read in its own
    /// transaction. Lines are compared outside of transactions, within limits of size and time.
    async fn diff_of(
        &self,
        tree: &Tree,
        between: Vec<(RecordId, Between)>,
        path: Option<&DocumentPath>,
    ) -> Result<TreeDiff> {
        let mut all: Vec<Changed> = Vec::new();
        for some in between.chunks(DOCUMENTS) {
            let (tree, some) = (tree.clone(), some.to_vec());
            let read = self.engine.store().read(move |tx| {
                let changed = some.iter().map(|(record, versions)| of_record(tx, &tree, record, *versions));
                changed.collect::<Result<Vec<_>>>()
            });
            let changed = read.await?.into_iter().flatten();
            all.extend(changed.filter(|one| path.is_none_or(|path| one.lies_at(path))));
        }
        all.sort_by(|a, b| a.path().cmp(&b.path()).then_with(|| a.record.cmp(&b.record)));
        let mut diffs = LineDiffs::new(Arc::clone(self.engine.clock()));
        for some in all.chunks(DOCUMENTS) {
            let (tree, some, goes_on) = (tree.clone(), some.to_vec(), diffs.goes_on());
            let read = self.engine.store().read(move |tx| {
                let files = |one: &Changed| if goes_on { files_of(tx, &tree, one) } else { Ok(None) };
                some.iter().map(|one| Ok((one.clone(), files(one)?))).collect::<Result<Vec<_>>>()
            });
            let files = read.await?;
            diffs = self.engine.caller_work().run(move || diffs.with(files)).await?;
        }
        Ok(diffs.answer)
    }
}

impl Tree {
    /// Returns the sequence of the memory at a state of the tree.
    ///
    /// # Errors
    /// `NotFound` for an unknown label; `Invalid`, naming `field`, for a version of a document, and
    /// for a state that the tree has not reached.
    pub(super) fn sequence_of(&self, tx: &dyn ReadTx, point: &Point, field: &str) -> Result<u64> {
        match point {
            Point::Now => Ok(self.progress(tx)?.state()),
            Point::Sequence(sequence) if *sequence > tx.memories().sequence(&self.memory)? => {
                Err(unknown(field))
            }
            Point::Sequence(sequence) => Ok(*sequence),
            Point::Label(label) => {
                let key = TreeSnapshot::key_of(&self.normal, label);
                let found = tx.ledger().noun::<TreeSnapshot>(&self.memory, &key)?;
                found
                    .map(|snapshot| snapshot.sequence)
                    .ok_or_else(|| Error::not_found(format!("the tree has no snapshot {label}")))
            }
            Point::Version(..) => {
                let rule = "a version is compared with a version: it is no state of the tree";
                Err(Error::invalid(field, rule))
            }
            Point::State(_) => Err(Error::bug("the name of a state was not opened")),
        }
    }

    /// Returns the records that changed between two sequences of the memory, with their versions at
    /// both.
    pub(super) fn between(&self, tx: &dyn ReadTx, from: u64, to: u64) -> Result<BTreeMap<RecordId, Between>> {
        let mut out: BTreeMap<RecordId, Between> = BTreeMap::new();
        let (mut reached, mut seen) = (from, 0);
        loop {
            let changes = self.changes_since(tx, reached, PAGE)?;
            let is_last = changes.len() < PAGE;
            for change in changes {
                if change.sequence > to {
                    return Ok(changed(out));
                }
                reached = change.sequence;
                seen += 1;
                let between = out
                    .entry(change.record)
                    .or_insert(Between { before: change.before, after: change.version });
                between.after = change.version;
            }
            if is_last {
                return Ok(changed(out));
            }
            if seen >= CHANGES_MAX {
                let rule = format!("more than {CHANGES_MAX} changes lie between the two: choose nearer ones");
                return Err(Error::invalid("a", rule));
            }
        }
    }
}

fn changed(between: BTreeMap<RecordId, Between>) -> BTreeMap<RecordId, Between> {
    between.into_iter().filter(|(_, versions)| versions.before != versions.after).collect()
}

fn of_record(tx: &dyn ReadTx, tree: &Tree, record: &RecordId, between: Between) -> Result<Option<Changed>> {
    let mut changed =
        Changed { record: record.clone(), versions: between, path_a: None, path_b: None, has_lines: false };
    let Some(versions) = Versions::of(tx, tree, record)? else { return Ok(Some(changed)) };
    let (a, b) = ends(&versions, between);
    let path = |one: Option<&Record>| one.and_then(|one| versions.path(one));
    (changed.path_a, changed.path_b) = (path(a), path(b));
    let files = both_files(a, b);
    changed.has_lines = files.is_some();
    let is_same = changed.path_a == changed.path_b && files.is_some_and(|(a, b)| a == b);
    Ok((!is_same).then_some(changed))
}

fn ends(versions: &Versions, Between { before, after }: Between) -> (Option<&Record>, Option<&Record>) {
    let one = |version: Option<u32>| version.and_then(|version| versions.get(version));
    (one(before), one(after))
}

fn files_of(tx: &dyn ReadTx, tree: &Tree, changed: &Changed) -> Result<Option<(String, String)>> {
    let versions = Versions::of(tx, tree, &changed.record)?;
    Ok(versions.and_then(|versions| {
        let (a, b) = ends(&versions, changed.versions);
        both_files(a, b)
    }))
}

/// Returns the files of two versions of a document. An absent version gives an empty file. `None`
/// if the content may not be shown.
fn both_files(a: Option<&Record>, b: Option<&Record>) -> Option<(String, String)> {
    let file = |one: Option<&Record>| one.map_or_else(|| Some(String::new()), file_of);
    if a.is_none() && b.is_none() { None } else { Some((file(a)?, file(b)?)) }
}

/// Returns two versions with their files.
fn of_versions(
    tx: &dyn ReadTx,
    tree: &Tree,
    (first, from): (&RecordId, u32),
    (second, to): (&RecordId, u32),
) -> Result<(Changed, Option<(String, String)>)> {
    let missing =
        |record: &RecordId, version: u32| Error::not_found(format!("no version {record}@{version}"));
    let of = |record: &RecordId, version: u32| -> Result<(Versions, Record)> {
        let versions = Versions::of(tx, tree, record)?.ok_or_else(|| missing(record, version))?;
        let one = versions.get(version).cloned().ok_or_else(|| missing(record, version))?;
        Ok((versions, one))
    };
    let ((versions, a), (of_b, b)) = (of(first, from)?, of(second, to)?);
    let files = both_files(Some(&a), Some(&b));
    let changed = Changed {
        record: second.clone(),
        versions: Between { before: Some(from), after: Some(to) },
        path_a: versions.path(&a),
        path_b: of_b.path(&b),
        has_lines: files.is_some(),
    };
    Ok((changed, files))
}

fn file_of(record: &Record) -> Option<String> {
    (!is_redacted(record)).then(|| DocumentContent::of(record).file())
}

/// Returns the unified diff of two files, in git's format. It is empty if they are equal. If the
/// comparison exceeds a time limit, the diff is coarser.
pub(crate) fn of_files(a: &str, b: &str, path_a: Option<&str>, path_b: Option<&str>) -> String {
    of_files_within(Duration::from_millis(limits::DIFF_MS_MAX), (a, path_a), (b, path_b))
}

/// Returns the unified diff of two files. Lines that are not compared within `time` count as
/// changed.
pub(super) fn of_files_within(
    time: Duration,
    (a, path_a): (&str, Option<&str>),
    (b, path_b): (&str, Option<&str>),
) -> String {
    let name = |side: &str, path: Option<&str>| {
        path.map_or_else(|| "/dev/null".to_owned(), |path| format!("{side}/{path}"))
    };
    TextDiff::configure()
        .timeout(time)
        .diff_lines(a, b)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&name("a", path_a), &name("b", path_b))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states() {
        let check =
            |word: &str, expect: Option<Point>| assert_eq!(Point::parse(word, "a").ok(), expect, "{word}");
        let id = "mem-0123456789012345678901234567890123456789";
        check("now", Some(Point::Now));
        check("0", Some(Point::Sequence(0)));
        check("17", None);
        check("at:17", Some(Point::State("at:17".to_owned())));
        check("before-release", Some(Point::Label("before-release".to_owned())));
        check(&format!("{id}@2"), Some(Point::Version(RecordId::parse(id).unwrap(), 2)));
        check("mem-1@2", None);
        check("a b", None);
        check("", None);
    }

    #[test]
    fn diffs() {
        let diff = of_files("a\nb\n", "a\nc\n", Some("x"), Some("x"));
        assert_eq!(diff, "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
        assert_eq!(of_files("a", "a", Some("x"), Some("y")), "");
        assert!(of_files("", "a\n", None, Some("y")).starts_with("--- /dev/null\n+++ b/y\n"));
    }
}
