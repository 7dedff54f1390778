//! Tests of the steps on repositories in memory: a citation in one commit, and the verdict on it in
//! a later one.

use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::code::{EntryKind, ObjectId, Revision};
use loci_model::facts::verdict::{CitationVerdict, Method, Unverifiable, Verdict};
use loci_model::ports::code::CodeSource;
use loci_testkit_ports::{CodeHistory, ManualClock};
use proptest::prelude::*;

use crate::verifier::{AnchorError, LineCache, MadeAnchor, Verifier, VerifierLimits};

pub(super) fn place(path: &str, line_start: u32, line_end: u32) -> LineRange {
    LineRange { path: path.to_owned(), line_start, line_end }
}

fn with_verifier<T>(source: &dyn CodeSource, at: Revision, work: impl FnOnce(&Verifier<'_>) -> T) -> T {
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    work(&Verifier::new(source, at, &cache, "test", &clock, VerifierLimits::default()))
}

fn anchor(source: &CodeHistory, commit: ObjectId, place: &LineRange) -> Result<MadeAnchor, AnchorError> {
    with_verifier(source, Revision::Commit(commit), |verifier| verifier.anchor(place, "", true))
}

fn cited(source: &CodeHistory, commit: ObjectId, place: &LineRange) -> Citation {
    Citation {
        anchor: anchor(source, commit, place).unwrap().anchor,
        current: None,
        earlier_paths: Vec::new(),
    }
}

fn found(source: &CodeHistory, citation: &Citation) -> CitationVerdict {
    with_verifier(source, source.tip(), |verifier| verifier.check(citation))
}

type Files<'a> = &'a [(&'a str, &'a str)];

/// Cites lines of the first commit and searches for them in the second.
pub(super) fn after(before: Files<'_>, place: &LineRange, after: Files<'_>) -> CitationVerdict {
    let mut history = CodeHistory::new();
    let commit = history.commit(before);
    let citation = cited(&history, commit, place);
    history.commit(after);
    found(&history, &citation)
}

/// Returns `verdict method path:start-end`, the last part only if something was found.
pub(super) fn shown(verdict: &CitationVerdict) -> String {
    let at = verdict.found.as_ref();
    let at = at.map(|p| format!(" {}:{}-{}", p.path, p.line_start, p.line_end)).unwrap_or_default();
    let detail = verdict.detail.as_ref().map(|detail| format!(" {detail}")).unwrap_or_default();
    format!("{} {}{at}{detail}", verdict.verdict.as_str(), verdict.method.as_str())
}

const CONFIG: &str = "\
pub struct Limits {
    pub retries_max: u32,
    pub timeout_ms: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { retries_max: 3, timeout_ms: 30_000 }
    }
}

