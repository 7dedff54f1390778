//! People whom the data of others names: the places that name them, and the walk that erases or
//! exports them.
//!
//! | file | idea |
//! |---|---|
//! | `person_inventory` | the places where each noun names people: pure |
//! | `person_fields` | a person in a document, a list, a text of a noun: pure |
//! | `person_objects` | an object that describes a person, and its members that name them: pure |
//! | `people_in_text` | people in free text and in lists of authors: pure |
//! | `json_in_text` | JSON in free text, with its position: pure |
//! | `pseudonym` | a person who is erased, and the replacement: pure |
//! | `person_mentions` | the names of a person in others' data, for the walk over a memory |
//! | `person_removal`, `people_rows`, `session_rows` | that walk, and its tables |
//! | `forgotten_people` | erased people in an import |

mod forgotten_people;
pub(super) mod json_in_text;
pub(super) mod people_in_text;
mod people_rows;
mod person_fields;
mod person_inventory;
pub(super) mod person_mentions;
mod person_objects;
mod person_removal;
pub(super) mod pseudonym;
mod session_rows;
