//! Facts that are withheld while their code has drifted or contradicts them, by setting and by
//! reader.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use loci_engine::EngineParts;
use loci_engine::calls::call_context::CallContext;
use loci_model::facts::support::{Assurance, DriftedFacts};
use loci_model::principal::{Capability, Grant, Principal};
use loci_products::Loci;
use loci_testkit_ports::OpenVault;
use loci_testkit_ports::{SeededIds, block_on};
use loci_verified::{FactList, FactReadOptions, VerifiedSettings};

use super::fixture::{CART, REPO, Shop, about, cite};

const WRONG: &str = "MAX_ITEMS is 9000.";

/// Number of engines so far, so that each has its own ids.
static ENGINES: AtomicU64 = AtomicU64::new(0);

/// Returns an engine on the shop's store with another setting.
fn engine_with(shop: &Shop, drifted: DriftedFacts) -> Loci {
    let seed = 1_000 + ENGINES.fetch_add(1, Ordering::SeqCst);
    let (clock, ids) = (Arc::new(shop.world.clock()), Arc::new(SeededIds::new(seed)));
    let parts = EngineParts::quiet(shop.world.store(), None, clock, ids, Arc::new(OpenVault));
    let settings = VerifiedSettings { drifted, ..VerifiedSettings::default() };
    Loci::new(EngineParts { code: Some(Arc::new(shop.shelf.clone())), ..parts }, settings)
}

fn recent(shop: &Shop, engine: &Loci, by_person: bool, prompt: bool) -> FactList {
    let standing = CallContext { by_person, ..shop.standing.clone() };
    let serving = FactReadOptions { prompt: prompt.then_some(None), ..FactReadOptions::default() };
    block_on(engine.verified.facts_recent(&shop.caller, &standing, REPO, 50, serving)).unwrap()
}

/// Returns a shop with a valid fact, one whose code drifted, and one that its line contradicts.
fn edited() -> Shop {
    let shop = Shop::new();
    shop.stored();
    for fact in ["MAX_REQUESTS is 120.", WRONG] {
        let line = if fact == WRONG { 2 } else { 4 };
        shop.store(about(fact, vec![cite("src/limits.rs", line, line)])).unwrap();
    }
    shop.write(
        "src/cart.rs",
        Some(&CART.replace("len() >= MAX_ITEMS", "len() + 1 > MAX_ITEMS && !self.is_open")),
    );
    shop
}

#[test]
fn the_setting_and_the_reader_decide_who_reads_a_statement() {
    use Assurance::{Contradicted, Drifted, Verified};
    use DriftedFacts::{Label, Withhold, WithholdFromAgents};
    let shop = edited();
    for (setting, by_person, prompt, stated) in [
        (Label, false, false, vec![Drifted, Verified]),
        (Label, true, false, vec![Contradicted, Drifted, Verified]),
        (WithholdFromAgents, false, false, vec![Verified]),
        (WithholdFromAgents, true, false, vec![Contradicted, Drifted, Verified]),
        (WithholdFromAgents, true, true, vec![Verified]),
        (Withhold, true, false, vec![Contradicted, Verified]),
        (Withhold, false, false, vec![Verified]),
    ] {
        let list = recent(&shop, &engine_with(&shop, setting), by_person, prompt);
        let case = format!("{setting:?} {by_person} {prompt}");
        let mut found: Vec<Assurance> = list.facts.iter().map(|view| view.assurance()).collect();
        found.sort_by_key(|one| one.as_str());
        assert_eq!(found, stated, "{case}");
        let has = |one| u64::from(!stated.contains(&one));
        assert_eq!(
            (list.omitted.drifted, list.omitted.contradicted),
            (has(Drifted), has(Contradicted)),
            "{case}"
        );
        assert_eq!(list.withheld.len(), 3 - stated.len(), "{case}");
        let warned = list.warnings.iter().any(|one| one.starts_with("WITHHELD: "));
        assert_eq!(warned, stated.len() < 3, "{case}");
    }
}

