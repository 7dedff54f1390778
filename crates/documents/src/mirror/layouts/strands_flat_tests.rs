//! Names that a stock store gives, and files that it writes.

use std::collections::BTreeSet;

use loci_engine::document_text::DocumentPath;
use loci_model::RecordId;
use loci_model::record::RecordKind;

use super::*;
use crate::mirror::layouts::{Layout, LayoutContext};

fn document(id: &str, path: &str, content: DocumentContent) -> LaidDocument {
    LaidDocument {
        path: DocumentPath::parse(path).unwrap(),
        record: RecordId::parse(format!("mem-{id:0>36}")).unwrap(),
        kind: RecordKind::Document,
        content,
        reads: 0,
    }
}

fn raw(id: &str, path: &str, file: &str) -> LaidDocument {
    document(id, path, DocumentContent::raw(file.to_owned()))
}

fn read(path: &str, file: &str, known: Option<&LaidDocument>, documents: &[LaidDocument]) -> FileMeaning {
    let around = LayoutContext { documents, state: &LayoutState::default(), files: &BTreeSet::new() };
    Layout::StrandsFlat.read(path, file, known, &around)
}

#[test]
fn a_stock_slug_of_a_first_line() {
    let check = |line: &str, expect: &str| assert_eq!(stock_slug(line), expect, "{line:?}");
    check("# User preferences", "user-preferences");
    check("##   Team   conventions! ", "team-conventions");
    check("  no heading  ", "no-heading");
    check("# Editor's theme (dark-mode)", "editors-theme-dark-mode");
    check("# --dashes--", "--dashes");
    check("# 日本語の見出し", "");
    check("# Straße im März", "strae-im-mrz");
    let long = "The customer Acme Corporation prefers to be contacted by email on Mondays";
    check(long, "the-customer-acme-corporation-prefers-to-be-contac");
    check(&format!("{}  x", "a".repeat(49)), &"a".repeat(49));
}

#[test]
fn two_facts_of_one_slug_have_two_files() {
    let by_email = "The customer Acme Corporation prefers to be contacted by email on Mondays\n";
    let by_phone = "The customer Acme Corporation prefers to be contacted by phone on Fridays\n";
    let documents =
        [raw("one", "knowledge/facts/a.md", by_email), raw("two", "knowledge/facts/b.md", by_phone)];
    let (files, state) = render(&documents, &LayoutState::default());
    let stem = "the-customer-acme-corporation-prefers-to-be-contac";
    let seen: Vec<(&str, &[u8])> =
        files.iter().map(|file| (file.path.as_str(), file.bytes.as_slice())).collect();
    assert_eq!(
        seen,
        [(&*format!("{stem}-2.md"), by_phone.as_bytes()), (&*format!("{stem}.md"), by_email.as_bytes())]
    );
    // The first one is removed: the other keeps its name.
    let (files, _) = render(&documents[1..], &state);
    assert_eq!(files[0].path, format!("{stem}-2.md"));
}

#[test]
fn what_the_tree_wrote_gets_a_heading_and_comes_back_under_it() {
    let content = DocumentContent {
        body: "- dark mode\n".to_owned(),
        title: Some("Editor theme".to_owned()),
        description: Some("Themes".to_owned()),
        ..DocumentContent::default()
    };
    let documents = [document("one", "knowledge/preferences/theme.md", content.clone())];
    let (files, _) = render(&documents, &LayoutState::default());
    assert_eq!(
        (files[0].path.as_str(), &*files[0].bytes),
        ("editor-theme.md", &b"# Editor theme\n- dark mode\n"[..])
    );
    let check = |file: &str, expect: DocumentContent| {
        let FileMeaning::Document { path, content, .. } =
            read("editor-theme.md", file, Some(&documents[0]), &documents)
        else {
            panic!("{file}: no document")
        };
        assert_eq!(path.as_str(), "knowledge/preferences/theme.md");
        assert_eq!((headed(&content).as_str(), &*content), (file, &expect));
    };
    let with = |title: &str, body: &str| DocumentContent {
        title: Some(title.to_owned()),
        body: body.to_owned(),
        ..content.clone()
    };
    check("# Editor theme\n- dark mode\n- large type", with("Editor theme", "- dark mode\n- large type"));
    check("# Theme\n- dark mode\n", with("Theme", "- dark mode\n"));
    check("#  Theme \n- x\n", DocumentContent::raw("#  Theme \n- x\n".to_owned()));
}

#[test]
fn what_a_stock_store_made_by_the_clock_joins_its_heading() {
    let documents = [raw("one", "knowledge/facts/x.md", "# 日本語の見出し\n- 一\n")];
    let (files, state) = render(&documents, &LayoutState::default());
    assert!(files[0].path.starts_with("entry-") && files[0].path.len() == "entry-01234567.md".len());
    let meaning = read("entry-1700000000000.md", "# 日本語の見出し\n- 一\n\n- 二", None, &documents);
    let lines = vec!["- 一".to_owned(), "- 二".to_owned()];
    assert_eq!(meaning, FileMeaning::Lines { into: documents[0].path.clone(), lines });
    // With another heading it is a separate document, and keeps its name.
    let FileMeaning::Document { path, .. } = read("entry-1700000000001.md", "# 別\n- 三\n", None, &documents)
    else {
        panic!("no document")
    };
    let other = raw("two", path.as_str(), "# 別\n- 三\n");
    let mut state = state;
    state.names.insert(other.record.clone(), "entry-1700000000001.md".to_owned());
    let (files, _) = render(&[documents[0].clone(), other], &state);
    assert!(files.iter().any(|file| file.path == "entry-1700000000001.md"), "{files:?}");
}

#[test]
fn what_is_no_file_of_the_layout_is_refused() {
    let check = |path: &str, file: &str| {
        assert!(matches!(read(path, file, None, &[]), FileMeaning::Refused { .. }), "{path}");
    };
    check("deep/a.md", "x");
    check("a.txt", "x");
    check(".md", "x");
    check("a.md", " \n");
}
