//! The binary as people and programs use it: real processes, real folders, nothing beyond loopback.

#![cfg(test)]

mod agent_tokens;
mod agentcore_wire;
mod alerting;
mod attach;
mod blaming;
mod branches;
mod buckets;
mod calibrating;
mod concluding;
mod configuring;
mod consolidating;
mod conversing;
mod declaring;
mod default_repository;
mod demo;
mod discreet;
mod elsewhere;
mod endless_files;
mod exchanging;
mod fact_words;
mod facts;
mod file_backends;
mod files;
mod finding;
mod folder_state;
mod forgetting;
mod githook_places;
mod githooks;
mod graphs;
mod guarding;
mod hooking;
mod identifying;
mod installing;
mod interrupted;
mod investigating;
mod memory_names;
mod migrating;
mod mirroring;
mod models;
mod moving;
mod native;
#[cfg(feature = "onnx")]
mod onnx;
mod operating;
mod operations;
mod preferring;
mod program;
mod prompting;
mod pulling;
mod recurring;
mod redacting;
mod remembering;
mod retrieval_pages;
mod ruling;
mod safeguarding;
mod scopes;
mod service_variables;
mod serving;
mod shop;
mod speaking_mcp;
mod spooling;
#[cfg(target_os = "linux")]
mod stop_limit;
mod switching_off;
mod syncing;
mod tasks;
mod terminal_output;
#[cfg(feature = "otel")]
mod traces;
mod turn_keys;
mod verifying;
mod webhooks;
mod wire_shapes;
