//! The usefulness of each record to the tasks that were shown it. Pure.

use std::collections::BTreeMap;

use loci_api::coding::metrics::Usefulness;
use loci_model::RecordId;
use loci_model::tasks::exposure::rounded;

use super::metric_inputs::ObservedTask;

/// The minimum number of tasks with a record, and without it, for a meaningful difference.
const ENOUGH: u32 = 20;

#[derive(Default)]
struct Counts {
    shown: u32,
    used: u32,
    helpful: u32,
    harmful: u32,
    graded: u32,
    sum: f64,
}

/// Returns the usefulness of each record that was shown or received feedback. The most shown come
/// first, ties by id.
pub(super) fn of_records(tasks: &[ObservedTask]) -> Vec<Usefulness> {
    let mut counts: BTreeMap<&RecordId, Counts> = BTreeMap::new();
    let (mut graded, mut sum) = (0_u32, 0.0);
    for one in tasks {
        let value =
            one.outcome.as_ref().filter(|outcome| outcome.grade.is_some()).map(|outcome| outcome.value);
        graded += u32::from(value.is_some());
        sum += value.unwrap_or(0.0);
        for id in &one.shown {
            let of = counts.entry(id).or_default();
            of.shown += 1;
            of.graded += u32::from(value.is_some());
            of.sum += value.unwrap_or(0.0);
        }
        let said = &one.task.feedback;
        said.used.iter().for_each(|id| counts.entry(id).or_default().used += 1);
        said.helpful.iter().for_each(|id| counts.entry(id).or_default().helpful += 1);
        said.harmful.keys().for_each(|id| counts.entry(id).or_default().harmful += 1);
    }
    let mut all: Vec<Usefulness> = counts.into_iter().map(|(id, of)| worth(id, &of, (graded, sum))).collect();
    all.sort_by(|a, b| b.shown.cmp(&a.shown).then_with(|| a.record_id.cmp(&b.record_id)));
    all
}

fn worth(record: &RecordId, of: &Counts, (graded, sum): (u32, f64)) -> Usefulness {
    let others = graded.saturating_sub(of.graded);
    let mean = |sum: f64, count: u32| (count > 0).then(|| sum / f64::from(count));
    let (mean_with, mean_without) = (mean(of.sum, of.graded), mean(sum - of.sum, others));
    Usefulness {
        record_id: record.to_string(),
        shown: of.shown,
        used: of.used,
        helpful: of.helpful,
        harmful: of.harmful,
        outcome_sum: rounded(of.sum),
        mean_with: mean_with.map(rounded),
        mean_without: mean_without.map(rounded),
        lift: mean_with.zip(mean_without).map(|(with, without)| rounded(with - without)),
        insufficient: of.graded < ENOUGH || others < ENOUGH,
    }
}
