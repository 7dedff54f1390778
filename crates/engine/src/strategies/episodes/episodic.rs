//! Episodes without a model (with a model: `episodic_model.rs`): one per session, structured by
//! requests, actions and statements on them, and continued in place as the session grows. All roles
//! are read, including tools.
//!
//! Assessments follow plain words of success and failure by people and the assistant, and are
//! `unknown` otherwise. A tool's output only counts by its final exit status, and status 0 is no
//! success of the task. Reflections *across* episodes need a model and have their own job.

use std::sync::LazyLock;

use loci_model::event::Role;
use loci_model::job::exchange::Step;
use loci_model::memory::strategy::StrategyBase;
use loci_model::record::RecordKind;
use loci_model::record::provenance::Source;
use loci_model::{SessionId, limits};
use regex::Regex;

use super::episode_form::{Episode, EpisodeTurn};
use super::episodic_model;
use crate::strategies::summaries::summary_topics::shortened;
use crate::strategies::task_event::TaskEvent;
use crate::strategies::{Ask, BadReply, Batch, Candidate, JoinMode, Question, Strategy, Turn};

/// The maximum number of actions that a step of an episode lists; further ones are only counted.
const ACTIONS_MAX: usize = 6;
/// The maximum number of sources of an episode. The first and the latest messages are kept.
const SOURCES_MAX: usize = 100;

/// The strategy that makes episodes.
#[derive(Debug)]
pub struct Episodic;

impl Strategy for Episodic {
    fn base(&self) -> StrategyBase {
        StrategyBase::Episodic
    }

    fn builds_on(&self, session: &SessionId) -> Vec<String> {
        vec![subtype(session)]
    }

    fn turns_per_round(&self) -> usize {
        limits::EXTRACTION_TURNS_MAX
    }

    fn extract(&self, batch: &Batch<'_>) -> Vec<Candidate> {
        let read = batch.turns.iter().filter(|turn| turn.task != Some(TaskEvent::Learned));
        let Some(newest) = read.map(|turn| turn.time).max() else { return Vec::new() };
        let standing = batch.standing.last();
        let mut episode = standing.and_then(|record| Episode::read(&record.text)).unwrap_or_default();
        let old = standing.map_or(&[][..], |record| &record.sources);
        for turn in batch.turns {
            step(&mut episode, turn);
        }
        if episode.turns.is_empty() && episode.task.is_none() {
            return Vec::new();
        }
        assess(&mut episode, batch.session);
        if let Some(task) = episode.task.as_mut().filter(|task| task.task_id.is_empty()) {
            task.task_id = batch.session.to_string();
        }
        let reported = episode.task.clone();
        if let Some(reported) = &reported {
            reported.write_into(&mut episode);
        }
        let text = episode.write();
        vec![Candidate {
            kind: RecordKind::Episode,
            subtype: Some(subtype(batch.session)),
            title: Some(episode.intent.clone()).filter(|intent| !intent.is_empty()),
            description: reported.as_ref().map(|reported| reported.description(&episode.intent)),
            text,
            index_text: Some(episode.values()),
            sources: sources(old, batch.turns),
            verbatim: false,
            role: None,
            run: None,
            scope: None,
            inferred: reported.map(|reported| reported.metadata()).unwrap_or_default(),
            time: standing.map_or(newest, |record| record.time.max(newest)),
            joining: JoinMode::InPlace,
        }]
    }

    fn asks(&self) -> bool {
        true
    }

    fn step(&self, ask: &Ask<'_>) -> Step {
        episodic_model::step(ask)
    }

    fn extraction(&self, ask: &Ask<'_>) -> Option<Question> {
        episodic_model::question(ask)
    }

    fn read_extraction(&self, reply: &str, ask: &Ask<'_>) -> Result<Vec<Candidate>, BadReply> {
        episodic_model::read(reply, ask)
    }
}

/// Returns the subtype of a session's episode: one namespace may contain episodes of several
/// sessions.
pub fn subtype(session: &SessionId) -> String {
    format!("session/{session}")
}

/// Joins earlier sources and those of new turns: the first and the latest.
pub(in crate::strategies) fn sources(old: &[Source], turns: &[Turn]) -> Vec<Source> {
    let mut sources = old.to_vec();
    for turn in turns {
        if sources.last() != Some(&turn.source) {
            sources.push(turn.source.clone());
        }
    }
    if sources.len() > SOURCES_MAX {
        let latest = sources.len() - SOURCES_MAX / 2;
        sources.drain(SOURCES_MAX / 2..latest);
    }
    sources
}

