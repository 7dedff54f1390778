//! Hydration in the shapes of the native API. The module decides nothing.

use std::collections::BTreeMap;

use loci_api::coding::hydration as shape;
use loci_coding::hydration::{
    Candidate, GRAPH, HydrationKind as Kind, KindStatus, episode_origin, listed_text, outcome_of,
    reflection_evidence, rule_sources, shown_text,
};
use loci_coding::prompts::task_prompt::Assembled;
use loci_coding::{CoChange, Hydrated};
use loci_model::Timestamp;
use loci_model::record::RecordState;
use loci_model::tasks::exposure::rounded;
use loci_model::tasks::task::MemoryArm;

/// The version of the response format.
const VERSION: u32 = 1;

/// Returns the response; `rendered` includes the block.
pub(super) fn hydrated(found: Hydrated, rendered: bool) -> shape::TaskHydrated {
    let plan = &found.plan;
    let of = |kind: Kind| plan.shown.iter().map(|one| &one.candidate).filter(move |one| one.kind == kind);
    let at = found.at;
    let (withheld, dropped): (Vec<_>, Vec<_>) = plan.left.iter().partition(|left| left.is_withheld());
    let budget = shape::HydrationBudget {
        limit: found.limit,
        used: plan.used,
        estimator: found.estimator.name().to_owned(),
        by_kind: plan
            .by_kind()
            .into_iter()
            .map(|(kind, tokens)| (kind.as_str().to_owned(), tokens))
            .collect(),
        dropped: dropped
            .into_iter()
            .map(|left| shape::DroppedRecord {
                id: left.candidate.record.id.to_string(),
                kind: left.candidate.kind.as_str().to_owned(),
                reason: left.reason.to_owned(),
            })
            .collect(),
    };
    let kept_back = |left: &loci_coding::hydration::OmittedRecord| shape::Withheld {
        id: left.candidate.record.id.to_string(),
        reason: left.reason.to_owned(),
    };
    let words = |word: &str| -> BTreeMap<String, String> {
        found.status.keys().map(|kind| (kind.as_str().to_owned(), word.to_owned())).collect()
    };
    let status =
        found.status.iter().map(|(kind, status)| (kind.as_str().to_owned(), status.as_str().to_owned()));
    let of_graph = (GRAPH.to_owned(), found.related_status.as_str().to_owned());
    shape::TaskHydrated {
        version: VERSION,
        task_id: found.task.as_ref().map(ToString::to_string),
        degraded: found.degraded,
        warnings: found.warnings.clone(),
        cold_start: found.cold_start,
        arm: MemoryArm::as_str(found.arm).to_owned(),
        snapshot_id: found.snapshot.clone(),
        exposure_id: found.exposure.as_ref().map(ToString::to_string),
        commit: found.commit.clone(),
        rules: of(Kind::Rules).map(|one| rule(one, at)).collect(),
        knowledge: of(Kind::Knowledge).map(|one| knowledge(one, at)).collect(),
        episodes: of(Kind::Episodes).map(|one| episode(one, at)).collect(),
        reflections: of(Kind::Reflections).map(|one| reflection(one, at)).collect(),
        preferences: of(Kind::Preferences).map(preference).collect(),
        related_files: found.related.iter().map(related).collect(),
        budget,
        withheld: withheld.into_iter().map(kept_back).collect(),
        status: status.chain([of_graph]).collect(),
        rendered: rendered.then(|| plan.block.clone()),
        memory_hash: plan.memory_hash(),
        content_trust: trust(words("memory"), &found),
        memory_context: context(&found),
        assembled: found.assembled.as_ref().map(|made| assembled(made, &found)),
    }
}

/// Returns the trust of everything in the response.
fn trust(mut words: BTreeMap<String, String>, found: &Hydrated) -> BTreeMap<String, String> {
    let sources = found.assembled.iter().flat_map(|made| &made.content_trust);
    words.extend(sources.map(|(kind, trust)| (kind.clone(), (*trust).to_owned())));
    words
}

