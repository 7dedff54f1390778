//! Estimates of the number of tokens in a text, for budgets. They need no tokenizer of a model.

use std::sync::Arc;

/// A method to estimate the number of tokens in a text.
#[derive(Clone, Default)]
pub enum Estimator {
    /// One token per four ASCII characters and one per other character, for scripts that write a
    /// word in one character.
    #[default]
    Mixed,
    /// One token per four characters, whatever the script is.
    Chars4,
    /// One token per three bytes of UTF-8.
    Bytes3,
    /// A function of the caller that returns the number of tokens.
    Custom(Arc<dyn Fn(&str) -> usize + Send + Sync>),
}

impl Estimator {
    /// Returns the estimated number of tokens in a text.
    pub fn tokens(&self, text: &str) -> usize {
        match self {
            Self::Mixed => {
                let characters = text.chars().count();
                let ascii = text.bytes().filter(u8::is_ascii).count();
                ascii.div_ceil(4) + (characters - ascii)
            }
            Self::Chars4 => text.chars().count().div_ceil(4),
            Self::Bytes3 => text.len().div_ceil(3),
            Self::Custom(estimate) => estimate(text),
        }
    }
}

impl std::fmt::Debug for Estimator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Mixed => "Mixed",
            Self::Chars4 => "Chars4",
            Self::Bytes3 => "Bytes3",
            Self::Custom(_) => "Custom",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates() {
        let check = |text: &str, expect: [usize; 3]| {
            let got = [Estimator::Mixed, Estimator::Chars4, Estimator::Bytes3].map(|way| way.tokens(text));
            assert_eq!(got, expect, "{text}");
        };
        check("", [0, 0, 0]);
        check("abcde", [2, 2, 2]);
        check("日本語", [3, 1, 3]);
        check("ab日", [2, 1, 2]);
        assert_eq!(Estimator::Custom(Arc::new(|_| 7)).tokens("x"), 7);
    }
}
