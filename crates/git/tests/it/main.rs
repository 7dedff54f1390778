//! Repositories made by git itself, read through the ports. One binary for all tests; it needs a
//! `git` executable.

#![cfg(test)]
mod default_branches;
mod files;
mod history;
mod hostile;
mod partial;
mod reading;
mod sample;
mod worktrees;
