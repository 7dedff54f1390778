//! A task as its harness reports it, parsed without a model: status, pull request, cost, duration,
//! and from the agent's notes the approach, the difficulties and the changed files. A value that
//! the report does not state stays empty.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use loci_model::limits;
use loci_model::record::metadata::{Metadata, MetadataValue};
use loci_model::tasks::task::{TaskPullRequest, TaskStatus};
use regex::{Match, Regex};
use serde::{Deserialize, Serialize};

use super::report_labels::{Label, parts};
use super::{EPISODE, FALLBACK, HEAD, compiled};
use crate::safety;
use crate::strategies::episodes::episode_form::Episode;

/// Source type of a report.
const BY_AGENT: &str = "agent_episode";
const BY_ORCHESTRATOR: &str = "orchestrator_fallback";
/// Maximum length of one part in characters: a longer one ends in `…`.
const PART_CHARS_MAX: usize = 2_000;
/// Maximum number of stored obstacles; the last one states the number of omitted ones.
const DIFFICULTIES_MAX: usize = 50;
/// Maximum number of stored changed files.
const FILES_MAX: usize = 200;
/// Metadata keys that may contain the requested task, and its files.
const INTENT_KEYS: &[&str] = &["intent", "task_description", "description", "title"];
const FILES_KEYS: &[&str] = &["files_changed", "files"];

/// A task as its harness reports it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportedTask {
    /// The task's id.
    pub task_id: String,
    /// `agent_episode`, or `orchestrator_fallback` if no agent reported.
    pub source_type: String,
    /// Final status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<TaskStatus>,
    /// The requested task, which the episode contains.
    #[serde(skip)]
    pub intent: Option<String>,
    /// The result in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The approach.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approach: Option<String>,
    /// Changed files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files_changed: Vec<String>,
    /// Obstacles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difficulties: Vec<String>,
    /// The pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pr: Option<TaskPullRequest>,
    /// The branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Cost in dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Duration in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<f64>,
    /// The error that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

impl ReportedTask {
    /// Parses a report and the metadata of its event.
    pub(crate) fn read(metadata: &BTreeMap<String, String>, text: &str, is_fallback: bool) -> Self {
        let word = |key: &str| metadata.get(key).filter(|word| !word.trim().is_empty()).cloned();
        // This precedes the split into lines, because a key that spans several lines would not be
        // detected afterwards.
        let safe = safety::for_model(text);
        let text = safe.as_str();
        let head = HEAD.captures(text);
        let group = |at: usize| head.as_ref().and_then(|head| head.get(at)).map(|found| found.as_str());
        let source_type = if is_fallback { BY_ORCHESTRATOR } else { BY_AGENT };
        let mut read = Self {
            task_id: word("task_id").or_else(|| group(1).map(str::to_owned)).unwrap_or_default(),
            source_type: source_type.to_owned(),
            status: group(2).and_then(status_of),
            intent: INTENT_KEYS.iter().find_map(|key| word(key)).map(|text| part(&text)),
            files_changed: FILES_KEYS
                .iter()
                .map(|key| listed(word(key)))
                .find(|all| !all.is_empty())
                .unwrap_or_default(),
            pr: word("pr_url").and_then(|url| pull_of(&url)),
            branch: word("branch"),
            ..Self::default()
        };
        let rest = head.as_ref().and_then(|head| head.get(0)).map_or(0, |found| found.end());
        let (mut approach, mut loose) = (Vec::new(), Vec::new());
        for (label, value) in parts(text.get(rest..).unwrap_or_default()) {
            match label {
                Some(Label::Approach | Label::Notes) => approach.push(value),
                Some(label) => read.take(label, value),
                None => loose.push(value),
            }
        }
        let told = if approach.is_empty() { loose } else { approach };
        read.approach = (!told.is_empty()).then(|| part(&told.join(" ")));
        at_most(&mut read.difficulties, DIFFICULTIES_MAX);
        if read.files_changed.is_empty() {
            let prose = [&read.approach, &read.summary].into_iter().flatten();
            read.files_changed = kept(prose.flat_map(|text| changed_in(text)).collect());
        }
        read
    }

