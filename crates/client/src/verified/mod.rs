//! Calls of the product of verified facts: repositories. Facts themselves are kept and asked by
//! tools.

mod repositories;
