//! Metrics of the pipeline: steps of jobs, calls of models, decisions, deliveries, safety findings.
//! Labels are from closed lists and names in the configuration, never a memory, an actor or
//! content.

use loci_model::job::exchange::Step;
use loci_model::memory::strategy::StrategyBase;
use loci_model::ports::observe::{
    DeliveryObservation, ModelCallObservation, Observe, SreObservation, StepObservation,
};
use metrics::{counter, histogram};

use super::metrics::Metrics;

/// The value of a label that does not apply.
const NONE: &str = "none";

impl Observe for Metrics {
    fn step(&self, seen: &StepObservation<'_>) {
        let strategy = seen.strategy.map_or(NONE, strategy_word);
        let seconds = std::time::Duration::from_micros(seen.elapsed_us).as_secs_f64();
        self.record(|| {
            let labels = [
                ("step", seen.step.to_owned()),
                ("strategy", strategy.to_owned()),
                ("outcome", seen.outcome.to_owned()),
            ];
            counter!("loci_pipeline_steps_total", &labels).increment(1);
            histogram!("loci_pipeline_step_seconds", "step" => seen.step.to_owned()).record(seconds);
        });
    }

    fn model_call(&self, seen: &ModelCallObservation<'_>) {
        let provider = || seen.provider.to_owned();
        let seconds = std::time::Duration::from_millis(seen.elapsed_ms).as_secs_f64();
        self.record(|| {
            let labels = [
                ("provider", provider()),
                ("model", seen.model.to_owned()),
                ("step", seen.step.map_or(NONE, Step::as_str).to_owned()),
                ("outcome", seen.outcome.to_owned()),
            ];
            counter!("loci_model_calls_total", &labels).increment(1);
            histogram!("loci_model_call_seconds", "provider" => provider()).record(seconds);
            counter!("loci_model_tries_total", "provider" => provider()).increment(u64::from(seen.tries));
            for (direction, tokens) in
                [("input", seen.usage.input_tokens), ("output", seen.usage.output_tokens)]
            {
                let labels = [("provider", provider()), ("direction", direction.to_owned())];
                counter!("loci_model_tokens_total", &labels).increment(tokens);
            }
        });
    }

    fn pulled_answer(&self, step: Step, cost_microusd: Option<u64>) {
        self.record(|| {
            let step = || step.as_str().to_owned();
            counter!("loci_pulled_answers_total", "step" => step()).increment(1);
            if let Some(cost) = cost_microusd {
                counter!("loci_pulled_cost_microusd_total", "step" => step()).increment(cost);
            }
        });
    }

    fn delivery(&self, seen: &DeliveryObservation<'_>) {
        let seconds = std::time::Duration::from_millis(seen.elapsed_ms).as_secs_f64();
        self.record(|| {
            let labels = [("kind", seen.kind.as_str().to_owned()), ("outcome", seen.outcome.to_owned())];
            counter!("loci_deliveries_total", &labels).increment(1);
            histogram!("loci_delivery_seconds", "kind" => seen.kind.as_str()).record(seconds);
        });
    }

    fn decision(&self, action: &str, by: &str) {
        self.record(|| {
            let labels = [("action", action.to_owned()), ("by", by.to_owned())];
            counter!("loci_consolidation_decisions_total", &labels).increment(1);
        });
    }

    fn finding(&self, what: &str) {
        self.record(|| counter!("loci_safety_findings_total", "finding" => what.to_owned()).increment(1));
    }

    fn extraction_failed(&self, strategy: StrategyBase, code: &str) {
        self.record(|| {
            let labels = [("strategy_type", strategy_word(strategy).to_owned()), ("code", code.to_owned())];
            counter!("loci_failed_extractions_total", &labels).increment(1);
        });
    }

    fn lines_discarded(&self, step: Step, lines: u64) {
        self.record(|| {
            counter!("loci_extraction_lines_discarded_total", "step" => step.as_str()).increment(lines);
        });
    }

    fn resent(&self, messages: u64) {
        self.record(|| counter!("loci_resent_messages_total").increment(messages));
    }

    fn outbound_refused(&self, reason: &str) {
        self.record(|| counter!("loci_outbound_refused_total", "reason" => reason.to_owned()).increment(1));
    }

    fn operations_memory(&self, seen: &SreObservation<'_>) {
        self.record(|| super::sre_metrics::count(seen));
    }

    fn spans_dropped(&self, spans: u64) {
        self.record(|| counter!("loci_trace_spans_dropped_total").increment(spans));
    }
}

fn strategy_word(strategy: StrategyBase) -> &'static str {
    match strategy {
        StrategyBase::Semantic => "semantic",
        StrategyBase::Summary => "summary",
        StrategyBase::UserPreference => "user_preference",
        StrategyBase::Episodic => "episodic",
        StrategyBase::SelfManaged => "self_managed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::job::exchange::Usage;
    use loci_model::ports::deliver::NoticeKind;

    #[test]
    fn what_the_pipeline_does_is_counted() {
        let metrics = Metrics::new();
        for outcome in ["ok", "ok", "error"] {
            metrics.step(&StepObservation {
                step: "extract",
                strategy: Some(StrategyBase::Semantic),
                outcome,
                elapsed_us: 2_000,
            });
        }
        metrics.model_call(&ModelCallObservation {
            provider: "main",
            model: "m",
            answered_by: None,
            step: None,
            outcome: "complete",
            usage: Usage { input_tokens: 7, output_tokens: 3 },
            tries: 2,
            elapsed_ms: 40,
            span: None,
        });
        let (kind, outcome) = (NoticeKind::JobEnded, "again");
        metrics.delivery(&DeliveryObservation { kind, outcome, attempt: 1, elapsed_ms: 5, span: None });
        metrics.pulled_answer(Step::Extract, Some(1_500));
        metrics.pulled_answer(Step::Extract, None);
        metrics.decision("skip", "deterministic@1");
        metrics.finding("injection");
        metrics.extraction_failed(StrategyBase::Summary, "MODEL_UNAVAILABLE");
        metrics.resent(4);
        metrics.outbound_refused("loopback");
        metrics.spans_dropped(6);
        metrics.deliveries(3, 1, 12.5);
        let text = metrics.render();
        for line in [
            r#"loci_pipeline_steps_total{step="extract",strategy="semantic",outcome="ok"} 2"#,
            r#"loci_pipeline_step_seconds_bucket{step="extract",le="0.0025"} 3"#,
            r#"loci_model_calls_total{provider="main",model="m",step="none",outcome="complete"} 1"#,
            r#"loci_model_tokens_total{provider="main",direction="output"} 3"#,
            r#"loci_model_tries_total{provider="main"} 2"#,
            r#"loci_deliveries_total{kind="job_ended",outcome="again"} 1"#,
            r#"loci_pulled_answers_total{step="extract"} 2"#,
            r#"loci_pulled_cost_microusd_total{step="extract"} 1500"#,
            r#"loci_consolidation_decisions_total{action="skip",by="deterministic@1"} 1"#,
            r#"loci_safety_findings_total{finding="injection"} 1"#,
            r#"loci_failed_extractions_total{strategy_type="summary",code="MODEL_UNAVAILABLE"} 1"#,
            "loci_resent_messages_total 4",
            r#"loci_outbound_refused_total{reason="loopback"} 1"#,
            "loci_trace_spans_dropped_total 6",
            r#"loci_deliveries_waiting{state="pending"} 3"#,
            r#"loci_deliveries_waiting{state="failed"} 1"#,
            "loci_delivery_oldest_seconds 12.5",
        ] {
            assert!(text.contains(line), "{line} in\n{text}");
        }
    }
}
