//! Tests of whole records: citations with claims, citations without anchors, and the limits of
//! both.

use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::{EntryKind, ObjectId, Revision};
use loci_model::facts::verdict::{CitationVerdict, Unverifiable, Verdict, Verification};
use loci_testkit_ports::{CodeHistory, ManualClock, TickingClock};
use serde_json::{Value, json};

use super::{
    HashAgreement, Information, LineCache, MadeAnchor, Quorum, Verifier, VerifierLimits, compare_hash,
    information, read_claims,
};

const VERSION: &str = "\
[package]
name = \"engine\"
version = \"2.1.5\"
edition = \"2024\"
";
const SETUP: &str = "\
def setup_package():
    register(name='engine', version='2.1.5', extras=[])
    finish_setup()
";
const MAIN: &str = "\
pub fn retry_limit() -> u32 {
    let limit = 3;
    limit
}

pub fn main() {
    run(retry_limit());
}
";

fn place(path: &str, line_start: u32, line_end: u32) -> LineRange {
    LineRange { path: path.to_owned(), line_start, line_end }
}

struct World {
    history: CodeHistory,
    first: ObjectId,
}

impl World {
    fn new() -> Self {
        let mut history = CodeHistory::new();
        let first = history.commit(&[("Cargo.toml", VERSION), ("setup.py", SETUP), ("src/main.rs", MAIN)]);
        Self { history, first }
    }

    fn made(&self, place: &LineRange, fact: &str) -> MadeAnchor {
        let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
        let at = Revision::Commit(self.first);
        Verifier::new(&self.history, at, &cache, "t", &clock, VerifierLimits::default())
            .anchor(place, fact, true)
            .unwrap()
    }

    fn citations(&self) -> Vec<Citation> {
        [place("Cargo.toml", 1, 4), place("setup.py", 1, 3), place("src/main.rs", 1, 4)]
            .iter()
            .map(|place| Citation {
                anchor: self.made(place, "").anchor,
                current: None,
                earlier_paths: Vec::new(),
            })
            .collect()
    }

    fn verify(&self, citations: &[Citation], claims: &[Value], quorum: Quorum) -> Verification {
        let claims = read_claims(claims, "claims", citations.len()).unwrap();
        self.limited(citations, &claims, quorum, VerifierLimits::default())
    }

    fn limited(
        &self,
        citations: &[Citation],
        claims: &[Claim],
        quorum: Quorum,
        limits: VerifierLimits,
    ) -> Verification {
        let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
        Verifier::new(&self.history, self.history.tip(), &cache, "t", &clock, limits)
            .verify(citations, claims, quorum)
    }

    fn unanchored(&self, place: &LineRange, hash: Option<&str>) -> CitationVerdict {
        let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
        Verifier::new(&self.history, self.history.tip(), &cache, "t", &clock, VerifierLimits::default())
            .check_unanchored(place, hash)
    }
}

fn shown(verification: &Verification) -> String {
    let citations =
        verification.citations.iter().map(|c| format!("{}/{}", c.verdict.as_str(), c.method.as_str()));
    let claims =
        verification.claims.iter().map(|c| c.holds.map_or("?", |holds| if holds { "+" } else { "-" }));
    let (citations, claims) = (citations.collect::<Vec<_>>().join(" "), claims.collect::<String>());
    format!("{}: {citations} [{claims}]", verification.verdict.as_str())
}

/// All places of a version may change together, but not one alone.
#[test]
fn claims_decide_what_a_change_means() {
    let mut world = World::new();
    let citations = world.citations();
    let same =
        json!({"kind": "same_capture", "citations": [0, 1], "regexes": ["version ?= ?[\"']([\\d.]+)"]});
    let two = &citations[..2];
    assert_eq!(
        shown(&world.verify(two, std::slice::from_ref(&same), Quorum::All)),
        "valid: valid/unchanged valid/unchanged [+]"
    );
    world.history.write("Cargo.toml", Some(&VERSION.replace("2.1.5", "2.2.0")));
    assert_eq!(
        shown(&world.verify(two, std::slice::from_ref(&same), Quorum::All)),
        "contradicted: contradicted/fuzzy contradicted/unchanged [-]"
    );
    world.history.write("setup.py", Some(&SETUP.replace("2.1.5", "2.2.0")));
    assert_eq!(shown(&world.verify(two, &[same], Quorum::All)), "valid: valid/by_claims valid/by_claims [+]");
    assert_eq!(shown(&world.verify(two, &[], Quorum::All)), "drifted: drifted/fuzzy drifted/fuzzy []");
    let first = json!({"kind": "contains", "citation": 0, "literal": "engine"});
    assert_eq!(
        shown(&world.verify(two, &[first], Quorum::All)),
        "drifted: drifted/fuzzy drifted/fuzzy [+]",
        "the second has no claim"
    );
}

