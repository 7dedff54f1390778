//! Questions to a model: versioned prompts, the conversation as data, and the strict parser of a
//! reply.

pub mod grounding;
pub mod prompt;
pub mod prompt_input;
pub mod question;
pub mod reply_json;
