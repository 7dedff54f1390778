//! Verified memory with a real store and in-memory repositories: storage, reads, and the lifecycle
//! of facts.

mod acceptance;
mod background;
mod bulk_verification;
mod fact_store;
mod fact_updates;
mod fact_use;
mod fixture;
mod forge_identity;
mod known_defects;
mod lifecycle;
mod person_erasure;
mod proposed_citations;
mod read_sha;
mod reads;
mod reported_verdicts;
mod suspicious_text;
mod tenants;
mod unknown_claims;
mod withheld_facts;