#[test]
fn each_kind_of_claim_holds_or_does_not() {
    let world = World::new();
    let citations = world.citations();
    for (claim, expect) in [
        (json!({"kind": "contains", "citation": 2, "literal": "limit = 3"}), Some(true)),
        (json!({"kind": "contains", "citation": 2, "literal": "limit = 4"}), Some(false)),
        (json!({"kind": "contains", "citation": 2, "literal": "pub fn main"}), Some(false)),
        (json!({"kind": "matches", "citation": 2, "regex": "^ +let \\w+ = \\d;$"}), Some(true)),
        (json!({"kind": "matches", "citation": 2, "regex": "unsafe"}), Some(false)),
        (json!({"kind": "equals", "citation": 2, "regex": "limit = (\\d+)", "literal": "3"}), Some(true)),
        (json!({"kind": "equals", "citation": 2, "regex": "limit = (\\d+)", "literal": "4"}), Some(false)),
        (json!({"kind": "equals", "citation": 2, "regex": "bound = (\\d+)", "literal": "4"}), Some(false)),
        (json!({"kind": "absent", "glob": "**/*.rs", "regex": "unsafe"}), Some(true)),
        (json!({"kind": "absent", "glob": "**/*.rs", "regex": "retry_limit"}), Some(false)),
        (json!({"kind": "absent", "glob": "**/*.go", "regex": "x"}), Some(true)),
        (json!({"kind": "every_file", "glob": "**/*.rs", "regex": "fn main"}), Some(true)),
        (json!({"kind": "every_file", "glob": "*", "regex": "fn main"}), Some(false)),
        (json!({"kind": "every_file", "glob": "**/*.go", "regex": "x"}), Some(false)),
        (json!({"kind": "path_exists", "path": "src"}), Some(true)),
        (json!({"kind": "path_exists", "path": "lib"}), Some(false)),
        (json!({"kind": "path_absent", "path": "lib"}), Some(true)),
        (json!({"kind": "path_absent", "path": "setup.py"}), Some(false)),
        (json!({"kind": "symbol_defined", "path": "src/main.rs", "name": "retry_limit"}), Some(true)),
        (json!({"kind": "symbol_defined", "path": "src/main.rs", "name": "run"}), Some(false)),
        (json!({"kind": "symbol_defined", "path": "setup.py", "name": "setup_package"}), Some(true)),
        (
            json!({"kind": "config_value", "path": "Cargo.toml", "pointer": "/package/version", "literal": "2.1.5"}),
            Some(true),
        ),
        (
            json!({"kind": "config_value", "path": "Cargo.toml", "pointer": "/package/version", "literal": "2"}),
            Some(false),
        ),
        (
            json!({"kind": "config_value", "path": "Cargo.toml", "pointer": "/package/x", "literal": "2"}),
            Some(false),
        ),
        (json!({"kind": "config_value", "path": "none.toml", "pointer": "/a", "literal": "2"}), Some(false)),
        (json!({"kind": "config_value", "path": "setup.py", "pointer": "/a", "literal": "2"}), None),
    ] {
        let verification = world.verify(&citations, std::slice::from_ref(&claim), Quorum::All);
        assert_eq!(verification.claims[0].holds, expect, "{claim} {:?}", verification.claims[0].detail);
        let verdict = match expect {
            Some(true) => Verdict::Valid,
            Some(false) => Verdict::Contradicted,
            None => Verdict::Unverifiable,
        };
        assert_eq!(verification.verdict, verdict, "{claim}");
    }
}

