//! A deserializer that reads a struct from an object only, and records the path of an error.
//!
//! The code that serde derives also reads a struct from an array, member by member. With defaults,
//! `[]` then means a struct of defaults: a grant without restrictions, for example. [`Strict`]
//! wraps a deserializer and everything that it lends, so that it rejects such an array at every
//! depth. Tuples, tuple structs and lists are still arrays.
//!
//! Flattened members and enums with `tag` or `untagged` are buffered by serde, out of reach of the
//! wrapper. Their fields name [`strict`](crate::strict()) as `deserialize_with`. Two gaps remain:
//! an enum with `tag` is also read from an array at its own level, so its reader checks for an
//! object first; and a flattened `Option` with `strict` is always an error, because serde reads it
//! by a private method that a wrapper cannot forward.

use std::cell::Cell;
use std::fmt::{self, Write as _};

use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};

/// The ordinals of members and elements that lead to an error, the innermost first. They are
/// resolved to names only after an error, so that successful reading copies no name.
#[derive(Default)]
pub(crate) struct ErrorPath(Cell<Vec<usize>>);

impl ErrorPath {
    #[cold]
    fn push(&self, ordinal: usize) {
        let mut ordinals = self.0.take();
        ordinals.push(ordinal);
        self.0.set(ordinals);
    }

    /// Returns the path in the input that was read, as `grants[0].memory`. It is empty for the
    /// whole input.
    pub(crate) fn resolve<'de>(self, input: impl Deserializer<'de>) -> String {
        let (ordinals, mut path) = (self.0.take(), String::new());
        // Resolution stops at the place of the error, so the rest of the input is not read: the
        // parser reports that, and the path is complete nevertheless.
        let _stopped = Resolution { ordinals: &ordinals, path: &mut path }.deserialize(input);
        path
    }
}

/// Follows ordinals through an input and writes the path.
struct Resolution<'a> {
    ordinals: &'a [usize],
    path: &'a mut String,
}

impl<'de> DeserializeSeed<'de> for Resolution<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        if self.ordinals.is_empty() { Ok(()) } else { input.deserialize_any(self) }
    }
}

impl<'de> Visitor<'de> for Resolution<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object or an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Some((index, ordinals)) = self.ordinals.split_last() else { return Ok(()) };
        for _ in 0..*index {
            elements.next_element::<IgnoredAny>()?;
        }
        write!(self.path, "[{index}]").map_err(A::Error::custom)?;
        elements.next_element_seed(Resolution { ordinals, path: self.path }).map(drop)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Some((index, ordinals)) = self.ordinals.split_last() else { return Ok(()) };
        for _ in 0..*index {
            members.next_entry::<IgnoredAny, IgnoredAny>()?;
        }
        let Some(name) = members.next_key::<String>()? else { return Ok(()) };
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(&name);
        members.next_value_seed(Resolution { ordinals, path: self.path })
    }
}

/// A deserializer, seed or access of an enum whose structs are objects.
pub(crate) struct Strict<'p, T> {
    inner: T,
    path: &'p ErrorPath,
}

impl<'p, T> Strict<'p, T> {
    pub(crate) fn new(inner: T, path: &'p ErrorPath) -> Self {
        Self { inner, path }
    }

    fn visitor<V>(&self, inner: V) -> Visit<'p, V> {
        Visit { inner, path: self.path, is_struct: false }
    }

    fn struct_visitor<V>(&self, inner: V) -> Visit<'p, V> {
        Visit { inner, path: self.path, is_struct: true }
    }
}

/// Forwards the methods for values that contain no struct.
macro_rules! forward_plain {
    ($($name:ident)*) => {$(
        #[inline]
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.inner.$name(visitor)
        }
    )*};
}

