//! Words that represent values in stores and responses. A closed list is an enum with one word for
//! each value. An open list is a type of every word that obeys one rule. No wire spellings.

macro_rules! closed_words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize
        )]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every value, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the word of the value in stores and responses.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Returns the value of a word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.as_str() == word)
            }

            /// Reads an optional word from a member of a request.
            ///
            /// # Errors
            /// `Invalid` on the member for a word that is not in the list.
            pub fn read(field: &'static str, word: Option<&str>) -> crate::Result<Option<Self>> {
                crate::words::word(field, word, Self::ALL, Self::as_str)
            }
        }
    };
}

/// Reads an optional word of a closed list from a member of a request.
///
/// # Errors
/// `Invalid` on the member for a word that is not in the list.
pub fn word<T: Copy>(
    field: &'static str,
    word: Option<&str>,
    all: &[T],
    show: impl Fn(T) -> &'static str,
) -> crate::Result<Option<T>> {
    let Some(word) = word else { return Ok(None) };
    let found = all.iter().copied().find(|one| show(*one) == word);
    let words = || all.iter().map(|one| show(*one)).collect::<Vec<_>>().join(", ");
    let unknown = || crate::Error::invalid(field, format!("{field} must be one of {}", words()));
    found.map(Some).ok_or_else(unknown)
}

/// Maximum length of an open word, in bytes.
pub(crate) const WORD_BYTES_MAX: usize = 40;

macro_rules! open_words {
    ($(#[$doc:meta])* $name:ident, $field:literal, $rule:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(std::borrow::Cow<'static, str>);

        impl $name {
            /// Returns the value of a word that obeys the rule of [`Self::parse`].
            pub const fn named(word: &'static str) -> Self {
                Self(std::borrow::Cow::Borrowed(word))
            }

            /// Returns the word in stores and responses.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Parses a word: 1 to 40 lower-case letters and underscores.
            ///
            /// # Errors
            /// `Invalid` for another word.
            pub fn parse(word: &str) -> crate::Result<Self> {
                let is_part = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
                let length = 1..=crate::words::WORD_BYTES_MAX;
                if length.contains(&word.len()) && word.bytes().all(is_part) {
                    Ok(Self(std::borrow::Cow::Owned(word.to_owned())))
                } else {
                    Err(crate::Error::invalid($field, $rule))
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = crate::Error;

            fn try_from(word: String) -> crate::Result<Self> {
                Self::parse(&word)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> Self {
                value.0.into_owned()
            }
        }
    };
}

pub(crate) use {closed_words, open_words};
