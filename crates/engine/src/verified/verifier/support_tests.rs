//! What cited code says of statements: by claims, by names and values, and by other values; always beside
//! the verdict.

use loci_model::citation::{Citation, Place};
use loci_model::claim::Claim;
use loci_model::support::{Support, SupportReason, SupportReport};
use loci_model::verdict::Verdict;
use loci_testkit::{CodeHistory, ManualClock};

use super::{LineCache, Quorum, Verifier, VerifierLimits};

const CART: &str = "use crate::money::Cents;\n\nimpl Cart {\n    pub fn add_item(&mut self, item: Item) -> Result<(), CartFull> {\n        if self.items.len() >= MAX_ITEMS {\n            return Err(CartFull);\n        }\n        self.items.push(item);\n        Ok(())\n    }\n}\n";
const LIMITS: &str =
    "pub const MAX_NAME: usize = 200;\npub const MAX_ITEMS: usize = 50;\nconst MODE: &str = \"fast\";\n";

/// A citation as it is stored at the tip, and what becomes of it and of the statement at the tip after a
/// change.
fn found(
    statement: &str,
    (path, line_start, line_end): (&str, u32, u32),
    claims: &[Claim],
    then: Option<(&str, &str)>,
) -> (Verdict, SupportReport) {
    let mut history = CodeHistory::new();
    history.commit(&[("src/cart.rs", CART), ("src/limits.rs", LIMITS)]);
    let (cache, clock) = (LineCache::new(1 << 20), ManualClock::default());
    let verifier = |history: &CodeHistory, look: &mut dyn FnMut(&Verifier<'_>)| {
        look(&Verifier::new(history, history.tip(), &cache, "t", &clock, VerifierLimits::default()));
    };
    let mut citations = Vec::new();
    verifier(&history, &mut |verifier| {
        let place = Place { path: path.to_owned(), line_start, line_end };
        let anchor = verifier.anchor(&place, statement, true).unwrap().anchor;
        citations.push(Citation { anchor, current: None, earlier_paths: Vec::new() });
    });
    if let Some((path, text)) = then {
        history.commit(&[(path, text)]);
    }
    let mut answer = None;
    verifier(&history, &mut |verifier| {
        let verification = verifier.verify(&citations, claims, Quorum::All);
        let report = verifier.support(statement, &citations, &verification);
        answer = Some((verification.verdict, report));
    });
    answer.unwrap()
}

#[test]
fn unchanged_code_supports_only_what_it_holds() {
    use Support::{Contradicted, NotChecked, Supported};
    use SupportReason::{NamesFound, NamesMissing, NothingToFind, OtherValue, TooMuch};
    let long_quote = format!("`MODE` holds \"fast, {}\".", "and so on ".repeat(30));
    let (name, items, mode) = (("src/limits.rs", 1, 1), ("src/limits.rs", 2, 2), ("src/limits.rs", 3, 3));
    let inner = ("src/cart.rs", 5, 6);
    for (statement, place, expect) in [
        ("Orders are sharded by region.", name, (NotChecked, NothingToFind)),
        ("Orders are sharded by region_id.", name, (NotChecked, NamesMissing)),
        ("A name has at most MAX_NAME characters.", name, (Supported, NamesFound)),
        ("A cart holds at most MAX_ITEMS = 50 items.", items, (Supported, NamesFound)),
        ("A cart holds at most MAX_ITEMS = 60 items.", items, (Contradicted, OtherValue)),
        ("A cart holds 60 items at most (MAX_ITEMS).", items, (NotChecked, NamesMissing)),
        ("MAX_ITEMS was 60 and is 50.", items, (NotChecked, NamesMissing)),
        // A number alone may stand there by chance.
        ("The limit of items is 50.", items, (NotChecked, NothingToFind)),
        ("Shards by fifty regions: 50.", items, (NotChecked, NothingToFind)),
        ("`add_item` refuses more with CartFull.", inner, (Supported, NamesFound)),
        ("`remove_item` refuses more with CartFull.", inner, (NotChecked, NamesMissing)),
        ("MODE = \"fast\" is the default.", mode, (Supported, NamesFound)),
        ("MODE = \"slow\" is the default.", mode, (Contradicted, OtherValue)),
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
    check("Carts are small.", &[contains("50")], (Verdict::Valid, Supported, SupportReason::ClaimTrue));
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
