//! The JSON text form of episodes.
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

/// An episode: one piece of work.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Episode {
    /// The place and the means.
    pub situation: String,
    /// The goal.
    pub intent: String,
    /// The result: `success`, `failure` or `unknown`.
    pub assessment: String,
    /// The statement that shows the result.
    pub justification: String,
    /// The failures before something worked; empty if there were none.
    pub reflection: String,
    /// Number of turns omitted from a long episode.
    #[serde(skip_serializing_if = "is_zero")]
    pub turns_omitted: u64,
    /// The steps.
    pub turns: Vec<EpisodeTurn>,
    /// The task as its harness reported it, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<Box<ReportedTask>>,
}

/// A step: a request, and the actions on it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EpisodeTurn {
    /// The message that began it: event, `/`, message, part.
    pub turn_id: String,
    /// The preceding situation.
    pub situation: String,
    /// The request.
    pub intent: String,
    /// The actions.
    pub action: String,
    /// The reason: only a model can state it, so it is empty.
    pub thought: String,
    /// Assessment in the agent's words.
    pub assessment_assistant: String,
    /// Assessment in the person's next words.
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
