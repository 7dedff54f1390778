//! Prompts that somebody typed while Claude Code was at work: one waits in a queue, which the file tells
//! of, until it is handed to the model as a line of type `user` or as an attachment. Some sessions end
//! before that; then the queue is the only place where it stands. What somebody took back was never
//! said.

use super::turn::{TranscriptTurn, TurnContent};

/// Prompts that wait at once. Past it the oldest is a turn without waiting for its line.
const WAITING_MAX: usize = 256;

/// The way by which a prompt left the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Left {
    /// It went to the model.
    Handed,
    /// It went back to who typed it, unless it arrives all the same: some versions of the program do not tell
    /// the two apart.
    TakenBack,
}

struct Prompt {
    typed: TranscriptTurn,
    left: Option<Left>,
    /// The number of the guess that it was this one that left; 0 where the file says so.
    guess: usize,
    /// The number of guesses from before it was typed: none of those can have meant this one.
    guesses_before: usize,
}

/// Prompts that were typed and have not arrived yet, oldest first.
#[derive(Default)]
pub(super) struct Queue {
    prompts: Vec<Prompt>,
    guesses: usize,
}

/// What remains where a file ends.
pub(super) struct Remains {
    /// Said, though no line hands it over.
    pub(super) said: Vec<TranscriptTurn>,
    /// Lines of what was taken back.
    pub(super) taken_back: Vec<usize>,
}

impl Queue {
    /// Takes what was typed; gives what waits no longer because too much does.
    pub(super) fn waits(&mut self, typed: Vec<TranscriptTurn>) -> Vec<TranscriptTurn> {
        let guesses_before = self.guesses;
        let waiting = |typed| Prompt { typed, left: None, guess: 0, guesses_before };
        self.prompts.extend(typed.into_iter().map(waiting));
        let over = self.prompts.len().saturating_sub(WAITING_MAX);
        self.prompts.drain(..over).map(|prompt| prompt.typed).collect()
    }

    /// Notes that a prompt left: the one of this text, else the one that waits longest.
    pub(super) fn leaves(&mut self, text: Option<&str>, how: Left) {
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

    /// Takes off what arrived, as these turns; gives the lines on which it was typed.
    pub(super) fn arrived(&mut self, turns: &[TranscriptTurn]) -> Vec<usize> {
        let mut lines = Vec::new();
        for turn in turns {
            // Several prompts may be handed over as one.
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

    /// Takes the last guess back that was made behind so many: another prompt, typed before it, arrived that
    /// was not known to have left, so it was that one.
    fn returns(&mut self, behind: usize) {
        let guessed = self.prompts.iter_mut().filter(|prompt| prompt.left.is_some() && prompt.guess > behind);
        if let Some(prompt) = guessed.max_by_key(|prompt| prompt.guess) {
            prompt.left = None;
        }
    }

    /// Takes off everything that waits: it goes back to where it is typed. Gives its lines.
    pub(super) fn clear(&mut self) -> Vec<usize> {
        let (waiting, left): (Vec<Prompt>, Vec<Prompt>) =
            self.prompts.drain(..).partition(|prompt| prompt.left.is_none());
        self.prompts = left;
        waiting.into_iter().map(|prompt| prompt.typed.source_line).collect()
    }

    /// What remains at the end of the file.
    pub(super) fn remains(&mut self) -> Remains {
        let (back, said): (Vec<Prompt>, Vec<Prompt>) =
            self.prompts.drain(..).partition(|prompt| prompt.left == Some(Left::TakenBack));
        Remains {
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

/// True where a turn of the person hands over what was typed.
fn holds(turn: &TranscriptTurn, typed: &TranscriptTurn) -> bool {
    turn.role == typed.role
        && turn.session == typed.session
        && match (&turn.content, &typed.content) {
            (TurnContent::Text(said), TurnContent::Text(typed)) => has_lines(said, typed),
            (said, typed) => said == typed,
        }
}

/// True where a text has another as whole lines: a short prompt stands within many words.
fn has_lines(text: &str, lines: &str) -> bool {
    text.match_indices(lines).any(|(at, found)| {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + found.len()..).unwrap_or_default();
        (before.is_empty() || before.ends_with('\n'))
            && (behind.is_empty() || behind.starts_with(['\r', '\n']))
    })
}