#[test]
fn claims_about_what_is_gone_or_unreadable_are_unknown() {
    let mut world = World::new();
    let citations = world.citations();
    let claims = [
        json!({"kind": "contains", "citation": 2, "literal": "limit = 3"}),
        json!({"kind": "symbol_defined", "path": "src/main.rs", "name": "main"}),
        json!({"kind": "absent", "glob": "**", "regex": "unsafe"}),
    ];
    world.history.lose(CodeHistory::blob_id(MAIN));
    let verification = world.verify(&citations, &claims, Quorum::All);
    assert_eq!(shown(&verification), "unverifiable: valid/unchanged valid/unchanged valid/unchanged [???]");
    world.history.write("src/main.rs", Some("// all is gone\n"));
    let verification = world.verify(&citations, &claims[..1], Quorum::All);
    assert_eq!(shown(&verification), "gone: valid/unchanged valid/unchanged gone/none [?]");
    for why in Unverifiable::ALL {
        world.history.fail(Some(*why));
        let verification = world.verify(&citations, &claims, Quorum::All);
        assert_eq!(verification.verdict, Verdict::Unverifiable);
        assert!(verification.claims.iter().all(|claim| claim.holds.is_none()));
    }
}

#[test]
fn a_quorum_lets_some_be_lost_but_no_claim() {
    let mut world = World::new();
    let citations = world.citations();
    world.history.write("src/main.rs", None);
    for (quorum, expect) in [
        (Quorum::All, Verdict::Gone),
        (Quorum::AtLeast(0), Verdict::Valid),
        (Quorum::AtLeast(2), Verdict::Valid),
        (Quorum::AtLeast(3), Verdict::Gone),
    ] {
        assert_eq!(world.verify(&citations, &[], quorum).verdict, expect, "{quorum:?}");
    }
    let lie = json!({"kind": "path_exists", "path": "src/main.rs"});
    assert_eq!(world.verify(&citations, &[lie], Quorum::AtLeast(1)).verdict, Verdict::Contradicted);
    assert_eq!(world.verify(&[], &[], Quorum::All).verdict, Verdict::Unverifiable);
}

/// Files that no list names were not read. Then no claim about all files is true.
#[test]
fn claims_about_files_that_cannot_be_listed_are_unknown() {
    let mut world = World::new();
    world.history.leave_unlisted(&["bad\u{fffd}.py", "docs/odd\u{fffd}/", "big34.txt"]);
    for (kind, glob, regex, expect) in [
        ("absent", "*.py", "nowhere_at_all", None),
        ("absent", "docs/*.md", "nowhere_at_all", None),
        ("absent", "**/*.toml", "nowhere_at_all", None),
        ("absent", "src/*.rs", "nowhere_at_all", Some(true)),
        ("absent", "**", ".", Some(false)),
        ("every_file", "big34*", "zzzz", None),
        ("every_file", "none34*", "zzzz", Some(false)),
    ] {
        let claim = json!({"kind": kind, "glob": glob, "regex": regex});
        let holds = world.verify(&[], &[claim], Quorum::All).claims.remove(0).holds;
        assert_eq!(holds, expect, "{kind} {glob} {regex}");
    }
}

/// Catastrophic patterns and globs over many files are bounded and unknown.
#[test]
fn claims_about_many_files_stop_at_their_limits() {
    let mut world = World::new();
    let files: Vec<(String, String)> =
        (0..200).map(|n| (format!("f{n:03}.txt"), "a".repeat(1_000))).collect();
    let entries: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let citations = world.citations();
    world.history.commit(&entries);
    let claims = |regex: &str| {
        read_claims(&[json!({"kind": "absent", "glob": "**", "regex": regex})], "c", 0).unwrap()
    };
    let holds = |regex: &str, limits| {
        let outcome = world.limited(&citations[..0], &claims(regex), Quorum::All, limits).claims.remove(0);
        (outcome.holds, outcome.detail)
    };
    let limits = VerifierLimits::default();
    assert_eq!(holds("(a+)+b$", limits), (Some(true), None));
    let few = VerifierLimits { claim_files_max: 100, ..limits };
    assert_eq!(holds("(a+)+b$", few), (None, Some("stopped after 100 files".to_owned())));
    assert_eq!(holds("(a+)+$", few).0, Some(false), "what was found decides");
    let small = VerifierLimits { claim_bytes_max: 50_000, ..limits };
    assert_eq!(holds("b", small), (None, Some("stopped after 50000 bytes".to_owned())));

    let (cache, clock) = (LineCache::new(1 << 20), TickingClock::new(1_000));
    let verifier = Verifier::new(&world.history, world.history.tip(), &cache, "t", &clock, limits);
    let outcome = verifier.verify(&[], &claims("b"), Quorum::All).claims.remove(0);
    assert_eq!(outcome.holds, None, "{:?}", outcome.detail);
    assert!(outcome.detail.unwrap().starts_with("stopped after 2000 ms"));
}

