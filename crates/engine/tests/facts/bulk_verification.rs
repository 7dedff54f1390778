//! A large number of facts, verified in parts: each keeps its own verdict and place. Tests of the
//! parts cover the equality of parallel threads.

use loci_model::facts::verdict::Verdict;
use loci_verified::{FactList, NewFact, VerifyMode};

use super::fixture::{REPO, Shop, cite};

/// A number of facts that is verified in parts.
const FACTS: usize = 45;
/// Interval of the facts that lose their code.
const LOST: usize = 5;

fn path(number: usize) -> String {
    format!("src/part_{number}.rs")
}

fn code(number: usize) -> String {
    format!(
        "/// How many the shelf of part {number} holds.\npub fn shelf_{number}() -> usize {{\n    {number} * 17 + SHELF_BASE_{number}\n}}\n"
    )
}

fn fact(number: usize) -> NewFact {
    NewFact {
        repo: REPO.to_owned(),
        subject: format!("shelf {number}"),
        fact: format!("`shelf_{number}` adds SHELF_BASE_{number}."),
        citations: vec![cite(&path(number), 1, 4)],
        ..NewFact::default()
    }
}

/// Returns the number in a fact's subject.
fn number_of(subject: &str) -> usize {
    subject.strip_prefix("shelf ").unwrap().parse().unwrap()
}

fn shop() -> Shop {
    let shop = Shop::new();
    let files: Vec<(String, String)> = (0..FACTS).map(|number| (path(number), code(number))).collect();
    shop.code(|history| {
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        history.commit(&files);
    });
    for number in 0..FACTS {
        shop.store(fact(number)).unwrap();
    }
    shop
}

fn check_places(list: &FactList) {
    for view in &list.facts {
        let number = number_of(view.remembered.subject());
        let found = view.verification.as_ref().unwrap().citations[0].found.clone().unwrap();
        let moved = u32::try_from(number % 7).unwrap();
        assert_eq!((found.path, found.line_start), (path(number), 1 + moved), "{number}");
    }
}

#[test]
fn each_of_many_facts_keeps_its_own_verdict() {
    let shop = shop();
    shop.code(|history| {
        let after = |number: usize| {
            let lost = number.is_multiple_of(LOST);
            let text = format!("{}{}", "// moved\n".repeat(number % 7), code(number));
            if lost { "pub const NOTHING: u8 = 1;\n".to_owned() } else { text }
        };
        let files: Vec<(String, String)> = (0..FACTS).map(|number| (path(number), after(number))).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        history.commit(&files);
    });
    let list = shop.recent(VerifyMode::Fresh);
    assert_eq!((list.facts.len(), list.omitted.gone), (FACTS - FACTS / LOST, (FACTS / LOST) as u64));
    check_places(&list);
    let withheld: Vec<usize> =
        list.withheld.iter().map(|view| number_of(view.remembered.subject())).collect();
    assert_eq!(withheld.len(), FACTS / LOST);
    assert!(withheld.iter().all(|number| number.is_multiple_of(LOST)), "{withheld:?}");
    let gone = |view: &loci_verified::FactView| {
        view.verification.as_ref().map(|verification| verification.verdict) == Some(Verdict::Gone)
    };
    assert!(list.withheld.iter().all(gone));
    let order = |list: &FactList| -> Vec<usize> {
        list.facts.iter().map(|view| number_of(view.remembered.subject())).collect()
    };
    let again = shop.recent(VerifyMode::Fresh);
    assert_eq!(order(&again), order(&list));
    check_places(&again);
    shop.assert_told();
}
