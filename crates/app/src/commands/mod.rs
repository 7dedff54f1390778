//! The commands of `loci`, one file each. A command is a call of the native API through the client; `serve` and
//! `restore`, which work on the folder itself, are the exceptions.

pub mod serve;