#[test]
fn the_word_of_a_caller_makes_no_person_of_an_agents_key() {
    use Capability::{Admin, Read, Unverified, Write};
    let shop = edited();
    for (capabilities, by_person, stated) in [
        (vec![Read, Write], true, 1),
        (vec![Read, Write], false, 1),
        (vec![Read, Unverified], true, 3),
        (vec![Read, Unverified], false, 1),
        (vec![Read, Write, Admin], true, 3),
        (vec![Read, Write, Admin], false, 1),
    ] {
        let grant = Grant { capabilities: capabilities.iter().copied().collect(), ..Grant::everything() };
        let caller = Principal { name: "agent".to_owned(), grants: vec![grant] };
        let standing = CallContext { by_person, ..shop.standing.clone() };
        let list = block_on(shop.engine.verified.facts_recent(
            &caller,
            &standing,
            REPO,
            50,
            FactReadOptions::default(),
        ));
        let list = list.unwrap();
        let found = (list.facts.len(), list.withheld.len());
        assert_eq!(found, (stated, 3 - stated), "{capabilities:?} {by_person}");
    }
}

#[test]
fn a_prompt_shows_where_to_look() {
    let shop = edited();
    let prompt = recent(&shop, &shop.engine, false, true).prompt.unwrap();
    assert!(prompt.contains("MAX_REQUESTS is 120."), "{prompt}");
    for (statement, place, why) in [
        ("refuses more than", "src/cart.rs:10-13", "the cited code has changed"),
        (WRONG, "src/limits.rs:2-2", "MAX_ITEMS is 50 there, not 9000"),
    ] {
        assert!(!prompt.contains(statement), "{statement}: {prompt}");
        let line = prompt.lines().find(|line| line.contains(place)).unwrap_or_else(|| panic!("{prompt}"));
        assert!(line.contains(why) || prompt.contains(why), "{line}");
    }
    assert!(prompt.contains("withheld; read the cited lines instead."), "{prompt}");
    assert!(prompt.contains("is_open"), "the difference is shown: {prompt}");
}

#[test]
fn values_names_and_versions_that_the_lines_contradict_warn_and_are_not_verified() {
    let shop = Shop::new();
    let manifest = "[package]\nname = \"shop\"\nversion = \"2.1.5\"\n\n[dependencies]\nserde = \"1.0.150\"\n";
    shop.write("Cargo.toml", Some(manifest));
    shop.write("src/mode.rs", Some("pub const PAYMENT_MODE: &str = \"invoice\";\n"));
    for (fact, path, lines, warning) in [
        (WRONG, "src/limits.rs", 2..=2, "CONTRADICTED: MAX_ITEMS is 50"),
        ("MAX_ITEMS = 60 by default.", "src/limits.rs", 2..=2, "CONTRADICTED: MAX_ITEMS is 50"),
        ("The shop has version 3.0.0.", "Cargo.toml", 1..=3, "CONTRADICTED: version is 2.1.5"),
        ("serde is pinned to 1.0.200.", "Cargo.toml", 5..=6, "CONTRADICTED: serde is 1.0.150"),
        (
            "PAYMENT_MODE defaults to prepaid.",
            "src/mode.rs",
            1..=1,
            "CONTRADICTED: PAYMENT_MODE is \"invoice\"",
        ),
        ("PAYMENT_MODE is prepaid.", "src/mode.rs", 1..=1, "NOT_CHECKED: "),
        ("`PREPAID_MODE` is the only one.", "src/mode.rs", 1..=1, "NOT_CHECKED: "),
    ] {
        let stored = shop.store(about(fact, vec![cite(path, *lines.start(), *lines.end())])).unwrap();
        assert!(stored.warnings.iter().any(|one| one.starts_with(warning)), "{fact}: {:?}", stored.warnings);
        let id = stored.view.remembered.record.id;
        for by_person in [false, true] {
            let list = recent(&shop, &shop.engine, by_person, false);
            let view = list.facts.iter().find(|view| view.remembered.record.id == id);
            assert!(view.is_none_or(|view| view.assurance() != Assurance::Verified), "{fact}");
            let is_stated = by_person || !warning.starts_with("CONTRADICTED");
            assert_eq!(view.is_some(), is_stated, "{fact} {by_person}");
        }
    }
}
