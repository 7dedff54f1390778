//! Asks the model about cases that the rules leave open: one question for all open proposals of a
//! round. The answer is checked before use; a rejected text is replaced by the candidate's own
//! words.

use loci_model::job::exchange::Step;
use loci_model::memory::prompt::PromptId;
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::Record;
use loci_model::record::statement_time::StatementTime;
use loci_model::{Error, RecordId, Result, limits};
use serde_json::{Value, json};

use super::decide::stated;
use super::merged_words;
use crate::consolidation::{Decision, DecisionContext, RoundDecisions, Why};
use crate::language_models::{self, AnswerAuthor, QuestionOutcome};
use crate::safety;
use crate::strategies::model_questions::prompt::{self, Filling, Prompt};
use crate::strategies::model_questions::question::{BadReply, Question};
use crate::strategies::model_questions::reply_json::{VIOLATIONS_MAX, list};

/// Maximum length of an operation name in an answer in characters, with a margin.
const OPERATION_CHARS_MAX: usize = 40;
const GRAMMAR: &str = r#"{"items": [{"memory": {"fact": string}, "operation": "AddMemory" | "UpdateMemory" | "SkipMemory", "update_id"?: string, "updated_memory"?: {"fact": string}}]}, one item for each new memory, in their order"#;

/// The prompt for facts.
pub(crate) static FACTS: Prompt = Prompt {
    name: "semantic.consolidate",
    version: 1,
    text: include_str!("../prompts/semantic.consolidate.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| items(reply).map(|items| items.len()),
};

/// The prompt for preferences.
pub(crate) static PREFERENCES: Prompt = Prompt {
    name: "user_preference.consolidate",
    version: 1,
    text: include_str!("../prompts/user_preference.consolidate.v1.md"),
    grammar: GRAMMAR,
    entries: |reply| items(reply).map(|items| items.len()),
};

/// Returns true for questions of this module.
pub(crate) fn asks(prompt: &PromptId) -> bool {
    prompt::named([&FACTS, &PREFERENCES], prompt).is_some()
}

/// A proposal that the rules leave open.
pub(super) struct OpenProposal<'a> {
    /// Its index.
    pub(super) proposal: usize,
    pub(super) record: &'a Record,
    /// Its related neighbours.
    pub(super) neighbours: Vec<&'a Record>,
}

/// One answer. It refers to existing records by their index among those shown.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ModelDecision {
    Add,
    Skip(Option<usize>),
    Update(usize, String),
}

