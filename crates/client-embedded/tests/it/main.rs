//! The engine in process, as an agent uses it: only the model is replaced.

#[cfg(test)]
mod conforming;
#[cfg(test)]
mod keeping;
