//! Themes of self-feedback: what several tasks of a repository lacked. They are no rows of their
//! own: the same items always fall into the same themes, so they are found when they are asked for.
//! A theme is closed by a person, which puts its items away, or is quiet when many tasks have ended
//! without a word of it. No model is asked.
//!
//! | file | idea |
//! |---|---|
//! | `clusters` | which items say the same: pure |
//! | `items` | items and what is alike among them |
//! | `theme_list`, `theme_close` | the verbs |
//! | `theme_proposal` | open themes as an edit of the repository's prompt, and its acceptance |

mod clusters;
mod items;
mod theme_close;
mod theme_list;
mod theme_proposal;

pub(crate) use items::ThemePlace;
pub use items::{Theme, ThemeState};
pub use theme_list::Themes;
pub use theme_proposal::ProposalOf;
