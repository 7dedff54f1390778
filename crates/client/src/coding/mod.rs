//! Calls of the memory of coding agents: tasks, sessions, reviews, rules, prompts, safeguards.

mod dead_letters;
mod evaluations;
mod graph;
mod preferences;
mod prompts;
mod reflections;
mod repositories;
mod reviews;
mod rules;
mod safeguards;
mod sessions;
mod tasks;
