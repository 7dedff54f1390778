//! Preferences of the people that tasks are done for (coding-agent-memory.md §13): what they say of how they always want to work, and what
//! is concluded from what is said of their work several times. They are records beneath `/users/<login>/`; they are shown to tasks of
//! that person alone.
//!
//! | file | idea |
//! |---|---|
//! | `own_words`, `cues`, `dimension`, `stated` | what a description states: pure |
//! | `described` | keeping what the description of a new task states |
//! | `people` | whose they are, by number and login |
//! | `requester` | the proof that a person asked for a task, by which an agent is shown theirs |
//! | `keeping` | which of several is in force |
//! | `implied` | what reviews ask for again and again: pure |
//! | `inferring` | keeping that |
//! | `people_places` | the places where each noun names people: pure |
//! | `named_places` | a person in a document, a list, a text of a noun: pure |
//! | `described_person` | an object that describes a person, and its members that name them: pure |
//! | `people_in_text` | people in free text and in lists of authors: pure |
//! | `json_in_text` | JSON in free text, by its place: pure |
//! | `pseudonym` | a person who is taken out, and what stands for them: pure |
//! | `person_mentions` | a person as others name them, for the walk over a memory |
//! | `person_walk`, `people_rows`, `session_rows` | that walk, and its tables |
//! | `forgotten_people` | people who were forgotten, as an import meets them |
//! | `preferences_list`, `preference_put`, `preference_remove`, `user_export`, `user_forget` | the verbs |

mod cues;
mod described;
mod described_person;
mod dimension;
mod forgotten_people;
mod implied;
mod inferring;
mod json_in_text;
mod keeping;
mod named_places;
mod people;
mod people_in_text;
mod people_places;
mod people_rows;
mod person_mentions;
mod person_walk;
mod preference_put;
mod preference_remove;
mod preferences_list;
mod pseudonym;
mod requester;
mod scanners;
mod session_rows;
mod stated;
mod user_export;
mod user_forget;

pub(super) use described::{Described, keep_described, of_description};
pub(super) use implied::requests;
pub(super) use keeping::restricted_to;
pub(super) use people::{is_whose, login_of, place_named};
pub(super) use person_mentions::People;
pub use preference_put::{PreferencePut, PreferenceSet};
pub use preference_remove::UserSettingsPut;
pub use preferences_list::{PreferencesListed, UserShown};
pub(super) use requester::{
    TOKEN_UNPROVED, UNPROVED, agents_place, proof, prove_again, requester_place, token_claim, unproved,
};
pub(crate) use scanners::SCANNERS;
pub use user_export::UserExport;
pub use user_forget::UserForgotten;
