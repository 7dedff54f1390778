//! Metrics of operations memory. Labels are from closed lists, never a memory, a service or a user.

use loci_model::ports::observe::SreObservation;
use metrics::{counter, histogram};

/// Counts an event with the current recorder.
pub(super) fn count(seen: &SreObservation<'_>) {
    match *seen {
        SreObservation::Saved(kind, action) => {
            let labels = [("memory_type", kind.as_str().to_owned()), ("action", action.to_owned())];
            counter!("loci_sre_records_total", &labels).increment(1);
        }
        SreObservation::Started { joined, degraded, elapsed_us } => {
            let how = if joined { "joined" } else { "opened" };
            counter!("loci_sre_investigations_started_total", "how" => how).increment(1);
            counter!("loci_sre_starts_degraded_total").increment(u64::from(degraded));
            let seconds = std::time::Duration::from_micros(elapsed_us).as_secs_f64();
            histogram!("loci_sre_start_seconds").record(seconds);
        }
        SreObservation::Completed(status) => {
            counter!("loci_sre_investigations_completed_total", "status" => status.as_str()).increment(1);
        }
        SreObservation::Outcome(outcome) => {
            counter!("loci_sre_outcomes_total", "outcome" => outcome.to_owned()).increment(1);
        }
        SreObservation::Alert(source, effect) => {
            let labels = [("source", source.as_str().to_owned()), ("effect", effect.to_owned())];
            counter!("loci_sre_alerts_total", &labels).increment(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use loci_model::ports::observe::Observe;
    use loci_model::services::alert_notice::AlertSource;
    use loci_model::services::knowledge::{ResolutionStatus, SreType};

    use super::*;
    use crate::operations::metrics::Metrics;

    #[test]
    fn what_operations_agents_do_is_counted() {
        let metrics = Metrics::new();
        for seen in [
            SreObservation::Saved(SreType::Infrastructure, "added"),
            SreObservation::Saved(SreType::Infrastructure, "added"),
            SreObservation::Started { joined: false, degraded: false, elapsed_us: 2_000 },
            SreObservation::Started { joined: true, degraded: true, elapsed_us: 2_000 },
            SreObservation::Completed(ResolutionStatus::Escalated),
            SreObservation::Outcome("refuted"),
            SreObservation::Alert(AlertSource::Pagerduty, "joined"),
        ] {
            metrics.operations_memory(&seen);
        }
        let text = metrics.render();
        for line in [
            r#"loci_sre_records_total{memory_type="infrastructure",action="added"} 2"#,
            r#"loci_sre_investigations_started_total{how="opened"} 1"#,
            r#"loci_sre_investigations_started_total{how="joined"} 1"#,
            "loci_sre_starts_degraded_total 1",
            r#"loci_sre_start_seconds_bucket{le="0.0025"} 2"#,
            r#"loci_sre_investigations_completed_total{status="escalated"} 1"#,
            r#"loci_sre_outcomes_total{outcome="refuted"} 1"#,
            r#"loci_sre_alerts_total{source="pagerduty",effect="joined"} 1"#,
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }
}
