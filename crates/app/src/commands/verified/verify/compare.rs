//! The effect of a change on facts. Pure. A fact that was valid before and is not valid after is
//! invalidated. A fact whose code was unreadable before or after is not counted against the change.

use loci_api::verified::evidence::FactEvidence;
use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::support::Support;
use loci_model::facts::verdict::{CitationVerdict, Verdict, Verification};
use loci_verified::Subject;

use super::report::{CitationReport, Finding, Side, VerifyReport};

/// A fact with its verification before and after a change.
pub(super) struct ComparedVerification<'a> {
    /// The fact.
    pub(super) fact: &'a FactEvidence,
    /// The verified citations and claims.
    pub(super) subject: &'a Subject,
    /// The verification before the change. `None` without a comparison.
    pub(super) since: Option<&'a Verification>,
    /// The verification after the change.
    pub(super) now: &'a Verification,
}

/// The effect of a change on a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeEffect {
    Holds,
    Relocated,
    Invalidated,
    /// The fact has drifted and is not invalidated, because the options permit drifted facts.
    Drifted,
    Unchecked,
    /// The fact was not valid before the change either.
    Before,
    Restored,
}

/// Adds a fact to a report.
pub(super) fn add(report: &mut VerifyReport, one: &ComparedVerification<'_>, drifted_may_stay: bool) {
    report.counts.facts += 1;
    let support = one.now.support.as_ref().map(|report| report.support);
    match (verdict(one.now), support) {
        (Verdict::Contradicted, _) => report.counts.contradicted += 1,
        (Verdict::Valid, Some(Support::Supported)) => report.counts.verified += 1,
        (Verdict::Valid, _) => report.counts.cited += 1,
        (Verdict::Drifted | Verdict::Gone | Verdict::Unverifiable, _) => {}
    }
    let outcome = outcome(one, drifted_may_stay);
    let list = match outcome {
        ChangeEffect::Holds => {
            report.counts.holding += 1;
            return;
        }
        ChangeEffect::Relocated => &mut report.relocated,
        ChangeEffect::Invalidated => &mut report.invalidated,
        ChangeEffect::Drifted => &mut report.drifted,
        ChangeEffect::Unchecked => &mut report.unchecked,
        ChangeEffect::Before => &mut report.before,
        ChangeEffect::Restored => &mut report.restored,
    };
    list.push(finding(one, outcome));
}

/// Returns the verdict on a fact. Unchanged code that does not support the fact contradicts it.
fn verdict(found: &Verification) -> Verdict {
    match found.verdict {
        Verdict::Valid if is_contradicted(found) => Verdict::Contradicted,
        verdict => verdict,
    }
}

/// True if the cited code states something else than the fact, such as another value.
fn is_contradicted(found: &Verification) -> bool {
    found.support.as_ref().is_some_and(|one| one.support == Support::Contradicted)
}

fn outcome(one: &ComparedVerification<'_>, drifted_may_stay: bool) -> ChangeEffect {
    let since = one.since.map_or(Verdict::Valid, verdict);
    match (since, verdict(one.now)) {
        (_, Verdict::Unverifiable) => ChangeEffect::Unchecked,
        (Verdict::Valid, Verdict::Valid) if moved(one).next().is_some() => ChangeEffect::Relocated,
        (Verdict::Valid | Verdict::Unverifiable, Verdict::Valid) => ChangeEffect::Holds,
        // The previous verdict is unknown.
        (Verdict::Unverifiable, _) => ChangeEffect::Unchecked,
        (Verdict::Valid, Verdict::Drifted) if drifted_may_stay && !is_contradicted(one.now) => {
            ChangeEffect::Drifted
        }
        (Verdict::Valid, Verdict::Drifted | Verdict::Gone | Verdict::Contradicted) => {
            ChangeEffect::Invalidated
        }
        (Verdict::Drifted | Verdict::Gone | Verdict::Contradicted, Verdict::Valid) => ChangeEffect::Restored,
        (Verdict::Drifted | Verdict::Gone | Verdict::Contradicted, _) => ChangeEffect::Before,
    }
}

