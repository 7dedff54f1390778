//! Authentication: reading and checking credentials. It grants nothing; the engine decides the
//! rights of a caller.

pub mod gate;
pub mod signed_request;
pub mod sigv4;
mod sigv4_canonical;
pub mod sigv4_chunks;
mod sigv4_query_claim;
pub(crate) mod single_header;
pub(crate) mod site;