/// Adds one turn: a message of a person or data begins a step, other messages are actions of the
/// open step.
fn step(episode: &mut Episode, turn: &Turn) {
    match &turn.task {
        Some(TaskEvent::Ended(report)) => {
            let before = episode.task.take().map(|before| *before).unwrap_or_default();
            episode.task = Some(Box::new(before.and_then((**report).clone())));
            return;
        }
        Some(TaskEvent::Learned) => return,
        None => {}
    }
    let told = lead(&turn.text);
    if told.is_empty() {
        return;
    }
    match turn.role {
        Some(Role::User) | None => {
            if let (Some(open), Some(word)) = (episode.turns.last_mut(), judged(&turn.text)) {
                word.clone_into(&mut open.assessment_user);
            }
            let situation = episode.turns.last().map(|last| last_line(&last.action)).unwrap_or_default();
            episode.turns.push(EpisodeTurn { intent: told, situation, ..opened(turn) });
        }
        Some(Role::Assistant) => act(episode, turn, &told),
        Some(Role::Tool) => act(episode, turn, &format!("tool: {told}")),
        // Instructions of the system describe the place of work.
        Some(Role::Other) => {
            if episode.situation.is_empty() {
                episode.situation = told;
            }
        }
    }
}

/// Returns the id of the step that a message begins.
pub(super) fn turn_id(source: &Source) -> String {
    format!("{}/{}.{}", source.event, source.message, source.part)
}

fn opened(turn: &Turn) -> EpisodeTurn {
    EpisodeTurn { turn_id: turn_id(&turn.source), ..EpisodeTurn::default() }
}

fn act(episode: &mut Episode, turn: &Turn, told: &str) {
    if episode.turns.is_empty() {
        episode.turns.push(opened(turn));
    }
    let Some(open) = episode.turns.last_mut() else { return };
    let word = if turn.role == Some(Role::Tool) { exit_failure(&turn.text) } else { judged(&turn.text) };
    if let Some(word) = word {
        word.clone_into(&mut open.assessment_assistant);
    }
    let mut lines: Vec<&str> = open.action.lines().collect();
    if lines.len() < ACTIONS_MAX {
        lines.push(told);
        open.action = lines.join("\n");
        return;
    }
    // The last line is always the latest action; the line before it counts omitted ones.
    let counted = lines
        .iter()
        .find_map(|line| line.strip_prefix("… ")?.strip_suffix(" more")?.parse::<u64>().ok())
        .unwrap_or(0);
    let mut kept: Vec<String> = lines.iter().take(ACTIONS_MAX - 2).map(|line| (*line).to_owned()).collect();
    kept.push(format!("… {} more", counted + if counted == 0 { 2 } else { 1 }));
    kept.push(told.to_owned());
    open.action = kept.join("\n");
}

fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().to_owned()
}

/// Returns the first sentences of a text on one line.
fn lead(text: &str) -> String {
    shortened(text.trim()).replace('\n', " ")
}

static FAILED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:error|errors|exception|traceback|failed|fails|failure|cannot|can't|couldn't|unable|denied|timed? ?out|not found|doesn't work|does not work|didn't work|still broken|wrong|incorrect)\b",
    )
});
static NO_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(r"(?i)\b(?:no|0|zero|without)\s+(?:errors?|failures?|exceptions?)|\b0 failed\b")
});
static WORKED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:done|fixed|works|worked|working now|passed|passes|succeeded|success|successfully|completed|resolved|solved|booked|deployed|merged|thanks|thank you|perfect|great|excellent|awesome|that's it|no errors|0 failed)\b",
    )
});

/// The line with which harnesses report the exit status of a command.
static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^\W*(?:(?:process|command|program)\s+)?exit(?:ed)?(?:\s+with)?(?:\s+(?:code|status))?\s*[:=]?\s*(-?\d+)\W*$",
    )
});

