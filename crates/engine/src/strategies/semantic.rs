//! Facts without a model: each USER and ASSISTANT turn kept word for word, data as lines (agentcore-wire.md §8).
//!
//! What the neighbours of a turn say is the index's matter, never stored here. Turns of tools and others feed episodes
//! and summaries alone.

use loci_model::SessionId;
use loci_model::event::Role;
use loci_model::record::RecordKind;
use loci_model::strategy::StrategyBase;

use super::{Ask, BadReply, Batch, Candidate, Deciding, Joining, Question, Strategy, Turn, semantic_model};

/// Subtype of records that hold data.
pub const DATA: &str = "data";
/// Turns with at most so many terms (retrieval.md §2) say nothing worth keeping: "Yes!", "Okay, thanks".
const TERMS_SKIPPED_MAX: usize = 1;
/// A round is one batch of the embedder and one write: large enough to fill both, small enough to be found soon.
const TURNS_PER_ROUND: usize = 32;

/// The strategy.
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
        batch.turns.iter().filter(|turn| is_kept(turn)).map(candidate).collect()
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

    fn decides(&self) -> Deciding {
        Deciding::Facts
    }
}

fn is_kept(turn: &Turn) -> bool {
    let read = match turn.role {
        Some(Role::User | Role::Assistant) | None => true,
        Some(Role::Tool | Role::Other) => false,
    };
    read && loci_text::terms(turn.indexed()).len() > TERMS_SKIPPED_MAX
}

fn candidate(turn: &Turn) -> Candidate {
    let said = turn.role.is_some();
    Candidate {
        subtype: (!said).then(|| DATA.to_owned()),
        index_text: turn.values.clone(),
        verbatim: said,
        role: turn.role,
        run: turn.run.clone().filter(|_| said),
        ..Candidate::of_turn(turn, RecordKind::Fact, turn.text.clone(), Joining::Duplicates)
    }
}

#[cfg(test)]
mod tests {
    use super::super::turn::tests::{event, talk};
    use super::super::turn::turns_of_message;
    use super::*;
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
            (User, "sushi", false),
            (User, "sushi bar", true),
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
    fn data_is_indexed_by_its_values() {
        let json = Document::parse(r#"{"name":"Pixel","animal":"dog"}"#).unwrap();
        let turns = turns_of_message(&event(1, vec![PayloadItem::Json(json)]), 0);
        let found = extract(&turns);
        assert_eq!(found[0].text, "name: Pixel\nanimal: dog");
        assert_eq!(found[0].indexed(), "Pixel\ndog");
        assert_eq!((found[0].verbatim, found[0].subtype.as_deref()), (false, Some(DATA)));
    }
}
