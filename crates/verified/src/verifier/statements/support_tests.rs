//! Support of statements by cited code: by claims, by names and values, and by other values, always
//! together with the verdict.

use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::support::{Support, SupportReason, SupportReport};
use loci_model::facts::verdict::Verdict;
use loci_testkit_ports::{CodeHistory, ManualClock};

use crate::verifier::{LineCache, Quorum, Verifier, VerifierLimits};

const CART: &str = "use crate::money::Cents;\n\nimpl Cart {\n    pub fn add_item(&mut self, item: Item) -> Result<(), CartFull> {\n        if self.items.len() >= MAX_ITEMS {\n            return Err(CartFull);\n        }\n        self.items.push(item);\n        Ok(())\n    }\n}\n";
const LIMITS: &str =
    "pub const MAX_NAME: usize = 200;\npub const MAX_ITEMS: usize = 50;\nconst MODE: &str = \"fast\";\n";

/// Returns the verdict and the support of a statement at the tip after a change, with a citation
/// stored at the tip before.
fn found(
    statement: &str,
    place: (&str, u32, u32),
    claims: &[Claim],
    then: Option<(&str, &str)>,
) -> (Verdict, SupportReport) {
    found_in(&[("src/cart.rs", CART), ("src/limits.rs", LIMITS)], statement, place, claims, then)
}

fn found_in(
    files: &[(&str, &str)],
    statement: &str,
    (path, line_start, line_end): (&str, u32, u32),
    claims: &[Claim],
    then: Option<(&str, &str)>,
) -> (Verdict, SupportReport) {
    let mut history = CodeHistory::new();
    history.commit(files);
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    let verifier = |history: &CodeHistory, look: &mut dyn FnMut(&Verifier<'_>)| {
        look(&Verifier::new(history, history.tip(), &cache, "t", &clock, VerifierLimits::default()));
    };
    let mut citations = Vec::new();
    verifier(&history, &mut |verifier| {
        let place = LineRange { path: path.to_owned(), line_start, line_end };
        let anchor = verifier.anchor(&place, statement, true).unwrap().anchor;
        citations.push(Citation { anchor, current: None, earlier_paths: Vec::new() });
    });
    if let Some((path, text)) = then {
        history.commit(&[(path, text)]);
    }
    let mut answer = None;
    verifier(&history, &mut |verifier| {
        let verification = verifier.verify(&citations, claims, Quorum::All);
        let report = verifier.support(statement, &citations, claims, &verification);
        answer = Some((verification.verdict, report));
    });
    answer.unwrap()
}

