//! The binary as people and programs use it: real processes, real folders, nothing beyond loopback.

#![cfg(test)]

mod attach;
mod demo;
mod models;
mod guarding;
mod moving;
mod native;
mod program;
mod pulling;
mod serving;
mod webhooks;
