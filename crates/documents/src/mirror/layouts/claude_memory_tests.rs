//! Topic files and their index.

use std::collections::BTreeSet;

use loci_engine::document_text::{DocumentContent, DocumentPath};
use loci_model::RecordId;
use loci_model::record::RecordKind;

use super::*;
use crate::mirror::layouts::Layout;

fn document(id: &str, path: &str, title: &str, body: &str) -> LaidDocument {
    let content = DocumentContent {
        title: Some(title.to_owned()),
        body: body.to_owned(),
        ..DocumentContent::default()
    };
    let path = DocumentPath::parse(path).unwrap();
    LaidDocument {
        path,
        record: RecordId::parse(format!("mem-{id:0>36}")).unwrap(),
        kind: RecordKind::Document,
        content,
        reads: 0,
    }
}

fn text(files: &[LaidFile], path: &str) -> String {
    let file =
        files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("no {path} in {files:?}"));
    String::from_utf8(file.bytes.clone()).unwrap()
}

fn read(path: &str, file: &str, documents: &[LaidDocument], state: &LayoutState) -> FileMeaning {
    let known =
        documents.iter().find(|document| state.names.get(&document.record).is_some_and(|name| name == path));
    let files = state.names.values().cloned().collect();
    Layout::ClaudeMemory.read(path, file, known, &LayoutContext { documents, state, files: &files })
}

#[test]
fn topics_and_their_index() {
    let mut pinned =
        document("b", "knowledge/feedback/tests.md", "Tests [slow]", "Run the slow tests, too.\n");
    pinned.content.set_pinned(true);
    let documents =
        [document("a", "knowledge/preferences/role.md", "User role", "An operator of databases.\n"), pinned];
    let (files, state) = render(&documents, &LayoutState::default());
    let head =
        "---\nname: User role\ndescription: \"An operator of databases.\"\nmetadata:\n  type: user\n---\n\n";
    assert_eq!(text(&files, "user-role.md"), format!("{head}An operator of databases.\n"));
    assert!(text(&files, "tests-slow.md").contains("  type: feedback\n"));
    assert_eq!(
        text(&files, INDEX),
        "- [Tests \\[slow\\]](tests-slow.md) — Run the slow tests, too.\n- [User role](user-role.md) — An operator of databases.\n"
    );
    assert_eq!(render(&documents, &state), (files, state), "once more is the same");
}

#[test]
fn a_topic_comes_back_as_it_was_written() {
    let documents = [document("a", "knowledge/facts/x.md", "Build", "cargo\n")];
    let (files, state) = render(&documents, &LayoutState::default());
    let written = text(&files, "build.md");
    let FileMeaning::Document { path, content, warnings } = read("build.md", &written, &documents, &state)
    else {
        panic!("no document")
    };
    assert_eq!((path.as_str(), warnings.len()), ("knowledge/facts/x.md", 0));
    let again = LaidDocument { content: *content, ..documents[0].clone() };
    assert_eq!(text(&render(&[again], &state).0, "build.md"), written);
}

#[test]
fn a_new_topic_lies_where_its_type_says_and_keeps_its_name() {
    let file = "---\nname: user_role\ndescription: who\nmetadata:\n  node_type: memory\n  type: user\nown: 1.10\n---\n\nA doctor, see [[clinic]].\n";
    let FileMeaning::Document { path, content, .. } =
        read("user_role.md", file, &[], &LayoutState::default())
    else {
        panic!("no document")
    };
    assert_eq!(path.as_str(), "knowledge/preferences/user_role.md");
    assert_eq!(content.title.as_deref(), Some("user_role"));
    let new = LaidDocument { path, content: *content, ..document("a", "knowledge/facts/x.md", "", "") };
    let mut state = LayoutState::default();
    state.names.insert(new.record.clone(), "user_role.md".to_owned());
    let (files, _) = render(&[new], &state);
    let written = text(&files, "user_role.md");
    for kept in
        ["name: user_role\n", "  node_type: memory\n  type: user\n", "own: 1.10\n", "see [[clinic]].\n"]
    {
        assert!(written.contains(kept), "{written}");
    }
}

#[test]
fn the_index_stays_within_what_is_loaded() {
    let mut documents: Vec<LaidDocument> = (0..300)
        .map(|n| {
            document(
                &format!("r{n:03}"),
                &format!("knowledge/facts/t{n:03}.md"),
                &format!("Topic {n:03}"),
                &"word ".repeat(40),
            )
        })
        .collect();
    documents[299].reads = 7;
    let state = LayoutState { preface: Some("# Memory\n\n".to_owned()), ..LayoutState::default() };
    let (files, _) = render(&documents, &state);
    let index = text(&files, INDEX);
    assert_eq!(files.len(), 301, "every topic has its file");
    assert!(
        index.lines().count() <= 200 && index.len() <= 25_000,
        "{} {}",
        index.lines().count(),
        index.len()
    );
    assert!(
        index.starts_with("# Memory\n\n- [Topic 000]") && index.contains("[Topic 299]"),
        "what is read stays"
    );
    let listed = index.lines().filter(|line| line.starts_with("- [")).count();
    assert!(index.ends_with(&format!("- … {} more files in this directory\n", 300 - listed)), "{index}");
}

#[test]
fn what_people_write_into_the_index() {
    let documents = [document("a", "knowledge/facts/x.md", "Build", "cargo\n")];
    let (_, state) = render(&documents, &LayoutState::default());
    let file = "# Notes\nkeep me\n\n- [Build](build.md) — another text\n- [Deploy](deploy.md) — by tag\n- prefers tabs\n## head\n- … 3 more files in this directory\n";
    let long = "a".repeat(210);
    let file = format!(
        "{file}- [Deploy](deploy.md) — again\n- [Bad](a\\b.md) — odd\n- [Long]({long}.md) — too long\n"
    );
    let file = file.as_str();
    let FileMeaning::Index { new, preface } = read(INDEX, file, &documents, &state) else {
        panic!("no index")
    };
    assert_eq!(preface.as_deref(), Some("# Notes\nkeep me\n\n"));
    let seen: Vec<(&str, &str, Option<&str>)> = new
        .iter()
        .map(|(path, content)| (path.as_str(), content.body.as_str(), content.title.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            ("knowledge/facts/deploy.md", "by tag\n", Some("Deploy")),
            ("knowledge/facts/prefers-tabs.md", "prefers tabs\n", None),
            ("knowledge/facts/deploy-2.md", "again\n", Some("Deploy")),
            ("knowledge/facts/bad.md", "odd\n", Some("Bad")),
            ("knowledge/facts/long.md", "too long\n", Some("Long"))
        ]
    );
    let state = LayoutState { preface, ..state };
    let (files, _) = render(&documents, &state);
    assert_eq!(text(&files, INDEX), "# Notes\nkeep me\n\n- [Build](build.md) — cargo\n");
}

#[test]
fn a_document_called_memory_is_no_index() {
    let documents = [document("a", "knowledge/facts/x.md", "Memory", "of elephants\n")];
    let (files, _) = render(&documents, &LayoutState::default());
    let names: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(names.len(), 2);
    assert!(names.iter().filter(|name| name.eq_ignore_ascii_case(INDEX)).count() == 1, "{names:?}");
}
