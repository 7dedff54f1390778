//! Profiles as readable files: shipped ones, a user's own, and applying one to a memory. Still empty: profiles are three
//! names, in `memories/profile.rs`.
