//! The form in which the text of an episode is stored: JSON with fixed members.
//!
//! The content of an episode is decided elsewhere.

use loci_model::limits;
use serde::{Deserialize, Serialize};

use crate::strategies::task_event::ReportedTask;

/// Number of turns that a long episode keeps from its start; the others are the latest.
const FIRST_TURNS: usize = 3;

/// Maximum indexed characters of an episode. Every window of the embedding model costs as much as a
/// short text, and the vector of a long text represents none of its parts well.
const INDEX_CHARS_MAX: usize = 2_400;

/// An episode: what happened in one session or task, step by step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Episode {
    /// The circumstances of the work: place, tools, participants.
    pub situation: String,
    /// The goal of the work.
    pub intent: String,
    /// The result of the work: `success`, `failure` or `unknown`.
    pub assessment: String,
    /// The statement in the conversation that shows the result.
    pub justification: String,
    /// The failures before the work succeeded; empty if there were none.
    pub reflection: String,
    /// The number of steps that are left out of a long episode.
    #[serde(skip_serializing_if = "is_zero")]
    pub turns_omitted: u64,
    /// The steps of the work, in order.
    pub turns: Vec<EpisodeTurn>,
    /// The task as the program that runs the agent reported it, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Box<ReportedTask>>,
}

/// A step of an episode: a request, and the actions that followed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EpisodeTurn {
    /// The message that began the step, as event id, `/`, message number and part.
    pub turn_id: String,
    /// The situation before the step.
    pub situation: String,
    /// The request that began the step.
    pub intent: String,
    /// The actions that followed the request.
    pub action: String,
    /// The reason for the actions. Only a model can state it, so it is empty without a model.
    pub thought: String,
    /// The agent's own words on the result of the step.
    pub assessment_assistant: String,
    /// The person's next words on the result of the step.
    pub assessment_user: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form serde asks for")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Episode {
    /// Parses the text of a record; `None` if it is no episode.
    pub fn read(text: &str) -> Option<Self> {
        loci_json::from_str(text).ok()
    }

    /// Returns the text of a record. Turns in the middle are omitted and counted until it fits.
    pub fn write(&mut self) -> String {
        loop {
            let text = serde_json::to_string(self).unwrap_or_default();
            if text.chars().count() <= limits::RECORD_TEXT_CHARS_MAX || self.turns.len() <= FIRST_TURNS + 1 {
                return text;
            }
            self.turns.remove(FIRST_TURNS);
            self.turns_omitted = self.turns_omitted.saturating_add(1);
        }
    }

    /// Returns the values without keys and ids, for the index: the goal and the result, then as
    /// many steps as fit. The turns themselves are found by their facts and events.
    pub fn values(&self) -> String {
        let mut values = vec![
            self.intent.as_str(),
            self.situation.as_str(),
            self.justification.as_str(),
            self.reflection.as_str(),
        ];
        for turn in &self.turns {
            values.extend([turn.intent.as_str(), turn.action.as_str()]);
        }
        let files = self.task.iter().flat_map(|task| &task.files_changed);
        values.extend(files.map(String::as_str));
        let mut seen: Vec<&str> = Vec::new();
        let mut room = INDEX_CHARS_MAX;
        for value in values.into_iter().filter(|value| !value.is_empty()) {
            let chars = value.chars().count();
            if chars <= room && !seen.contains(&value) {
                room -= chars;
                seen.push(value);
            }
        }
        seen.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_episode_fits_and_counts_what_it_leaves_out() {
        let turn = |number: usize| EpisodeTurn {
            turn_id: number.to_string(),
            intent: "x".repeat(300),
            ..EpisodeTurn::default()
        };
        let mut episode = Episode { turns: (0..100).map(turn).collect(), ..Episode::default() };
        let text = episode.write();
        assert!(text.chars().count() <= loci_model::limits::RECORD_TEXT_CHARS_MAX);
        let back = Episode::read(&text).unwrap();
        assert_eq!(back, episode);
        assert_eq!(back.turns.len() as u64 + back.turns_omitted, 100);
        assert_eq!(
            (back.turns[2].turn_id.as_str(), back.turns.last().unwrap().turn_id.as_str()),
            ("2", "99")
        );
        assert_eq!(Episode::read("no episode"), None);
    }

    #[test]
    fn the_index_reads_what_fits() {
        let turn = |number: usize| EpisodeTurn {
            intent: format!("{number} {}", "x".repeat(300)),
            ..EpisodeTurn::default()
        };
        let turns = (0..100).map(turn).collect();
        let episode = Episode { intent: "wanted".into(), turns, ..Episode::default() };
        let values = episode.values();
        assert!(values.starts_with("wanted\n0 x") && values.contains("\n6 x") && !values.contains("\n9 x"));
    }

    #[test]
    fn values_have_no_keys_and_no_repeats() {
        let turn = EpisodeTurn { turn_id: "e/0".into(), intent: "fix it".into(), ..EpisodeTurn::default() };
        let episode = Episode { intent: "fix it".into(), turns: vec![turn], ..Episode::default() };
        assert_eq!(episode.values(), "fix it");
    }
}