/// Forwards the methods for values that may contain a struct.
macro_rules! forward_wrapped {
    ($($name:ident($($argument:ident: $type:ty),*))*) => {$(
        #[inline]
        fn $name<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            let visitor = self.visitor(visitor);
            self.inner.$name($($argument,)* visitor)
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Strict<'_, D> {
    type Error = D::Error;

    forward_plain! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_i128 deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char deserialize_str
        deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit
        deserialize_identifier deserialize_ignored_any
    }

    forward_wrapped! {
        deserialize_any()
        deserialize_option()
        deserialize_unit_struct(name: &'static str)
        deserialize_newtype_struct(name: &'static str)
        deserialize_seq()
        deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize)
        deserialize_map()
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let visitor = self.struct_visitor(visitor);
        self.inner.deserialize_struct(name, fields, visitor)
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Strict<'_, S> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Strict::new(input, self.path))
    }
}

impl<'de, 'p, A: EnumAccess<'de>> EnumAccess<'de> for Strict<'p, A> {
    type Error = A::Error;
    type Variant = Strict<'p, A::Variant>;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, variant) = self.inner.variant_seed(seed)?;
        Ok((value, Strict::new(variant, self.path)))
    }
}

// A variant with content is an object of one member, so the ordinal of the content is 0.
impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Strict<'_, A> {
    type Error = A::Error;

    #[inline]
    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        let path = self.path;
        self.inner.newtype_variant_seed(Strict::new(seed, path)).inspect_err(|_| path.push(0))
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        let (path, visitor) = (self.path, self.visitor(visitor));
        self.inner.tuple_variant(len, visitor).inspect_err(|_| path.push(0))
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        let (path, visitor) = (self.path, self.struct_visitor(visitor));
        self.inner.struct_variant(fields, visitor).inspect_err(|_| path.push(0))
    }
}

/// A visitor that wraps what it is lent. That of a struct rejects an array.
struct Visit<'p, V> {
    inner: V,
    path: &'p ErrorPath,
    is_struct: bool,
}

/// Forwards the methods for values without content.
macro_rules! visit_plain {
    ($($name:ident($type:ty))*) => {$(
        #[inline]
        fn $name<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.inner.$name(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Visit<'_, V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(formatter)
    }

    visit_plain! {
        visit_bool(bool) visit_i8(i8) visit_i16(i16) visit_i32(i32) visit_i64(i64) visit_i128(i128)
        visit_u8(u8) visit_u16(u16) visit_u32(u32) visit_u64(u64) visit_u128(u128) visit_f32(f32)
        visit_f64(f64) visit_char(char) visit_str(&str) visit_borrowed_str(&'de str)
        visit_string(String) visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8])
        visit_byte_buf(Vec<u8>)
    }

    #[inline]
    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    #[inline]
    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, content: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Strict::new(content, self.path))
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, content: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Strict::new(content, self.path))
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<V::Value, A::Error> {
        if self.is_struct {
            return Err(A::Error::invalid_type(Unexpected::Seq, &"an object"));
        }
        self.inner.visit_seq(Counted { inner: elements, path: self.path, count: 0 })
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Counted { inner: members, path: self.path, count: 0 })
    }

    #[inline]
    fn visit_enum<A: EnumAccess<'de>>(self, content: A) -> Result<V::Value, A::Error> {
        self.inner.visit_enum(Strict::new(content, self.path))
    }
}

/// The elements of an array or the members of an object, with the number of those read.
struct Counted<'p, A> {
    inner: A,
    path: &'p ErrorPath,
    count: usize,
}

impl<A> Counted<'_, A> {
    #[inline]
    fn count<T, E>(&mut self, read: Result<T, E>) -> Result<T, E> {
        match &read {
            Ok(_) => self.count += 1,
            Err(_) => self.path.push(self.count),
        }
        read
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Counted<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let read = self.inner.next_element_seed(Strict::new(seed, self.path));
        self.count(read)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Counted<'_, A> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let read = self.inner.next_value_seed(Strict::new(seed, self.path));
        self.count(read)
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint()
    }
}
