//! Who is calling: reading and checking credentials. It grants nothing; what a caller may do is the engine's to say.

pub mod gate;
pub mod signed;
pub mod sigv4;
mod sigv4_canonical;
pub mod sigv4_chunks;
mod sigv4_presigned;
pub(crate) mod single_header;
pub(crate) mod site;
