//! Claims that cannot be evaluated: the verification is rejected, its row contains the reason (T3),
//! and the fact does not change.

use loci_model::facts::claim::Claim;
use loci_model::facts::fact::FactEventKind;
use loci_model::facts::verdict::Verdict;
use loci_model::record::RecordState;
use loci_verified::NewFact;

use super::fixture::{Shop, about, cite};

#[test]
fn a_claim_that_is_unknown_has_its_reason_in_the_row() {
    let absent = Claim::Absent { glob: "**/*.json".to_owned(), regex: "no_such_word".to_owned() };
    let config = Claim::ConfigValue {
        path: "shop.json".to_owned(),
        pointer: "/name".to_owned(),
        literal: "shop".to_owned(),
    };
    let large = format!("[\"{}\"]", "x".repeat(2 << 20));
    for (claim, text, cause) in [(absent, large.as_str(), "too_large"), (config, "{", "unknown_claim")] {
        let shop = Shop::new();
        shop.write("shop.json", Some("{ \"name\": \"shop\" }\n"));
        let fact = about("`add_item` fails with CartFull.", vec![cite("src/cart.rs", 10, 13)]);
        let id = shop.store(NewFact { claims: vec![claim], ..fact }).unwrap().view.remembered.record.id;
        shop.write("shop.json", Some(text));
        let found = shop.verify(&id).verification;
        assert_eq!((found.verdict, found.claims[0].holds), (Verdict::Unverifiable, None));
        let events = shop.events(&id);
        let skipped = events.iter().find(|event| event.kind == FactEventKind::VerificationSkipped).unwrap();
        assert_eq!(skipped.cause.as_deref(), Some(cause));
        shop.sweep();
        assert_eq!(shop.status(&id), RecordState::Active);
        shop.assert_replayed(&id);
    }
}
