//! Measures of groups of tasks. Pure.

use std::collections::BTreeMap;

use loci_api::coding::metrics::{RepeatedMistakes, TaskMeasures};
use loci_model::tasks::outcome::{FirstPush, OutcomeGrade};
use loci_model::tasks::task::{MemoryArm, TaskStatus};

use super::metric_inputs::ObservedTask;
use super::statistics::{mean, share};

/// The criterion of the groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MetricsBy {
    /// The memory arm of tasks.
    #[default]
    Arm,
    /// The user of the task.
    User,
    /// The version of the prompt.
    PromptVersion,
    /// The version of the prompt that requested learnings.
    ExtractionPromptVersion,
    /// The variant of an experiment.
    Variant,
    /// The model that worked.
    Model,
    /// The week in which the tasks were created.
    Week,
    /// The whole repository.
    Repo,
}

impl MetricsBy {
    /// All criteria.
    pub const ALL: &'static [Self] = &[
        Self::Arm,
        Self::User,
        Self::PromptVersion,
        Self::ExtractionPromptVersion,
        Self::Variant,
        Self::Model,
        Self::Week,
        Self::Repo,
    ];

    /// Returns the name that the API uses for this value.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Arm => "arm",
            Self::User => "user",
            Self::PromptVersion => "prompt_version",
            Self::ExtractionPromptVersion => "extraction_prompt_version",
            Self::Variant => "variant",
            Self::Model => "model",
            Self::Week => "week",
            Self::Repo => "repo",
        }
    }

    /// Parses a criterion from its word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|by| by.as_str() == word)
    }

    fn key(self, one: &ObservedTask) -> String {
        let task = &one.task;
        let known = |name: &Option<String>| name.clone().unwrap_or_else(|| UNKNOWN.to_owned());
        match self {
            Self::Arm => task.arm.as_str().to_owned(),
            Self::User => known(&task.user),
            Self::PromptVersion => known(&task.prompt_version),
            Self::ExtractionPromptVersion => known(&one.extraction_prompt),
            Self::Variant => known(&task.variant),
            Self::Model => known(&task.model),
            Self::Week => {
                let week = task.created_at.date().iso_week_date();
                format!("{:04}-W{:02}", week.year(), week.week())
            }
            Self::Repo => task.actor.to_string(),
        }
    }
}

/// The group of tasks without a value.
const UNKNOWN: &str = "-";
/// The minimum size of a group with meaningful measures.
const ENOUGH: u32 = 20;

/// Returns the measures of each group, in the order of their keys.
pub(super) fn groups(
    by: MetricsBy,
    tasks: &[ObservedTask],
    repeated: &[RepeatedMistakes],
) -> Vec<TaskMeasures> {
    let mut parts: BTreeMap<String, Vec<(&ObservedTask, RepeatedMistakes)>> = BTreeMap::new();
    for (place, one) in tasks.iter().enumerate() {
        let of = repeated.get(place).copied().unwrap_or_default();
        parts.entry(by.key(one)).or_default().push((one, of));
    }
    parts.into_iter().map(|(key, part)| measured(key, &part)).collect()
}

fn count(items: impl Iterator) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

fn measured(key: String, part: &[(&ObservedTask, RepeatedMistakes)]) -> TaskMeasures {
    let n = count(part.iter());
    let tasks = || part.iter().map(|(one, _)| *one);
    let outcomes = || tasks().filter(|one| one.owns_pr).filter_map(|one| one.outcome.as_ref());
    let decided = || outcomes().filter(|outcome| outcome.grade.is_some_and(is_decided));
    let merged = || decided().filter(|outcome| outcome.grade.is_some_and(was_merged));
    let at_first = || merged().filter(|outcome| outcome.facts.revision_count == 0);
    let checked = || outcomes().filter(|outcome| outcome.facts.ci_first_push != FirstPush::Unknown);
    let passed = checked().filter(|outcome| outcome.facts.ci_first_push == FirstPush::Pass);
    let all = |values: &mut dyn Iterator<Item = f64>| mean(&values.collect::<Vec<_>>());
    let of_decided = count(decided());
    TaskMeasures {
        n,
        insufficient: n < ENOUGH,
        merge_rate: share(count(merged()), of_decided),
        first_review_merge_rate: share(count(at_first()), of_decided),
        revision_mean: all(&mut decided().map(|outcome| f64::from(outcome.facts.revision_count))),
        ci_first_push: share(count(passed), count(checked())),
        review_comment_density: all(&mut outcomes().filter_map(density)),
        outcome_mean: all(&mut outcomes().filter(|one| one.grade.is_some()).map(|one| one.value)),
        repeated_mistakes: RepeatedMistakes {
            exposed: part.iter().map(|(_, of)| of.exposed).sum(),
            not_exposed: part.iter().map(|(_, of)| of.not_exposed).sum(),
        },
        time_to_pr_s: all(&mut tasks().filter(|one| one.owns_pr).filter_map(time_to_pr)),
        cost_usd: all(&mut tasks().filter_map(|one| one.task.cost_usd)),
        ..of_memory(key, part)
    }
}

/// Returns the measures of memory use.
fn of_memory(key: String, part: &[(&ObservedTask, RepeatedMistakes)]) -> TaskMeasures {
    let tasks = || part.iter().map(|(one, _)| *one);
    // A task of the control group is shown nothing, so it is excluded.
    let asked = || tasks().filter(|one| one.was_asked && one.task.arm != MemoryArm::Off);
    let shown: u32 = tasks().map(|one| count(one.shown.iter())).sum();
    let used = |one: &ObservedTask| count(one.task.feedback.used.iter().filter(|id| one.shown.contains(id)));
    let withheld: u32 = tasks().map(|one| one.withheld).sum();
    let ended = || tasks().filter(|one| one.task.status.is_terminal());
    let failed = ended().filter(|one| matches!(one.task.status, TaskStatus::Failed | TaskStatus::TimedOut));
    TaskMeasures {
        key,
        cold_start_share: share(count(asked().filter(|one| one.shown.is_empty())), count(asked())),
        withhold_rate: share(withheld, withheld.saturating_add(shown)),
        used_rate: share(tasks().map(used).sum(), shown),
        failure_rate: share(count(failed), count(ended())),
        ..TaskMeasures::default()
    }
}

fn is_decided(grade: OutcomeGrade) -> bool {
    !matches!(grade, OutcomeGrade::NoPr | OutcomeGrade::ClosedSuperseded)
}

/// True for a merged grade that was not reverted.
fn was_merged(grade: OutcomeGrade) -> bool {
    super::super::outcomes::grades::is_merged(grade)
}

fn density(outcome: &loci_model::tasks::outcome::Outcome) -> Option<f64> {
    let facts = &outcome.facts;
    let lines = facts.additions.saturating_add(facts.deletions);
    (lines > 0).then(|| f64::from(facts.review_comment_count) * 100.0 / f64::from(lines))
}

fn time_to_pr(one: &ObservedTask) -> Option<f64> {
    let opened = one.outcome.as_ref()?.facts.opened_at?;
    let ms = opened.millis() - one.task.created_at.millis();
    (ms >= 0).then(|| ms as f64 / 1_000.0)
}
