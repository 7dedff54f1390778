//! Rules that reviews leave (coding-agent-memory.md §12).
//!
//! | file | idea |
//! |---|---|
//! | `extracting` | which rules follow from what a reviewer wrote: pure |

pub mod extracting;
