//! Facts without a model: each USER and ASSISTANT turn is stored verbatim, and data as lines.
//!
//! The index covers the context of a turn; it is not stored here. Turns of tools and others are
//! used only by episodes and summaries.

use loci_model::SessionId;
use loci_model::event::Role;
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::RecordKind;
use loci_model::record::metadata::{Metadata, MetadataValue};

use super::semantic_model;
use crate::strategies::learnings::{self, KNOWLEDGE, LEARNING};
use crate::strategies::task_event::TaskEvent;
use crate::strategies::{
    Ask, BadReply, Batch, Candidate, DecisionMethod, JoinMode, Question, Strategy, Turn,
};

/// Subtype of records that contain data.
pub const DATA: &str = "data";
/// Terms of turns that only answer: a turn made of these alone has no content worth storing
/// ("Yes!", "Okay, thanks"). Any other single term has ("Vegetarian.").
const ANSWERS: [&str; 43] = [
    "yes", "yep", "yeah", "yup", "no", "nope", "nah", "ok", "okay", "sure", "thank", "thanks", "thx",
    "pleas", "please", "great", "good", "nice", "cool", "fine", "perfect", "right", "correct", "exact",
    "exactly", "absolut", "definit", "agre", "agreed", "hello", "hi", "hey", "bye", "goodby", "welcom",
    "sorri", "hmm", "done", "continu", "continue", "lgtm", "alright", "wow",
];
/// Terms of such turns in scripts without spaces, where a term is two letters.
const SPACELESS_ANSWERS: [&str; 14] =
    ["好", "好的", "是", "是的", "不", "不是", "对", "谢谢", "你好", "はい", "ok", "行", "嗯", "可以"];
/// Source type of statements that a coding agent reports.
const LEARNED_BY: &str = "agent_learning";
/// Turns per round, which is one batch of the embedder and one write: large enough to fill both,
/// small enough for prompt results.
const TURNS_PER_ROUND: usize = 32;

/// The strategy that makes facts.
#[derive(Debug)]
pub struct Semantic;

impl Strategy for Semantic {
    fn base(&self) -> StrategyBase {
        StrategyBase::Semantic
    }

    fn builds_on(&self, _: &SessionId) -> Vec<String> {
        Vec::new()
    }

    fn turns_per_round(&self) -> usize {
        TURNS_PER_ROUND
    }

    fn extract(&self, batch: &Batch<'_>) -> Vec<Candidate> {
        batch.turns.iter().filter(|turn| is_kept(turn)).map(|turn| candidate(turn, batch.session)).collect()
    }

    fn asks(&self) -> bool {
        true
    }

    fn extraction(&self, ask: &Ask<'_>) -> Option<Question> {
        semantic_model::question(ask)
    }

    fn read_extraction(&self, reply: &str, ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
        semantic_model::read(reply, ask)
    }

    fn decides(&self) -> DecisionMethod {
        DecisionMethod::Facts
    }
}

fn is_kept(turn: &Turn) -> bool {
    let read = match (&turn.task, turn.role) {
        // The report of a task's end becomes its episode; it is no knowledge about the repository.
        (Some(TaskEvent::Ended(_)), _) => false,
        (Some(TaskEvent::Learned), _) | (None, Some(Role::User | Role::Assistant) | None) => true,
        (None, Some(Role::Tool | Role::Other)) => false,
    };
    read && loci_text::terms(turn.indexed()).iter().any(|term| !is_answer(term))
}

fn is_answer(term: &str) -> bool {
    ANSWERS.contains(&term) || SPACELESS_ANSWERS.contains(&term)
}

fn candidate(turn: &Turn, session: &SessionId) -> Candidate {
    if turn.task == Some(TaskEvent::Learned) {
        return learned(turn, session);
    }
    let said = turn.role.is_some();
    Candidate {
        subtype: (!said).then(|| DATA.to_owned()),
        index_text: turn.values.clone(),
        verbatim: said,
        role: turn.role,
        run: turn.run.clone().filter(|_| said),
        ..Candidate::of_turn(turn, RecordKind::Fact, turn.text.clone(), JoinMode::Duplicates)
    }
}