fn finding(one: &ComparedVerification<'_>, outcome: ChangeEffect) -> Finding {
    let told: Vec<usize> = match outcome {
        ChangeEffect::Relocated => moved(one).collect(),
        ChangeEffect::Restored | ChangeEffect::Holds => Vec::new(),
        ChangeEffect::Invalidated
        | ChangeEffect::Drifted
        | ChangeEffect::Unchecked
        | ChangeEffect::Before => bad(one),
    };
    let false_claims = one.now.claims.iter().filter(|claim| claim.holds == Some(false));
    Finding {
        memory_id: one.fact.memory_id.clone(),
        subject: one.fact.subject.clone(),
        fact: one.fact.fact.clone(),
        verdict: verdict(one.now),
        verdict_since: one.since.map(verdict),
        citations: told.into_iter().filter_map(|index| cited(one, index)).collect(),
        false_claims: false_claims.map(|claim| claim.index).collect(),
        other_values: one.now.support.as_ref().map_or_else(Vec::new, |report| report.other_values.clone()),
    }
}

/// Returns the indices of the citations that are invalid now or were unreadable before. If only a
/// claim about the whole tree is false, returns the first one.
fn bad(one: &ComparedVerification<'_>) -> Vec<usize> {
    let is_bad = |verdict: &CitationVerdict| verdict.verdict != Verdict::Valid;
    let of = |verification: &Verification| -> Vec<usize> {
        let all = verification.citations.iter().enumerate();
        all.filter(|(_, verdict)| is_bad(verdict)).map(|(index, _)| index).collect()
    };
    let now = of(one.now);
    let before = || one.since.filter(|since| since.verdict == Verdict::Unverifiable).map(of);
    match now.is_empty() {
        false => now,
        true => before().filter(|before| !before.is_empty()).unwrap_or_else(|| vec![0]),
    }
}

/// Returns the valid citations whose location changed.
fn moved<'a>(one: &'a ComparedVerification<'_>) -> impl Iterator<Item = usize> + 'a {
    let all = one.now.citations.iter().enumerate();
    all.filter(|(index, now)| {
        now.verdict == Verdict::Valid
            && now.found.as_ref().is_some_and(|found| Some(found) != place_before(one, *index).as_ref())
    })
    .map(|(index, _)| index)
}

/// Returns the location of a citation before the change, or its last known location without a
/// comparison.
fn place_before(one: &ComparedVerification<'_>, index: usize) -> Option<LineRange> {
    let found = one.since.and_then(|since| since.citations.get(index)?.found.clone());
    found.or_else(|| one.subject.citations.get(index).map(known).cloned())
}

fn known(citation: &Citation) -> &LineRange {
    citation.current.as_ref().map_or(&citation.anchor.place, |(place, _)| place)
}

fn cited(one: &ComparedVerification<'_>, index: usize) -> Option<CitationReport> {
    let citation = one.subject.citations.get(index)?;
    let now = one.now.citations.get(index)?;
    let before = place_before(one, index);
    let (place, side) = match (&now.found, before.clone()) {
        (Some(found), _) => (found.clone(), Side::Rev),
        (None, Some(before)) => (before, Side::Since),
        (None, None) => (citation.anchor.place.clone(), Side::Since),
    };
    let unread =
        one.since.and_then(|since| since.citations.get(index)).filter(|_| now.verdict == Verdict::Valid);
    Some(CitationReport {
        index,
        verdict: now.verdict,
        method: now.method,
        reason: now.error_word().or_else(|| unread.and_then(CitationVerdict::error_word)),
        place,
        side,
        before,
        diff: now.diff.clone(),
    })
}

