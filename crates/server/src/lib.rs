//! The doors: the AgentCore wire, the native API, operations. No rule lives here: every door calls the same `Engine`.

pub mod agentcore;
pub mod auth;
