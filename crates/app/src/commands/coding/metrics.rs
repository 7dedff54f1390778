//! `loci repo metrics`: the outcomes of a repository's tasks, and the effect of memories on them.

use anyhow::Result;
use loci_api::coding::metrics::{Measure, Metrics as Shown, MetricsAsk, TaskMeasures, Usefulness};

use crate::commands::verified::repository_words::{PositionedRepository, Surroundings};
use crate::output::{self, counted};

/// The selection of metrics
#[derive(Debug, clap::Args)]
pub(crate) struct Metrics {
    #[command(flatten)]
    of: PositionedRepository,
    /// The grouping: arm, user, prompt_version, extraction_prompt_version, variant, model, week or
    /// repo [default: arm]
    #[arg(long)]
    by: Option<String>,
    /// Only tasks created at or after this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only the effect of this memory
    #[arg(long, value_name = "ID")]
    record: Option<String>,
}

impl Metrics {
    pub(in crate::commands) async fn run(self, around: Surroundings<'_>) -> Result<()> {
        let meant = self.of.meant(around).await?;
        let ask = MetricsAsk { by: self.by, since: self.since, record: self.record };
        let found = meant.client.repository_metrics(meant.parts(), &ask).await?;
        output::result(around.session.json, &found, shown)
    }
}

fn shown(found: &Shown) {
    found.groups.iter().for_each(group);
    if !found.records.is_empty() {
        let head = ["RECORD", "SHOWN", "USED", "HELPED", "MISLED", "OUTCOMES", "LIFT"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        rows.extend(found.records.iter().map(row));
        output::table(&rows);
    }
    output::note(&found.note);
}

fn group(group: &TaskMeasures) {
    let few = if group.insufficient { "  (insufficient)" } else { "" };
    output::line(format!("{}  {}{few}", group.key, counted(group.n, "task")));
    let repeated = group.repeated_mistakes;
    for (name, measure) in [
        ("merged", &group.merge_rate),
        ("merged at the first review", &group.first_review_merge_rate),
        ("rounds of revision", &group.revision_mean),
        ("first checks passed", &group.ci_first_push),
        ("comments for 100 lines", &group.review_comment_density),
        ("outcome", &group.outcome_mean),
        ("seconds to the pull request", &group.time_to_pr_s),
        ("USD", &group.cost_usd),
        ("shown nothing", &group.cold_start_share),
        ("withheld for its code", &group.withhold_rate),
        ("used / shown", &group.used_rate),
        ("failed", &group.failure_rate),
    ] {
        measured(name, measure);
    }
    output::line(format!(
        "    repeated mistakes: {} with the rule shown, {} without",
        repeated.exposed, repeated.not_exposed
    ));
}

fn measured(name: &str, measure: &Measure) {
    let Some(value) = measure.value else { return };
    let between = measure.ci95.map(|[from, to]| format!(" ({from:.2} to {to:.2})")).unwrap_or_default();
    output::line(format!("    {name}: {value:.2}{between} of {}", measure.n));
}

fn row(one: &Usefulness) -> Vec<String> {
    let lift = one.lift.map_or_else(|| "-".to_owned(), |lift| format!("{lift:+.2}"));
    let few = if one.insufficient && one.lift.is_some() { " (few)" } else { "" };
    vec![
        one.record_id.clone(),
        one.shown.to_string(),
        one.used.to_string(),
        one.helpful.to_string(),
        one.harmful.to_string(),
        format!("{:+.2}", one.outcome_sum),
        format!("{lift}{few}"),
    ]
}
