//! Citations of an equal fact join those it has: nothing is silently replaced.

use loci_model::facts::citation::Citation;
use loci_model::facts::verdict::{CitationVerdict, Verdict, Verification};

use super::{CITATIONS_MAX, Passed};

/// Known citations that do not hold where the fact is stored again. On the default branch they go, for the new ones prove the fact;
/// on another they may hold elsewhere, and stay. Returns what is to be said of it.
pub(super) fn settle_known(kept: &mut Vec<Citation>, passed: &Passed) -> Vec<String> {
    let mut warnings = Vec::new();
    for (known, verdict) in &passed.known {
        if !verdict.verdict.is_conclusive() || verdict.verdict == Verdict::Valid {
            continue;
        }
        let place = &known.anchor.place;
        let named = format!("{}:{}-{}", place.path, place.line_start, place.line_end);
        let why = verdict.error_word().unwrap_or_default();
        if passed.tip.is_default {
            kept.retain(|one| one.anchor != known.anchor);
            warnings.push(format!("CITATION_REPLACED: {named} does not hold any more ({why})"));
        } else {
            warnings.push(format!("CITATION_NOT_HERE: {named} does not hold at this revision ({why})"));
        }
    }
    warnings
}

/// The verification of all that a confirmed fact cites by now: the new citations and what is kept of the known ones.
pub(super) fn whole(kept: &[Citation], passed: &Passed) -> Verification {
    let known = |one: &Citation| passed.known.iter().find(|(known, _)| known.anchor == one.anchor);
    let verdicts: Vec<CitationVerdict> =
        kept.iter().filter_map(known).map(|(_, verdict)| verdict.clone()).collect();
    let mut whole = passed.verification.clone();
    whole.citations.extend(verdicts);
    let worst = whole.citations.iter().map(|one| one.verdict).max_by_key(|verdict| verdict.severity());
    whole.verdict =
        worst.filter(|worst| worst.severity() > whole.verdict.severity()).unwrap_or(whole.verdict);
    whole
}

/// Adds new citations; the number of those for which there was no room.
pub(super) fn merge(kept: &mut Vec<Citation>, new: Vec<Citation>) -> usize {
    let mut over = 0;
    for citation in new {
        let place = |one: &Citation| {
            one.current.as_ref().map_or_else(|| one.anchor.place.clone(), |(place, _)| place.clone())
        };
        match kept.iter().position(|one| place(one) == place(&citation)) {
            Some(known) => renew(kept.get_mut(known), citation),
            None if kept.len() < CITATIONS_MAX => kept.push(citation),
            None => over += 1,
        }
    }
    over
}

/// The lines at a place that is cited already: as they are now.
fn renew(known: Option<&mut Citation>, citation: Citation) {
    let Some(one) = known.filter(|one| one.anchor.snippet_hash != citation.anchor.snippet_hash) else {
        return;
    };
    let before = std::mem::replace(one, citation).anchor.place.path;
    if one.anchor.place.path != before {
        one.earlier_paths.push(before);
    }
}