/// Returns the record of a statement that a coding agent reports about its repository.
fn learned(turn: &Turn, session: &SessionId) -> Candidate {
    let learning = learnings::one(&turn.text);
    let text = |text: &str| MetadataValue::String(text.to_owned());
    let mut inferred = Metadata::from([
        ("type".to_owned(), text(LEARNING)),
        ("task_id".to_owned(), text(session.as_str())),
        ("source_type".to_owned(), text(LEARNED_BY)),
    ]);
    let category = learning.as_ref().and_then(|learning| learning.category);
    inferred.extend(category.map(|category| ("category".to_owned(), text(category.as_str()))));
    Candidate {
        subtype: Some(KNOWLEDGE.to_owned()),
        scope: learning.and_then(|learning| learning.scope),
        inferred,
        ..Candidate::of_turn(turn, RecordKind::Fact, turn.text.clone(), JoinMode::Duplicates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::turns::turn::tests::{event, talk};
    use crate::strategies::turns::turn::turns_of_message;
    use loci_model::Document;
    use loci_model::event::PayloadItem;

    fn extract(turns: &[Turn]) -> Vec<Candidate> {
        let session = SessionId::parse("s1").unwrap();
        Semantic.extract(&Batch { session: &session, turns, standing: &[] })
    }

    #[test]
    fn turns_are_kept_word_for_word() {
        use Role::{Assistant, Other, Tool, User};
        for (role, text, kept) in [
            (User, "  I moved to Bern\n in May ", true),
            (Assistant, "Noted: you live in Bern.", true),
            (User, "Yes!", false),
            (User, "Okay.", false),
            (User, "Okay, thanks!", false),
            (User, "Great, perfect.", false),
            (User, "好的", false),
            (User, "Vegetarian.", true),
            (User, "sushi", true),
            (User, "sushi bar", true),
            (User, "喝茶", true),
            (User, "茶", true),
            (User, "and so it is then", false),
            (Tool, "forecast for Bern: rain all week", false),
            (Other, "system prompt of the agent", false),
        ] {
            let found = extract(&talk(&[(role, text)]));
            assert_eq!(found.len(), usize::from(kept), "{role:?} {text}");
            for candidate in found {
                assert_eq!(candidate.text, text);
                assert_eq!((candidate.verbatim, candidate.role), (true, Some(role)));
                assert_eq!((candidate.index_text, candidate.kind), (None, RecordKind::Fact));
            }
        }
    }

    #[test]
    fn a_report_of_a_task_is_no_knowledge_and_its_learnings_are() {
        let word = |text: &str| MetadataValue::String(text.to_owned());
        let check = |kind: &str, text: &str, expect: &[(&str, Option<&str>)]| {
            let message = PayloadItem::Conversational { role: Role::Other, text: text.to_owned() };
            let mut event = event(1, vec![message]);
            event.metadata.insert("type".to_owned(), kind.to_owned());
            let turns = turns_of_message(&event, 0);
            let found = extract(&turns);
            let facts: Vec<_> = found.iter().map(|one| (one.text.as_str(), one.scope.as_deref())).collect();
            assert_eq!(facts, expect, "{text}");
            assert!(found.iter().all(|one| one.inferred.get("source_type") == Some(&word(LEARNED_BY))));
            let parts: Vec<u32> = found.iter().map(|one| one.sources[0].part).collect();
            assert!(parts.is_sorted_by(|one, next| one < next), "a source of its own: {parts:?}");
        };
        check("task_episode", "Task t-1 completed with status: COMPLETED. Cost: $0.4213.", &[]);
        let auth = "[Auth module]: tokens are cached for 5 minutes.";
        let node = "The build needs Node 20.";
        let both = format!("Repository learnings: {auth}\n\n{node}");
        check("repo_learnings", &both, &[(auth, Some("module:auth")), (node, None)]);
        check("repo_learnings", "Repository learnings: No new repository learnings.", &[]);
    }

    #[test]
    fn data_is_indexed_by_its_values() {
        let json = Document::parse(r#"{"name":"Pixel","animal":"dog"}"#).unwrap();
        let turns = turns_of_message(&event(1, vec![PayloadItem::Json(json)]), 0);
        let found = extract(&turns);
        assert_eq!(found[0].text, "name: Pixel\nanimal: dog");
        assert_eq!(found[0].indexed(), "Pixel\ndog");
        assert_eq!((found[0].verbatim, found[0].subtype.as_deref()), (false, Some(DATA)));
    }
}