pub fn read_limits(text: &str) -> Limits {
    let parsed = parse_table(text);
    Limits { retries_max: parsed.number(\"retries\"), timeout_ms: parsed.number(\"timeout\") }
}

fn parse_table(text: &str) -> Table {
    Table::from_lines(text.lines().map(str::trim))
}
";

#[test]
fn blocks_are_followed() {
    let header = format!("// A header.\n// Of two lines.\n{CONFIG}");
    let tabbed = CONFIG.replace("    ", "\t").replace('\n', "\r\n");
    let edited = CONFIG.replace("retries_max: 3", "retries_max: 5");
    let split = CONFIG.replace("    let parsed", "    log(text);\n    let parsed");
    let wrapped = CONFIG.replace(
        "    Limits { retries_max: parsed.number(\"retries\"), timeout_ms: parsed.number(\"timeout\") }\n",
        "    Limits {\n        retries_max: parsed.number(\"retries\"),\n        timeout_ms: parsed.number(\"timeout\") }\n",
    );
    let (head, tail) = CONFIG.split_at(CONFIG.find("fn parse_table").unwrap());
    let without = head.to_owned();
    let moved_out = format!("use super::Table;\n\n{tail}");
    let swapped = format!("{tail}\n{head}");
    for (name, cited, files, expect) in [
        ("same", (12, 15), vec![("a.rs", CONFIG)], "valid unchanged a.rs:12-15"),
        (
            "another file changed",
            (12, 15),
            vec![("a.rs", CONFIG), ("b.rs", "x")],
            "valid unchanged a.rs:12-15",
        ),
        ("edited elsewhere", (12, 15), vec![("a.rs", &edited)], "valid in_place a.rs:12-15"),
        ("lines above", (12, 15), vec![("a.rs", &header)], "valid moved a.rs:14-17"),
        ("white space", (1, 19), vec![("a.rs", &tabbed)], "valid in_place a.rs:1-19"),
        ("renamed", (12, 15), vec![("src/b.rs", CONFIG)], "valid renamed src/b.rs:12-15"),
        ("renamed and shifted", (12, 15), vec![("src/b.rs", &header)], "valid renamed src/b.rs:14-17"),
        (
            "moved to another file",
            (17, 19),
            vec![("a.rs", &without), ("b.rs", &moved_out)],
            "valid relocated b.rs:3-5",
        ),
        ("moved in the file", (17, 19), vec![("a.rs", &swapped)], "valid moved a.rs:1-3"),
        ("wrapped", (14, 14), vec![("a.rs", &wrapped)], "valid reformatted a.rs:14-16"),
        ("edited", (6, 10), vec![("a.rs", &edited)], "drifted fuzzy a.rs:6-10"),
        ("edited line alone", (8, 8), vec![("a.rs", &edited)], "drifted fuzzy a.rs:8-8"),
        ("split", (12, 15), vec![("a.rs", &split)], "drifted split a.rs:12-16"),
        ("deleted", (17, 19), vec![("a.rs", &without)], "gone none range_out_of_bounds"),
        ("deleted above", (1, 4), vec![("a.rs", tail)], "gone none range_out_of_bounds"),
        ("file deleted", (12, 15), vec![("c.rs", "fn unlike() {}")], "gone none file_missing"),
        ("emptied", (1, 1), vec![("a.rs", "\n\n\n")], "gone none block_gone"),
    ] {
        let verdict = after(&[("a.rs", CONFIG)], &place("a.rs", cited.0, cited.1), &files);
        assert_eq!(shown(&verdict), expect, "{name}");
    }
}

#[test]
fn lines_that_were_wrapped_together_with_their_neighbours_are_followed() {
    let before = "fn flags() {\n    let arg = Switch::new(\"ignore-vcs\")\n        .hidden()\n        .overrides(\"no-ignore-vcs\");\n    push(arg);\n}\n";
    let joined = before.replace("\n        .", ".");
    for (line, expect) in
        [(2, "valid reformatted a.rs:2-2"), (3, "valid reformatted a.rs:2-2"), (5, "valid moved a.rs:3-3")]
    {
        let verdict = after(&[("a.rs", before)], &place("a.rs", line, line), &[("a.rs", &joined)]);
        assert_eq!(shown(&verdict), expect, "{line}");
    }
    let edited = joined.replace(".hidden()", "");
    let verdict = after(&[("a.rs", before)], &place("a.rs", 3, 3), &[("a.rs", &edited)]);
    assert_ne!(verdict.verdict, Verdict::Valid, "{}", shown(&verdict));
}

/// Boilerplate of another module is no evidence of the cited line.
#[test]
fn little_in_a_file_of_the_same_name_is_not_the_cited_line() {
    let one = "# One\n\nWords of one,\nand some\nmore of\nthem,\nfive,\nsix,\nseven,\neight,\nnine,\nten.\n\n### Usage\n\nAdd this to your manifest:\n\n    one = \"1\"\n";
    let two = "# Two\n\nOther words\nhere,\nnone of them\nalike,\n5,\n6,\n7,\n8,\n9,\n10.\n\n### Usage\n\nAdd this to your manifest:\n\n    two = \"2\"\n";
    let verdict =
        after(&[("one/README.md", one)], &place("one/README.md", 16, 16), &[("two/README.md", two)]);
    assert_ne!(verdict.verdict, Verdict::Valid, "{}", shown(&verdict));
}

/// A copy is not the original.
#[test]
fn the_copy_of_a_deleted_block_is_not_the_block() {
    let guard = "    if request.is_empty() {\n        return Err(Error::EmptyRequest);\n    }\n";
    let one = format!("fn first(request: &str) {{\n{guard}    begin(request)\n}}\n");
    let two = format!("fn second(request: &str) {{\n{guard}    finish(request)\n}}\n");
    let both = format!("{one}\n{two}");
    let verdict = after(&[("a.rs", &both)], &place("a.rs", 2, 4), &[("a.rs", &two)]);
    assert_ne!(verdict.verdict, Verdict::Valid, "{}", shown(&verdict));
    let verdict = after(&[("a.rs", &both)], &place("a.rs", 9, 11), &[("a.rs", &two)]);
    assert_eq!(shown(&verdict), "valid moved a.rs:2-4");
    let verdict = after(&[("a.rs", &one), ("b.rs", &two)], &place("a.rs", 2, 4), &[("b.rs", &two)]);
    assert_ne!(verdict.verdict, Verdict::Valid, "{}", shown(&verdict));
    let longer = two.replace("finish", "log();\n    finish");
    let verdict = after(&[("a.rs", &one), ("b.rs", &two)], &place("a.rs", 2, 4), &[("b.rs", &longer)]);
    assert_ne!(verdict.verdict, Verdict::Valid, "{}", shown(&verdict));
}

#[test]
fn low_information_needs_its_surroundings() {
    let file = "fn alpha() {\n    step_one();\n    return value;\n}\n\nfn beta() {\n    other();\n}\n";
    let moved = format!("// one\n\n{file}");
    let verdict = after(&[("a.rs", file)], &place("a.rs", 3, 3), &[("a.rs", &moved)]);
    assert_eq!(shown(&verdict), "valid moved a.rs:5-5");
    let elsewhere = "fn beta() {\n    other();\n}\n\nfn gamma() {\n    third();\n    return value;\n}\n";
    let verdict = after(&[("a.rs", file)], &place("a.rs", 3, 3), &[("a.rs", elsewhere)]);
    assert_ne!(verdict.verdict, Verdict::Valid, "{}", shown(&verdict));
}

/// Lines outside of the file cannot be cited.
#[test]
fn places_outside_the_file_are_refused() {
    let mut history = CodeHistory::new();
    let bytes = |n: usize| vec![b'x'; n];
    let long = [bytes(70_000), b"\nshort".to_vec()].concat();
    let commit = history.commit_entries(&[
        ("a.rs", EntryKind::File, b"let answer = 42;\n\n"),
        ("bin", EntryKind::File, b"a\0b"),
        ("big", EntryKind::File, &b"0123456\n".repeat((1 << 20) + 1)),
        ("min.js", EntryKind::File, &long),
        ("link", EntryKind::Symlink, b"../../etc/passwd"),
        ("sub", EntryKind::Submodule, b"elsewhere"),
        ("dir/b.rs", EntryKind::File, b"x"),
        ("lfs.bin", EntryKind::File, b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"),
        ("vendor/c.js", EntryKind::File, b"let vendored_code = 1;\n"),
    ]);
    let why = |result: &Result<MadeAnchor, AnchorError>| match result {
        Err(AnchorError::Unreadable(error)) => Some(error.why),
        _ => None,
    };
    let at = |path: &str, from, to| anchor(&history, commit, &place(path, from, to));
    assert!(matches!(at("a.rs", 1, 3), Err(AnchorError::OutOfRange { lines_total: 2 })));
    assert!(matches!(at("a.rs", 3, 3), Err(AnchorError::OutOfRange { .. })));
    assert!(matches!(at("a.rs", 2, 2), Err(AnchorError::Blank)));
    assert!(matches!(at("a.rs", 0, 1), Err(AnchorError::Range)));
    assert!(matches!(at("a.rs", 2, 1), Err(AnchorError::Range)));
    assert!(matches!(at("a.rs", 1, 500), Err(AnchorError::Span)));
    assert!(matches!(at("../a.rs", 1, 1), Err(AnchorError::Path(_))));
    assert!(matches!(at("nothing.rs", 1, 1), Err(AnchorError::Missing)));
    assert!(matches!(at("dir", 1, 1), Err(AnchorError::Missing)));
    assert_eq!(why(&at("bin", 1, 1)), Some(Unverifiable::Binary));
    assert_eq!(why(&at("big", 1, 1)), Some(Unverifiable::TooLarge));
    assert_eq!(why(&at("min.js", 2, 2)), Some(Unverifiable::Minified));
    assert_eq!(why(&at("sub", 1, 1)), Some(Unverifiable::Submodule));
    let link = at("link", 1, 1).unwrap();
    assert_eq!((link.symlink, link.content.as_str()), (true, "../../etc/passwd"));
    assert!(at("lfs.bin", 1, 3).unwrap().lfs);
    assert!(at("vendor/c.js", 1, 1).unwrap().generated);
    let plain = at("a.rs", 1, 2).unwrap();
    assert!(!plain.symlink && !plain.lfs && !plain.generated);
    assert_eq!(plain.content, "let answer = 42;\n");
}

/// A forge lists a limited number of renames. A file beyond them that was renamed and edited is not
/// gone.
#[test]
fn what_may_have_been_renamed_is_not_gone() {
    let before = "fn start() {\n    let timeout_ms = 30;\n    go();\n}\n";
    let after = "/// Starts.\nfn start() {\n    let timeout_ms = 30;\n    go();\n}\n";
    let check = |path: &str, is_told: bool, expect: &str| {
        let mut history = CodeHistory::new();
        let commit = history.commit(&[("a.rs", before)]);
        let citation = cited(&history, commit, &place("a.rs", 2, 2));
        if !is_told {
            history.leave_out_renames();
        }
        history.commit(&[(path, after)]);
        assert_eq!(shown(&found(&history, &citation)), expect, "{path} {is_told}");
    };
    check("b.rs", true, "valid renamed b.rs:3-3");
    check("b.rs", false, "unverifiable none");
    check("lib/a.rs", false, "valid relocated lib/a.rs:3-3");
    check("a.rs", false, "valid moved a.rs:3-3");
}

/// A file that can no longer be read is neither valid nor gone.
#[test]
fn what_cannot_be_read_is_unverifiable() {
    let cited_at = place("a.rs", 12, 15);
    let start = |history: &mut CodeHistory| {
        let commit = history.commit(&[("a.rs", CONFIG)]);
        cited(history, commit, &cited_at)
    };
    let binary = format!("{CONFIG}\0");
    let minified = format!("{CONFIG}\n{}", "x".repeat(70_000));
    let huge = format!("{CONFIG}{}", "0123456\n".repeat((1 << 20) + 1));
    for (text, why) in [
        (&binary, Unverifiable::Binary),
        (&minified, Unverifiable::Minified),
        (&huge, Unverifiable::TooLarge),
    ] {
        let mut history = CodeHistory::new();
        let citation = start(&mut history);
        history.commit(&[("a.rs", text)]);
        let verdict = found(&history, &citation);
        assert_eq!((verdict.verdict, verdict.unverifiable), (Verdict::Unverifiable, Some(why)));
    }
    let mut history = CodeHistory::new();
    let citation = start(&mut history);
    history.commit_entries(&[("a.rs", EntryKind::Submodule, b"x")]);
    assert_eq!(found(&history, &citation).unverifiable, Some(Unverifiable::Submodule));

    let edited = CONFIG.replace("retries", "tries");
    let mut history = CodeHistory::new();
    let citation = start(&mut history);
    history.commit(&[("a.rs", &edited)]);
    history.lose(CodeHistory::blob_id(&edited));
    assert_eq!(found(&history, &citation).unverifiable, Some(Unverifiable::PartialClone));
    for why in Unverifiable::ALL {
        history.fail(Some(*why));
        assert_eq!(found(&history, &citation).unverifiable, Some(*why));
    }
}

/// Returns the cited file, together with others.
fn with<'a>(own: &'a str, others: &[(&'a str, &'a String)]) -> Vec<(&'a str, &'a str)> {
    std::iter::once(("a.rs", own)).chain(others.iter().map(|(path, text)| (*path, text.as_str()))).collect()
}

/// A block that may have moved into an unsearched file is not gone; one that cannot have moved
/// there is.
#[test]
fn what_may_have_moved_into_a_large_file_is_not_gone() {
    let (rest, moved) = CONFIG.split_at(CONFIG.find("pub fn read_limits").unwrap());
    let filler = "let row = 1;\n".repeat((9 << 20) / 13);
    let long = "x".repeat(70_000);
    let (large, other) = (format!("{filler}{moved}"), format!("{filler}{rest}"));
    let (minified, cut) = (format!("{moved}\n{long}"), format!("{rest}\n{long}"));
    let binary = format!("\0{large}");
    for (name, before, files, expect) in [
        ("into a large file", vec![], vec![("b.rs", &large)], "unverifiable too_large"),
        ("into one that was there", vec![("b.rs", &other)], vec![("b.rs", &large)], "unverifiable too_large"),
        ("a large one beside it", vec![], vec![("b.rs", &other)], "gone"),
        ("a large one of no text", vec![], vec![("b.rs", &binary)], "gone"),
        ("a copy that is as it was", vec![("b.rs", &large)], vec![("b.rs", &large)], "gone"),
        ("a copy elsewhere in it", vec![("b.rs", &large)], vec![("b.rs", &binary), ("c.rs", &cut)], "gone"),
        ("into one with long lines", vec![], vec![("b.rs", &minified)], "unverifiable minified"),
        ("one with long lines beside it", vec![], vec![("b.rs", &cut)], "gone"),
        ("a generated one", vec![], vec![("dist/b.rs", &large)], "gone"),
    ] {
        let verdict = after(&with(CONFIG, &before), &place("a.rs", 12, 15), &with(rest, &files));
        let why = verdict.unverifiable.map(|why| format!(" {}", why.as_str())).unwrap_or_default();
        assert_eq!(format!("{}{why}", verdict.verdict.as_str()), expect, "{name}");
    }
}

#[test]
fn a_commit_that_is_no_longer_there_costs_only_the_prediction() {
    let mut history = CodeHistory::new();
    let commit = history.commit(&[("a.rs", CONFIG)]);
    let citation = cited(&history, commit, &place("a.rs", 12, 15));
    let shifted = format!("// one\n// two\n{CONFIG}");
    history.commit(&[("a.rs", &shifted)]);
    history.lose(commit);
    history.lose(CodeHistory::blob_id(CONFIG));
    assert_eq!(shown(&found(&history, &citation)), "valid moved a.rs:14-17");
    history.write("a.rs", Some(&CONFIG.replace("parsed", "table").replace("Limits", "Bounds")));
    assert_ne!(found(&history, &citation).verdict, Verdict::Valid);
    history.write("a.rs", Some("// nothing is left\n"));
    assert_eq!(shown(&found(&history, &citation)), "gone none range_out_of_bounds");
    history.write("a.rs", None);
    assert_eq!(
        found(&history, &citation).verdict,
        Verdict::Unverifiable,
        "whether it was renamed is not known"
    );
}

#[test]
fn a_file_that_was_replaced_under_its_path_is_followed() {
    let mut history = CodeHistory::new();
    let commit = history.commit(&[("lib.rs", CONFIG)]);
    let citation = cited(&history, commit, &place("lib.rs", 3, 4));
    history.commit(&[("core/lib.rs", CONFIG)]);
    history.commit(&[("core/lib.rs", CONFIG), ("lib.rs", "pub use core::*;\n")]);
    let verdict = found(&history, &citation);
    assert_eq!(shown(&verdict), "valid renamed core/lib.rs:3-4");
    assert!(!verdict.in_bounds);
}

#[test]
fn of_two_copies_that_went_away_only_the_one_that_moved_is_found() {
    let wrapped = CONFIG.replace("text.lines().map(str::trim)", "text.lines()\n    .map(str::trim)");
    for (cited_path, line, moved, expect) in [
        ("src/limits.rs", 3, CONFIG, "valid renamed core/limits.rs:3-6"),
        ("copy/limits.rs", 3, CONFIG, "drifted fuzzy core/limits.rs:3-6"),
        ("src/limits.rs", 16, &wrapped, "valid reformatted core/limits.rs:17-20"),
        ("copy/limits.rs", 16, &wrapped, "drifted fuzzy core/limits.rs:17"),
    ] {
        let mut history = CodeHistory::new();
        let commit = history.commit(&[("copy/limits.rs", CONFIG), ("src/limits.rs", CONFIG)]);
        let citation = cited(&history, commit, &place(cited_path, line, line + 3));
        history.commit(&[("src/limits.rs", CONFIG)]);
        history.commit(&[("core/limits.rs", moved)]);
        let shown = shown(&found(&history, &citation));
        assert!(shown.starts_with(expect), "{cited_path}:{line}: {shown}");
    }
}

#[test]
fn what_a_new_file_holds_is_nobodys_though_a_copy_went_away_that_is_like_it() {
    let mut history = CodeHistory::new();
    let commit = history.commit(&[("README.md", CONFIG), ("copy/README.md", CONFIG)]);
    let citation = cited(&history, commit, &place("README.md", 6, 10));
    history.commit(&[("README.md", "# Anew\n")]);
    history.commit(&[("README.md", "# Anew\n"), ("docs/guide.md", &format!("# Guide\n{CONFIG}"))]);
    assert_eq!(shown(&found(&history, &citation)), "valid relocated docs/guide.md:7-11");
}

#[test]
fn where_it_is_now_is_looked_at_first() {
    let mut history = CodeHistory::new();
    let commit = history.commit(&[("a.rs", CONFIG)]);
    let mut citation = cited(&history, commit, &place("a.rs", 12, 15));
    let now = history.commit(&[("b.rs", CONFIG)]);
    citation.current = Some((place("b.rs", 12, 15), now));
    let shifted = format!("// one\n{CONFIG}");
    history.commit(&[("a.rs", CONFIG.get(..100).unwrap()), ("b.rs", &shifted)]);
    assert_eq!(shown(&found(&history, &citation)), "valid renamed b.rs:13-16");
}

#[test]
fn drifted_blocks_say_what_they_lost() {
    let mut history = CodeHistory::new();
    let commit = history.commit(&[("a.rs", CONFIG)]);
    let made = with_verifier(&history, Revision::Commit(commit), |verifier| {
        verifier.anchor(&place("a.rs", 6, 10), "`retries_max` is 3 by default.", true).unwrap()
    });
    assert_eq!(made.anchor.grounded, ["retries_max", "3"]);
    let citation = Citation { anchor: made.anchor, current: None, earlier_paths: Vec::new() };
    for (from, to, drift) in [("retries_max: 3", "retries_max: 5", "high"), ("30_000", "60_000", "low")] {
        history.commit(&[("a.rs", &CONFIG.replace(from, to))]);
        let verdict = found(&history, &citation);
        assert_eq!((verdict.verdict, verdict.method), (Verdict::Drifted, Method::Fuzzy));
        assert_eq!(verdict.drift.map(|drift| drift.as_str()), Some(drift));
        let diff = verdict.diff.unwrap();
        assert!(diff.contains("-Self { retries_max: 3, timeout_ms: 30_000 }\n+Self {"), "{diff}");
    }
}

#[test]
fn files_are_read_once_for_all_citations() {
    let mut history = CodeHistory::new();
    let commit = history.commit(&[("a.rs", CONFIG)]);
    let citations: Vec<_> =
        (1..=15).map(|line| place("a.rs", line, line + 3)).map(|p| cited(&history, commit, &p)).collect();
    history.commit(&[("a.rs", &format!("// one\n{CONFIG}"))]);
    let before = history.reads();
    with_verifier(&history, history.tip(), |verifier| {
        for citation in &citations {
            assert_eq!(verifier.check(citation).verdict, Verdict::Valid);
        }
    });
    assert_eq!(history.reads() - before, 2, "the old blob and the new one");
}

/// Returns lines that each occur once.
fn unique_lines(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("    let value_{n} = compute_step_{n}(input_{n}, option_{n});")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_unique_block_is_followed_wherever_it_goes(
        start in 0_usize..30, length in 2_usize..8, to in 0_usize..40, other_file in any::<bool>(),
    ) {
        let lines = unique_lines(40);
        let text = lines.join("\n");
        let mut rest = lines.clone();
        let block: Vec<_> = rest.drain(start..start + length).collect();
        let cited_at = place("a.rs", start as u32 + 1, (start + length) as u32);
        if other_file {
            let there = format!("// another file\n{}\n// its end\n", block.join("\n"));
            let verdict = after(&[("a.rs", &text)], &cited_at, &[("a.rs", &rest.join("\n")), ("b.rs", &there)]);
            prop_assert_eq!(shown(&verdict), format!("valid relocated b.rs:2-{}", length + 1));
        } else {
            let to = to.min(rest.len());
            rest.splice(to..to, block);
            let verdict = after(&[("a.rs", &text)], &cited_at, &[("a.rs", &rest.join("\n"))]);
            prop_assert_eq!(verdict.verdict, Verdict::Valid);
            prop_assert_eq!(verdict.found.map(|p| p.line_start as usize), Some(to + 1));
        }
    }

    #[test]
    fn a_deleted_block_is_never_valid(start in 0_usize..30, length in 1_usize..8) {
        let mut lines = unique_lines(40);
        let text = lines.join("\n");
        lines.drain(start..start + length);
        let cited_at = place("a.rs", start as u32 + 1, (start + length) as u32);
        let verdict = after(&[("a.rs", &text)], &cited_at, &[("a.rs", &lines.join("\n"))]);
        prop_assert_ne!(verdict.verdict, Verdict::Valid);
    }

    #[test]
    fn lines_above_and_white_space_change_nothing(
        start in 0_usize..14, length in 1_usize..5, above in 0_usize..9, tabs in any::<bool>(),
        crlf in any::<bool>(),
    ) {
        let cited_at = place("a.rs", start as u32 + 1, (start + length) as u32);
        let mut history = CodeHistory::new();
        let commit = history.commit(&[("a.rs", CONFIG)]);
        let Ok(made) = anchor(&history, commit, &cited_at) else { return Ok(()) };
        let mut text = format!("{}{CONFIG}", "// inserted\n".repeat(above));
        if tabs { text = text.replace("    ", "\t"); }
        if crlf { text = text.replace('\n', "\r\n"); }
        history.commit(&[("a.rs", &text)]);
        let citation = Citation { anchor: made.anchor, current: None, earlier_paths: Vec::new() };
        let verdict = found(&history, &citation);
        prop_assert_eq!(verdict.verdict, Verdict::Valid, "{}", shown(&verdict));
    }
}