    fn take(&mut self, label: Label, value: &str) {
        let or = |there: &mut Option<String>| {
            there.get_or_insert_with(|| part(value));
        };
        match label {
            Label::Intent => or(&mut self.intent),
            Label::Summary => or(&mut self.summary),
            Label::Difficulties => self.difficulties.push(part(value)),
            Label::Files if self.files_changed.is_empty() => {
                self.files_changed = kept(value.split([',', ';', ' ', '\n', '`']).filter_map(file).collect());
            }
            // Approach and notes are one text.
            Label::Files | Label::Remark | Label::Approach | Label::Notes => {}
            Label::Pull => self.pr = self.pr.take().or_else(|| pull_of(value)),
            Label::Branch => {
                self.branch = self.branch.take().or_else(|| Some(part(value.trim_end_matches('.'))));
            }
            Label::Duration => self.duration_s = number(value).or(self.duration_s),
            Label::Cost => self.cost_usd = number(value.trim_start_matches('$')).or(self.cost_usd),
            Label::Error => or(&mut self.error_message),
        }
    }

    /// Merges a later report of the same task. The later one takes precedence, except that an
    /// orchestrator's report only fills gaps of an agent's.
    pub(in crate::strategies) fn and_then(self, later: Self) -> Self {
        let is_filling = later.source_type == BY_ORCHESTRATOR && self.source_type == BY_AGENT;
        let (first, second) = if is_filling { (self, later) } else { (later, self) };
        let list = |one: Vec<String>, other: Vec<String>| if one.is_empty() { other } else { one };
        Self {
            task_id: if first.task_id.is_empty() { second.task_id } else { first.task_id },
            source_type: if first.source_type.is_empty() { second.source_type } else { first.source_type },
            status: first.status.or(second.status),
            intent: first.intent.or(second.intent),
            summary: first.summary.or(second.summary),
            approach: first.approach.or(second.approach),
            files_changed: list(first.files_changed, second.files_changed),
            difficulties: list(first.difficulties, second.difficulties),
            pr: first.pr.or(second.pr),
            branch: first.branch.or(second.branch),
            cost_usd: first.cost_usd.or(second.cost_usd),
            duration_s: first.duration_s.or(second.duration_s),
            error_message: first.error_message.or(second.error_message),
        }
    }

    /// Fills the common fields of an episode from the report.
    pub(in crate::strategies) fn write_into(&self, episode: &mut Episode) {
        if let Some(intent) = &self.intent {
            episode.intent.clone_from(intent);
        } else if episode.intent.is_empty() {
            episode.intent = format!("Task {}", self.task_id);
        }
        if let Some(approach) = &self.approach {
            episode.situation.clone_from(approach);
        }
        if let Some(status) = self.status {
            assessment(status).clone_into(&mut episode.assessment);
        }
        let outcome = self.outcome();
        if !outcome.is_empty() {
            episode.justification = outcome;
        }
        if !self.difficulties.is_empty() {
            episode.reflection = self.difficulties.join("\n");
        }
    }

    /// Returns the result in words: the summary, or else status, pull request and error.
    fn outcome(&self) -> String {
        let mut parts = Vec::new();
        parts.extend(self.summary.clone());
        parts.extend(self.status.map(|status| format!("Ended {}.", status.as_str())));
        parts.extend(self.pr.as_ref().map(|pr| match &pr.url {
            Some(url) => format!("Pull request {url}."),
            None => format!("Pull request {}.", pr.number),
        }));
        parts.extend(self.error_message.as_ref().map(|error| format!("Error: {error}")));
        parts.join(" ")
    }

