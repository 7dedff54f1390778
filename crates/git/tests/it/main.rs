//! Repositories that git itself makes, read through the ports. One binary for all; what it needs is a `git` executable.

#![cfg(test)]
mod default_branches;
mod files;
mod history;
mod hostile;
mod partial;
mod reading;
mod sample;
mod worktrees;
