//! Prompts that a person typed while Claude Code was working. A prompt waits in a queue, which the
//! file records, until the program hands it to the model as a line of type `user` or as an
//! attachment. Some sessions end before that; then the queue holds the only copy. A prompt that the
//! person took back becomes no turn.

use super::turn::{TranscriptTurn, TurnContent};

/// The maximum of waiting prompts. Beyond it the oldest becomes a turn without its line.
const WAITING_MAX: usize = 256;

/// The way in which a prompt left the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueueExit {
    /// The program handed it to the model.
    Handed,
    /// The person took it back, unless it arrives nevertheless: some versions of the program do not
    /// distinguish the two.
    TakenBack,
}

struct Prompt {
    typed: TranscriptTurn,
    left: Option<QueueExit>,
    /// The number of the guess that this prompt left; 0 if the file states it.
    guess: usize,
    /// The number of guesses made before it was typed: none of them can refer to this prompt.
    guesses_before: usize,
}

/// Prompts that were typed and have not arrived yet, oldest first.
#[derive(Default)]
pub(super) struct Queue {
    prompts: Vec<Prompt>,
    guesses: usize,
}

/// The prompts that remain at the end of a file.
pub(super) struct RemainingPrompts {
    /// Prompts that count as sent, although no line hands them over.
    pub(super) said: Vec<TranscriptTurn>,
    /// The lines of prompts that were taken back.
    pub(super) taken_back: Vec<usize>,
}

impl Queue {
    /// Adds typed prompts. Returns the prompts that no longer wait, because too many do.
    pub(super) fn waits(&mut self, typed: Vec<TranscriptTurn>) -> Vec<TranscriptTurn> {
        let guesses_before = self.guesses;
        let waiting = |typed| Prompt { typed, left: None, guess: 0, guesses_before };
        self.prompts.extend(typed.into_iter().map(waiting));
        let over = self.prompts.len().saturating_sub(WAITING_MAX);
        self.prompts.drain(..over).map(|prompt| prompt.typed).collect()
    }

    /// Records that a prompt left: the one with this text, else the oldest waiting one.
    pub(super) fn leaves(&mut self, text: Option<&str>, how: QueueExit) {
        let mut waiting = self.prompts.iter_mut().filter(|prompt| prompt.left.is_none());
        let left = match text {
            Some(text) => waiting.find(|prompt| prompt.is_of(text)),
            None => waiting.next(),
        };
        if let Some(prompt) = left {
            self.guesses += 1;
            prompt.left = Some(how);
            prompt.guess = if text.is_some() { 0 } else { self.guesses };
        }
    }

    /// Removes the prompts that arrived as these turns. Returns the lines on which they were typed.
    pub(super) fn arrived(&mut self, turns: &[TranscriptTurn]) -> Vec<usize> {
        let mut lines = Vec::new();
        for turn in turns {
            // One turn may hand over several prompts.
            let (arrived, rest): (Vec<Prompt>, Vec<Prompt>) =
                self.prompts.drain(..).partition(|prompt| holds(turn, &prompt.typed));
            self.prompts = rest;
            for prompt in arrived {
                lines.push(prompt.typed.source_line);
                if prompt.left.is_none() {
                    self.returns(prompt.guesses_before);
                }
            }
        }
        lines
    }

    /// Reverts the last guess above this number: an earlier prompt arrived that was not known to
    /// have left, so the guess meant that one.
    fn returns(&mut self, behind: usize) {
        let guessed = self.prompts.iter_mut().filter(|prompt| prompt.left.is_some() && prompt.guess > behind);
        if let Some(prompt) = guessed.max_by_key(|prompt| prompt.guess) {
            prompt.left = None;
        }
    }

    /// Removes all waiting prompts, which return to the input field. Returns their lines.
    pub(super) fn clear(&mut self) -> Vec<usize> {
        let (waiting, left): (Vec<Prompt>, Vec<Prompt>) =
            self.prompts.drain(..).partition(|prompt| prompt.left.is_none());
        self.prompts = left;
        waiting.into_iter().map(|prompt| prompt.typed.source_line).collect()
    }

    /// Returns the remaining prompts at the end of the file.
    pub(super) fn remains(&mut self) -> RemainingPrompts {
        let (back, said): (Vec<Prompt>, Vec<Prompt>) =
            self.prompts.drain(..).partition(|prompt| prompt.left == Some(QueueExit::TakenBack));
        RemainingPrompts {
            said: said.into_iter().map(|prompt| prompt.typed).collect(),
            taken_back: back.into_iter().map(|prompt| prompt.typed.source_line).collect(),
        }
    }
}

impl Prompt {
    fn is_of(&self, text: &str) -> bool {
        matches!(&self.typed.content, TurnContent::Text(typed) if has_lines(text, typed))
    }
}

/// True if a turn of the person contains the typed prompt.
fn holds(turn: &TranscriptTurn, typed: &TranscriptTurn) -> bool {
    turn.role == typed.role
        && turn.session == typed.session
        && match (&turn.content, &typed.content) {
            (TurnContent::Text(said), TurnContent::Text(typed)) => has_lines(said, typed),
            (said, typed) => said == typed,
        }
}

/// True if a text contains another one as whole lines, because a short prompt occurs within many
/// words.
fn has_lines(text: &str, lines: &str) -> bool {
    text.match_indices(lines).any(|(at, found)| {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + found.len()..).unwrap_or_default();
        (before.is_empty() || before.ends_with('\n'))
            && (behind.is_empty() || behind.starts_with(['\r', '\n']))
    })
}