/// Asks about all open proposals and replaces the pending decisions by the answers. Without an
/// answer, both records stay.
pub(super) async fn ask(
    deciding: &DecisionContext<'_>,
    open: &[OpenProposal<'_>],
    mut decisions: Vec<Decision>,
) -> Result<RoundDecisions> {
    let names = names(open);
    let question = question(deciding, open, &names)?;
    let read = |reply: &str| read(reply, &names);
    match language_models::ask(
        deciding.engine,
        deciding.job,
        deciding.mode,
        Step::Consolidate,
        &question,
        &read,
    )
    .await?
    {
        QuestionOutcome::Off => Ok(RoundDecisions::Plan(decisions)),
        QuestionOutcome::Waits => Ok(RoundDecisions::Waits),
        QuestionOutcome::Unanswered(unanswered) => Ok(RoundDecisions::Unanswered(unanswered)),
        QuestionOutcome::Read(answers, by) => {
            for (one, answer) in open.iter().zip(answers) {
                if let Some(decision) = decisions.get_mut(one.proposal) {
                    *decision = decided(one, answer, &by);
                }
            }
            Ok(RoundDecisions::Plan(decisions))
        }
    }
}

/// Returns the name of each existing record in the question: `k1` for the first one shown, and so
/// on. Ids are unsuitable: an earlier record of the round gets a new id each time the round is
/// planned, but the question must keep the same words.
fn names(open: &[OpenProposal<'_>]) -> Vec<Vec<String>> {
    let mut shown: Vec<&RecordId> = Vec::new();
    let mut names = Vec::with_capacity(open.len());
    for one in open {
        let mut of_one = Vec::with_capacity(one.neighbours.len());
        for near in &one.neighbours {
            let at = shown.iter().position(|id| **id == near.id).unwrap_or_else(|| {
                shown.push(&near.id);
                shown.len() - 1
            });
            of_one.push(format!("k{}", at + 1));
        }
        names.push(of_one);
    }
    names
}

fn question(
    deciding: &DecisionContext<'_>,
    open: &[OpenProposal<'_>],
    names: &[Vec<String>],
) -> Result<Question> {
    let prompt = match deciding.strategy.base {
        StrategyBase::UserPreference => &PREFERENCES,
        StrategyBase::Semantic
        | StrategyBase::Summary
        | StrategyBase::Episodic
        | StrategyBase::SelfManaged => &FACTS,
    };
    let custom = deciding.strategy.custom.as_ref();
    let replaced = custom.and_then(|custom| custom.consolidation.as_ref());
    let filling = Filling { replaced, more: None, input: input(open, names), entry: entry() };
    prompt.list_question(filling).ok_or_else(|| Error::bug("a prompt of consolidation has no name"))
}

/// Returns new memories, each with its related existing records, as JSON lines that no text can
/// escape.
fn input(open: &[OpenProposal<'_>], names: &[Vec<String>]) -> String {
    let shown = |(record, name): (&&Record, &String)| {
        json!({
            "id": name,
            "time": record.timestamp.to_rfc3339(),
            "scope": record.scope,
            "text": safety::for_model(&stated(record)),
        })
    };
    let mut text = String::from("<memories>\n");
    for (number, (one, names)) in (1..).zip(open.iter().zip(names)) {
        let kept: Vec<Value> = one.neighbours.iter().zip(names).map(shown).collect();
        let line = json!({
            "new": number,
            "time": one.record.timestamp.to_rfc3339(),
            "scope": one.record.scope,
            "text": safety::for_model(&stated(one.record)),
            "kept": kept,
        });
        let line = line.to_string().replace('<', "\\u003c").replace('>', "\\u003e");
        text.push_str(&line.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029"));
        text.push('\n');
    }
    text.push_str("</memories>");
    text
}

fn entry() -> Value {
    let fact = json!({
        "type": "object",
        "properties": {"fact": {"type": "string"}},
        "required": ["fact"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "memory": fact,
            "operation": {"type": "string", "enum": ["AddMemory", "UpdateMemory", "SkipMemory"]},
            "update_id": {"type": "string"},
            "updated_memory": fact,
        },
        "required": ["memory", "operation"],
        "additionalProperties": false,
    })
}

/// An item in the reply.
struct ReplyItem {
    operation: String,
    id: Option<String>,
    text: Option<String>,
}

fn items(reply: &str) -> std::result::Result<Vec<ReplyItem>, BadReply> {
    list(reply, limits::FACTS_PER_WINDOW_MAX, |entry| {
        entry.only(&["memory", "operation", "update_id", "updated_memory"]);
        let operation = entry.text("operation", OPERATION_CHARS_MAX);
        let id = entry.maybe_text("update_id", limits::SHORT_TEXT_CHARS_MAX);
        let text = entry.maybe_text_within("updated_memory", "fact", limits::FACT_CHARS_MAX);
        Some(ReplyItem { operation: operation?, id, text })
    })
}

/// Parses a reply: one item per open proposal, with names of shown records only.
fn read(reply: &str, names: &[Vec<String>]) -> std::result::Result<Vec<ModelDecision>, BadReply> {
    let items = items(reply)?;
    let mut violations = Vec::new();
    if items.len() != names.len() {
        violations.push(format!(
            "there are {} items: there must be {}, one for each new memory",
            items.len(),
            names.len()
        ));
    }
    let mut answers = Vec::new();
    for ((number, item), known) in (1..).zip(items).zip(names) {
        match answer(item, known) {
            Ok(answer) => answers.push(answer),
            Err(wrong) => violations.push(format!("item {number}: {wrong}")),
        }
    }
    violations.truncate(VIOLATIONS_MAX);
    if violations.is_empty() { Ok(answers) } else { Err(BadReply { violations }) }
}

fn answer(item: ReplyItem, known: &[String]) -> std::result::Result<ModelDecision, &'static str> {
    let ReplyItem { operation, id, text } = item;
    let at = match id {
        None => None,
        Some(id) => Some(
            known
                .iter()
                .position(|name| *name == id)
                .ok_or("update_id must be the id of a kept memory that was shown with it")?,
        ),
    };
    match (operation.as_str(), at, text) {
        ("AddMemory", _, _) => Ok(ModelDecision::Add),
        ("SkipMemory", at, _) => Ok(ModelDecision::Skip(at)),
        ("UpdateMemory", Some(at), Some(text)) => Ok(ModelDecision::Update(at, text)),
        ("UpdateMemory", None, _) => Err("UpdateMemory needs update_id"),
        ("UpdateMemory", Some(_), None) => Err("UpdateMemory needs updated_memory with a fact"),
        _ => Err("operation must be AddMemory, UpdateMemory or SkipMemory"),
    }
}

/// Converts an answer to a decision. A newer statement is never merged into an older one's words. A
/// rejected text is replaced by the candidate's own words.
fn decided(open: &OpenProposal<'_>, answer: ModelDecision, by: &AnswerAuthor) -> Decision {
    let said = |what: &str| Why { reason: what.to_owned(), by: by.prompt.to_string() };
    match answer {
        ModelDecision::Add => Decision::Add { why: said("the model: something else") },
        ModelDecision::Skip(Some(at)) => match open.neighbours.get(at) {
            Some(near) => Decision::Skip { of: near.id.clone(), why: said("the model: says nothing new") },
            None => Decision::Add { why: said("the model named nothing that is there") },
        },
        // The model names no record for the skipped proposal: it is added, and safety decides on
        // it.
        ModelDecision::Skip(None) => {
            Decision::Add { why: said("the model would leave it out, but names no other") }
        }
        ModelDecision::Update(at, text) => match open.neighbours.get(at) {
            Some(near) => update(open.record, near, text, by),
            None => Decision::Add { why: said("the model named nothing that is there") },
        },
    }
}

fn update(new: &Record, old: &Record, text: String, by: &AnswerAuthor) -> Decision {
    let said = |what: &str| Why { reason: what.to_owned(), by: by.prompt.to_string() };
    let id: RecordId = old.id.clone();
    if StatementTime::of(new).is_before(&StatementTime::of(old)) {
        return Decision::History {
            under: id,
            why: said("the model: the same matter, told of an earlier time"),
        };
    }
    if crate::consolidation::relate::rank(new.tier) < crate::consolidation::relate::rank(old.tier) {
        return Decision::Hold {
            with: id,
            why: said("the model: the same matter, but the other is trusted more"),
        };
    }
    let own = stated(new);
    // A preference keeps its JSON form, so its own words supersede the old record.
    let keeps_form = own != new.text;
    match merged_words::check(&text, &stated(old), &own) {
        Ok(()) if !keeps_form && text != own => Decision::Update {
            old: id,
            text,
            why: said("the model: the newer state of the same"),
            by: by.clone(),
        },
        Ok(()) => Decision::Supersede { old: vec![id], why: said("the model: the newer state of the same") },
        Err(refused) => Decision::Supersede { old: vec![id], why: said(refused.text()) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers() {
        let names = vec![vec!["k1".to_owned(), "k2".to_owned()], vec!["k3".to_owned()]];
        let check = |reply: &str, expect: std::result::Result<Vec<ModelDecision>, usize>| {
            let seen = read(reply, &names).map_err(|bad| bad.violations.len());
            assert_eq!(seen, expect, "{reply}");
        };
        let two = |first: &str| {
            format!(r#"{{"items":[{first},{{"memory":{{"fact":"b"}},"operation":"AddMemory"}}]}}"#)
        };
        check(
            &two(
                r#"{"memory":{"fact":"a"},"operation":"UpdateMemory","update_id":"k2","updated_memory":{"fact":"c"}}"#,
            ),
            Ok(vec![ModelDecision::Update(1, "c".into()), ModelDecision::Add]),
        );
        check(
            &two(r#"{"memory":{"fact":"a"},"operation":"SkipMemory","update_id":"k1"}"#),
            Ok(vec![ModelDecision::Skip(Some(0)), ModelDecision::Add]),
        );
        check(&two(r#"{"memory":{"fact":"a"},"operation":"SkipMemory","update_id":"k3"}"#), Err(1));
        check(&two(r#"{"memory":{"fact":"a"},"operation":"UpdateMemory","update_id":"k1"}"#), Err(1));
        check(&two(r#"{"memory":{"fact":"a"},"operation":"Forget"}"#), Err(1));
        check("[]", Err(1));
        check("I cannot do that.", Err(1));
    }
}
