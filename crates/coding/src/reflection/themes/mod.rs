//! Themes of self-feedback: information that several tasks of a repository lacked. Themes are not
//! stored: equal items always give equal themes, so they are computed on request. A theme is closed
//! by a person, which archives its items, or becomes quiet after many tasks without a new item. No
//! model is used.
//!
//! | file | idea |
//! |---|---|
//! | `clusters` | groups similar items: pure |
//! | `items` | the items, and the similarity between them |
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