#[test]
fn unchanged_code_supports_only_what_it_holds() {
    use Support::{Contradicted, NotChecked, Supported};
    use SupportReason::{NamesFound, NamesMissing, NothingToFind, OtherValue, TooMuch, ValuesOpen};
    let long_quote = format!("`MODE` holds \"fast, {}\".", "and so on ".repeat(30));
    let (name, items, mode) = (("src/limits.rs", 1, 1), ("src/limits.rs", 2, 2), ("src/limits.rs", 3, 3));
    let inner = ("src/cart.rs", 5, 6);
    for (statement, place, expect) in [
        ("Orders are sharded by region.", name, (NotChecked, NothingToFind)),
        ("Orders are sharded by region_id.", name, (NotChecked, NamesMissing)),
        ("A name has at most MAX_NAME characters.", name, (Supported, NamesFound)),
        ("A name has at most MAX_NAME characters, says @octavia.", name, (Supported, NamesFound)),
        ("`@octavia` says: a name has at most MAX_NAME characters.", name, (NotChecked, NamesMissing)),
        // An erased person is neither a name nor a number.
        ("A name has at most MAX_NAME characters, says @erased-028fc5abcdef.", name, (Supported, NamesFound)),
        (
            "`@erased-528fc5abcdef` says: a name has at most MAX_NAME characters.",
            name,
            (Supported, NamesFound),
        ),
        ("A cart holds at most MAX_ITEMS = 50 items.", items, (Supported, NamesFound)),
        ("A cart holds at most MAX_ITEMS = 60 items.", items, (Contradicted, OtherValue)),
        ("A cart holds 60 items at most (MAX_ITEMS).", items, (NotChecked, NamesMissing)),
        ("MAX_ITEMS was 60 and is 50.", items, (NotChecked, NamesMissing)),
        // A number alone may match by chance.
        ("The limit of items is 50.", items, (NotChecked, NothingToFind)),
        ("Shards by fifty regions: 50.", items, (NotChecked, NothingToFind)),
        ("`add_item` refuses more with CartFull.", inner, (Supported, NamesFound)),
        ("`remove_item` refuses more with CartFull.", inner, (NotChecked, NamesMissing)),
        ("CartFull comes from remove(item).", inner, (NotChecked, NamesMissing)),
        ("CartFull refuses the item(s) beyond MAX_ITEMS.", inner, (Supported, NamesFound)),
        ("CartFull belongs to the v2 interface.", inner, (NotChecked, NamesMissing)),
        ("MODE = \"fast\" is the default.", mode, (Supported, NamesFound)),
        ("MODE = \"slow\" is the default.", mode, (Contradicted, OtherValue)),
        // A name or a version is a value too.
        ("MODE is fast.", mode, (NotChecked, NothingToFind)),
        ("MODE = slow is the default.", mode, (Contradicted, OtherValue)),
        ("MODE defaults to slow.", mode, (Contradicted, OtherValue)),
        ("MODE is `slow`.", mode, (Contradicted, OtherValue)),
        ("MODE is slow.", mode, (NotChecked, NothingToFind)),
        ("`MAX_NAME` counts if MODE = slow.", mode, (NotChecked, NamesMissing)),
        ("MODE was `fast` until MODE = slow.", mode, (NotChecked, ValuesOpen)),
        (long_quote.as_str(), mode, (NotChecked, TooMuch)),
    ] {
        let (verdict, report) = found(statement, place, &[], None);
        assert_eq!(
            (verdict, report.support, report.reason),
            (Verdict::Valid, expect.0, expect.1),
            "{statement}"
        );
    }
    let (_, report) = found("A cart holds at most MAX_ITEMS = 60 items.", items, &[], None);
    let other = &report.other_values[0];
    assert_eq!((other.name.as_str(), other.stated.as_str(), other.found.as_str()), ("MAX_ITEMS", "60", "50"));
    assert_eq!((other.place.path.as_str(), other.place.line_start), ("src/limits.rs", 2));
}

#[test]
fn claims_decide_before_names_and_other_values_before_true_claims() {
    let contains = |literal: &str| Claim::Contains { citation: 0, literal: literal.to_owned() };
    let check = |statement: &str, claims: &[Claim], expect: (Verdict, Support, SupportReason)| {
        let (verdict, report) = found(statement, ("src/limits.rs", 2, 2), claims, None);
        assert_eq!((verdict, report.support, report.reason), expect, "{statement} {claims:?}");
    };
    use Support::{Contradicted, NotChecked, Supported};
    check(
        "A cart has 50 places.",
        &[contains("= 50")],
        (Verdict::Valid, Supported, SupportReason::ClaimTrue),
    );
    check(
        "Carts are small.",
        &[contains("60")],
        (Verdict::Contradicted, Contradicted, SupportReason::ClaimFalse),
    );
    check("MAX_ITEMS = 60.", &[contains("50")], (Verdict::Valid, Contradicted, SupportReason::OtherValue));
    let odd = Claim::ConfigValue { path: "src/cart.rs".into(), pointer: "/a".into(), literal: "1".into() };
    check("Carts are small.", &[odd], (Verdict::Unverifiable, NotChecked, SupportReason::NothingToFind));
}

#[test]
fn support_follows_the_code_that_is_there_now() {
    let check = |then: (&str, &str), expect: (Verdict, Support)| {
        let statement = "A cart holds at most MAX_ITEMS = 50 items.";
        let (verdict, report) = found(statement, ("src/limits.rs", 2, 2), &[], Some(then));
        assert_eq!((verdict, report.support), expect, "{then:?}");
    };
    let moved = format!("//! Limits.\n// More of them.\n{LIMITS}");
    check(("src/limits.rs", &moved), (Verdict::Valid, Support::Supported));
    check(("src/limits.rs", &LIMITS.replace("50", "60")), (Verdict::Drifted, Support::Contradicted));
    check(
        ("src/limits.rs", &LIMITS.replace("usize = 50", "u32 = 50")),
        (Verdict::Drifted, Support::Supported),
    );
    check(("src/limits.rs", "fn nothing() {}\n"), (Verdict::Gone, Support::NotChecked));
}