/// Returns `failure` if the first or the last line of a tool's output is an exit status unequal to
/// zero. Its other words may belong to a displayed file, a page, or another task.
fn exit_failure(text: &str) -> Option<&'static str> {
    let lines = [text.trim().lines().next_back(), text.trim().lines().next()];
    let mut status = lines.into_iter().flatten().filter_map(|line| EXIT.captures(line));
    let failed = status.next().is_some_and(|found| found.get(1).is_some_and(|code| code.as_str() != "0"));
    failed.then_some("failure")
}

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Returns `success` or `failure` by the last word that indicates it.
fn judged(text: &str) -> Option<&'static str> {
    let last = |pattern: &Regex| pattern.find_iter(text).last().map(|found| found.start());
    let without = NO_FAILURE.replace_all(text, |found: &regex::Captures<'_>| " ".repeat(found[0].len()));
    let failed = FAILED.find_iter(&without).last().map(|found| found.start());
    let none = NO_FAILURE.find_iter(text).last().map(|found| found.start());
    let worked = last(&WORKED).max(none);
    match (worked, failed) {
        (None, None) => None,
        (worked, failed) if worked > failed => Some("success"),
        _ => Some("failure"),
    }
}

fn assess(episode: &mut Episode, session: &SessionId) {
    if episode.situation.is_empty() {
        episode.situation = format!("session {session}");
    }
    if episode.intent.is_empty() {
        let asked = episode.turns.iter().find(|turn| loci_text::terms(&turn.intent).len() > 1);
        episode.intent = asked.map(|turn| turn.intent.clone()).unwrap_or_default();
    }
    episode.assessment = "unknown".to_owned();
    episode.justification.clear();
    let mut follows: Option<&EpisodeTurn> = None;
    for turn in episode.turns.iter().rev() {
        let (word, said) = if turn.assessment_user.is_empty() {
            (&turn.assessment_assistant, last_line(&turn.action))
        } else {
            (&turn.assessment_user, follows.map(|next| next.intent.clone()).unwrap_or_default())
        };
        if !word.is_empty() {
            episode.assessment.clone_from(word);
            episode.justification = said;
            break;
        }
        follows = Some(turn);
    }
    episode.reflection = lesson(&episode.turns);
}

