//! What somebody typed while Claude Code was at work: it waits in a queue, which the file tells of, until it is handed to the model as a
//! line of type `user` or as an attachment. Some sessions end before that; then the queue is the only place where it stands.

use super::turn::{TranscriptTurn, TurnContent};

/// Prompts that wait at once. Past it the oldest is a turn without waiting for its line.
const WAITING_MAX: usize = 256;

/// Prompts that were typed and not handed over yet, oldest first.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Vec<TranscriptTurn>,
}

impl Queue {
    /// Takes what was typed; gives what waits no longer because too much does.
    pub(super) fn waits(&mut self, typed: Vec<TranscriptTurn>) -> Vec<TranscriptTurn> {
        self.waiting.extend(typed);
        let over = self.waiting.len().saturating_sub(WAITING_MAX);
        self.waiting.drain(..over).collect()
    }

    /// Takes off what was handed over, as these turns; gives the lines on which it was typed.
    pub(super) fn arrived(&mut self, turns: &[TranscriptTurn]) -> Vec<usize> {
        let mut lines = Vec::new();
        for turn in turns {
            // Several prompts may be handed over as one.
            self.waiting.retain(|typed| {
                let stays = !holds(turn, typed);
                if !stays {
                    lines.push(typed.source_line);
                }
                stays
            });
        }
        lines
    }

    /// Takes everything off: it goes back to where it is typed. Gives its lines.
    pub(super) fn clear(&mut self) -> Vec<usize> {
        self.waiting.drain(..).map(|typed| typed.source_line).collect()
    }

    /// What was never handed over.
    pub(super) fn rest(&mut self) -> Vec<TranscriptTurn> {
        std::mem::take(&mut self.waiting)
    }
}

fn holds(turn: &TranscriptTurn, typed: &TranscriptTurn) -> bool {
    turn.session == typed.session
        && match (&turn.content, &typed.content) {
            (TurnContent::Text(said), TurnContent::Text(typed)) => said.contains(typed.as_str()),
            (said, typed) => said == typed,
        }
}
