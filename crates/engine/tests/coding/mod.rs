//! Tasks of coding agents through the engine: taking in, moving on, who sees what, how they end. Names carry the numbers of the acceptance
//! tests of coding-agent-memory.md §23 where they are one.

mod agents;
mod alerting;
mod attributing;
mod commits;
mod consolidating;
mod dead_letters;
mod documented;
mod ends;
mod extraction_prompts;
mod feedback;
mod forge_of_tests;
mod graphs;
mod hydrating;
mod measuring;
mod outcomes;
mod path_refs;
mod pending_citations;
mod preferences;
mod prompts;
mod red_team;
mod reflecting;
mod repository_settings;
mod reviews;
mod rules;
mod safeguards;
mod screening;
mod searching;
mod sessions;
mod slow_store;
mod tasks;
mod telling;
mod themes;
mod world;