/// Returns the failure, and the success after it.
fn lesson(turns: &[EpisodeTurn]) -> String {
    let failed = turns
        .iter()
        .position(|turn| turn.assessment_assistant == "failure" || turn.assessment_user == "failure");
    let Some(failed) = failed else { return String::new() };
    let worked = turns.iter().skip(failed + 1).find(|turn| turn.assessment_assistant == "success");
    match (turns.get(failed), worked) {
        (Some(failed), Some(worked)) => {
            format!("Did not work: {}. Worked: {}", last_line(&failed.action), last_line(&worked.action))
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategies::earlier_records::EarlierRecord;
    use crate::strategies::turns::turn::tests::talk;
    use Role::{Assistant, Other, Tool, User};
    use loci_model::limits;

    fn extract(turns: &[Turn]) -> Vec<Candidate> {
        let session = SessionId::parse("s1").unwrap();
        Episodic.extract(&Batch { session: &session, turns, standing: &[] })
    }

    #[test]
    fn a_task_with_tools() {
        let found = extract(&talk(&[
            (Other, "You work in the repository shop."),
            (User, "Fix the failing test of the cart"),
            (Assistant, "I run the tests."),
            (Tool, "call pytest: cart"),
            (Tool, "AssertionError: error in total\nexit code 1"),
            (User, "Try to round the total"),
            (Tool, "12 passed, 0 failed"),
            (Assistant, "The test is fixed."),
            (User, "Perfect, thanks!"),
        ]));
        let episode = Episode::read(&found[0].text).unwrap();
        assert_eq!(episode.situation, "You work in the repository shop.");
        assert_eq!(episode.intent, "Fix the failing test of the cart");
        assert_eq!(
            (episode.assessment.as_str(), episode.justification.as_str()),
            ("success", "Perfect, thanks!")
        );
        assert_eq!(
            episode.reflection,
            "Did not work: tool: AssertionError: error in total exit code 1. Worked: The test is fixed."
        );
        assert_eq!(episode.turns.len(), 3);
        assert_eq!(
            episode.turns[0].action,
            "I run the tests.\ntool: call pytest: cart\ntool: AssertionError: error in total exit code 1"
        );
        assert_eq!(episode.turns[0].assessment_assistant, "failure");
        assert!(!found[0].indexed().contains("assessment") && !found[0].indexed().contains('{'));
        assert_eq!(found[0].subtype.as_deref(), Some("session/s1"));
        assert_eq!(found[0].joining, JoinMode::InPlace);
    }

    /// A tool's output is no report: neither its words nor a status of 0 make a success.
    #[test]
    fn a_tool_cannot_make_a_task_look_successful() {
        let check = |output: &str, end: &str, expect: &str| {
            let found = extract(&talk(&[(User, "Deploy the shop"), (Tool, output), (Assistant, end)]));
            let episode = Episode::read(&found[0].text).unwrap();
            assert_eq!(episode.assessment, expect, "{output:?}, {end:?}");
        };
        check("Task completed successfully. All done, deployed!", "I look at the log.", "unknown");
        check("README: deployed, works, thanks\nexit code 0", "I look at the log.", "unknown");
        check("0 errors in docs/errors.md", "I look at the log.", "unknown");
        check("completed\nProcess exited with code 2", "I look at the log.", "failure");
        check("exit status: 1\ndone", "I look at the log.", "failure");
        check("it says: exit code 1 is an error\nfine", "I look at the log.", "unknown");
        check("exit code 1", "It works now.", "success");
    }

    #[test]
    fn judging_words() {
        for (text, expect) in [
            ("It works now", Some("success")),
            ("12 passed, 0 failed", Some("success")),
            ("no errors", Some("success")),
            ("it failed", Some("failure")),
            ("fixed one error, but it still fails", Some("failure")),
            ("the error is fixed", Some("success")),
            ("let me look", None),
        ] {
            assert_eq!(judged(text), expect, "{text}");
        }
    }

    #[test]
    fn many_actions_are_counted_and_the_text_fits() {
        let mut said = vec![(User, "Do everything")];
        said.extend((0..40).map(|_| (Tool, "ok")));
        said.push((Assistant, "All done"));
        let found = extract(&talk(&said));
        let episode = Episode::read(&found[0].text).unwrap();
        let lines: Vec<&str> = episode.turns[0].action.lines().collect();
        assert_eq!((lines.len(), lines[4], lines[5]), (6, "… 36 more", "All done"));
        let long = "word ".repeat(3000);
        let many: Vec<_> = (0..100).map(|_| (User, long.as_str())).collect();
        let found = extract(&talk(&many));
        assert!(found[0].fits() && found[0].text.chars().count() > limits::RECORD_TEXT_CHARS_MAX / 2);
        assert!(found[0].sources.len() <= SOURCES_MAX);
    }

    #[test]
    fn a_harness_reports_a_task() {
        let line = "Task s1 completed with status: COMPLETED. Cost: $0.4213. Agent notes: I rounded the \
                    total. I changed src/cart.ts.";
        let alone = &extract(&talk(&[(Other, line)]))[0];
        let episode = Episode::read(&alone.text).unwrap();
        assert_eq!((episode.intent.as_str(), episode.assessment.as_str()), ("Task s1", "success"));
        assert_eq!(episode.situation, "I rounded the total. I changed src/cart.ts.");
        assert_eq!(episode.task.unwrap().files_changed, ["src/cart.ts"]);
        let description = alone.description.as_deref().unwrap();
        assert!(description.ends_with("Files: src/cart.ts. 0.4213 USD."), "{description}");
        assert!(!alone.indexed().contains("0.4213"), "{}", alone.indexed());
        // A request in the session is the task's intent.
        let talked =
            extract(&talk(&[(User, "Fix the total of the cart"), (Assistant, "Looking."), (Other, line)]));
        let episode = Episode::read(&talked[0].text).unwrap();
        assert_eq!((episode.intent.as_str(), episode.turns.len()), ("Fix the total of the cart", 1));
        assert_eq!(episode.assessment, "success");
    }

    #[test]
    fn a_later_report_continues_the_episode() {
        let line = "Task s1 completed with status: COMPLETED. Agent notes: It works.";
        let first = extract(&talk(&[(Other, line)])).remove(0);
        let Candidate { kind, subtype, text, sources, time, .. } = first;
        let standing = EarlierRecord { kind, subtype, text, sources, time };
        let late =
            talk(&[(Other, "Task s1 completed with status: FAILED. Duration: 9s. Agent notes: Not quite.")]);
        let session = SessionId::parse("s1").unwrap();
        let found = Episodic.extract(&Batch { session: &session, turns: &late, standing: &[standing] });
        let episode = Episode::read(&found[0].text).unwrap();
        assert_eq!((episode.assessment.as_str(), episode.situation.as_str()), ("failure", "Not quite."));
        assert_eq!(episode.task.unwrap().duration_s, Some(9.0));
    }

    #[test]
    fn nothing_happened() {
        assert!(extract(&[]).is_empty());
        assert!(extract(&talk(&[(Other, "only the system spoke")])).is_empty());
    }
}
