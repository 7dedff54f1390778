//! Checks of paths: names come back unchanged, and a path that breaks a rule fails and writes
//! nothing.

use super::check_environment::{CheckEnvironment, CheckVerdict, fault, in_words, same};
use crate::backend::storage_error::StorageErrorKind;
use crate::backend::stored_file::FilePrecondition;

/// Names that every backend accepts, in NFC.
const NAMES: &[&str] = &[
    "plain.md",
    "with space.md",
    "日本語メモ.md",
    "café.md",
    "مرحبا.md",
    "👩\u{200d}💻 notes.md",
    "100%.md",
    "a+b&c=d;e,f.md",
    "hash#tag.md",
    "it's (new) [1] {2} ~x!@$^.md",
    "no-ending",
    "many.dots.in.a.name.md",
    "one/two/three/four/five/six.md",
];

/// Names that break a rule, each with the rule.
const BROKEN: &[(&str, &str)] = &[
    ("..", "a segment `..`"),
    ("a/../b.md", "a segment `..`"),
    ("a/./b.md", "a segment `.`"),
    ("a\\b.md", "a backslash"),
    ("%2e%2e/a.md", "encoded dots"),
    ("a%2fb.md", "an encoded slash"),
    ("%252e%252e/a.md", "dots that are encoded twice"),
    ("a\u{0}b.md", "NUL"),
    ("a\nb.md", "a control character"),
    ("a\u{85}b.md", "a control character beyond ASCII"),
    ("a\u{2028}b.md", "a line separator"),
    ("a\u{202e}b.md", "a character that turns the direction of writing"),
    ("a\u{200b}b.md", "a character of no width"),
    ("a\u{feff}b.md", "a byte order mark"),
    ("a.md ", "a space at the end"),
    ("a.", "a dot at the end"),
    ("con", "a device of Windows"),
    ("nul.md", "a device of Windows with an ending"),
    ("COM1.txt", "a device of Windows in capitals"),
    ("a:b.md", "a colon"),
    ("a<b>.md", "angle brackets"),
    ("a|b.md", "a vertical bar"),
    ("a?.md", "a question mark"),
    ("a*.md", "an asterisk"),
    ("a\".md", "a quotation mark"),
    (".git/config", "a segment `.git`"),
    (".GIT/config", "a segment `.git` in capitals"),
    ("a/git~1/b", "the short name of `.git`"),
];

pub(super) async fn names(it: &CheckEnvironment) -> CheckVerdict {
    let mut expected = Vec::with_capacity(NAMES.len());
    for name in NAMES {
        it.write(name, name.as_bytes()).await?;
        it.holds(name, Some(name.as_bytes())).await?;
        expected.push(it.at(name));
    }
    expected.sort();
    same("paths of a listing", &it.paths("").await?, &expected)?;
    let spelled = format!("/{}//slashes///a.md", it.prefix);
    let done = it.backend.write(&spelled, b"text\n", &FilePrecondition::Any).await;
    done.map_err(|error| fault(format!("write {spelled:?} succeeds"), in_words(&error)))?;
    it.holds("slashes/a.md", Some(b"text\n")).await
}

pub(super) async fn rules(it: &CheckEnvironment) -> CheckVerdict {
    let long = "a".repeat(201);
    let deep = vec!["a"; 21].join("/");
    let wide = vec!["a".repeat(127); 9].join("/");
    let sizes =
        [(long.as_str(), "201 bytes in a segment"), (&deep, "21 segments"), (&wide, "more than 1024 bytes")];
    let mut faults = Vec::new();
    for (name, rule) in BROKEN.iter().chain(&sizes) {
        let done = it.write_if(name, b"must not be stored\n", &FilePrecondition::Any).await;
        match done {
            Err(error) if error.kind == StorageErrorKind::InvalidPath => {}
            Err(error) => faults.push(format!("{rule}: {}", in_words(&error))),
            Ok(_) => {
                faults.push(format!("{rule}: stored"));
                // A path that leads elsewhere is not in the listing that is removed at the end.
                let _ = it.backend.delete(&it.at(name), &FilePrecondition::Any).await;
            }
        }
        let path = it.at(name);
        let answers = [
            ("read", it.backend.read(&path).await.map(drop)),
            ("exists", it.backend.exists(&path).await.map(drop)),
            ("delete", it.backend.delete(&path, &FilePrecondition::Any).await.map(drop)),
            ("list", it.backend.list(&path).await.map(drop)),
        ];
        for (call, answer) in answers {
            match answer {
                Err(error) if error.kind == StorageErrorKind::InvalidPath => {}
                Err(error) => faults.push(format!("{rule}: {call}: {}", in_words(&error))),
                Ok(()) => faults.push(format!("{rule}: {call} without an error")),
            }
        }
    }
    let stored = it.paths("").await?;
    if !stored.is_empty() {
        faults.push(format!("stored files: {stored:?}"));
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(fault(
        "each path that breaks a rule is refused with invalid_path, and nothing is written",
        faults.join("; "),
    ))
}

pub(super) async fn harmless(it: &CheckEnvironment) -> CheckVerdict {
    it.write("before.md", b"before\n").await?;
    for name in ["a:b.md", "con.md", "x/.git/y"] {
        if it.write_if(name, b"refused\n", &FilePrecondition::Any).await.is_ok() {
            let _ = it.backend.delete(&it.at(name), &FilePrecondition::Any).await;
            return Err(fault(format!("write {name:?} is refused"), "success"));
        }
        it.write("after.md", name.as_bytes()).await?;
        it.holds("after.md", Some(name.as_bytes())).await?;
        it.holds("before.md", Some(b"before\n")).await?;
    }
    same("the files of the prefix", &it.paths("").await?, &vec![it.at("after.md"), it.at("before.md")])
}