    /// Returns the task in a few lines, for a prompt.
    pub(in crate::strategies) fn description(&self, intent: &str) -> String {
        let mut parts = vec![format!("{}: {intent}", self.task_id), self.outcome()];
        parts.extend(self.approach.as_ref().map(|approach| format!("Approach: {approach}")));
        if !self.difficulties.is_empty() {
            parts.push(format!("Difficulties: {}", self.difficulties.join("; ")));
        }
        if !self.files_changed.is_empty() {
            parts.push(format!("Files: {}.", self.files_changed.join(", ")));
        }
        parts.extend(self.duration_s.map(|seconds| format!("{seconds:.1} s.")));
        parts.extend(self.cost_usd.map(|dollars| format!("{dollars:.4} USD.")));
        cut(&parts.join(" "), limits::TASK_SUMMARY_CHARS_MAX)
    }

    /// Returns the metadata by which readers of records identify the task.
    pub(in crate::strategies) fn metadata(&self) -> Metadata {
        let text = |text: &str| MetadataValue::String(text.to_owned());
        let kind = if self.source_type == BY_ORCHESTRATOR { FALLBACK } else { EPISODE };
        let mut metadata = Metadata::from([
            ("task_id".to_owned(), text(&self.task_id)),
            ("type".to_owned(), text(kind)),
            ("source_type".to_owned(), text(&self.source_type)),
        ]);
        let values = [
            ("status", self.status.map(|status| text(status.as_str()))),
            ("pr_url", self.pr.as_ref().and_then(|pr| pr.url.as_deref()).map(text)),
            ("branch", self.branch.as_deref().map(text)),
            ("cost_usd", self.cost_usd.map(MetadataValue::Number)),
            ("duration_s", self.duration_s.map(MetadataValue::Number)),
        ];
        metadata.extend(values.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        metadata
    }
}

fn status_of(word: &str) -> Option<TaskStatus> {
    let word = word.to_lowercase().replace('-', "_");
    TaskStatus::parse(&word).or(match word.as_str() {
        "success" | "succeeded" | "done" => Some(TaskStatus::Completed),
        "error" | "failure" => Some(TaskStatus::Failed),
        "canceled" => Some(TaskStatus::Cancelled),
        "timeout" => Some(TaskStatus::TimedOut),
        _ => None,
    })
}

/// Converts a status to the assessment of an episode.
fn assessment(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::Completed => "success",
        TaskStatus::Failed | TaskStatus::TimedOut => "failure",
        TaskStatus::Cancelled
        | TaskStatus::Accepted
        | TaskStatus::Hydrating
        | TaskStatus::Running
        | TaskStatus::AwaitingApproval
        | TaskStatus::Finalizing => "unknown",
    }
}

/// Parses the number at the start of a text; `None` if it is not finite.
fn number(text: &str) -> Option<f64> {
    let digits = text.trim().trim_start_matches('$');
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    digits.get(..end)?.trim_end_matches('.').parse().ok().filter(|number: &f64| number.is_finite())
}

/// Parses a pull request by its URL or its number.
fn pull_of(word: &str) -> Option<TaskPullRequest> {
    let word = word.split_whitespace().next()?.trim_end_matches(['.', ',', ';']);
    let number = word.trim_end_matches('/').rsplit(['/', '#']).next()?.parse().ok()?;
    let url = word.contains("://").then(|| word.to_owned());
    Some(TaskPullRequest { number, url, ..TaskPullRequest::default() })
}

/// Parses a list of files with separators.
fn listed(files: Option<String>) -> Vec<String> {
    let files = files.unwrap_or_default();
    kept(files.split([',', ';', '\n']).filter_map(file).collect())
}

/// Parses one file of a list; `None` for text that cannot be a file.
fn file(word: &str) -> Option<String> {
    let word = word.trim().trim_matches(['`', '"', '\'', '-', '*', '(', ')', ',', ';', ':']).trim();
    let word = word.strip_suffix('.').unwrap_or(word);
    let is_path = word.contains(['/', '.']) && !word.contains("://") && !word.contains(char::is_whitespace);
    (is_path && word.chars().any(char::is_alphanumeric)).then(|| word.to_owned())
}

