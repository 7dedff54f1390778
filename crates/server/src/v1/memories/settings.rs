//! Settings of memories: conversion between the native shapes and the engine's types.

use loci_api::memory as shape;
use loci_model::memory::settings::{ConsolidationSettings, MemorySettings};

/// Returns settings of a request.
pub(super) fn settings(asked: shape::MemorySettings) -> MemorySettings {
    MemorySettings {
        profile: asked.profile,
        namespace_match: asked.namespace_match,
        event_limits: asked.event_limits,
        text_dates: asked.text_dates,
        read_your_writes: asked.read_your_writes,
        main_branch_marker: asked.main_branch_marker,
        erase_after_ms: asked.erase_after_ms,
        history_days: asked.history_days,
        retrieval_weights: asked.retrieval_weights.map(|weights| weights.to_string()),
        model_mode: asked.model_mode,
        window: asked.window,
        safety: asked.safety,
        consolidation: ConsolidationSettings {
            verbatim: asked.consolidation.verbatim,
            reflect_every: asked.consolidation.reflect_every,
            reflect_min_episodes: asked.consolidation.reflect_min_episodes,
            thresholds: asked.consolidation.thresholds.map(|thresholds| thresholds.to_string()),
        },
    }
}

/// Returns settings for a response.
pub(super) fn settings_shown(settings: &MemorySettings) -> shape::MemorySettings {
    shape::MemorySettings {
        profile: settings.profile.clone(),
        namespace_match: settings.namespace_match,
        event_limits: settings.event_limits,
        text_dates: settings.text_dates,
        read_your_writes: settings.read_your_writes,
        main_branch_marker: settings.main_branch_marker,
        erase_after_ms: settings.erase_after_ms,
        history_days: settings.history_days,
        retrieval_weights: settings
            .retrieval_weights
            .as_deref()
            .and_then(|weights| serde_json::from_str(weights).ok()),
        model_mode: settings.model_mode,
        window: settings.window,
        safety: settings.safety,
        consolidation: shape::ConsolidationSettings {
            verbatim: settings.consolidation.verbatim,
            reflect_every: settings.consolidation.reflect_every,
            reflect_min_episodes: settings.consolidation.reflect_min_episodes,
            thresholds: settings
                .consolidation
                .thresholds
                .as_deref()
                .and_then(|thresholds| serde_json::from_str(thresholds).ok()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_is_what_is_shown() {
        let check = |text: &str| {
            let asked: loci_api::memory::MemorySettings = serde_json::from_str(text).unwrap();
            assert_eq!(settings_shown(&settings(asked.clone())), asked, "{text}");
        };
        check("{}");
        check(
            r#"{"read_your_writes":true,"model_mode":"none","window":{"messages":3,"tokens":200,"idle_ms":10,"context_messages":0},
                "safety":{"secrets":"mask","injection":"quarantine"},
                "consolidation":{"verbatim":true,"reflect_every":9,"reflect_min_episodes":4,"thresholds":{"a":1}}}"#,
        );
        check(r#"{"model_mode":"pull","safety":{"secrets":"off","injection":"off"}}"#);
    }

    #[test]
    fn the_defaults_of_the_door_are_the_engines() {
        assert_eq!(settings(loci_api::memory::MemorySettings::default()), MemorySettings::default());
    }
}
