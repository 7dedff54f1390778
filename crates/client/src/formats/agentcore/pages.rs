//! Lists of the wire format, page by page. If a page exceeds the read limit, smaller pages are
//! requested.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::wire::{Wire, WireError, post};

/// The number of items of a page.
const PAGE: u32 = 100;

/// A page of any list.
pub(super) trait Page: DeserializeOwned {
    /// Takes the token of the next page.
    fn next_token(&mut self) -> Option<String>;
}

/// A list in the course of reading.
pub(super) struct Pages {
    path: String,
    asked: Map<String, Value>,
    page: u32,
    next: Option<String>,
    ended: bool,
}

impl Pages {
    /// Creates the list at a path, requested with these members.
    pub(super) fn of(path: String, asked: &[(&str, Value)]) -> Self {
        let asked = asked.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        Self { path, asked, page: PAGE, next: None, ended: false }
    }

    /// Returns the next page.
    pub(super) async fn next<P: Page>(&mut self, wire: &dyn Wire) -> Result<Option<P>, WireError> {
        if self.ended {
            return Ok(None);
        }
        loop {
            let mut body = self.asked.clone();
            body.insert("maxResults".to_owned(), self.page.into());
            if let Some(token) = &self.next {
                body.insert("nextToken".to_owned(), token.as_str().into());
            }
            let text = match wire.call(post(self.path.clone(), &body)?).await {
                Err(WireError::TooLarge) if self.page > 1 => {
                    self.page = (self.page / 4).max(1);
                    continue;
                }
                text => text?,
            };
            let mut page: P = super::wire::read(&text)?;
            let token = page.next_token().filter(|token| !token.is_empty());
            if token.is_some() && token == self.next {
                let rule = "the list does not go on: its next page begins where this one did";
                return Err(WireError::Gone(rule.to_owned()));
            }
            self.ended = token.is_none();
            self.next = token;
            return Ok(Some(page));
        }
    }
}
