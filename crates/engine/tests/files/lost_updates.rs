//! Updates that other stores lost, by number.

use loci_documents::{AppendTo, Edit, Precondition};
use loci_model::{ErrorKind, Reason};

use super::fixture::{Shelf, text};

#[test]
fn b1_two_facts_that_begin_alike_are_two_documents() {
    let shelf = Shelf::new();
    let fact = |end: &str| format!("The customer Acme Corporation prefers to be contacted by {end}");
    let (mail, phone) = (fact("email on Mondays"), fact("phone on Fridays"));
    let written = [shelf.add(text(&mail)), shelf.add(text(&phone))];
    let paths: Vec<String> = written.into_iter().filter_map(|one| one.path).collect();
    assert_ne!(paths[0], paths[1]);
    assert_eq!((shelf.body(&paths[0]), shelf.body(&paths[1])), (mail, phone));
}

#[test]
fn b3_a_heading_in_any_script_names_its_document() {
    let shelf = Shelf::new();
    let first = shelf.add(text("# 日本語の見出し\n- 一\n"));
    assert_eq!(first.path.as_deref(), Some("knowledge/facts/日本語の見出し.md"));
    let second = shelf.add(text("# 日本語の見出し\n- 二\n"));
    assert_eq!((&second.record, second.added), (&first.record, Some(1)));
    assert_eq!(shelf.body("knowledge/facts/日本語の見出し.md"), "# 日本語の見出し\n- 一\n- 二\n");
}

#[test]
fn b4_a_line_that_is_told_twice_is_there_once() {
    let shelf = Shelf::new();
    for _ in 0..3 {
        shelf.add(text("# Topic\n- one\n"));
    }
    assert_eq!(shelf.body("knowledge/facts/topic.md"), "# Topic\n- one\n");
    let again = shelf.append(AppendTo::Title("Topic".to_owned()), &[" - one "]).unwrap();
    assert_eq!((again.added, again.version), (Some(0), 1));
}

#[test]
fn b8_an_empty_text_erases_nothing() {
    let shelf = Shelf::new();
    let path = "knowledge/facts/a.md";
    let first = shelf.put(path, "all of it");
    let edit = Edit::Replace { old: "all of it".to_owned(), new: String::new() };
    shelf.edit(path, edit).unwrap();
    assert_eq!((shelf.body(path), shelf.paths(None, None)), (String::new(), vec![path.to_owned()]));
    assert_eq!(shelf.history(&first.record)[0].text, "all of it");
}

#[test]
fn b9_paths_that_differ_in_case_or_composition_are_one() {
    let shelf = Shelf::new();
    let put = |path: &str| shelf.put_as(&shelf.caller, Some(path), text("x"), Some(Precondition::Absent));
    put("knowledge/facts/Café.md").unwrap();
    for alias in ["knowledge/facts/cafe\u{301}.md", "knowledge/FACTS/CAFÉ.md"] {
        let error = put(alias).unwrap_err();
        assert_eq!((error.kind, error.reason), (ErrorKind::Conflict, Some(Reason::StaleVersion)), "{alias}");
        assert_eq!(shelf.get(alias).unwrap().path, "knowledge/facts/Café.md");
    }
    for bad in ["knowledge\\facts\\a.md", "knowledge/./a.md", "knowledge/../a.md", "knowledge/%2e%2e/a.md"] {
        let error = put(bad).unwrap_err();
        assert_eq!((error.kind, error.field.as_deref()), (ErrorKind::Invalid, Some("path")), "{bad}");
    }
}

#[test]
fn b10_a_description_does_not_break_out_of_its_head() {
    let shelf = Shelf::new();
    for (number, description) in ["a --- b", "---", "says \"no\"", "a: b # c", "- x"].into_iter().enumerate()
    {
        let path = format!("knowledge/facts/{number}.md");
        let content = loci_engine::document_text::DocumentContent {
            description: Some(description.to_owned()),
            body: "---\nbody\n---\n".to_owned(),
            ..Default::default()
        };
        let put = loci_documents::PutContent::Parts(content.clone());
        shelf.put_as(&shelf.caller, Some(&path), put, Some(Precondition::Absent)).unwrap();
        let shown = shelf.get(&path).unwrap();
        let again = loci_engine::document_text::DocumentContent::of_file(&shown.file).0;
        assert_eq!((again.description, again.body), (content.description, content.body));
    }
}
