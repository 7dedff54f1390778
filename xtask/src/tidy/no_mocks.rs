//! Tests of operations memory run the shipped store, parsers and namespace builder, because a mock
//! would prove nothing about them. A store that wraps the real one to inject failures is not a
//! mock.

use super::rust_text::is_word;
use super::tree::SourceFile;
use super::{Finding, Tree};

/// The paths of these tests.
const TESTS: [&str; 8] = [
    "compat/boto3/test_operations_agent.py",
    "crates/alerts/",
    "crates/app/tests/it/",
    "crates/client/src/operations/memory/",
    "crates/operations/src/",
    "crates/engine/tests/it/operations/",
    "crates/server/tests/mcp/operations.rs",
    "xtask/src/walk/",
];
/// Parts of names that indicate a stand-in.
const STANDINS: [&str; 5] = ["mock", "fake", "stub", "dummy", "monkeypatch"];
/// The ports that these tests must use with their real adapters.
const PORTS: [&str; 4] = ["Store", "ReadTx", "WriteTx", "AlertReader"];
/// The only place that implements readers of alerts.
const READERS: &str = "crates/alerts/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| TESTS.iter().any(|place| file.path.starts_with(place))) {
        let code = if file.path.ends_with(".rs") { &file.code } else { &file.text };
        let mut before = ["", ""];
        for (line, name) in identifiers(code) {
            let is_standin = STANDINS.iter().any(|part| name.to_lowercase().contains(part));
            let is_adapter = before[1] == "for" && implemented(&before, file);
            if is_standin || is_adapter {
                found.push(finding(file, line, name));
            }
            before = [before[1], name];
        }
    }
    found
}

/// Returns true if the words before a type are `Port for`, where the port is one that tests must
/// not implement.
fn implemented(before: &[&str; 2], file: &SourceFile) -> bool {
    PORTS.contains(&before[0]) && !(before[0] == "AlertReader" && file.path.starts_with(READERS))
}

/// Returns the words of code, with their lines.
fn identifiers(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_separator = |letter: char| u8::try_from(letter).is_ok_and(|byte| !is_word(byte));
    (1..).zip(code.lines()).flat_map(move |(number, line)| {
        line.split(is_separator).filter(|word| !word.is_empty()).map(move |word| (number, word))
    })
}

fn finding(file: &SourceFile, line: usize, name: &str) -> Finding {
    Finding {
        file: file.path.clone(),
        line,
        rule: "no-mocks",
        what: format!("`{name}` stands in for what is tested."),
        remedy: "Write to the real store, open it anew and read; fail at will through a store around it.",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::sample::files;
    use super::*;

    #[test]
    fn what_stands_in_for_the_real_thing_is_found() {
        let check = |path: &str, text: &str, expect: &[usize]| {
            let lines: Vec<usize> = check(&files(&[(path, text)])).iter().map(|found| found.line).collect();
            assert_eq!(lines, expect, "{path}: {text}");
        };
        let ours = "crates/engine/tests/it/operations/saving.rs";
        check(ours, "let store = MockStore::new();", &[1]);
        check(ours, "//! no mocks\n// a fake is none\nlet text = \"stub\";\nlet a = fake_parser();", &[4]);
        check(ours, "struct Kept;\nimpl Store for Kept {}\nimpl<T> ReadTx for Kept {}", &[2, 3]);
        check(ours, "impl Clock for Still {}\nfn of<S: Store>(store: &S) {}", &[]);
        check("crates/alerts/src/opsgenie.rs", "impl AlertReader for Opsgenie {}", &[]);
        check("crates/alerts/src/opsgenie.rs", "impl Store for Opsgenie {}", &[1]);
        check("compat/boto3/test_operations_agent.py", "import json\nfrom unittest import mock\n", &[2]);
        check("crates/engine/tests/it/fixture.rs", "struct FakeModel;", &[]);
    }
}
