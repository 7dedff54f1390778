//! Repositories made by git itself, read through the ports. One binary for all tests; it needs a
//! `git` executable.

#![cfg(test)]
mod commit_reads;
mod default_branches;
mod files;
mod history;
mod hostile_repositories;
mod partial_clones;
mod sample;
mod worktrees;
