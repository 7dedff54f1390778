//! How well the tasks of a repository went.

use loci_api::coding::metrics as shape;
use loci_api::coding::table as api;
use loci_coding::{Cut, Measure, MetricsAsk, MetricsBy, TaskMeasures, Usefulness};
use loci_model::tasks::exposure::rounded;
use loci_model::{RecordId, Result};

use crate::v1::protocol::call::Call;
use crate::v1::protocol::standing::standing;
use crate::v1::protocol::table::Table;
use crate::v1::protocol::values::{time, word};
use crate::v1::verified::repositories::repo;

pub(super) fn operations(table: Table) -> Table {
    table.query(api::REPOSITORY_METRICS, metrics)
}

async fn metrics(call: Call, asked: shape::MetricsAsk) -> Result<shape::Metrics> {
    let by = word("by", asked.by.as_deref(), MetricsBy::ALL, MetricsBy::parse, MetricsBy::as_str)?;
    let ask = MetricsAsk {
        by: by.unwrap_or_default(),
        since: time("since", asked.since.as_deref())?,
        record: asked.record.map(RecordId::parse).transpose().map_err(|error| error.on("record"))?,
    };
    let (standing, repo) = (standing(&call)?, repo(&call)?);
    let found = call.doors.engine.coding.repository_metrics(&call.caller, &standing, &repo, ask).await?;
    Ok(shape::Metrics {
        groups: found.groups.into_iter().map(group).collect(),
        records: found.records.into_iter().map(usefulness).collect(),
        compared_by: found.compared_by.to_owned(),
        note: note(found.cut),
    })
}

fn note(cut: Cut) -> String {
    let few =
        "groups of fewer than 20 tasks are insufficient; shares have Wilson's interval, means a bootstrap's";
    let left_out = [
        (cut.tasks, "there are older tasks, which are not counted: ask with since"),
        (cut.exposures, "of what a task searched for only the newest counts"),
        (
            cut.comments,
            "not every comment of reviewers, or not all of a long one, was compared with rules: ask with since",
        ),
        (cut.rules, "comments were compared with the newest rules alone, or not with all of a long one"),
    ];
    let mut note = few.to_owned();
    for (_, words) in left_out.iter().filter(|(is_cut, _)| *is_cut) {
        note.push_str("; ");
        note.push_str(words);
    }
    note
}

fn measure(found: Measure) -> shape::Measure {
    let ci95 = found.ci95.map(|(from, to)| [rounded(from), rounded(to)]);
    shape::Measure { n: found.n, value: found.value.map(rounded), ci95 }
}

fn group(found: TaskMeasures) -> shape::TaskMeasures {
    shape::TaskMeasures {
        key: found.key,
        n: found.n,
        insufficient: found.is_insufficient,
        merge_rate: measure(found.merge_rate),
        first_review_merge_rate: measure(found.first_review_merge_rate),
        revision_mean: measure(found.revision_mean),
        ci_first_push: measure(found.ci_first_push),
        review_comment_density: measure(found.review_comment_density),
        outcome_mean: measure(found.outcome_mean),
        repeated_mistakes: shape::RepeatedMistakes {
            exposed: found.repeated_mistakes_exposed,
            not_exposed: found.repeated_mistakes_not_exposed,
        },
        time_to_pr_s: measure(found.time_to_pr_s),
        cost_usd: measure(found.cost_usd),
        cold_start_share: measure(found.cold_start_share),
        withhold_rate: measure(found.withhold_rate),
        used_rate: measure(found.used_rate),
        failure_rate: measure(found.failure_rate),
    }
}

fn usefulness(found: Usefulness) -> shape::Usefulness {
    shape::Usefulness {
        record_id: found.record.to_string(),
        shown: found.shown,
        used: found.used,
        helpful: found.helpful,
        harmful: found.harmful,
        outcome_sum: rounded(found.outcome_sum),
        mean_with: found.mean_with.map(rounded),
        mean_without: found.mean_without.map(rounded),
        lift: found.lift.map(rounded),
        insufficient: found.is_insufficient,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_what_is_left_out() {
        let none = note(Cut::default());
        assert!(!none.contains("not counted"), "{none}");
        let check = |cut: Cut, words: &str| assert!(note(cut).contains(words), "{}", note(cut));
        check(Cut { tasks: true, ..Cut::default() }, "older tasks");
        check(Cut { exposures: true, ..Cut::default() }, "searched for");
        check(Cut { comments: true, ..Cut::default() }, "not every comment");
        check(Cut { rules: true, ..Cut::default() }, "newest rules alone");
    }
}