/// Returns the files that a text names as changed: names with an extension, in clauses with a verb
/// of change.
fn changed_in(text: &str) -> Vec<String> {
    static CHANGED: LazyLock<Regex> = LazyLock::new(|| {
        compiled(concat!(
            r"(?i)\b(?:added|adds|changed|changes|created|creates|deleted|deletes|edited|edits|extended|",
            r"extracted|fixed|fixes|modified|modifies|moved|moves|refactored|removed|removes|renamed|",
            r"rewrote|rewritten|touched|updated|updates|wrote)\b"
        ))
    });
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        compiled(concat!(
            r"[\w@.\[\]-]+(?:/[\w@.\[\]-]+)+\.\w{1,8}\b|\b[\w-]+\.(?:c|cpp|cs|css|go|h|html|java|json|kt|lock|",
            r"md|php|proto|py|rb|rs|scss|sh|sql|tf|toml|ts|tsx|txt|vue|xml|ya?ml)\b"
        ))
    });
    let mut files = Vec::new();
    for clause in text.split_inclusive([';', '\n']).flat_map(|part| part.split(". ")) {
        if let Some(verb) = CHANGED.find(clause) {
            let rest = clause.get(verb.end()..).unwrap_or_default();
            // A part of a URL is no file.
            let is_file = |found: &Match<'_>| !rest.get(..found.start()).unwrap_or_default().ends_with('/');
            files.extend(FILE.find_iter(rest).filter(is_file).filter_map(|found| file(found.as_str())));
        }
    }
    files
}

/// Returns each file once, in order.
fn kept(files: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for file in files {
        if kept.len() < FILES_MAX && !kept.contains(&file) {
            kept.push(file);
        }
    }
    kept
}

/// Truncates a list; the last item then states the number of omitted ones.
fn at_most(items: &mut Vec<String>, most: usize) {
    if items.len() > most {
        let kept = most.saturating_sub(1);
        let more = items.len() - kept;
        items.truncate(kept);
        items.push(format!("… and {more} more"));
    }
}

/// Returns a part on one line.
fn part(text: &str) -> String {
    cut(text, PART_CHARS_MAX)
}