/// A match cannot be interrupted, and it may visit many states at each byte.
#[test]
fn a_large_pattern_and_a_large_file_are_unknown_and_not_compared() {
    let mut world = World::new();
    let citations = world.citations();
    let text = format!("{}\n", "ab".repeat(40)).repeat(2_000);
    world.history.commit(&[("a.txt", text.as_str())]);
    let holds = |regex: &str| {
        let claim = json!({"kind": "absent", "glob": "*.txt", "regex": regex});
        let claims = read_claims(&[claim], "c", 0).unwrap();
        let limits = VerifierLimits::default();
        let outcome = world.limited(&citations[..0], &claims, Quorum::All, limits).claims.remove(0);
        (outcome.holds, outcome.detail, outcome.unverifiable)
    };
    let too_large = Some("a.txt is too large for the pattern".to_owned());
    assert_eq!(holds(r"a[ab\n]{2500}[^ab\n]"), (None, too_large, Some(Unverifiable::TooLarge)));
    assert_eq!(holds(r"a[ab\n]{3}[^ab\n]"), (Some(true), None, None));
}

/// A block that was not found in time is not gone.
#[test]
fn a_search_that_is_cut_off_leaves_a_doubt() {
    let mut world = World::new();
    let citations = world.citations();
    world.history.commit(&[("a.txt", "one"), ("b.txt", "two"), ("src/main.rs", "// nothing\n")]);
    let (cache, clock) = (LineCache::new(1 << 20), TickingClock::new(1_000));
    let limits = VerifierLimits { tree_ms_max: 500, ..VerifierLimits::default() };
    let verifier = Verifier::new(&world.history, world.history.tip(), &cache, "t", &clock, limits);
    let mut strong = citations[2].clone();
    strong.anchor.info = 8;
    assert_eq!(verifier.check(&strong).unverifiable, Some(Unverifiable::Deadline));
}

#[test]
fn without_an_anchor_the_hash_is_looked_for() {
    let mut world = World::new();
    let made = world.made(&place("src/main.rs", 1, 4), "");
    let hash = made.anchor.snippet_hash.clone();
    let at = |world: &World, path: &str, from, to, hash: Option<&str>| {
        let verdict = world.unanchored(&place(path, from, to), hash);
        let found =
            verdict.found.map(|p| format!(" {}:{}-{}", p.path, p.line_start, p.line_end)).unwrap_or_default();
        format!(
            "{} {}{found}{}",
            verdict.verdict.as_str(),
            verdict.method.as_str(),
            verdict.detail.map(|d| format!(" {d}")).unwrap_or_default()
        )
    };
    assert_eq!(at(&world, "src/main.rs", 1, 4, Some(&hash)), "valid in_place src/main.rs:1-4");
    assert_eq!(at(&world, "src/main.rs", 1, 4, None), "valid unanchored src/main.rs:1-4");
    assert_eq!(at(&world, "src/main.rs", 1, 4, Some("0123456789abcdef")), "valid unanchored src/main.rs:1-4");
    assert_eq!(at(&world, "src/main.rs", 7, 9, None), "gone none range_out_of_bounds");
    assert_eq!(at(&world, "none.rs", 1, 2, None), "gone none file_missing");
    assert_eq!(at(&world, "src/main.rs", 5, 8, Some(&hash)), "valid moved src/main.rs:1-4");
    world.history.write("src/main.rs", Some(&format!("// one\n\n{MAIN}")));
    assert_eq!(at(&world, "src/main.rs", 1, 4, Some(&hash)), "valid moved src/main.rs:3-6");
    world.history.write("src/main.rs", Some(&MAIN.replace("limit = 3", "limit = 4")));
    assert_eq!(at(&world, "src/main.rs", 1, 4, Some(&hash)), "gone none block_gone");
    world.history.write("src/main.rs", None);
    world.history.write("lib/main.rs", Some(MAIN));
    assert_eq!(at(&world, "src/main.rs", 1, 4, Some(&hash)), "valid relocated lib/main.rs:1-4");
}

