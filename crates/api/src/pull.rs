//! Pull mode: questions to a caller's own model, and its answers. No shape yet.
