//! The structure of code by lines, without a grammar: comments, nesting, definitions, places of
//! names.

pub(super) mod code_text;
pub(super) mod definitions;
pub(super) mod name_positions;
pub(super) mod nesting;
