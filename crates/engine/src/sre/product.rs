//! The product value: what operations memory adds to the kernel.

use std::sync::Arc;

use super::hooks::Hooks;
use super::jobs;
use crate::hooks::Product;
use crate::sre::SreSettingsByMemory;

/// Returns what operations memory adds to the kernel.
pub(crate) fn product(settings: &SreSettingsByMemory) -> Product {
    let hooks = Arc::new(Hooks { settings: settings.clone() });
    Product {
        name: "operations",
        records: Some(hooks.clone()),
        admission: Some(hooks.clone()),
        events: Some(hooks.clone()),
        access: Some(hooks.clone()),
        profiles: Some(hooks),
        jobs: vec![
            Arc::new(jobs::alert::AlertHook),
            Arc::new(jobs::agent_response::AgentResponse),
            Arc::new(jobs::session_summary::SessionSummary),
        ],
    }
}
