//! The engine in process, as an agent has it: nothing is replaced but the model.

#[cfg(test)]
mod conforming;
#[cfg(test)]
mod keeping;
