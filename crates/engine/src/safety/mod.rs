//! Safety: what is done to every text before it is written. One sanitiser, one redactor, used by every write.
//!
//! Texts are kept as they came: a step here refuses, marks or redacts; it never rewrites meaning in silence.
