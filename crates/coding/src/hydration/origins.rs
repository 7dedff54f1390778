//! The origin of a record, for callers: the pull requests behind a rule, the files and the pull
//! request of an earlier task, the episodes behind a reflection. Pure. Unknown parts are left out.

use loci_api::coding::hydration::{ReflectionEvidence, RuleSource};
use loci_engine::retrieval::render::contained;
use loci_model::record::metadata::MetadataValue;

use super::candidate::Candidate;
use crate::tasks::reports::episode_text::TaskEpisode;

/// Returns the sources of a rule from its metadata: one review, or none.
pub fn rule_sources(candidate: &Candidate) -> Vec<RuleSource> {
    let told = |key: &str| candidate.text(key).map(contained).filter(|text| !text.is_empty());
    let pr = pull_number(candidate);
    let source = RuleSource { pr, reviewer: told("reviewer"), url: told("pr_url") };
    let is_known = source.pr.is_some() || source.reviewer.is_some() || source.url.is_some();
    if is_known { vec![source] } else { Vec::new() }
}

/// Returns the files that an earlier task changed, and the number of its pull request.
pub fn episode_origin(candidate: &Candidate) -> (Vec<String>, Option<u64>) {
    let told = TaskEpisode::read(&candidate.record.text).map(|episode| episode.task);
    let Some(told) = told else { return (Vec::new(), pull_number(candidate)) };
    let files = told.files_changed.iter().map(|file| contained(file)).collect();
    (files, told.pr.map(|pr| pr.number).or_else(|| pull_number(candidate)))
}

/// Returns the evidence of a reflection. `None` for one without counts.
pub fn reflection_evidence(candidate: &Candidate) -> Option<ReflectionEvidence> {
    let counted = candidate.record.making.as_ref()?.evidence.as_ref()?;
    let episodes = candidate.record.derived_from.iter().map(ToString::to_string).collect();
    Some(ReflectionEvidence { hits: counted.hits, of: counted.of, episodes })
}

/// Returns `pr` of the metadata: a number, or a string of digits.
fn pull_number(candidate: &Candidate) -> Option<u64> {
    match candidate.record.metadata.get("pr")? {
        MetadataValue::Number(number) if *number >= 1.0 && number.fract() == 0.0 => {
            number.to_string().parse().ok()
        }
        MetadataValue::String(text) => text.parse().ok().filter(|number| *number > 0),
        MetadataValue::Number(_) | MetadataValue::StringList(_) | MetadataValue::DateTime(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use loci_model::record::RecordKind;
    use loci_model::record::derivation::{Evidence, RecordDerivation};
    use loci_model::{MemoryId, Result};
    use loci_testkit_ports::samples;

    use super::*;
    use crate::hydration::HydrationKind as Kind;

    fn candidate(kind: Kind, text: &str, metadata: &[(&str, MetadataValue)]) -> Result<Candidate> {
        let mut record = samples::record(&MemoryId::parse("code_memory-0123456789")?, 7, text)?;
        record.kind = RecordKind::Fact;
        record.metadata = metadata.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        Ok(Candidate::new(kind, record, 1.0))
    }

    fn word(text: &str) -> MetadataValue {
        MetadataValue::String(text.to_owned())
    }

    #[test]
    fn where_a_rule_comes_from() {
        let check = |metadata: &[(&str, MetadataValue)],
                     expect: &[(Option<u64>, Option<&str>, Option<&str>)]| {
            let found = rule_sources(&candidate(Kind::Rules, "Test it.", metadata).unwrap());
            let found: Vec<_> =
                found.iter().map(|one| (one.pr, one.reviewer.as_deref(), one.url.as_deref())).collect();
            assert_eq!(found, expect, "{metadata:?}");
        };
        check(&[], &[]);
        check(&[("pr", word("forty"))], &[]);
        check(&[("pr", word("0"))], &[]);
        check(&[("pr", MetadataValue::Number(4.5))], &[]);
        check(&[("pr", MetadataValue::Number(42.0))], &[(Some(42), None, None)]);
        let url = "https://github.com/acme/shop/pull/42";
        check(
            &[("pr", word("42")), ("reviewer", word("alice")), ("pr_url", word(url))],
            &[(Some(42), Some("alice"), Some(url))],
        );
        check(&[("reviewer", word("al\u{200b}ice"))], &[(None, Some("alice"), None)]);
    }

    #[test]
    fn where_an_episode_comes_from() {
        let check = |text: &str, metadata: &[(&str, MetadataValue)], expect: (&[&str], Option<u64>)| {
            let (files, pr) = episode_origin(&candidate(Kind::Episodes, text, metadata).unwrap());
            assert_eq!(
                (files.iter().map(String::as_str).collect::<Vec<_>>().as_slice(), pr),
                expect,
                "{text}"
            );
        };
        let told = r#"{"task":{"task_id":"t-1","files_changed":["src/a.ts","b.md"],"pr":{"number":57}}}"#;
        check(told, &[], (&["src/a.ts", "b.md"], Some(57)));
        check(r#"{"task":{"task_id":"t-1"}}"#, &[], (&[], None));
        check("An episode as somebody wrote it.", &[("pr", word("9"))], (&[], Some(9)));
    }

    #[test]
    fn what_bears_a_reflection_out() {
        let mut found = candidate(Kind::Reflections, "Tests are missed.", &[]).unwrap();
        assert_eq!(reflection_evidence(&found), None);
        let evidence = Some(Evidence { hits: 3, of: 5, predicate: "missed the tests".to_owned() });
        found.record.making = Some(Box::new(RecordDerivation { evidence, ..RecordDerivation::default() }));
        found.record.derived_from = vec![found.record.id.clone()];
        let counted = reflection_evidence(&found).unwrap();
        assert_eq!((counted.hits, counted.of, counted.episodes), (3, 5, vec![found.record.id.to_string()]));
    }
}
