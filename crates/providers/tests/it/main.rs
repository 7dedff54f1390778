//! Tests every protocol against a local server that implements it. `exchanges/<vendor>.json`
//! contains the calls, the expected requests, the responses and the outcomes. They follow the
//! vendors' documentation. The clock skips pauses.

#![cfg(test)]

mod embedders;
mod exchange;
mod models;
mod vendor;