#[cfg(test)]
mod tests {
    use loci_model::facts::support::{OtherValue, SupportReason, SupportReport};
    use loci_model::facts::verdict::{Method, Unverifiable};

    use super::*;

    fn verification(verdict: Verdict, line: u32) -> Verification {
        let mut citation = match verdict {
            Verdict::Unverifiable => CitationVerdict::unverifiable(Unverifiable::PartialClone, None),
            _ => CitationVerdict::new(verdict, Method::InPlace),
        };
        let found = matches!(verdict, Verdict::Valid | Verdict::Drifted | Verdict::Contradicted);
        citation.found = found.then(|| place(line));
        Verification { verdict, citations: vec![citation], claims: Vec::new(), support: None }
    }

    fn with_support(verdict: Verdict, support: Support) -> Verification {
        let mut found = verification(verdict, 3);
        let mut report = SupportReport::new(support, SupportReason::NamesFound);
        if support == Support::Contradicted {
            let [name, stated, is] = ["MAX_ITEMS", "70", "50"].map(str::to_owned);
            report.other_values.push(OtherValue { name, stated, found: is, place: place(3) });
        }
        found.support = Some(report);
        found
    }

    fn place(line: u32) -> LineRange {
        LineRange { path: "src/a.rs".to_owned(), line_start: line, line_end: line + 1 }
    }

    #[test]
    fn only_what_held_and_does_not_is_blamed_on_a_change() {
        let subject = Subject {
            citations: vec![loci_testkit_ports::fact_samples::citation("src/a.rs")],
            claims: Vec::new(),
            statement: String::new(),
        };
        let fact = FactEvidence {
            memory_id: "m".to_owned(),
            digest: "d".to_owned(),
            subject: "S".to_owned(),
            fact: "F".to_owned(),
            citations: Vec::new(),
            claims: Vec::new(),
        };
        let check =
            |since: Option<(Verdict, u32)>, now: (Verdict, u32), may_stay: bool, expect: ChangeEffect| {
                let since = since.map(|(verdict, line)| verification(verdict, line));
                let now = verification(now.0, now.1);
                let one =
                    ComparedVerification { fact: &fact, subject: &subject, since: since.as_ref(), now: &now };
                assert_eq!(outcome(&one, may_stay), expect, "{since:?} {now:?}");
                let mut report = VerifyReport::default();
                add(&mut report, &one, may_stay);
                let listed = report.findings().count() + report.counts.holding;
                assert_eq!((report.counts.facts, listed), (1, 1), "each fact is told once");
            };
        use Verdict::{Contradicted, Drifted, Gone, Unverifiable as Unread, Valid};
        check(Some((Valid, 3)), (Valid, 3), false, ChangeEffect::Holds);
        check(Some((Valid, 3)), (Valid, 9), false, ChangeEffect::Relocated);
        for wrong in [Drifted, Gone, Contradicted] {
            check(Some((Valid, 3)), (wrong, 3), false, ChangeEffect::Invalidated);
            check(None, (wrong, 3), false, ChangeEffect::Invalidated);
            check(Some((wrong, 3)), (wrong, 3), false, ChangeEffect::Before);
            check(Some((wrong, 3)), (Valid, 3), false, ChangeEffect::Restored);
            check(Some((Unread, 3)), (wrong, 3), false, ChangeEffect::Unchecked);
        }
        check(Some((Drifted, 3)), (Gone, 3), false, ChangeEffect::Before);
        check(Some((Valid, 3)), (Drifted, 3), true, ChangeEffect::Drifted);
        check(Some((Valid, 3)), (Gone, 3), true, ChangeEffect::Invalidated);
        // Another value is no slight change.
        let (since, now) = (verification(Valid, 3), with_support(Drifted, Support::Contradicted));
        let one = ComparedVerification { fact: &fact, subject: &subject, since: Some(&since), now: &now };
        assert_eq!(outcome(&one, true), ChangeEffect::Invalidated);
        for before in [Valid, Drifted, Gone, Contradicted, Unread] {
            check(Some((before, 3)), (Unread, 3), false, ChangeEffect::Unchecked);
        }
        check(Some((Unread, 3)), (Valid, 9), false, ChangeEffect::Holds);
        check(None, (Valid, 9), false, ChangeEffect::Relocated);
    }

