//! Consolidation of a directory of files without a store. A layout reads the files, rules make a
//! plan, and the result is the set of changed files. Pure: the caller reads and writes the files.
//! Archiving a document removes its file; git may keep its history.

mod actions;

use std::collections::{BTreeMap, BTreeSet};

use actions::DirectoryEdit;
use loci_engine::consolidation::plan::Action;
use loci_engine::consolidation::relate::rank;
use loci_engine::consolidation::snapshot::{PlanDocument, Snapshot};
use loci_engine::document_text::content::{DocumentContent, NOT_KEPT, sha256};
use loci_engine::document_text::frontmatter::{Frontmatter, Value, parse};
use loci_json::BYTE_ORDER_MARK;
use loci_model::record::metadata::Metadata;
use loci_model::record::{RecordKind, TrustTier};
use loci_model::{Error, Namespace, RecordId, Result, Timestamp};
use sha2::{Digest, Sha256};

use super::changelog::CHANGELOG;
use super::document_builder::EXPIRES_AT;
use crate::consolidation::PlannedAction;
use crate::consolidation::changelog::{ChangelogEntry, entry};
use crate::document_history::diff::of_files;
use crate::mirror::layouts::{FileMeaning, LaidDocument, LaidFile, Layout, LayoutContext, LayoutState};

/// A file of the directory to consolidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryFile {
    /// The path of the file from the directory.
    pub path: String,
    /// The text of the file.
    pub text: String,
    /// The time at which the file was last changed.
    pub modified_at: Timestamp,
}

/// A change of a file by consolidation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path of the file.
    pub path: String,
    /// The text before the change. `None` if the file did not exist.
    pub before: Option<String>,
    /// The text after the change. `None` if the file is removed.
    pub after: Option<String>,
    /// The path before the change, if the file is only moved.
    pub moved_from: Option<String>,
    /// The modification time to keep, if the text itself is not new. Moving a file does not make it
    /// newer.
    pub modified_at: Option<Timestamp>,
}

impl FileChange {
    fn of(path: String, before: Option<String>, after: Option<String>) -> Self {
        Self { path, before, after, moved_from: None, modified_at: None }
    }

    /// Returns the differing lines.
    #[must_use]
    pub fn unified(&self) -> String {
        let name = |side: &Option<String>| side.as_ref().map(|_| self.path.as_str());
        let text = |side: &Option<String>| side.clone().unwrap_or_default();
        of_files(&text(&self.before), &text(&self.after), name(&self.before), name(&self.after))
    }
}

/// A directory of files as documents.
#[derive(Debug, Clone)]
pub struct Directory {
    layout: Layout,
    documents: Vec<LaidDocument>,
    state: LayoutState,
    files: BTreeMap<String, DirectoryFile>,
    /// The file of each document.
    of: BTreeMap<RecordId, String>,
    /// The files that cannot be read as documents, each with the reason.
    pub refused: Vec<(String, String)>,
}