/// Returns a text on one line; a longer one is truncated and marked by `…`.
fn cut(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ReportedTask {
        ReportedTask::read(&BTreeMap::new(), text, false)
    }

    #[test]
    fn the_line_of_a_harness() {
        let found = read(
            "Task t-1 completed with status: COMPLETED. PR: https://github.com/acme/shop/pull/57. \
             Duration: 812.4s. Cost: $0.4213. Agent notes: I moved the cache into src/auth/session.ts and \
             updated `package.json`. See https://x.example/a.md, and src/other.ts is untouched.",
        );
        assert_eq!((found.task_id.as_str(), found.status), ("t-1", Some(TaskStatus::Completed)));
        assert_eq!((found.duration_s, found.cost_usd), (Some(812.4), Some(0.4213)));
        assert_eq!(found.pr.as_ref().map(|pr| pr.number), Some(57));
        assert_eq!(found.files_changed, ["src/auth/session.ts", "package.json"]);
        let mut episode = Episode::default();
        found.write_into(&mut episode);
        assert_eq!((episode.intent.as_str(), episode.assessment.as_str()), ("Task t-1", "success"));
        assert!(episode.situation.starts_with("I moved the cache"), "{}", episode.situation);
        assert_eq!(
            episode.justification,
            "Ended completed. Pull request https://github.com/acme/shop/pull/57."
        );
        let values = found.metadata();
        assert_eq!(values.get("cost_usd"), Some(&MetadataValue::Number(0.4213)));
        assert_eq!(values.get("source_type"), Some(&MetadataValue::String(BY_AGENT.to_owned())));
    }

    #[test]
    fn labelled_parts_and_metadata() {
        let metadata = BTreeMap::from([
            ("description".to_owned(), "Add pagination to /orders".to_owned()),
            ("files_changed".to_owned(), "a/b.rs, Makefile".to_owned()),
        ]);
        let text = "Task t-2 completed with status: FAILED. Error: tests were red. Agent notes: \n\
                    **What went well**: the cursor.\n**What was difficult**: the old client\nFiles: c.rs";
        let found = ReportedTask::read(&metadata, text, false);
        assert_eq!(found.intent.as_deref(), Some("Add pagination to /orders"));
        assert_eq!(found.approach.as_deref(), Some("the cursor."));
        assert_eq!(found.difficulties, ["the old client"]);
        assert_eq!(found.files_changed, ["a/b.rs"], "a list of the event counts before words");
        assert_eq!(found.error_message.as_deref(), Some("tests were red."));
        let listed = read("Task t-3 completed with status: done. Files changed: `src/a.ts`, src/b.ts.");
        assert_eq!(listed.files_changed, ["src/a.ts", "src/b.ts"]);
        assert_eq!(listed.status, Some(TaskStatus::Completed));
    }

    #[test]
    fn what_is_no_number_is_absent() {
        for text in ["NaN", "$NaN", "", "inf", "none"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!((number("812s"), number("$0.5000"), number("3.")), (Some(812.0), Some(0.5), Some(3.0)));
    }

    #[test]
    fn an_orchestrator_fills_what_an_agent_left_open() {
        let agent = read("Task t-1 completed with status: COMPLETED. Agent notes: It works.");
        let text =
            "Task t-1 completed with status: TIMED_OUT. Duration: 9s. Note: This is a minimal episode.";
        let fallback = ReportedTask::read(&BTreeMap::new(), text, true);
        assert_eq!((fallback.status, &fallback.approach), (Some(TaskStatus::TimedOut), &None));
        for both in [agent.clone().and_then(fallback.clone()), fallback.and_then(agent)] {
            assert_eq!((both.status, both.duration_s), (Some(TaskStatus::Completed), Some(9.0)));
            assert_eq!((both.source_type.as_str(), both.approach.as_deref()), (BY_AGENT, Some("It works.")));
        }
    }

    #[test]
    fn obstacles_beyond_the_most_are_counted() {
        let report = |count: usize| {
            let blockers: String = (1..=count).map(|at| format!("\nBlockers: lock {at}")).collect();
            read(&format!("Task t-1 completed with status: FAILED.{blockers}")).difficulties
        };
        let (most, more) = (report(DIFFICULTIES_MAX), report(DIFFICULTIES_MAX + 1));
        assert_eq!((most.len(), most[DIFFICULTIES_MAX - 1].as_str()), (50, "lock 50"));
        assert_eq!((more.len(), more[48].as_str(), more[49].as_str()), (50, "lock 49", "… and 2 more"));
    }

    #[test]
    fn notes_in_parts_are_one_text() {
        let notes = |texts: &[&str]| {
            let parts: String = texts.iter().map(|text| format!("\nNotes: {text}")).collect();
            read(&format!("Task t-1 completed with status: FAILED. Begun late.{parts}")).approach.unwrap()
        };
        assert_eq!(notes(&["One.", "Two  lines."]), "One. Two lines.");
        let long = "word ".repeat(900);
        let cut = notes(&["One.", &long, "Two."]);
        assert!(cut.starts_with("One. word") && cut.ends_with('…'), "{cut}");
        assert_eq!(cut.chars().count(), PART_CHARS_MAX);
    }

    #[test]
    fn long_parts_say_that_they_are_cut() {
        let found =
            read(&format!("Task t-1 completed with status: COMPLETED. Agent notes: {}", "word ".repeat(900)));
        let approach = found.approach.unwrap();
        assert!(approach.ends_with('…') && approach.chars().count() == PART_CHARS_MAX, "{approach}");
    }
}