    #[test]
    fn unchanged_code_that_says_otherwise_is_no_fact_that_holds() {
        let subject = Subject {
            citations: vec![loci_testkit_ports::fact_samples::citation("src/a.rs")],
            claims: Vec::new(),
            statement: String::new(),
        };
        let fact = FactEvidence {
            memory_id: "m".to_owned(),
            digest: "d".to_owned(),
            subject: "S".to_owned(),
            fact: "F".to_owned(),
            citations: Vec::new(),
            claims: Vec::new(),
        };
        use Support::{Contradicted, NotChecked, Supported};
        use Verdict::{Drifted, Unverifiable, Valid};
        for (since, now, expect, counts) in [
            (None, (Valid, Supported), ChangeEffect::Holds, (1, 0, 0)),
            (None, (Valid, NotChecked), ChangeEffect::Holds, (0, 1, 0)),
            (None, (Valid, Contradicted), ChangeEffect::Invalidated, (0, 0, 1)),
            (None, (Drifted, Supported), ChangeEffect::Invalidated, (0, 0, 0)),
            (None, (Unverifiable, NotChecked), ChangeEffect::Unchecked, (0, 0, 0)),
            (Some((Valid, Supported)), (Valid, Contradicted), ChangeEffect::Invalidated, (0, 0, 1)),
            (Some((Valid, Contradicted)), (Valid, Contradicted), ChangeEffect::Before, (0, 0, 1)),
            (Some((Valid, Contradicted)), (Valid, Supported), ChangeEffect::Restored, (1, 0, 0)),
            (Some((Valid, Supported)), (Valid, NotChecked), ChangeEffect::Holds, (0, 1, 0)),
        ] {
            let since = since.map(|(verdict, support)| with_support(verdict, support));
            let now = with_support(now.0, now.1);
            let one =
                ComparedVerification { fact: &fact, subject: &subject, since: since.as_ref(), now: &now };
            let mut report = VerifyReport::default();
            add(&mut report, &one, false);
            let found = (report.counts.verified, report.counts.cited, report.counts.contradicted);
            assert_eq!((outcome(&one, false), found), (expect, counts), "{since:?} {now:?}");
            for finding in &report.invalidated {
                let is_contradicted = finding.verdict == Verdict::Contradicted;
                assert_eq!(finding.other_values.len(), usize::from(is_contradicted), "{finding:?}");
                assert_eq!(finding.citations.len(), 1, "a place to look at: {finding:?}");
            }
        }
    }

    #[test]
    fn places_are_those_of_the_revision_or_those_before_the_change() {
        let subject = Subject {
            citations: vec![loci_testkit_ports::fact_samples::citation("src/a.rs")],
            claims: Vec::new(),
            statement: String::new(),
        };
        let fact = FactEvidence {
            memory_id: String::new(),
            digest: String::new(),
            subject: String::new(),
            fact: String::new(),
            citations: Vec::new(),
            claims: Vec::new(),
        };
        let since = verification(Verdict::Valid, 7);
        let check = |now: Verification, line: u32, side: Side| {
            let one = ComparedVerification { fact: &fact, subject: &subject, since: Some(&since), now: &now };
            let found = finding(&one, ChangeEffect::Invalidated).citations.remove(0);
            assert_eq!((found.place.line_start, found.side, found.before), (line, side, Some(place(7))));
        };
        check(verification(Verdict::Gone, 3), 7, Side::Since);
        check(verification(Verdict::Drifted, 9), 9, Side::Rev);
    }
}