#[test]
fn what_is_cited_says_enough_or_names_a_literal() {
    let world = World::new();
    let version = world.made(&place("Cargo.toml", 3, 3), "");
    let claim =
        |value| read_claims(&[json!({"kind": "contains", "citation": 0, "literal": value})], "c", 1).unwrap();
    for (made, fact, claims, expect) in [
        (&version, "The version is 2.1.5.", vec![], Information::Low),
        (&version, "The version is new.", vec![], Information::TooLow),
        (&version, "The version is new.", claim("2.1.5"), Information::Low),
        (&version, "The version is new.", claim("2.1"), Information::TooLow),
        (&world.made(&place("src/main.rs", 4, 4), ""), "Functions end.", vec![], Information::TooLow),
        (&world.made(&place("src/main.rs", 6, 6), ""), "It runs.", vec![], Information::Low),
        (&world.made(&place("setup.py", 1, 3), ""), "It registers.", vec![], Information::Enough),
    ] {
        assert_eq!(information(made, 0, fact, &claims), expect, "{} {fact}", made.content);
    }
}

/// The caller's hash is compared with the lines read.
#[test]
fn hashes_of_callers_are_compared() {
    let made = World::new().made(&place("Cargo.toml", 3, 3), "");
    let ours = made.anchor.snippet_hash.clone();
    for (given, expect) in [
        (ours.as_str(), HashAgreement::Agrees),
        (&ours[4..], HashAgreement::Agrees),
        ("vm1:00000000000000000000000000000000", HashAgreement::Differs),
        ("c0ffee00c0ffee00c0ffee00", HashAgreement::Ignored),
    ] {
        assert_eq!(compare_hash(given, &made), expect, "{given}");
    }
}

#[test]
fn a_link_is_its_target_name() {
    let mut history = CodeHistory::new();
    let first = history.commit_entries(&[("link", EntryKind::Symlink, b"releases/current_version")]);
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    let made =
        Verifier::new(&history, Revision::Commit(first), &cache, "t", &clock, VerifierLimits::default())
            .anchor(&place("link", 1, 1), "", true)
            .unwrap();
    let citation = Citation { anchor: made.anchor, current: None, earlier_paths: Vec::new() };
    history.commit_entries(&[
        ("link", EntryKind::Symlink, b"releases/next_version"),
        ("releases/current_version", EntryKind::File, b"x"),
    ]);
    let verifier = Verifier::new(&history, history.tip(), &cache, "t", &clock, VerifierLimits::default());
    assert_ne!(verifier.check(&citation).verdict, Verdict::Valid);
}

/// Unchanged cited files are not read, so they are not announced either.
#[test]
fn what_will_be_read_is_announced() {
    let mut world = World::new();
    let citations = world.citations();
    let (setup, main) = (format!("# setup\n{SETUP}"), format!("// main\n{MAIN}"));
    world.history.write("setup.py", Some(&setup));
    world.history.write("src/main.rs", Some(&main));
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    let at = world.history.tip();
    let verify = || {
        let verifier = Verifier::new(&world.history, at, &cache, "t", &clock, VerifierLimits::default());
        assert_eq!(verifier.verify(&citations, &[], Quorum::All).verdict, Verdict::Valid);
        world.history.announced()
    };
    let mut expect = [setup.as_str(), SETUP, main.as_str(), MAIN].map(CodeHistory::blob_id);
    expect.sort_unstable();
    assert_eq!(verify(), expect);
    // Cached files are not announced again.
    assert_eq!(verify(), expect);
}
