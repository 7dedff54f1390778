//! `memory_stats`: counts and rates of a repository.

use loci_model::Timestamp;
use loci_model::record::RecordState;
use loci_verified::FactStats;
use serde_json::{Value, json};

use super::arguments;
use super::shapes::repo;
use crate::tools::profile::Profile;
use crate::tools::schema::{anything, closed, count, number, open, or_null, time, word};
use crate::tools::tool::{Annotations, Context, ReceivedArguments, Tool, ToolOutcome, ToolRight};

pub(in crate::tools) fn tool() -> Tool {
    Tool {
        name: "memory_stats",
        dotted: Some("memory.stats"),
        description: "Counts, verification rates and timings for one repository.",
        profiles: &[Profile::Verified, Profile::Full],
        scope: ToolRight::Read,
        annotations: Annotations::read(false),
        input: closed([("repo", repo())], &[]),
        output: open(
            [
                ("repo", word()),
                ("active_count", count()),
                ("quarantined_count", count()),
                ("invalid_count", count()),
                ("superseded_count", count()),
                ("expired_count", count()),
                ("avg_verifications", or_null(number())),
                ("avg_rejections", or_null(number())),
                ("last_refresh", or_null(time())),
                ("first_memory", or_null(time())),
                ("latest_memory", or_null(time())),
                ("applied_count", count()),
                ("verdict_rates", anything()),
                ("told_verdicts", anything()),
                ("verified_before_use_rate", or_null(number())),
                ("refresh_on_valid_rate", or_null(number())),
                ("stale_share", or_null(number())),
                ("cache_hit_rate", or_null(number())),
                ("verification_ms", open([("p50", or_null(number())), ("p95", or_null(number()))], &[])),
            ],
            &["repo", "active_count", "superseded_count", "invalid_count"],
        ),
        work: Some(|context, arguments| Box::pin(count_all(context, arguments))),
    }
}

async fn count_all(context: Context, arguments: ReceivedArguments) -> ToolOutcome {
    let (standing, repo) =
        (arguments::standing(&context, &arguments), arguments::needed(&arguments, "repo")?);
    Ok(shown(&context.engine.verified.fact_stats(&context.caller, &standing, &repo).await?))
}

fn shown(stats: &FactStats) -> Value {
    let sums = &stats.sums;
    let all: u64 = sums.by_status.iter().map(|(_, count)| count).sum();
    let active = stats.count(RecordState::Active);
    let mean = |sum: u64, count: u64| (count > 0).then(|| sum as f64 / count as f64);
    let rates = stats.verdict_rates.iter().map(|(days, rates)| (format!("{days}d"), json!(rates)));
    let (p50, p95) = stats.verification_ms.map_or((None, None), |(p50, p95)| (Some(p50), Some(p95)));
    json!({
        "repo": stats.repo,
        "active_count": active,
        "quarantined_count": stats.count(RecordState::Quarantined),
        "invalid_count": stats.count(RecordState::Invalid),
        "superseded_count": stats.count(RecordState::Superseded),
        "expired_count": stats.count(RecordState::Expired),
        "avg_verifications": mean(sums.verifications, active),
        "avg_rejections": mean(sums.rejections, all),
        "last_refresh": sums.refreshed_last.map(Timestamp::to_rfc3339),
        "first_memory": sums.created.map(|(first, _)| first.to_rfc3339()),
        "latest_memory": sums.created.map(|(_, last)| last.to_rfc3339()),
        "applied_count": sums.applied,
        "verdict_rates": rates.collect::<serde_json::Map<_, _>>(),
        "told_verdicts": stats.told,
        "verified_before_use_rate": stats.verified_before_use_rate,
        "refresh_on_valid_rate": stats.refresh_on_valid_rate,
        "stale_share": stats.stale_share,
        "cache_hit_rate": stats.cache_hit_rate,
        "verification_ms": { "p50": p50, "p95": p95 },
    })
}
