//! Black-box tests of safety: corpora of attacks and of harmless texts, and properties of any text.

mod corpora;
mod properties;
