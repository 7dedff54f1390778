//! The engine in process, as an agent uses it: only the model is replaced.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod persistence;