/// Checks each statement over a whole file, cited from its first to its last line.
fn over(path: &str, code: &str, cases: &[(&str, Support)]) {
    let lines = u32::try_from(code.lines().count()).unwrap();
    for (statement, expect) in cases {
        let (_, report) = found_in(&[(path, code)], statement, (path, 1, lines), &[], None);
        assert_eq!(report.support, *expect, "{path}: {statement} {report:?}");
    }
}

/// A true statement in plain words is supported; those words in another sense never are.
#[test]
fn nothing_false_is_supported() {
    use Support::{Contradicted, NotChecked, Supported};
    over(
        "a.py",
        "MAX_ITEMS = 50\nMIN_ITEMS = 5\nTHRESHOLD_X = -50\nDEBUG = False\nSIZE = 10 * 1024\nTIMEOUT_MS = 3000  # was 5000\n# MAX_RETRIES = 9\nRETRIES = {\"MAX_RETRIES\": 3}\n",
        &[
            ("MAX_ITEMS is 50.", Supported),
            ("`MIN_ITEMS` is 5 and MAX_ITEMS = 50", Supported),
            ("A cart holds at most 50 items (MAX_ITEMS).", Supported),
            ("A cart holds no more than MAX_ITEMS items.", Supported),
            ("THRESHOLD_X is -50.", Supported),
            ("DEBUG is False.", Supported),
            ("TIMEOUT_MS is 3,000 ms.", Supported),
            ("MAX_RETRIES is 3.", Supported),
            ("MAX_ITEMS is not 50.", Contradicted),
            ("MAX_ITEMS \u{2260} 50", Contradicted),
            ("MAX_ITEMS is no longer 50.", Contradicted),
            ("MAX_ITEMS is -50.", Contradicted),
            ("THRESHOLD_X is 50.", Contradicted),
            ("MAX_ITEMS is 50.5.", Contradicted),
            ("MIN_ITEMS = 50 and MAX_ITEMS = 5.", Contradicted),
            ("DEBUG is not false.", Contradicted),
            ("MAX_RETRIES is 9.", Contradicted),
            ("MAX_ITEMS is not 60.", NotChecked),
            ("MAX_ITEMS is 50%.", NotChecked),
            ("MAX_ITEMS is 50k.", NotChecked),
            ("MAX_ITEMS is 50e3.", NotChecked),
            ("MAX_ITEMS > 50 items are fine", NotChecked),
            ("MIN_ITEMS, the limit, is 50.", NotChecked),
            ("The MIN_ITEMS limit is 50.", NotChecked),
            ("MIN_ITEMS -> 50", NotChecked),
            ("MAX_ITEMS is fifty thousand.", NotChecked),
            ("MAX_ITEMS is unlimited.", NotChecked),
            ("MAX_ITEMS defaults to 40; 50 is another.", NotChecked),
            ("DEBUG is on.", NotChecked),
            ("DEBUG is enabled by default.", NotChecked),
            ("SIZE is 10.", NotChecked),
            ("SIZE is 1024.", NotChecked),
            ("TIMEOUT_MS is 3000 minutes.", NotChecked),
            ("TIMEOUT_MS is 5000.", Contradicted),
        ],
    );
    over(
        "b.rs",
        "pub const ENABLE_TLS: bool = false;\n// pub const ENABLE_TLS: bool = true;\n/* const OLD_LIMIT: u8 = 10; */\nfn check(n: usize) -> bool { n < 50 }\n",
        &[
            ("ENABLE_TLS is false.", Supported),
            ("`check` is a function.", Supported),
            ("ENABLE_TLS is true.", Contradicted),
            ("ENABLE_TLS is not false.", Contradicted),
            ("ENABLE_TLS is enabled by default.", NotChecked),
            ("OLD_LIMIT is 10.", NotChecked),
            ("`OLD_LIMIT` is kept.", NotChecked),
            ("`check` accepts `n` > 50.", NotChecked),
            ("`check` never fails.", NotChecked),
            ("`check` is **never** called.", NotChecked),
            ("`check` lacks a bound.", NotChecked),
            ("`check` is unused.", NotChecked),
            ("A bound of `check` is missing.", NotChecked),
            ("`check` wird nie aufgerufen.", NotChecked),
            ("`check` n'est pas appelé.", NotChecked),
            ("`check` は呼ばれない", NotChecked),
        ],
    );
    over(
        "c.yaml",
        "server:\n  port: 8080\nbackup:\n  port: 9090\n  enabled: false\n",
        &[
            ("`backup.port` is 8080.", NotChecked),
            ("server `port` is 9090", NotChecked),
            ("backup is `enabled` true", NotChecked),
        ],
    );
    over(
        "Cargo.toml",
        "[package]\nname = \"shop\"\nversion = \"2.1.5\"\n\n[dependencies]\nserde = { version = \"1.0.150\" }\n",
        &[
            ("The version is 2.0.0.", Contradicted),
            ("serde is pinned to 1.0.200.", Contradicted),
            ("serde is pinned to 1.0.150.", NotChecked),
            ("serde was 1.0.100 once.", NotChecked),
        ],
    );
    over("d.yaml", "server:\n  port: 8080\n", &[("The server `port` is 8080.", Supported)]);
    over("e.go", "var Timeout = 30 * time.Second\n", &[("`Timeout` is 30 minutes.", NotChecked)]);
    over(
        "f.py",
        "def f():\n    \"\"\"Holds LIMIT_X.\"\"\"\n    return other\n",
        &[("`f` holds LIMIT_X", NotChecked)],
    );
    over(
        "g.py",
        "SEP_TEXT = \"x  y\"\nMODE_TEXT = \"fast lane\"\n",
        &[
            ("SEP_TEXT is \"x  y\".", Supported),
            ("SEP_TEXT is \"x y\".", NotChecked),
            ("MODE_TEXT is \"fast lane\".", Supported),
        ],
    );
}

