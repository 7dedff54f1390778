//! The AgentCore wire, both planes: AWS's paths, members and errors around the engine. No rule lives here.

pub mod route;
