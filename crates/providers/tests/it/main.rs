//! Every protocol against a server of this machine that speaks it: `exchanges/<vendor>.json` holds what is asked, what
//! must arrive there, what it answers and what comes of it. Written after the vendors' documentation. Pauses jump.

#![cfg(test)]

mod embedders;
mod exchange;
mod models;
mod vendor;
