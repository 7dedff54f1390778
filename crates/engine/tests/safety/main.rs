//! Safety from outside: corpora of attacks and of harmless texts, and properties that hold for any text.

mod corpora;
mod properties;
