//! `loci sre pending-outcomes|outcome|stats`: pending, reported and aggregated outcomes of
//! investigations.

use anyhow::Result;
use clap::Args;
use loci_api::operations::investigation as shape;

use super::memory_selection::OperationsMemory;
use crate::output;
use crate::session::Session;

/// The maximum number of characters of a question on a line.
const TEXT_CHARS_MAX: usize = 80;

/// The selection of pending outcomes
#[derive(Debug, Args)]
pub(crate) struct PendingOutcomes {
    #[command(flatten)]
    at: OperationsMemory,
}

/// The outcome of an investigation
#[derive(Debug, Args)]
pub(crate) struct InvestigationOutcomeCommand {
    /// The incident
    incident: String,
    /// The session, if the incident has several investigations [default: your own, else the last]
    #[arg(long)]
    session: Option<String>,
    /// The root cause was right
    #[arg(long, conflicts_with = "refuted")]
    confirmed: bool,
    /// The root cause was wrong
    #[arg(long)]
    refuted: bool,
    /// The root cause, as known now
    #[arg(long, value_name = "TEXT")]
    root_cause: Option<String>,
    /// The time of the resolution, as RFC 3339
    #[arg(long, value_name = "TIME")]
    resolved_at: Option<String>,
    /// The fix
    #[arg(long, value_name = "TEXT")]
    fix: Option<String>,
    /// The URL of the postmortem
    #[arg(long, value_name = "URL")]
    postmortem_url: Option<String>,
    /// A record that helped; repeatable
    #[arg(long, value_name = "ID")]
    useful: Vec<String>,
    /// A record that was wrong; repeatable
    #[arg(long, value_name = "ID")]
    wrong: Vec<String>,
    #[command(flatten)]
    at: OperationsMemory,
}

/// The selection of investigations
#[derive(Debug, Args)]
pub(crate) struct Stats {
    /// Only this service
    #[arg(long)]
    service: Option<String>,
    /// Started at or after this time, as RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    #[command(flatten)]
    at: OperationsMemory,
}

impl PendingOutcomes {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let memory = Some(self.at.memory(session).await?);
        let found = session.client.sre_pending_outcomes(&shape::PendingOutcomesAsk { memory }).await?;
        output::result(session.json, &found, |found| {
            if found.investigations.is_empty() {
                output::note("no outcome is waited for");
                return;
            }
            let heads = ["INCIDENT", "STARTED", "STATUS", "USER", "SESSION", "QUERY"];
            let mut rows = vec![heads.map(str::to_owned).to_vec()];
            rows.extend(found.investigations.iter().map(|one| {
                let query = output::short(&one.query, TEXT_CHARS_MAX);
                let (incident, started) = (one.incident_id.clone(), one.started_at.clone());
                vec![
                    incident,
                    started,
                    one.status.clone(),
                    one.user_id.clone(),
                    one.session_id.clone(),
                    query,
                ]
            }));
            output::table(&rows);
        })
    }
}

impl InvestigationOutcomeCommand {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let outcome = shape::InvestigationOutcome {
            memory: Some(self.at.memory(session).await?),
            session_id: self.session.clone(),
            resolved_at: self.resolved_at.clone(),
            root_cause_confirmed: (self.confirmed || self.refuted).then_some(self.confirmed),
            root_cause: self.root_cause.clone(),
            postmortem_url: self.postmortem_url.clone(),
            fix: self.fix.clone(),
            useful_record_ids: self.useful.clone(),
            wrong_record_ids: self.wrong.clone(),
        };
        let told = session.client.investigation_outcome(&self.incident, &outcome).await?;
        output::result(session.json, &told, |told| {
            for one in &told.updated {
                output::line(format!("{}  {}", one.record_id, one.effect));
            }
        })
    }
}

impl Stats {
    pub(super) async fn run(&self, session: &Session) -> Result<()> {
        let asked = shape::SreStatsAsk {
            memory: Some(self.at.memory(session).await?),
            service: self.service.clone(),
            since: self.since.clone(),
        };
        let stats = session.client.sre_stats(&asked).await?;
        output::result(session.json, &stats, counted)
    }
}

fn counted(stats: &shape::SreStats) {
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let mut rows = vec![row("investigations", stats.investigations.to_string())];
    rows.extend(stats.by_status.iter().map(|(status, count)| row(&format!("  {status}"), count.to_string())));
    rows.push(row("resolved at a known time", stats.resolved.to_string()));
    rows.push(row("time to resolve, median", lasting(stats.mttr_median_s)));
    rows.push(row("time to resolve, 9 of 10", lasting(stats.mttr_p90_s)));
    rows.push(row("median with memory shown", lasting(stats.mttr_with_memory_s)));
    rows.push(row("median without", lasting(stats.mttr_without_memory_s)));
    let share = stats.confirmed_share.map_or("-".to_owned(), |share| format!("{:.0} %", share * 100.0));
    rows.push(row("causes confirmed", format!("{share} of {} judged", stats.judged)));
    output::table(&rows);
    if !stats.recurrence.is_empty() {
        output::line("alerts that came again:");
        let again = stats.recurrence.iter();
        let rows: Vec<_> =
            again.map(|one| vec![format!("  {}", one.fingerprint), one.count.to_string()]).collect();
        output::table(&rows);
    }
    stats.warnings.iter().for_each(output::note);
}

/// Formats a duration in seconds with its two largest units.
fn lasting(seconds: Option<f64>) -> String {
    let Some(seconds) = seconds else { return "-".to_owned() };
    let minutes = seconds / 60.0;
    if seconds < 60.0 {
        format!("{seconds:.0} s")
    } else if minutes < 60.0 {
        format!("{:.0} min {:.0} s", minutes.floor(), (seconds % 60.0).floor())
    } else if minutes < 60.0 * 24.0 {
        format!("{:.0} h {:.0} min", (minutes / 60.0).floor(), (minutes % 60.0).floor())
    } else {
        let hours = minutes / 60.0;
        format!("{:.0} d {:.0} h", (hours / 24.0).floor(), (hours % 24.0).floor())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_in_two_units() {
        let check = |seconds: Option<f64>, expect: &str| assert_eq!(lasting(seconds), expect);
        check(None, "-");
        check(Some(0.4), "0 s");
        check(Some(59.0), "59 s");
        check(Some(60.0), "1 min 0 s");
        check(Some(3_599.9), "59 min 59 s");
        check(Some(5_400.0), "1 h 30 min");
        check(Some(90_000.0), "1 d 1 h");
    }
}
