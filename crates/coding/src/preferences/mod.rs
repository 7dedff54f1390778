//! Preferences of the people that tasks are done for: their statements on how they always want to
//! work, and conclusions from repeated comments on their work. They are records below
//! `/users/<login>/`, and are shown only to tasks of that person.
//!
//! | file | idea |
//! |---|---|
//! | `cues`, `dimension`, `stated_preferences` | the preferences that a description states: pure |
//! | `task_description` | stores the preferences in the description of a new task |
//! | `owner` | the owner, by number and login |
//! | `requester` | the proof that a person requested a task, required for an agent's access |
//! | `precedence` | the preference in force among several |
//! | `review_requests` | repeated requests in reviews: pure |
//! | `inference` | stores inferred preferences |
//! | `named_people` | people whom the data of others names, and the walk over it |
//! | `preferences_list`, `preference_put`, `preference_remove` | the verbs on preferences |
//! | `user_export`, `user_forget` | the verbs on people |

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