impl Directory {
    /// Returns the layout of files, as far as their names reveal it.
    #[must_use]
    pub fn layout_of(paths: &[String]) -> &'static str {
        if paths.iter().any(|path| path.starts_with("knowledge/")) {
            "native"
        } else if paths.iter().any(|path| path == "MEMORY.md") {
            "claude-memory"
        } else if paths.iter().any(|path| !path.contains('/') && path.ends_with(".md")) {
            "strands-flat"
        } else {
            "native"
        }
    }

    /// Returns the layout with a name.
    ///
    /// # Errors
    /// `Invalid`, naming the existing layouts, if there is no layout with this name.
    pub fn layout_named(word: &str) -> Result<Layout> {
        Layout::named(word).ok_or_else(|| {
            let words: Vec<&str> = Layout::all().iter().map(|layout| layout.as_str()).collect();
            Error::invalid(
                "layout",
                format!("layout must be one of {}: {word} cannot be read", words.join(", ")),
            )
        })
    }

    /// Reads a directory. `unread`: the files that could not be read as texts, each with the
    /// reason; their paths stay in use.
    ///
    /// # Errors
    /// None in practice.
    pub fn read(layout: Layout, files: Vec<DirectoryFile>, unread: Vec<(String, String)>) -> Result<Self> {
        let mut directory = Self {
            layout,
            documents: Vec::new(),
            state: LayoutState::default(),
            files: BTreeMap::new(),
            of: BTreeMap::new(),
            refused: unread,
        };
        let unread = directory.refused.iter().map(|(path, _)| path);
        let names: BTreeSet<String> = files.iter().map(|file| &file.path).chain(unread).cloned().collect();
        let (indexes, topics): (Vec<_>, Vec<_>) =
            files.into_iter().partition(|file| layout.is_index(&file.path));
        for file in topics.into_iter().chain(indexes) {
            let around =
                LayoutContext { documents: &directory.documents, state: &directory.state, files: &names };
            let text = loci_json::without_mark(&file.text);
            match layout.read(&file.path, text, None, &around) {
                FileMeaning::Document { path, mut content, .. } => {
                    keep_lines(&mut content, text);
                    let record = record_of(&file.path)?;
                    directory.state.names.insert(record.clone(), file.path.clone());
                    directory.of.insert(record.clone(), file.path.clone());
                    directory.documents.push(LaidDocument {
                        path,
                        record,
                        kind: RecordKind::Document,
                        content: *content,
                        reads: 0,
                    });
                }
                FileMeaning::Index { new, preface } => {
                    directory.state.preface = preface;
                    for (path, content) in new {
                        let record = record_of(path.as_str())?;
                        let kind = RecordKind::Document;
                        directory.documents.push(LaidDocument { path, record, kind, content, reads: 0 });
                    }
                }
                FileMeaning::Lines { into, .. } => {
                    let why = format!("its lines belong to {into}: a sync puts them there");
                    directory.refused.push((file.path.clone(), why));
                }
                FileMeaning::Refused { why } => {
                    if file.path != CHANGELOG {
                        directory.refused.push((file.path.clone(), why));
                    }
                }
            }
            directory.files.insert(file.path.clone(), file);
        }
        directory.documents.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(directory)
    }

    /// Returns the snapshot for a plan.
    ///
    /// # Errors
    /// None in practice.
    pub fn snapshot(&self) -> Result<Snapshot> {
        let namespace = Namespace::parse("/")?;
        let documents = self.documents.iter().map(|one| self.document(one, &namespace)).collect();
        let taken = self.refused.iter().map(|(path, _)| path.clone()).collect();
        Ok(Snapshot { sequence: 0, documents, taken })
    }

    fn document(&self, one: &LaidDocument, namespace: &Namespace) -> PlanDocument {
        let content = &one.content;
        let at = self.modified_at(&one.record);
        let text = |key: &str| content.head.text(key).map(str::to_owned);
        let time = |key: &str| content.head.text(key).and_then(|text| Timestamp::parse(text).ok());
        let tags = content.head.get("tags").and_then(Value::texts).unwrap_or_default();
        PlanDocument {
            reference: one.path.as_str().to_owned(),
            id: one.record.clone(),
            namespace: namespace.clone(),
            strategy: None,
            scope: content.scope.clone(),
            strict: Metadata::new(),
            text: content.body.clone(),
            title: content.title.clone(),
            description: content.description.clone(),
            key: text("key"),
            tags: tags.into_iter().map(str::to_owned).collect(),
            tier: tier_of(content),
            pinned: content.is_pinned(),
            priority: content.priority(),
            uses: one.reads,
            expires_at: time(EXPIRES_AT),
            valid_from: time("valid_from").unwrap_or(at),
            observed_at: time("first_seen").unwrap_or(at),
            sequence: 0,
            hash: Sha256::digest(&content.body).into(),
            is_new: false,
        }
    }

    fn modified_at(&self, record: &RecordId) -> Timestamp {
        let file = self.of.get(record).and_then(|path| self.files.get(path));
        file.map_or(Timestamp::EPOCH, |file| file.modified_at)
    }

    /// Returns the files that change with these actions: new and changed ones first, then removed
    /// ones. A file whose document has no action stays unchanged, byte for byte.
    ///
    /// # Errors
    /// `Invalid` for an action about missing documents.
    pub fn after(&self, actions: &[&Action]) -> Result<Vec<FileChange>> {
        if actions.is_empty() {
            return Ok(Vec::new());
        }
        let mut changing = DirectoryEdit {
            documents: self.documents.clone(),
            touched: BTreeSet::new(),
            moved_from: BTreeMap::new(),
            said_at: BTreeMap::new(),
        };
        for action in actions {
            self.carry(&mut changing, action)?;
        }
        let (mut files, _) = self.layout.render(&changing.documents, &self.state);
        files.iter_mut().for_each(|file| self.keep_mark(file));
        let text = |path: &String| self.files.get(path).map(|file| file.text.clone());
        let there: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
        // A document that only an index contained has no file yet, and the generated index may
        // contain less of it.
        let is_index = |file: &LaidFile| file.record.is_none();
        let is_other = |file: &LaidFile| text(&file.path).is_none_or(|text| text.as_bytes() != file.bytes);
        if files.iter().any(|file| is_index(file) && is_other(file)) {
            let told = changing.documents.iter().map(|one| &one.record);
            let told = told.filter(|record| !self.of.contains_key(record)).cloned().collect::<Vec<_>>();
            changing.touched.extend(told);
        }
        let mut changes = Vec::new();
        for file in files {
            let is_touched = file.record.as_ref().is_none_or(|record| changing.touched.contains(record));
            let moved_from = file.record.as_ref().and_then(|record| changing.moved_from.get(record));
            let bytes = moved_from.and_then(text).map_or(file.bytes, String::into_bytes);
            let (before, after) = (text(&file.path), String::from_utf8(bytes).ok());
            if is_touched && before != after {
                let at = file.record.as_ref().and_then(|record| changing.said_at.get(record));
                changes.push(FileChange {
                    moved_from: moved_from.cloned(),
                    modified_at: at.copied(),
                    ..FileChange::of(file.path, before, after)
                });
            }
        }
        let own: BTreeSet<&String> = self.of.values().collect();
        let gone = self.files.values().filter(|file| own.contains(&file.path) && !there.contains(&file.path));
        let is_touched = |record: &RecordId| changing.touched.contains(record);
        let gone = gone.filter(|file| record_of(&file.path).is_ok_and(|record| is_touched(&record)));
        changes.extend(gone.map(|file| FileChange::of(file.path.clone(), Some(file.text.clone()), None)));
        Ok(changes)
    }

    /// Keeps the byte order mark of the present file in its replacement.
    fn keep_mark(&self, file: &mut LaidFile) {
        let is_marked = |text: &str| text.starts_with(BYTE_ORDER_MARK);
        if self.files.get(&file.path).is_some_and(|there| is_marked(&there.text)) {
            let mut mark = [0; 4];
            drop(file.bytes.splice(0..0, BYTE_ORDER_MARK.encode_utf8(&mut mark).bytes()));
        }
    }

    /// Returns the changelog with one more entry, in a layout that has one.
    #[must_use]
    pub fn logged(&self, told: &ChangelogEntry<'_>) -> Option<FileChange> {
        let is_unread = self.refused.iter().any(|(path, _)| path == CHANGELOG);
        if self.layout != Layout::Native || is_unread {
            return None;
        }
        let before = self.files.get(CHANGELOG).map(|file| file.text.clone());
        let mut text = before.clone().unwrap_or_else(|| "# What consolidation did\n".to_owned());
        text.push('\n');
        text.push_str(&entry(told));
        Some(FileChange::of(CHANGELOG.to_owned(), before, Some(text)))
    }
}

