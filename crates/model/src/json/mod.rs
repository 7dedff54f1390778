//! Verbatim JSON: values kept as text, trees that keep order, reserved names; and the attributes of
//! XML.

pub mod document;
pub mod reserved_names;
pub mod tree;
pub mod xml_attributes;