fn assembled(made: &Assembled, found: &Hydrated) -> shape::AssembledPrompt {
    let (branch, base) = found.branches.clone();
    shape::AssembledPrompt {
        user_prompt: made.user_prompt.clone(),
        sources_used: made.sources_used.clone(),
        token_estimate: made.token_estimate,
        truncated: made.truncated,
        resolved_branch: branch,
        resolved_base: base,
    }
}

/// Returns the two lists. A list that could not be read and has no items is left out.
fn context(found: &Hydrated) -> shape::MemoryContext {
    let texts = |kinds: &[Kind]| -> Vec<String> {
        let of = |kind: &Kind| {
            let kind = *kind;
            found.plan.shown.iter().filter(move |one| one.candidate.kind == kind)
        };
        kinds.iter().flat_map(of).map(listed_text).collect()
    };
    let list = |kinds: &[Kind]| {
        let texts = texts(kinds);
        let failed =
            |kind: &Kind| found.status.get(kind).is_some_and(|status: &KindStatus| status.is_failure());
        (!texts.is_empty() || !kinds.iter().any(failed)).then_some(texts)
    };
    shape::MemoryContext {
        repo_knowledge: list(&[Kind::Rules, Kind::Reflections, Kind::Knowledge]),
        past_episodes: list(&[Kind::Episodes]),
    }
}

fn related(one: &CoChange) -> shape::RelatedFile {
    shape::RelatedFile {
        path: one.path.clone(),
        because: one.because.clone(),
        confidence: rounded(one.confidence),
        support: one.support,
        lift: rounded(one.lift),
    }
}

fn rule(one: &Candidate, at: Timestamp) -> shape::HydratedRule {
    shape::HydratedRule {
        id: one.record.id.to_string(),
        text: shown_text(&one.record),
        scope: one.record.scope.clone(),
        weight: rounded(one.score),
        state: RecordState::as_str(one.record.state).to_owned(),
        sources: rule_sources(one),
        age_days: one.age_days(at),
    }
}

fn knowledge(one: &Candidate, at: Timestamp) -> shape::HydratedKnowledge {
    shape::HydratedKnowledge {
        id: one.record.id.to_string(),
        topic: one.record.title.clone(),
        scope: one.record.scope.clone(),
        category: one.text("category").map(str::to_owned),
        text: shown_text(&one.record),
        similarity: rounded(one.similarity),
        trust: rounded(one.trust),
        score: rounded(one.score),
        verdict: one.cited.as_ref().map(|cited| cited.fate.as_str().to_owned()),
        support: one.cited.as_ref().and_then(|cited| Some(cited.support?.as_str().to_owned())),
        lacked_by: one.lacked_by,
        age_days: one.age_days(at),
    }
}

fn episode(one: &Candidate, at: Timestamp) -> shape::HydratedEpisode {
    let (outcome, polarity) = outcome_of(one);
    let (files, pr) = episode_origin(one);
    shape::HydratedEpisode {
        id: one.record.id.to_string(),
        task_id: one.text("task_id").map(str::to_owned),
        outcome,
        polarity: polarity.as_str().to_owned(),
        summary: shown_text(&one.record),
        files,
        pr,
        pr_url: one.text("pr_url").map(str::to_owned),
        similarity: rounded(one.similarity),
        age_days: one.age_days(at),
    }
}

fn reflection(one: &Candidate, at: Timestamp) -> shape::HydratedReflection {
    shape::HydratedReflection {
        id: one.record.id.to_string(),
        text: shown_text(&one.record),
        episodes: one.record.derived_from.iter().map(ToString::to_string).collect(),
        evidence: reflection_evidence(one),
        age_days: one.age_days(at),
    }
}

fn preference(one: &Candidate) -> shape::HydratedPreference {
    let origin = match one.text("source_type") {
        Some("preference_implicit") => "implicit",
        Some(_) | None => "explicit",
    };
    shape::HydratedPreference {
        id: one.record.id.to_string(),
        dimension: one.record.subtype.clone(),
        text: shown_text(&one.record),
        origin: origin.to_owned(),
    }
}
