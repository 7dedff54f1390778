//! Tests of files with the name of a removed file, if there are more than are searched.

use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::code::{ObjectId, Revision};
use loci_model::facts::verdict::CitationVerdict;
use loci_testkit_ports::{CodeHistory, ManualClock};

use crate::verifier::thresholds::SAME_NAME_FILES_NEAR_MAX;
use crate::verifier::{LineCache, Verifier, VerifierLimits};

const BLOCK: &str = "export alpha beta 9\n";

fn with<T>(history: &CodeHistory, at: Revision, work: impl FnOnce(&Verifier<'_>) -> T) -> T {
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    work(&Verifier::new(history, at, &cache, "test", &clock, VerifierLimits::default()))
}

fn cited(history: &CodeHistory, commit: ObjectId) -> Citation {
    let place = LineRange { path: "one/index.ts".to_owned(), line_start: 1, line_end: 1 };
    let made = with(history, Revision::Commit(commit), |verifier| verifier.anchor(&place, "", true)).unwrap();
    Citation { anchor: made.anchor, current: None, earlier_paths: Vec::new() }
}

/// Returns this number of files with the name that contain `text`.
fn namesakes(count: usize, text: &str) -> Vec<(String, String)> {
    (0..count).map(|n| (format!("all/d{n:04}/index.ts"), format!("{text} {n}\n"))).collect()
}

fn borrowed(files: &[(String, String)]) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

#[test]
fn more_of_a_name_than_are_looked_through_are_a_doubt_where_they_changed() {
    let many = SAME_NAME_FILES_NEAR_MAX + 10;
    let (old, new) = ("unlike", "quite another");
    for (name, before, after, expect) in [
        ("as they were", namesakes(many, old), namesakes(many, old), "gone"),
        ("a few changed", namesakes(many, old), [namesakes(many, old), namesakes(9, new)].concat(), "gone"),
        ("all changed", namesakes(many, old), namesakes(many, new), "unverifiable too_large"),
        ("all new", Vec::new(), namesakes(many, new), "unverifiable too_large"),
        ("not too many", Vec::new(), namesakes(SAME_NAME_FILES_NEAR_MAX, new), "gone"),
    ] {
        let mut history = CodeHistory::new();
        let commit = history.commit(&[borrowed(&before), vec![("one/index.ts", BLOCK)]].concat());
        let citation = cited(&history, commit);
        history.commit(&borrowed(&after));
        assert_eq!(
            shown(&with(&history, history.tip(), |verifier| verifier.check(&citation))),
            expect,
            "{name}"
        );
    }
}

/// The moved file is found although it comes after all unchanged ones.
#[test]
fn what_changed_is_looked_through_first() {
    let before = namesakes(SAME_NAME_FILES_NEAR_MAX + 10, "unlike");
    let mut history = CodeHistory::new();
    let commit = history.commit(&[borrowed(&before), vec![("one/index.ts", BLOCK)]].concat());
    let citation = cited(&history, commit);
    let moved = format!("// Of another.\n{BLOCK}// Again.\n");
    history.commit(&[borrowed(&before), vec![("zz/y/x/index.ts", moved.as_str())]].concat());
    assert_ne!(shown(&with(&history, history.tip(), |verifier| verifier.check(&citation))), "gone");
}

fn shown(verdict: &CitationVerdict) -> String {
    let why = verdict.unverifiable.map(|why| format!(" {}", why.as_str())).unwrap_or_default();
    format!("{}{why}", verdict.verdict.as_str())
}
