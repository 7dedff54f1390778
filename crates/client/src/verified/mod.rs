//! Calls of the product of verified facts: repositories. Tools store and read the facts themselves.

mod repositories;