/// Keeps the lines of a head that a tree ignores: nobody asked for their removal.
fn keep_lines(content: &mut DocumentContent, file: &str) {
    let Some(own) = parse(file).ok().and_then(|parted| parted.frontmatter).filter(|_| !content.is_raw) else {
        return;
    };
    let mut head = Frontmatter::default();
    for (key, value) in own.entries() {
        if NOT_KEPT.contains(&key) || content.head.get(key).is_some() {
            head.set(key, value.clone());
        }
    }
    content.head = head;
}

/// Returns the trust of a file: it may lower its own trust, never raise it.
fn tier_of(content: &DocumentContent) -> TrustTier {
    let lowered = content.lowered_to.filter(|tier| rank(*tier) < rank(TrustTier::Agent));
    lowered.unwrap_or(TrustTier::Agent)
}

/// Returns the id of a file's document, derived from its path.
fn record_of(path: &str) -> Result<RecordId> {
    RecordId::compose(sha256(path).get(..36).unwrap_or_default())
}

/// Returns the actions of a plan that need no decision.
#[must_use]
pub fn ready(actions: &[PlannedAction]) -> Vec<&Action> {
    actions.iter().filter(|one| one.held.is_none()).map(|one| &one.action).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::consolidation::{PlanRequest, plan};
    use loci_engine::consolidation::plan::Operation;

    fn file(path: &str, text: &str, day: i64) -> DirectoryFile {
        let modified_at = Timestamp::EPOCH.plus_millis(day * 86_400_000);
        DirectoryFile { path: path.to_owned(), text: text.to_owned(), modified_at }
    }

    #[test]
    fn files_that_no_action_is_about_stay_byte_for_byte() {
        let odd = "---\ndescription: 'single'\n---\nOdd  \n";
        let files = vec![
            file("knowledge/facts/a.md", "Build with make.", 1),
            file("knowledge/facts/b.md", "Build with make.", 2),
            file("knowledge/facts/odd.md", odd, 3),
            file("consolidation/changelog.md", "# Old\n", 3),
            file("README", "no document", 3),
        ];
        let directory = Directory::read(Layout::Native, files, Vec::new()).unwrap();
        assert_eq!(directory.refused.len(), 1, "{:?}", directory.refused);
        let snapshot = directory.snapshot().unwrap();
        let now = Timestamp::EPOCH.plus_millis(10 * 86_400_000);
        let planned = plan(&snapshot, &PlanRequest::of(&Operation::DEFAULT, now));
        let changes = directory.after(&ready(&planned.actions)).unwrap();
        let told: Vec<(&str, bool)> =
            changes.iter().map(|one| (one.path.as_str(), one.after.is_some())).collect();
        assert_eq!(told, [("knowledge/facts/a.md", true), ("knowledge/facts/b.md", false)]);
        assert!(changes[0].after.as_ref().unwrap().contains("first_seen"));
        assert!(changes[1].unified().contains("+++ /dev/null"));
    }

    fn dedup(directory: &Directory) -> Vec<FileChange> {
        let now = Timestamp::EPOCH.plus_millis(10 * 86_400_000);
        let planned = plan(&directory.snapshot().unwrap(), &PlanRequest::of(&Operation::DEFAULT, now));
        assert_eq!(planned.violations, []);
        directory.after(&ready(&planned.actions)).unwrap()
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_what_a_file_says_and_stays_before_it() {
        let files = vec![
            file("knowledge/facts/a.md", "\u{feff}Build with make.", 1),
            file("knowledge/facts/b.md", "Build with make.", 2),
        ];
        let directory = Directory::read(Layout::Native, files, Vec::new()).unwrap();
        let changes = dedup(&directory);
        let told: Vec<(&str, bool)> =
            changes.iter().map(|one| (one.path.as_str(), one.after.is_some())).collect();
        assert_eq!(told, [("knowledge/facts/a.md", true), ("knowledge/facts/b.md", false)]);
        let (before, after) = (changes[0].before.as_deref().unwrap(), changes[0].after.as_deref().unwrap());
        assert_eq!(before, "\u{feff}Build with make.");
        assert!(
            after.starts_with("\u{feff}---\n") && !after['\u{feff}'.len_utf8()..].contains('\u{feff}'),
            "{after:?}"
        );
        // The first line of an index with a byte order mark is still a list line.
        let files = vec![
            file("MEMORY.md", "\u{feff}- [A](a.md) — a\n", 3),
            file("a.md", "---\nname: A\ndescription: a\n---\nBuild with make.", 1),
        ];
        let directory = Directory::read(Layout::ClaudeMemory, files, Vec::new()).unwrap();
        assert_eq!((directory.documents.len(), &directory.state.preface), (1, &None));
    }

    /// Checks that a document that only an index contains gets a file before the index is generated
    /// again, which truncates its line.
    #[test]
    fn what_only_an_index_tells_stays() {
        let long = format!("The release is cut by hand {}and then it is tagged.", "very slowly ".repeat(30));
        let files = vec![
            file("MEMORY.md", &format!("# Mine\n- [A](a.md) — a\n- {long}\n"), 3),
            file("a.md", "---\nname: A\ndescription: a\n---\nBuild with make.", 1),
            file("b.md", "---\nname: B\ndescription: b\n---\nBuild with make.", 2),
        ];
        let directory = Directory::read(Layout::ClaudeMemory, files, Vec::new()).unwrap();
        assert_eq!(directory.after(&[]).unwrap(), [], "without actions nothing changes");
        let changes = dedup(&directory);
        let index = changes.iter().find(|one| one.path == "MEMORY.md").unwrap();
        assert!(!index.after.as_ref().unwrap().contains(&long), "its line is cut");
        let new: Vec<_> = changes.iter().filter(|one| one.before.is_none()).collect();
        assert_eq!(new.len(), 1, "{changes:?}");
        assert!(new[0].after.as_ref().unwrap().contains(&long));
    }

    #[test]
    fn what_could_not_be_read_keeps_its_place() {
        let unread = vec![("knowledge/facts/x.md".to_owned(), "it is no UTF-8".to_owned())];
        let long = |name: &str| file(name, &format!("{name} {}", "word ".repeat(700)), 1);
        let files = vec![long("knowledge/system/a.md"), long("knowledge/system/x.md")];
        let directory = Directory::read(Layout::Native, files, unread).unwrap();
        let changes = dedup(&directory);
        let told: Vec<(&str, bool)> =
            changes.iter().map(|one| (one.path.as_str(), one.after.is_some())).collect();
        assert_eq!(told, [("knowledge/facts/x-2.md", true), ("knowledge/system/x.md", false)]);
        let unread = vec![(CHANGELOG.to_owned(), "it is no UTF-8".to_owned())];
        let told = ChangelogEntry {
            at: Timestamp::EPOCH,
            run: "directory",
            planner: "rules",
            operations: &[],
            actions: &[],
            held: 0,
            failed_deletes: &[],
            summary: "",
        };
        let logs =
            |unread| Directory::read(Layout::Native, Vec::new(), unread).unwrap().logged(&told).is_some();
        assert_eq!((logs(Vec::new()), logs(unread)), (true, false));
    }

    /// Checks that no member of a file's head is removed or trusted, and that reorganising makes no
    /// file newer.
    #[test]
    fn heads_and_times_stay() {
        let head = |more: &str| format!("---\n{more}description: 'd'\n---\n");
        let check = |files: &[(&str, &str)], expect: &[&str]| {
            let files = (1..).zip(files).map(|(day, (path, text))| file(path, text, day)).collect();
            let directory = Directory::read(Layout::Native, files, Vec::new()).unwrap();
            let changes = dedup(&directory);
            let told = changes.iter().filter_map(|one| {
                let day = one.modified_at.map(|at| at.millis() / 86_400_000);
                let head = one.after.as_ref()?.split("---\n").nth(1)?.replace('\n', "; ").replace('"', "");
                let from = one.moved_from.as_deref().unwrap_or("-");
                Some(format!("{} {from} {day:?} {head}", one.path))
            });
            assert_eq!(told.collect::<Vec<_>>(), expect);
        };
        let (external, id) = (head("trust: external\n"), head("id: x7\n"));
        let doubled = format!("{}# L\n- x\n- x\n", head("id: x7\ntrust: external\n"));
        let a = "knowledge/facts/a.md";
        check(&[(a, &doubled)], &[&format!("{a} - Some(1) id: x7; trust: external; description: d; ")]);
        // Equal words with normal trust in one of the files keep that trust; the newest time is
        // that file's.
        let same = "Build with make.";
        let b = "knowledge/facts/b.md";
        let first = "first_seen: 1970-01-02T00:00:00Z; ";
        check(
            &[(a, &format!("{external}{same}")), (b, &format!("{id}{same}"))],
            &[&format!("{a} - Some(2) description: d; {first}")],
        );
        // The merged file expires when the last of its sources does.
        let until = |day: u32| head(&format!("expires_at: 2030-01-0{day}\n"));
        check(
            &[(a, &format!("{}{same}", until(1))), (b, &format!("{}{same}", until(2)))],
            &[&format!("{a} - Some(2) expires_at: 2030-01-02T00:00:00Z; description: d; {first}")],
        );
        check(
            &[(a, &format!("{}{same}", until(1))), (b, same)],
            &[&format!("{a} - Some(2) description: d; {first}")],
        );
        // A file that is only moved stays equal.
        let long = format!("{}{}", head("id: x7\n"), "word ".repeat(1_400));
        check(
            &[("knowledge/system/a.md", &long)],
            &[&format!("{a} knowledge/system/a.md Some(1) id: x7; description: 'd'; ")],
        );
        let raised = vec![file(a, &head("trust: human_confirmed\n"), 1)];
        let read = Directory::read(Layout::Native, raised, Vec::new()).unwrap().snapshot().unwrap();
        assert_eq!(read.documents[0].tier, TrustTier::Agent);
    }

    #[test]
    fn layouts_by_their_names() {
        let check = |paths: &[&str], expect: &str| {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            assert_eq!(Directory::layout_of(&paths), expect);
        };
        check(&[], "native");
        check(&["knowledge/facts/a.md", "MEMORY.md"], "native");
        check(&["MEMORY.md", "a.md"], "claude-memory");
        check(&["a.md"], "strands-flat");
        assert!(Directory::layout_named("native").is_ok());
        assert_eq!(Directory::layout_named("x").unwrap_err().field.as_deref(), Some("layout"));
    }
}
