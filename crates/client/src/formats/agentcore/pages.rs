//! Lists of the wire, page by page. Where a page is larger than is read, smaller ones are asked for.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::wire::{Wire, WireError, post};

/// Items of a page.
const PAGE: u32 = 100;

/// A page of any list.
pub(super) trait Page: DeserializeOwned {
    /// Where the next one starts.
    fn next_token(&mut self) -> Option<String>;
}

/// A list that is being read.
pub(super) struct Pages {
    path: String,
    asked: Map<String, Value>,
    page: u32,
    next: Option<String>,
    ended: bool,
}

impl Pages {
    /// The list at a path, asked for with these members.
    pub(super) fn of(path: String, asked: &[(&str, Value)]) -> Self {
        let asked = asked.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        Self { path, asked, page: PAGE, next: None, ended: false }
    }

    /// The next page.
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
