//! The `sha` that `memory_read_citation` returns, submitted with a citation: the object of the file
//! that was read.

use loci_model::CodeReason;
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::facts::verdict::{Method, Verdict};
use loci_testkit_ports::block_on;
use loci_verified::NewFact;

use super::fixture::{LIMITS, REPO, Shop, about, reason};

const FACT: &str = "MAX_ITEMS is 50.";

/// Returns the citation of the limit, with the `sha` of a read at its current place.
fn read(shop: &Shop) -> CitationInput {
    let place = LineRange { path: "src/limits.rs".to_owned(), line_start: 2, line_end: 2 };
    let read = shop.engine.verified.code_read(&shop.caller, &shop.standing, REPO, place.clone(), None, 0);
    let sha = block_on(read).unwrap().sha;
    CitationInput { place, sha: Some(sha), snippet_hash: None }
}

fn fact(citation: &CitationInput) -> NewFact {
    about(FACT, vec![citation.clone()])
}

#[test]
fn the_sha_of_a_read_is_a_citation_s() {
    // The file after the read, and the line at which the fact is stored, or the verdict on its
    // lines.
    for (then, expect) in [
        (None, Ok(2)),
        (Some(format!("//! Limits.\n\n{LIMITS}")), Ok(4)),
        (Some(LIMITS.replace("50", "80")), Err(Verdict::Drifted)),
        (Some("pub fn nothing() {}\n".to_owned()), Err(Verdict::Gone)),
    ] {
        let shop = Shop::new();
        let citation = read(&shop);
        if let Some(text) = &then {
            shop.write("src/limits.rs", Some(text));
        }
        let checked = block_on(shop.engine.verified.code_verify(
            &shop.caller,
            &shop.standing,
            REPO,
            vec![citation.clone()],
            None,
        ));
        let checked = checked.unwrap().verification.citations.remove(0);
        assert_eq!(checked.verdict, expect.err().unwrap_or(Verdict::Valid), "{then:?}");
        assert_ne!(checked.method, Method::Unanchored, "the lines were compared: {then:?}");
        match (shop.store(fact(&citation)), expect) {
            (Ok(stored), Ok(line)) => {
                let anchor = &stored.view.remembered.fact.detail.citations[0].anchor;
                assert_eq!(anchor.place.line_start, line, "{then:?}");
                assert_eq!(anchor.commit, Some(super::reported_verdicts::tip(&shop)), "{then:?}");
            }
            (Err(error), Err(verdict)) => {
                assert_eq!(reason(&error), Some(CodeReason::CitationUnreadable), "{error:?}");
                assert!(error.message.contains(verdict.as_str()), "{error:?}");
            }
            (found, expect) => panic!("{then:?}: {found:?}, not {expect:?}"),
        }
    }
}

#[test]
fn a_sha_of_nothing_is_refused() {
    let shop = Shop::new();
    for sha in ["0123456", "0123456789012345678901234567890123456789"] {
        let citation = CitationInput { sha: Some(sha.to_owned()), ..read(&shop) };
        let error = shop.store(fact(&citation)).unwrap_err();
        assert_eq!(reason(&error), Some(CodeReason::CitationUnreadable), "{error:?}");
        assert!(error.message.contains("memory_read_citation"), "{error:?}");
    }
}
