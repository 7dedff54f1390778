//! Preferences of the people that tasks are done for: what they say of how they always want to
//! work, and what is concluded from what is said of their work several times. They are records
//! beneath `/users/<login>/`; they are shown to tasks of that person alone.
//!
//! | file | idea |
//! |---|---|
//! | `cues`, `dimension`, `stated_preferences` | what a description states: pure |
//! | `task_description` | keeping what the description of a new task states |
//! | `owner` | the owner, by number and login |
//! | `requester` | the proof that a person asked for a task, by which an agent is shown theirs |
//! | `precedence` | which of several is in force |
//! | `review_requests` | what reviews ask for again and again: pure |
//! | `inference` | keeping that |
//! | `named_people` | people whom the data of others names, and the walk over it |
//! | `preferences_list`, `preference_put`, `preference_remove`, `user_export`, `user_forget` | the verbs |

mod cues;
mod dimension;
mod inference;
mod named_people;
mod owner;
mod precedence;
mod preference_put;
mod preference_remove;
mod preferences_list;
mod requester;
mod review_requests;
mod scanners;
mod stated_preferences;
mod task_description;
mod user_export;
mod user_forget;

pub(super) use named_people::person_mentions::People;
pub(super) use owner::{is_whose, login_of, place_named};
pub(super) use precedence::restricted_to;
pub use preference_put::{PreferencePut, PreferenceSet};
pub use preferences_list::{PreferencesListed, preference_shown};
pub(super) use requester::{
    TOKEN_UNPROVED, UNPROVED, agents_place, proof, prove_again, requester_place, token_claim, unproved,
};
pub(super) use review_requests::requests;
pub(crate) use scanners::SCANNERS;
pub(super) use task_description::{Described, keep_described, of_description};
