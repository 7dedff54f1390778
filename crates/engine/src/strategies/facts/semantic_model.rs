//! Facts by a model: the question (`prompts/semantic.extract.v1.md`), and its answer as candidates.
//!
//! `semantic.rs` works without a model. Consolidation compares the facts with existing ones.

use loci_model::limits;
use loci_model::record::RecordKind;
use serde_json::json;

use crate::strategies::metadata::inferred_values;
use crate::strategies::model_questions::prompt::Prompt;
use crate::strategies::model_questions::question::{Ask, BadReply, Question};
use crate::strategies::model_questions::reply_json::list;
use crate::strategies::{Candidate, JoinMode};

/// Maximum length of a fact's scope in characters.
const SCOPE_CHARS_MAX: usize = 200;
const GRAMMAR: &str = r#"{"items": [{"fact": string of 1 to 2000 characters, "sources"?: [number], "scope"?: string or null, "metadata"?: [{"key": string, "value": string}]}]}, or the list alone"#;

/// The prompt that asks for facts.
pub static EXTRACT: Prompt = Prompt {
    name: "semantic.extract",
    version: 1,
    text: include_str!("../prompts/semantic.extract.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| facts(reply).map(|facts| facts.len()),
};

/// A fact in a model's answer.
struct Fact {
    fact: String,
    sources: Vec<u64>,
    scope: Option<String>,
    metadata: Vec<(String, String)>,
}

/// Returns the question on the facts in the new turns.
pub fn question(ask: &Ask<'_>) -> Option<Question> {
    let nothing = json!({ "type": ["string", "null"] });
    let entry = json!({
        "type": "object",
        "properties": {
            "fact": { "type": "string" },
            "sources": { "type": "array", "items": { "type": "integer" } },
            "scope": nothing,
        },
        "required": ["fact", "sources", "scope"],
        "additionalProperties": false,
    });
    EXTRACT.extraction(ask, entry)
}

/// Parses the facts of an answer.
///
/// # Errors
/// All defects of the answer.
pub fn read(reply: &str, ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
    Ok(facts(reply)?.into_iter().filter_map(|fact| candidate(fact, ask)).collect())
}

fn facts(reply: &str) -> Result<Vec<Fact>, BadReply> {
    list(reply, limits::FACTS_PER_WINDOW_MAX, |entry| {
        entry.only(&["fact", "sources", "scope", "metadata"]);
        let fact = entry.text("fact", limits::FACT_CHARS_MAX);
        let (sources, scope) = (entry.numbers("sources"), entry.maybe_text("scope", SCOPE_CHARS_MAX));
        let metadata = entry.pairs("metadata");
        Some(Fact { fact: fact?, sources, scope, metadata })
    })
}

fn candidate(fact: Fact, ask: &Ask<'_>) -> Option<Candidate> {
    let (sources, time) = ask.named(&fact.sources)?;
    let first = ask.batch.turns.first()?;
    Some(Candidate {
        sources,
        time,
        scope: fact.scope,
        inferred: inferred_values::values(ask.schema(), &fact.metadata),
        ..Candidate::of_turn(first, RecordKind::Fact, fact.fact, JoinMode::Duplicates)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::model_questions::question::tests::{asking, strategy};
    use crate::strategies::turns::turn::tests::talk;
    use loci_model::event::Role::{Assistant, User};
    use loci_model::memory::strategy::StrategyBase;

    #[test]
    fn facts_rest_on_the_turns_they_name() {
        let turns = talk(&[(User, "I live in Bern"), (Assistant, "Noted."), (User, "Bob has a dog")]);
        let strategy = strategy(StrategyBase::Semantic);
        let ask = asking(&strategy, &turns[1..], &turns[..1]);
        let question = question(&ask).unwrap();
        assert_eq!(question.prompt.as_str(), "semantic.extract@1");
        assert!(question.system.contains("\"items\"") && question.input.contains("I live in Bern"));
        let reply =
            r#"{"items":[{"fact":"Bob has a dog.","sources":[2,9],"scope":"home"},{"fact":"All of it."}]}"#;
        let found = read(reply, &ask).unwrap();
        let places = |candidate: &Candidate| {
            candidate.sources.iter().map(|source| source.event.clone()).collect::<Vec<_>>()
        };
        assert_eq!(places(&found[0]), [turns[2].source.event.clone()]);
        assert_eq!((found[0].time, found[0].scope.as_deref()), (turns[2].time, Some("home")));
        assert_eq!(places(&found[1]), [turns[1].source.event.clone(), turns[2].source.event.clone()]);
        assert_eq!(
            (found[1].verbatim, found[1].role, &found[1].joining),
            (false, None, &JoinMode::Duplicates)
        );
        assert_eq!((EXTRACT.entries)(reply), Ok(2));
        assert!(read("[{\"fact\":\"a\",\"operation\":\"AddMemory\"}]", &ask).is_err());
        assert_eq!(read("[]", &ask), Ok(Vec::new()));
    }

    #[test]
    fn at_the_limit_and_one_over() {
        let of = |chars: usize| format!(r#"[{{"fact":"{}"}}]"#, "ä".repeat(chars));
        assert_eq!((EXTRACT.entries)(&of(loci_model::limits::FACT_CHARS_MAX)), Ok(1));
        assert!((EXTRACT.entries)(&of(loci_model::limits::FACT_CHARS_MAX + 1)).is_err());
        let many = |count: usize| format!("[{}]", vec![r#"{"fact":"a"}"#; count].join(","));
        assert_eq!(
            (EXTRACT.entries)(&many(loci_model::limits::FACTS_PER_WINDOW_MAX)),
            Ok(loci_model::limits::FACTS_PER_WINDOW_MAX)
        );
        assert!((EXTRACT.entries)(&many(loci_model::limits::FACTS_PER_WINDOW_MAX + 1)).is_err());
    }
}