/// A claim supports a statement that shares content with it. The existence of a path supports none.
#[test]
fn trivial_claims_support_nothing() {
    use Support::{NotChecked, Supported};
    let contains = |literal: &str| Claim::Contains { citation: 0, literal: literal.to_owned() };
    let matches = |regex: &str| Claim::Matches { citation: 0, regex: regex.to_owned() };
    let absent = |regex: &str| Claim::Absent { glob: "**/*.rs".to_owned(), regex: regex.to_owned() };
    let exists = Claim::PathExists { path: "src/cart.rs".to_owned() };
    let gone = Claim::PathAbsent { path: "nope".to_owned() };
    for (statement, claim, expect) in [
        ("Orders are sharded by region.", exists.clone(), NotChecked),
        ("The file cart is there.", exists, NotChecked),
        ("Refunds need two approvals.", gone.clone(), NotChecked),
        ("Customers may delete production data.", matches("."), NotChecked),
        ("Passwords are stored in plain text.", contains("M"), NotChecked),
        ("Payments go through Stripe.", absent("zzz"), NotChecked),
        ("Payments go through Stripe.", absent("Stripe"), NotChecked),
        ("Payments never go through Stripe.", absent("Stripe"), Supported),
        ("A name has 200 places, and MAX_NAME is never used.", contains("MAX_NAME: usize = 200"), NotChecked),
        ("MAX_NAME does not exist.", gone, NotChecked),
        ("Names and `region_id` are bounded.", contains("MAX_NAME"), NotChecked),
        ("A name is bounded by MAX_NAME and never empty.", contains("MAX_NAME"), NotChecked),
        ("A name has 200 places at most.", contains("MAX_NAME: usize = 200"), Supported),
        ("A max is set for all.", matches("MAX_NAME: usize"), Supported),
    ] {
        let claims = std::slice::from_ref(&claim);
        let (verdict, report) = found(statement, ("src/limits.rs", 1, 1), claims, None);
        assert_eq!((verdict, report.support), (Verdict::Valid, expect), "{statement} {claim:?} {report:?}");
    }
}

/// A claim that is true of a comment alone supports nothing.
#[test]
fn claims_about_comments_support_nothing() {
    let code = "LIMIT_X = 3\n# OLD_X = 10\n";
    for (literal, statement, expect) in [
        ("OLD_X = 10", "OLD_X is 10.", Support::NotChecked),
        ("LIMIT_X = 3", "At most 3 of them fit.", Support::NotChecked),
        ("LIMIT_X = 3", "LIMIT_X is 3.", Support::Supported),
    ] {
        let claim = Claim::Contains { citation: 0, literal: literal.to_owned() };
        let claims = std::slice::from_ref(&claim);
        let (_, report) = found_in(&[("a.py", code)], statement, ("a.py", 1, 2), claims, None);
        assert_eq!(report.support, expect, "{statement} {report:?}");
    }
}
