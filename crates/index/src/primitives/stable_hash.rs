//! A 64-bit hash that is equal on every machine and in every version: FNV-1a over words, with a
//! final mix. Not for tables that callers could attack.

/// The state of a hash.
#[derive(Debug, Clone)]
pub(crate) struct Mix(u64);

impl Default for Mix {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Mix {
    /// Adds a number.
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.0 = (self.0 ^ number).wrapping_mul(0x0000_0100_0000_01b3);
        self.0 ^= self.0 >> 29;
        self
    }

    /// Adds an optional number.
    pub(crate) fn maybe(&mut self, number: Option<u64>) -> &mut Self {
        match number {
            Some(number) => self.number(1).number(number),
            None => self.number(0),
        }
    }

    /// Adds bytes and their count.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.number(u64::from_le_bytes(*word));
        }
        if !rest.is_empty() {
            let word = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            self.number(word);
        }
        self
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Returns the hash.
    pub(crate) fn finish(&self) -> u64 {
        let mut hash = self.0;
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        let of = |texts: &[&str]| texts.iter().fold(&mut Mix::default(), |mix, text| mix.text(text)).finish();
        let all =
            [of(&[]), of(&[""]), of(&["ab"]), of(&["a", "b"]), of(&["b", "a"]), of(&["a\0"]), of(&["a"])];
        for (at, hash) in all.iter().enumerate() {
            assert!(!all[at + 1..].contains(hash), "{at}");
        }
        assert_eq!(of(&["loci"]), of(&["loci"]));
    }
}
